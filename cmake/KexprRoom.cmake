# One static library per room of lib/, linked with what the room may see and
# nothing else, so that an include in the wrong direction does not compile.
#
#   kexpr_room(Name SOURCES a.cpp... SEES Room... [LLVM] [TBB])
#
# A room's own headers are included as "Name/Header.h". LLVM's include path and
# oneTBB's are given only to the rooms that ask for them, oneTBB's if it is used.
function(kexpr_room name)
  cmake_parse_arguments(ROOM "LLVM;TBB" "" "SOURCES;SEES" ${ARGN})
  set(target Kexpr${name})
  add_library(${target} STATIC ${ROOM_SOURCES})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include
    ${PROJECT_SOURCE_DIR}/lib)
  kexpr_compile_options(${target})
  if(ROOM_LLVM)
    # Six seconds, for one file as for all.
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 0)
  endif()
  foreach(room IN LISTS ROOM_SEES)
    target_link_libraries(${target} PUBLIC Kexpr${room})
  endforeach()
  if(ROOM_LLVM)
    target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
    target_compile_definitions(${target} PRIVATE ${LLVM_DEFINITIONS_LIST})
    target_link_libraries(${target} PRIVATE ${KEXPR_LLVM_LIBRARIES})
  endif()
  if(ROOM_TBB AND KEXPR_TBB)
    target_link_libraries(${target} PRIVATE TBB::tbb)
  endif()
endfunction()

# For code that takes longer to compile than it ever runs.
set(KEXPR_COLD_OPTIONS $<$<CONFIG:Release>:-O1>)

# What every target of the project is compiled with. The sources of one are
# compiled together: most of the time goes into their headers.
function(kexpr_compile_options target)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${KEXPR_QUICK_BUILD}
    UNITY_BUILD_BATCH_SIZE 16
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -ffp-contract=off -fno-math-errno
    # GCC 12 sees overlaps in std::string that cannot be (its bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
endfunction()
