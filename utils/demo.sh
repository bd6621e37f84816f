#!/usr/bin/env bash
# Installs what is missing, builds the tools and shows kexpr at work: expressions
# of real networks checked and timed, one expression run on .npy files, and the
# code it became.
set -euo pipefail
cd "$(dirname "$0")/.."

utils/deps.sh
cmake --preset release >/dev/null
cmake --build --preset release --target kexpr-jit-bench kexpr-run kexpr-dump
tools=$PWD/build/release/tools
networks=$PWD/unittests/Data/pnnx

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

for file in benchmarks/expressions/*.tsv; do
  title "$(basename "$file" .tsv): checked against the interpreter, then timed"
  "$tools/kexpr-jit-bench" --quick --expr-file "$file"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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

title "The loop it became: x contiguous, scale and bias constant along it"
show kexpr-dump 'add(mul(@0,@1),@2)' --types 'f32[n],f32,f32' --emit=llvm |
  sed -n '/^\$/p; /^define/,/^}/p'

cd "$networks"
title "The tail of a residual block, exported by PNNX: three operators, one kernel"
show kexpr-run --pnnx residual_tail.pnnx.param residual_tail.in0.npy \
  residual_tail.in1.npy --stats
