#!/usr/bin/env bash
# Installs what is missing, then shows kexpr at work: an expression run on .npy
# files, the code it became, expressions of real networks checked and timed. Each
# tool is built when it is first shown.
set -euo pipefail
cd "$(dirname "$0")/.."

source=$PWD
tools=$source/build/release/tools
utils/deps.sh

# Builds a tool that takes so many seconds of CPU without a compiler cache.
build() {
  local cpus
  cpus=$(nproc)
  printf '\n-- building %s: about %d s on %d CPUs, less with a compiler cache\n' \
    "$1" $((1 + $2 / cpus)) "$cpus"
  NINJA_STATUS='[%f of %t, %e s] ' \
    cmake --build "$source/build/release" --target "$1"
}

title() { printf '\n== %s\n\n' "$1"; }

# Shows a command as one would type it, then what it prints.
show() {
  local words=$1 word
  for word in "${@:2}"; do
    [[ $word =~ ^[A-Za-z0-9./=-]+$ ]] || word="'$word'"
    words+=" $word"
  done
  printf '$ %s\n' "$words"
  "$tools/$1" "${@:2}"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --preset release >/dev/null
build kexpr-run 145
cd "$work"
title "A scale and a bias for each channel, on .npy files"
show kexpr-run '@0' 'rand:1:f32[8,256,56,56]' -o x.npy
show kexpr-run '@0' 'rand:2:f32[256,1,1]' -o scale.npy
show kexpr-run '@0' 'rand:3:f32[256,1,1]' -o bias.npy
show kexpr-run 'add(mul(@0,@1),@2)' x.npy scale.npy bias.npy -o y.npy --stats
show kexpr-run '@0' y.npy

title "The same in a fresh process: its machine code comes from disk"
show kexpr-run 'add(mul(@0,@1),@2)' x.npy scale.npy bias.npy -o y.npy --cache kernels >/dev/null
show kexpr-run 'add(mul(@0,@1),@2)' x.npy scale.npy bias.npy -o y.npy --cache kernels --stats

cd "$source/unittests/Data/pnnx"
title "The tail of a residual block, exported by PNNX: three operators, one kernel"
show kexpr-run --pnnx residual_tail.pnnx.param residual_tail.in0.npy \
  residual_tail.in1.npy --stats

build kexpr-dump 17
title "The loop of scale and bias: x contiguous, the others constant along it"
show kexpr-dump 'add(mul(@0,@1),@2)' --types 'f32[n],f32,f32' --emit=llvm |
  sed -n '/^\$/p; /^define/,/^}/p'

build kexpr-jit-bench 40
for file in "$source"/benchmarks/expressions/*.tsv; do
  title "$(basename "$file" .tsv): checked against the interpreter, then timed"
  "$tools/kexpr-jit-bench" --quick --expr-file "$file"
done
