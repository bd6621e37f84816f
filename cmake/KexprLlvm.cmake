# Finds LLVM and says what its half of the library is linked with.
set(KEXPR_LLVM_TARGETS "X86;AArch64" CACHE STRING
  "Architectures to generate code for, or `host`")
if(KEXPR_LLVM_TARGETS STREQUAL "host")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(KEXPR_LLVM_TARGETS AArch64)
  else()
    set(KEXPR_LLVM_TARGETS X86)
  endif()
endif()
if(KEXPR_PYTHON_MODULE)
  # A wheel brings what systems may not have.
  set(ZLIB_USE_STATIC_LIBS ON)
endif()
# The one that LLVM_DIR names, or the first that there is: each takes a request
# for its own version alone.
foreach(version 19.1 20.1 21.1 22.1)
  if(NOT LLVM_DIR)
    find_package(LLVM ${version} QUIET CONFIG)
  endif()
endforeach()
find_package(LLVM REQUIRED CONFIG)
if(LLVM_VERSION VERSION_LESS 19.1 OR LLVM_VERSION VERSION_GREATER_EQUAL 23)
  message(FATAL_ERROR "kexpr is for LLVM 19.1 to 22, and this is ${LLVM_VERSION}")
endif()
if(KEXPR_PYTHON_MODULE AND TARGET zstd::libzstd_shared)
  find_library(KEXPR_ZSTD libzstd.a REQUIRED)
  set_target_properties(zstd::libzstd_shared PROPERTIES
    IMPORTED_LOCATION ${KEXPR_ZSTD})
endif()
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
set(KEXPR_LLVM_LIBRARIES LLVM)
if(KEXPR_LLVM_STATIC AND TARGET LLVMOrcJIT AND NOT KEXPR_SANITIZE)
  llvm_map_components_to_libnames(KEXPR_LLVM_LIBRARIES
    ${KEXPR_LLVM_TARGETS} OrcJIT MCA)
endif()
foreach(target IN LISTS KEXPR_LLVM_TARGETS)
  list(APPEND LLVM_DEFINITIONS_LIST -DKEXPR_TARGET_${target})
endforeach()
