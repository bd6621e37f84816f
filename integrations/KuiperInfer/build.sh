#!/usr/bin/env bash
# Builds a checkout of KuiperInfer with expressions and layers that reduce run
# by kexpr, runs the framework's own tests of these and ours, and measures its
# layers and kexpr's. Fetches nothing and writes nothing into the checkout.
#
#   build.sh CHECKOUT [KEXPR]
#
# CHECKOUT is the newest version, or a folder of the course (course7, course8).
# KEXPR is where kexpr is installed, or a build tree of it; build/release of
# this source tree unless given. WORK names another folder to build in, and
# CHECKS=test leaves out the benchmark.
#
# Debian: libarmadillo-dev libopenblas-dev libgoogle-glog-dev libgtest-dev
# libbenchmark-dev, and what kexpr itself is built with.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

[ $# -ge 1 ] || { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 2; }
checkout=$(cd "$1" && pwd)
kexpr=$(cd "${2:-$here/../../build/release}" && pwd)
work=${WORK:-${TMPDIR:-/tmp}/kexpr-kuiper-$(basename "$checkout")}
mkdir -p "$work"

[ -f "$checkout/include/parser/parse_expression.hpp" ] || {
  echo "$checkout is no checkout of KuiperInfer" >&2
  exit 2
}

# A build tree is installed first: the framework finds a package.
if [ -f "$kexpr/CMakeCache.txt" ]; then
  cmake --install "$kexpr" --prefix "$work/kexpr" >"$work/install.log"
  kexpr=$work/kexpr
fi

launcher=()
command -v ccache >/dev/null &&
  launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
cmake -S "$checkout" -B "$work/build" -DCMAKE_BUILD_TYPE=Release \
  "${launcher[@]}" -DCMAKE_PREFIX_PATH="$kexpr" \
  -DCMAKE_PROJECT_INCLUDE="$here/kexpr.cmake" \
  -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES="$here/checks.cmake" \
  >"$work/configure.log"
grep "kexpr runs" "$work/configure.log"
cmake --build "$work/build" -j"${JOBS:-$(nproc)}" \
  --target kexpr_checks kexpr_benchmark >"$work/build.log" 2>&1 || {
  grep -E "error|Error" "$work/build.log" | head -20
  exit 1
}

# Tests of graphs read a repository of models, which a checkout may not have.
cd "$checkout"
skipped=
if [ -f test/test_layer/test_expression.cpp ] &&
  [ ! -f tmp/add/resnet_add.pnnx.param ]; then
  skipped=test_layer.add1:test_layer.add2:test_layer.mul1
fi
if [ -f test/test_layer/test_softmax.cpp ] &&
  [ ! -f tmp/softmax/softmax_dim1.pnnx.param ]; then
  for test in dim1 dim1_minus2 dim0 dim2 dim1_1 dim1_1_m; do
    skipped+=${skipped:+:}test_layer.forward_softmax_$test
  done
fi
status=0
echo "The framework's own tests:"
"$work/build/kexpr_checks" --gtest_brief=1 \
  --gtest_filter="test_*${skipped:+-$skipped}" || status=$?
for test in ${skipped//:/ }; do
  echo "NOT RUN  $test: the checkout lacks what it reads in tmp"
done
if [ -f test/test_resnet.cpp ]; then
  echo "NOT RUN  test_resnet.cpp: it needs OpenCV and the weights of a network"
fi
echo "Ours:"
"$work/build/kexpr_checks" --gtest_brief=1 --gtest_filter='-test_*' || status=$?
[ $status -eq 0 ] || exit $status

[ "${CHECKS:-}" = test ] && exit
"$work/build/kexpr_benchmark"
if [ -x "$work/build/kexpr_row_benchmark" ]; then
  "$work/build/kexpr_row_benchmark"
fi
