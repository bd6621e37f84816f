# Adds what build.sh runs to a build with kexpr.cmake: `kexpr_checks`, the
# framework's own tests and ours, `kexpr_benchmark` and `kexpr_row_benchmark`.
set(KEXPR_CHECKS_DIR ${CMAKE_CURRENT_LIST_DIR}/checks)

# A course asks for OpenCV, which only its test of a whole network uses.
macro(kexpr_provide method name)
  if("${name}" STREQUAL OpenCV)
    set(OpenCV_FOUND TRUE)
  endif()
endmacro()
cmake_language(SET_DEPENDENCY_PROVIDER kexpr_provide
  SUPPORTED_METHODS FIND_PACKAGE)

# A program over the framework: its library, or its sources where it is none.
function(kexpr_check_program name)
  if(TARGET kuiper)
    add_executable(${name} ${ARGN})
    target_link_libraries(${name} kuiper)
  else()
    add_executable(${name} ${ARGN} ${framework})
    target_compile_definitions(${name} PRIVATE KEXPR_KUIPER_COURSE)
  endif()
  target_include_directories(${name} PRIVATE
    ${CMAKE_SOURCE_DIR} include source/layer/details)
  target_link_libraries(${name} glog::glog ${ARMADILLO_LIBRARIES}
    ${BLAS_LIBRARIES} ${LAPACK_LIBRARIES} OpenMP::OpenMP_CXX)
endfunction()

function(kexpr_add_checks)
  find_package(GTest REQUIRED)
  if(TARGET kuiper)
    # Not into the checkout.
    set_target_properties(kuiper PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    set(tests test/test_layer/test_expression.cpp
      test/test_layer/test_average_pooling.cpp
      test/test_layer/test_softmax.cpp
      ${KEXPR_CHECKS_DIR}/GraphChecks.cpp ${KEXPR_CHECKS_DIR}/RowChecks.cpp)
    set(rows ${KEXPR_CHECKS_DIR}/OurRows.cpp ${KEXPR_CHECKS_DIR}/TheirRows.cpp)
  else()
    get_property(whole DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
    set_target_properties(${whole} PROPERTIES EXCLUDE_FROM_ALL ON)
    get_target_property(framework ${whole} SOURCES)
    list(FILTER framework EXCLUDE REGEX "main\\.cpp$|/test/")
    # The eighth course tests expressions no more.
    file(GLOB tests test/test_expr*.cpp)
    if(NOT tests)
      file(GLOB tests ../course7/test/test_expr*.cpp)
    endif()
  endif()
  kexpr_check_program(kexpr_checks ${tests} ${rows}
    ${KEXPR_CHECKS_DIR}/Main.cpp ${KEXPR_CHECKS_DIR}/Theirs.cpp
    ${KEXPR_CHECKS_DIR}/LayerChecks.cpp ${KEXPR_CHECKS_DIR}/RefusalChecks.cpp
    ${KEXPR_CHECKS_DIR}/ParserChecks.cpp)
  target_link_libraries(kexpr_checks GTest::gtest)
  kexpr_check_program(kexpr_benchmark
    ${KEXPR_CHECKS_DIR}/Benchmark.cpp ${KEXPR_CHECKS_DIR}/Theirs.cpp)
  if(rows)
    kexpr_check_program(kexpr_row_benchmark
      ${KEXPR_CHECKS_DIR}/RowBenchmark.cpp ${rows})
    add_dependencies(kexpr_benchmark kexpr_row_benchmark)
  endif()
endfunction()

cmake_language(DEFER CALL kexpr_add_checks)
