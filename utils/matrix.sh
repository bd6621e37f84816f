#!/usr/bin/env bash
# Builds kexpr and runs its tests with other compilers, libraries and versions of
# LLVM, each in a tree of Debian's packages below build/matrix (3 GB each): the
# system stays as it is. Debian 12, as root, by hand; forty minutes a row on 2 cores.
# The last row tests the wheel in a tree with Python alone, in some minutes.
#
#   utils/matrix.sh [ROW...]    all unless said
#
# A row that passed with these sources is not built again. A package that a
# release has no more fails the row, and mmdebstrap names it.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "only root can use trees of packages" >&2; exit 1; }

# A row: its tree, whose name begins with Debian's release; the compiler; what
# CMake is told.
declare -A rows=(
  [llvm22]='bookworm g++-12 -DLLVM_DIR=/usr/lib/llvm-22/lib/cmake/llvm'
  [clang19]='bookworm clang++-19'
  [libcxx]='bookworm-libcxx clang++-19
    -DCMAKE_CXX_FLAGS="-stdlib=libc++ -fexperimental-library" -DKEXPR_LLVM=OFF
    -DKEXPR_TBB=OFF -DKEXPR_BUILD_TOOLS=OFF -DKEXPR_BUILD_BENCHMARKS=OFF'
  [gcc13]='trixie g++-13'
  [gcc14-llvm22]='trixie g++-14 -DLLVM_DIR=/usr/lib/llvm-22/lib/cmake/llvm'
  # The wheel of utils/wheel.sh, where nothing is that kexpr is built with.
  [wheel]='bookworm-bare'
  [gcc15-llvm21]='sid g++-15 -DLLVM_DIR=/usr/lib/llvm-21/lib/cmake/llvm'
)
# Where there is no code generator, the tests of the rooms that need none.
declare -A only=(
  [libcxx]='Support/SupportTest Ops/OpsTest Syntax/SyntaxTest
    Semantics/SemanticsTest Code/CodeTest Pnnx/PnnxTest'
)
order=(llvm22 clang19 libcxx gcc13 gcc14-llvm22 gcc15-llvm21 wheel)

# What is in each tree, and what is in one alone.
packages=(ca-certificates ccache cmake diffutils file git dpkg-dev libbenchmark-dev
  libcli11-dev libeigen3-dev libgmock-dev libgtest-dev libmpfr-dev libtbb-dev
  libxxhash-dev libzstd-dev ninja-build nlohmann-json3-dev nodejs pkg-config
  python3 zlib1g-dev)
declare -A own=(
  [bookworm-bare]=python3-venv
  [bookworm]='g++-12 clang-19 llvm-19-dev llvm-22-dev'
  # Its cxxabi.h is where LLVM's headers are, and other libraries' is meant there.
  [bookworm-libcxx]='g++-12 clang-19 libc++-19-dev libc++abi-19-dev googletest'
  [trixie]='g++-13 g++-14 llvm-19-dev llvm-22-dev'
  [sid]='g++-15 llvm-21-dev'
)

root=$PWD/build/matrix
mkdir -p "$root"

# A tree: made whole, or not there.
plant() {
  local tree=$1 release=${1%%-*} sources all=("${packages[@]}" ${own[$1]})
  [ -e "$root/$tree" ] && return
  [ "$tree" != bookworm-bare ] || all=(${own[$tree]})
  if [ ! -e "$root/tools" ]; then
    (cd "$root" && apt-get -qq download mmdebstrap 2>/dev/null) &&
      dpkg-deb -x "$root"/mmdebstrap_*.deb "$root/tools" || return
  fi
  sources="deb http://deb.debian.org/debian $release main"
  [ "$release" = bookworm ] && sources+="
deb http://deb.debian.org/debian-security bookworm-security main"
  rm -rf "$root/planting"
  "$root/tools/usr/bin/mmdebstrap" --quiet --variant=minbase \
    --aptopt='Acquire::Check-Valid-Until "false"' \
    --include="$(printf '%s,' "${all[@]}")" \
    "$release" "$root/planting" - <<<"$sources" &&
    mkdir "$root/planting/src" &&
    # Debian's libraries there want the libstdc++ that runs, and the one that g++ 13
    # links is older.
    { [ "$tree" != trixie ] || ln -sf ../../../x86_64-linux-gnu/libstdc++.so.6 \
      "$root/planting/usr/lib/gcc/x86_64-linux-gnu/13/libstdc++.so"; } &&
    mv "$root/planting" "$root/$tree"
}

