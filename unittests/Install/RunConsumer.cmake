# Gets kexpr as a host would, then builds and runs docs/examples with it. Given
# as cmake -D definitions:
#   SOURCE_DIR, BUILD_DIR    kexpr's trees
#   VERSION, LIBDIR          its version, and where its libraries are installed
#   WORK_DIR                 a folder that may be emptied; that of `subdirectory`
#                            is kept for the next time
#   PREFIX                   where the mode `prefix` installs kexpr
#   CC, CXX                  compilers
#   LLVM_BUILTIN             whether LLVM is part of kexpr's libraries
#   MODE                     prefix: install kexpr;
#                            shared, static: find that library with CMake;
#                            c-only: the same by a host that has no C++;
#                            pkg-config: both without CMake;
#                            symbols: what the shared library exports;
#                            subdirectory: kexpr within the host's own build;
#                            debian: packages, unpacked
#                            board: no LLVM, no oneTBB, code made ahead of time
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# What a command writes, without the newline at its end.
function(read result)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${output}" PARENT_SCOPE)
endfunction()

# Builds the project that the arguments begin with, and runs its tests.
function(test_project)
  run(${CMAKE_COMMAND} -B ${WORK_DIR} -G Ninja
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=${CC}
    -DCMAKE_CXX_COMPILER=${CXX} -S ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK_DIR})
  run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK_DIR} --output-on-failure
    --no-tests=error)
endfunction()

# Builds an example by the compiler command that the arguments begin with and
# what pkg-config says of a library that is `shared` or `static`, and runs it.
function(test_pkg_config kind source)
  set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${LIBDIR}/pkgconfig)
  set(option)
  if(kind STREQUAL static)
    set(option --static)
  endif()
  read(flags pkg-config --cflags --libs ${option} kexpr)
  separate_arguments(flags NATIVE_COMMAND "${flags}")
  if(kind STREQUAL static)
    # Both libraries are there, and the linker prefers the shared one.
    list(TRANSFORM flags REPLACE "^-lkexpr$" "-l:libkexpr.a")
  else()
    list(APPEND flags -Wl,-rpath,${PREFIX}/${LIBDIR})
  endif()
  run(${ARGN} -Wall -Wextra -pedantic -Werror
    ${SOURCE_DIR}/docs/examples/${source} -o ${WORK_DIR}/${kind}-${source}.out
    ${flags})
  run(${WORK_DIR}/${kind}-${source}.out)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(found -DCMAKE_PREFIX_PATH=${PREFIX})
set(consumer ${SOURCE_DIR}/unittests/Install/Consumer
  -DKEXPR_SOURCE=${SOURCE_DIR})

if(MODE STREQUAL prefix)
  run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${PREFIX})

elseif(MODE STREQUAL shared)
  test_project(${SOURCE_DIR}/docs/examples ${found})

elseif(MODE STREQUAL static)
  test_project(${consumer} ${found} -DKEXPR_COMPONENTS=static)

