#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy) on the C++ files that changed since a commit and
# in the working tree. Fails if it finds anything.
#
#   utils/tidy.sh          since the branch left `main`; on `main`, the last commit
#   utils/tidy.sh BASE     since a commit
#   utils/tidy.sh --all    every file
set -euo pipefail
cd "$(dirname "$0")/.."

folders=(include lib tools unittests benchmarks docs/examples)
patterns=("${folders[@]/%//*.h}" "${folders[@]/%//*.cpp}" ':!include/kexpr-c')
list() {
  if [ "${1:-}" = --all ]; then
    git ls-files "${patterns[@]}"
    return
  fi
  local base=${1:-}
  if [ -z "$base" ]; then
    base=$(git merge-base HEAD origin/main 2>/dev/null ||
      git merge-base HEAD main 2>/dev/null || git rev-parse HEAD)
    [ "$base" != "$(git rev-parse HEAD)" ] || base=HEAD~1
    # A clone without history does not know what changed.
    git rev-parse --quiet --verify "$base" >/dev/null || return 0
  fi
  git diff --name-only --diff-filter=d "$base" -- "${patterns[@]}"
  git ls-files --others --exclude-standard -- "${patterns[@]}"
}
files=$(list "$@")
[ -n "$files" ] || { echo "no C++ file has changed"; exit 0; }

# Each file's own command, as quick builds compile several at once.
cmake -S . -B build/tidy -G Ninja -DKEXPR_QUICK_BUILD=OFF \
  -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null

echo "clang-tidy: $(wc -l <<<"$files") files"
# What it finds is on stdout, what it counts and leaves out on stderr.
xargs -P "$(nproc)" -n 1 clang-tidy-19 -p build/tidy --quiet 2>/dev/null <<<"$files"
