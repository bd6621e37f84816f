# The toolchain of utils/aarch64.sh: clang 19 and a tree of arm64 packages.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES KEXPR_AARCH64_ROOT)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_SYSROOT ${KEXPR_AARCH64_ROOT}/sysroot)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT
    "-fuse-ld=${KEXPR_AARCH64_ROOT}/tools/usr/bin/ld.lld-19")
endforeach()
set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(LLVM_DIR ${CMAKE_SYSROOT}/usr/lib/llvm-19/lib/cmake/llvm CACHE PATH "")
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
  ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
# ctest runs every test program through it.
set(CMAKE_CROSSCOMPILING_EMULATOR
  "${KEXPR_AARCH64_ROOT}/tools/usr/bin/qemu-aarch64-static;-L;${CMAKE_SYSROOT}")
