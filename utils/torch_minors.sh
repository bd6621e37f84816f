#!/usr/bin/env bash
# Runs the tests of PyTorch's tensors and of torch.compile with the two minor
# versions of PyTorch before the newest, each in an environment of its own below
# build/torch (5 GB each, as pip installs it). By hand; ten minutes a version.
#
#   utils/torch_minors.sh [--wheel WHEEL] [VERSION...]
#
# WHEEL is one of the package for this Python; without, one is built here.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD/build/torch
wheel=
if [ "${1:-}" = --wheel ]; then
  wheel=$(realpath "$2")
  shift 2
fi
mkdir -p "$root"
[ -e "$root/tool" ] || python3 -m venv "$root/tool"
if [ -z "$wheel" ]; then
  rm -f "$root"/*.whl
  "$root/tool/bin/pip" wheel --quiet --no-deps --wheel-dir "$root" ./python
  wheel=$(echo "$root"/*.whl)
fi

# The newest of each of the two minors: 2.14.1 and 2.13.0 where 2.15.0 is out.
before() {
  "$root/tool/bin/pip" index versions torch 2>/dev/null |
    sed -n 's/^Available versions: //p' | tr -d ' ' | tr ',' '\n' |
    awk -F. '!seen[$1 "." $2]++' | sed -n 2,3p
}
versions=("$@")
[ $# -gt 0 ] || mapfile -t versions < <(before)
[ "${#versions[@]}" -gt 0 ] || { echo "no versions of torch" >&2; exit 1; }

failed=()
for version in "${versions[@]}"; do
  own=$root/$version
  [ -e "$own" ] || python3 -m venv "$own"
  "$own/bin/pip" install --quiet "torch==$version" "$wheel[test]" expecttest
  "$own/bin/python" -c 'import torch; print("torch", torch.__version__)'
  "$own/bin/python" -m pytest -q python/tests/test_torch.py \
    python/tests/test_torch_compile.py || failed+=("$version")
done
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}" >&2; exit 1; }
echo "passed: ${versions[*]}"
