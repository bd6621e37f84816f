#!/usr/bin/env bash
# Installs what is missing, builds Release and shows kexpr at work: expressions
# of real networks checked and timed, one expression run on .npy files, and the
# code it became.
set -euo pipefail
cd "$(dirname "$0")/.."

utils/deps.sh
cmake --preset release >/dev/null
cmake --build --preset release
tools=build/release/tools

echo
echo "== Expressions of real networks, checked against the interpreter and timed"
"$tools/kexpr-jit-bench" --quick --expr-file benchmarks/expressions/networks.tsv

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo
echo "== A residual add with a channel bias, on .npy files"
"$tools/kexpr-run" '@0' rand:1:f32[8,256,56,56] -o "$work/x.npy"
"$tools/kexpr-run" '@0' rand:2:f32[256,1,1] -o "$work/bias.npy"
"$tools/kexpr-run" 'mul(add(@0,@1),sigmoid(@0))' "$work/x.npy" "$work/bias.npy" \
  -o "$work/y.npy" --stats
"$tools/kexpr-run" '@0' "$work/y.npy"

echo
echo "== What add(mul(@0,@1),@2) became"
"$tools/kexpr-dump" 'add(mul(@0,@1),@2)' --emit=llvm