# run TREE COMMAND: in it, with these sources at /src, which it can read.
run() {
  unshare --mount --pid --fork sh -euc '
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    mount --bind "$2" "$1/src"
    mount -o remount,bind,ro "$1/src"
    exec chroot "$1" env -i HOME=/root TERM=dumb PATH=/usr/bin:/bin:/usr/sbin \
      CCACHE_BASEDIR=/build CCACHE_NOHASHDIR=true sh -euc "$3"
  ' run "$root/$1" "$PWD" "$2"
}

# What the sources are: a commit, and what differs from it.
state() {
  git rev-parse HEAD
  { git diff HEAD; git status --porcelain; } | sha1sum
}

failed=()
for row in "${@:-${order[@]}}"; do
  [ -v "rows[$row]" ] || { echo "rows: ${order[*]}" >&2; exit 2; }
  read -r -d '' tree compiler options <<<"${rows[$row]}" || true
  state=$(state)
  if [ "$(cat "$root/$row.passed" 2>/dev/null)" = "$state" ]; then
    echo "$row: passed before"
    continue
  fi
  plant "$tree" || { echo "$row: no tree"; failed+=("$row"); continue; }
  c=${compiler/#g++/gcc} c=${c/#clang++/clang}
  SECONDS=0
  echo "$row: builds and tests; $root/$row.log"
  # A library of tests that is made with libc++, too.
  before=
  [[ $options != *libc++* ]] || before="
    cmake -S /usr/src/googletest -B /build/googletest \
      -DCMAKE_CXX_COMPILER=$compiler -DCMAKE_C_COMPILER=$c \
      -DCMAKE_CXX_FLAGS=-stdlib=libc++ -DCMAKE_INSTALL_PREFIX=/build/libcxx
    cmake --build /build/googletest --target install
    export CMAKE_PREFIX_PATH=/build/libcxx"
  tests="cmake --build /build/$row
    ctest --test-dir /build/$row -j2 --output-on-failure -LE accuracy"
  if [ -v "only[$row]" ]; then
    tests="cmake --build /build/$row --target kexpr_shared $(basename -a ${only[$row]} |
      xargs)
    cd /build/$row/unittests
    for each in $(xargs <<<"${only[$row]}"); do ./\$each || exit; done"
  fi
  command="$before
    cmake -S /src -B /build/$row -G Ninja -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_CXX_COMPILER=$compiler -DCMAKE_C_COMPILER=$c \
      $(echo $options) || exit
    $tests"
  if [ "$row" = wheel ]; then
    # What the wheel needs is fetched here, as there no registry may be reached.
    rm -rf "$root/wheels"
    utils/wheel.sh >"$root/$row.log" 2>&1 &&
      python3 -m pip download --quiet --only-binary=:all: --python-version 3.11 \
        -d "$root/wheels" "$(echo build/wheel/kexpr-*-cp311-*.whl)[test]" ||
      { echo "$row: no wheel"; failed+=("$row"); continue; }
    command="python3 -m venv /build/$row
      /build/$row/bin/pip install --quiet --no-index \
        --find-links /src/build/matrix/wheels 'kexpr[test]'
      cd /
      PYTHONDONTWRITEBYTECODE=1 /build/$row/bin/python -m pytest -q \
        -p no:cacheprovider /src/python/tests"
  fi
  if run "$tree" "$command" >"$root/$row.log" 2>&1; then
    echo "$row: passed, $SECONDS s"
    [ "$(state)" != "$state" ] || echo "$state" >"$root/$row.passed"
  else
    echo "$row: failed, $SECONDS s"
    grep -E 'error:|\*\*\*' "$root/$row.log" | head -30
    failed+=("$row")
  fi
done
[ ${#failed[@]} -eq 0 ]
