# Builds KuiperInfer, its newest version or a course, with expressions and
# layers that reduce run by kexpr. The checkout stays as it is:
#
#   cmake -S KuiperInfer -B build -DCMAKE_BUILD_TYPE=Release \
#     -DCMAKE_PROJECT_INCLUDE=.../integrations/KuiperInfer/kexpr.cmake \
#     -DCMAKE_PREFIX_PATH=<where kexpr is installed>
#
# When the framework has defined its targets, the sources in them that are here
# under the same names are replaced.
set(KEXPR_KUIPER_DIR ${CMAKE_CURRENT_LIST_DIR})

# The version of the checkout: newest or course.
function(kexpr_kuiper_version result)
  file(STRINGS ${CMAKE_SOURCE_DIR}/include/parser/parse_expression.hpp found
    REGEX "token_strs\\(\\)")
  if(found)
    set(${result} course PARENT_SCOPE)
  else()
    set(${result} newest PARENT_SCOPE)
  endif()
endfunction()

function(kexpr_replace_expressions)
  find_package(kexpr REQUIRED)
  kexpr_kuiper_version(version)
  file(GLOB ours ${KEXPR_KUIPER_DIR}/${version}/*.cpp)
  # Those that have the names of ours.
  list(TRANSFORM ours REPLACE ".*/(.*)[.]cpp" "\\1" OUTPUT_VARIABLE names)
  list(JOIN names "|" names)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(sources ${target} SOURCES)
    set(theirs ${sources})
    list(FILTER theirs INCLUDE REGEX
      "(layer/details|parser)/(${names})\\.cpp$")
    if(theirs)
      list(REMOVE_ITEM sources ${theirs})
      set_property(TARGET ${target} PROPERTY SOURCES ${sources} ${ours})
      # Where expression.hpp is, which the framework includes as its neighbour.
      target_include_directories(${target} PRIVATE
        ${CMAKE_SOURCE_DIR}/source/layer/details)
      target_link_libraries(${target} kexpr::kexpr)
      message(STATUS "kexpr runs the expressions of ${target} (${version})")
    endif()
  endforeach()
endfunction()

cmake_language(DEFER CALL kexpr_replace_expressions)