elseif(MODE STREQUAL c-only)
  file(WRITE ${WORK_DIR}/source/CMakeLists.txt "
    cmake_minimum_required(VERSION 3.25)
    project(host LANGUAGES C)
    find_package(kexpr ${VERSION} EXACT CONFIG REQUIRED)
    add_executable(host ${SOURCE_DIR}/docs/examples/embed.c)
    target_link_libraries(host PRIVATE kexpr::kexpr)
    enable_testing()
    add_test(NAME host COMMAND host)")
  test_project(${WORK_DIR}/source ${found})

elseif(MODE STREQUAL pkg-config)
  test_pkg_config(shared embed.c ${CC} -std=c11)
  test_pkg_config(shared embed.cpp ${CXX} -std=c++17)
  if(NOT LLVM_BUILTIN) # which is not named
    test_pkg_config(static embed.c ${CC} -std=c11)
  endif()

elseif(MODE STREQUAL symbols)
  read(symbols nm -DC --defined-only ${PREFIX}/${LIBDIR}/libkexpr.so)
  string(REGEX REPLACE
    "[0-9a-f]+ [A-Za-z] (([^\n]* for )?kexpr::v2::|kexpr_|__jit_debug_)[^\n]*\n?" ""
    strangers "${symbols}")
  if(NOT symbols MATCHES "kexpr::v2::Engine::compile" OR
     NOT symbols MATCHES "kexpr_engine_compile" OR
     NOT symbols MATCHES "__jit_debug_descriptor" OR
     NOT symbols MATCHES "__jit_debug_register_code" OR
     NOT strangers STREQUAL "")
    message(FATAL_ERROR "symbols that are not kexpr's leave it:\n${strangers}")
  endif()
  # Those of C are the ones that its headers declare.
  file(GLOB headers ${PREFIX}/include/kexpr-c/*.h)
  set(declared)
  foreach(header IN LISTS headers)
    file(READ ${header} text)
    string(REGEX MATCHALL "KEXPR_API [^;(]*kexpr_[a-z0-9_]+\\(" functions
      "${text}")
    list(TRANSFORM functions REPLACE ".*[^a-z0-9_](kexpr_[a-z0-9_]+)\\(" "\\1")
    list(APPEND declared ${functions})
  endforeach()
  string(REGEX MATCHALL "kexpr_[a-z0-9_]+" exported "${symbols}")
  list(SORT declared)
  list(SORT exported)
  if(NOT declared STREQUAL exported)
    message(FATAL_ERROR "declared: ${declared}\nexported: ${exported}")
  endif()

elseif(MODE STREQUAL subdirectory)
  find_program(CCACHE ccache)
  if(CCACHE)
    set(launcher -DCMAKE_CXX_COMPILER_LAUNCHER=${CCACHE})
  endif()
  test_project(${consumer} -DKEXPR_SUBDIRECTORY=ON -DBUILD_SHARED_LIBS=ON
    ${launcher})

elseif(MODE STREQUAL board)
  run(${CMAKE_COMMAND} -B ${WORK_DIR} -S ${SOURCE_DIR} -G Ninja
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=${CC}
    -DCMAKE_CXX_COMPILER=${CXX} -DKEXPR_LLVM=OFF -DKEXPR_TBB=OFF
    -DKEXPR_BUILD_TESTS=OFF -DKEXPR_BUILD_BENCHMARKS=OFF)
  run(${CMAKE_COMMAND} --build ${WORK_DIR} --target kexpr_shared kexpr-run)
  set(library ${WORK_DIR}/lib/Api/libkexpr.so)
  read(needed readelf -d ${library})
  if(needed MATCHES "LLVM|libtbb|libzip")
    message(FATAL_ERROR "it needs what boards lack:\n${needed}")
  endif()
  run(${CMAKE_STRIP} -o ${WORK_DIR}/stripped.so ${library})
  file(SIZE ${WORK_DIR}/stripped.so bytes)
  if(bytes GREATER 6000000)
    message(FATAL_ERROR "the library has ${bytes} bytes")
  endif()
  # The bits are those of a build with LLVM, by machine code and without.
  set(code ${WORK_DIR}/code)
  run(${BUILD_DIR}/tools/kexpr-aot "tanh(@0)" -o ${code})
  foreach(text "tanh(@0)" "exp(@0)")
    set(call ${text} "rand:1:f32[9999]" --stats -o)
    read(there ${BUILD_DIR}/tools/kexpr-run ${call} ${WORK_DIR}/there.npy)
    read(here ${WORK_DIR}/tools/kexpr-run ${call} ${WORK_DIR}/here.npy
      --cache ${code})
    run(${CMAKE_COMMAND} -E compare_files ${WORK_DIR}/there.npy
      ${WORK_DIR}/here.npy)
    string(REGEX MATCH "tier +[a-z]+" tier "${here}")
    list(APPEND tiers ${tier})
  endforeach()
  if(NOT tiers MATCHES "tier +optimized;tier +interpreter")
    message(FATAL_ERROR "it ran them so: ${tiers}")
  endif()

elseif(MODE STREQUAL debian)
  run(${CMAKE_CPACK_COMMAND} -G DEB --config ${BUILD_DIR}/CPackConfig.cmake
    -B ${WORK_DIR}/packages)
  file(GLOB packages ${WORK_DIR}/packages/*.deb)
  foreach(package IN LISTS packages)
    run(dpkg-deb --info ${package})
    run(dpkg -x ${package} ${WORK_DIR}/root)
  endforeach()
  list(LENGTH packages count)
  if(NOT count EQUAL 3)
    message(FATAL_ERROR "${count} packages: ${packages}")
  endif()
  set(PREFIX ${WORK_DIR}/root/usr)
  set(ENV{LD_LIBRARY_PATH} ${PREFIX}/${LIBDIR})
  read(y ${PREFIX}/bin/kexpr-run "add(@0,@0)" "rand:1:f32[4]" -o ${WORK_DIR}/y.npy)
  test_pkg_config(shared embed.c ${CC} -std=c11)
endif()
