#!/usr/bin/env bash
# Builds kexpr for 64-bit Arm and runs its tests under an emulator, on Debian 12
# with clang 19. Installs nothing, and needs no root: arm64 packages, lld and
# qemu are unpacked to build/aarch64 (190 MB to fetch, 1 GB on the disk).
#
#   utils/aarch64.sh [quick|all|board|sve|build]   quick unless said
#
# sve: every operator, random programs and bits on vectors of 128 to 512 bits.
# board: code that kexpr-aot makes here, run there by a build without LLVM, gives
# the bits that it has here. quick: that, code in memory, random programs, files,
# and that every operator of every type has the bits that it has here. all: what
# else is not of the system itself.
# Exit status 77: the packages cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."

what=${1:-quick}
root=$PWD/build/aarch64
mkdir -p "$root"

packages() {
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
  local any=(googletest libcli11-dev nlohmann-json3-dev libeigen3-dev)
  mkdir -p "$root"/{debs,sysroot,tools,apt/lists/partial,apt/cache/archives/partial}
  : >"$root/apt/status"
  "${apt[@]}" update
  (cd "$root/debs" && "${apt[@]}" download "${arm[@]/%/:arm64}" \
    "${any[@]/%/:all}" qemu-user-static:amd64 lld-19:amd64)
}

unpack() {
  local deb
  for deb in "$root"/debs/*_arm64.deb "$root"/debs/*_all.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root/sysroot"
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

if [ ! -e "$root/ready" ]; then
  echo "fetching arm64 packages"
  packages || { echo "arm64 packages cannot be had" >&2; exit 77; }
  unpack
  touch "$root/ready"
fi

emulator=$root/tools/usr/bin/qemu-aarch64-static
export KEXPR_TEST_EMULATOR="$emulator -L $root/sysroot"

# Code made ahead of time, for a processor without what is new.
board() {
  local cpu=cortex-a72 to=$root/board
  cmake --preset release >/dev/null
  cmake --build --preset release --target kexpr_llvm kexpr-aot kexpr-run
  cmake -S . -B "$to" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    --toolchain "$PWD/cmake/aarch64.cmake" -DKEXPR_AARCH64_ROOT="$root" \
    -DKEXPR_LLVM=OFF -DKEXPR_TBB=OFF -DKEXPR_BUILD_TESTS=OFF \
    -DKEXPR_BUILD_BENCHMARKS=OFF >/dev/null
  cmake --build "$to" --target kexpr-run kexpr_shared
  utils/board_check.py build/release/tools "$to/tools/kexpr-run" $cpu \
    "$emulator" -cpu $cpu -L "$root/sysroot"
  # What the processor lacks is said, and nothing is run.
  rm -rf "$root/sve"
  build/release/tools/kexpr-aot --mcpu=neoverse-v1 'exp(@0)' -o "$root/sve"
  "$emulator" -cpu $cpu -L "$root/sysroot" "$to/tools/kexpr-run" 'exp(@0)' \
    rand:1:f32 --cache "$root/sve" 2>&1 | grep "needs '"
}

if [ "$what" = board ] || [ "$what" = quick ]; then
  board
  [ "$what" = board ] && exit
fi

cmake -S . -B "$root/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  --toolchain "$PWD/cmake/aarch64.cmake" -DKEXPR_AARCH64_ROOT="$root" \
  -DKEXPR_BUILD_BENCHMARKS=OFF >/dev/null

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
  export KEXPR_TEST_EMULATOR="$emulator $* -L $root/sysroot"
  for program in "${programs[@]}"; do
    name=${program##*/} most='*'
    [ "$name" = ApiTest ] && most=$filter
    [ "$name$what" = CodeGenTestsve ] && most='*EveryOperator*:Target.*'
    SECONDS=0
    "$emulator" "$@" -L "$root/sysroot" "unittests/$program" \
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
