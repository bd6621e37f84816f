# Builds and runs the consumer, given as cmake -D definitions:
#   SOURCE_DIR, BUILD_DIR    kexpr's trees
#   WORK_DIR                 a folder that may be emptied
#   COMPILER                 the C++ compiler
#   MODE                     package: install kexpr and find it;
#                            subdirectory: kexpr as a shared library within the
#                            consumer's own build, and what it exports
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(options -G Ninja -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release)
if(MODE STREQUAL package)
  file(REMOVE_RECURSE ${WORK_DIR})
  run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
  list(APPEND options -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix)
else()
  list(APPEND options
    -DKEXPR_SUBDIRECTORY=${SOURCE_DIR} -DBUILD_SHARED_LIBS=ON)
  find_program(CCACHE ccache)
  if(CCACHE)
    list(APPEND options -DCMAKE_CXX_COMPILER_LAUNCHER=${CCACHE})
  endif()
endif()

run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/unittests/Install/Consumer
  -B ${WORK_DIR}/build ${options})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer)

if(MODE STREQUAL subdirectory)
  execute_process(
    COMMAND nm -DC --defined-only ${WORK_DIR}/build/kexpr/lib/Api/libkexpr.so
    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[0-9a-f]+ [A-Za-z] ([^\n]* for )?kexpr::v1::[^\n]*\n" ""
    strangers "${symbols}")
  if(NOT symbols MATCHES "kexpr::v1::Engine::compile" OR
     NOT strangers STREQUAL "")
    message(FATAL_ERROR "symbols that are not kexpr's leave it:\n${strangers}")
  endif()
endif()
