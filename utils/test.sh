#!/usr/bin/env bash
# Installs what is missing, builds and runs the tests. An argument names another
# preset of CMakePresets.json than `release`; what follows it goes to ctest.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
utils/deps.sh
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset"
ctest --preset "$preset" "${@:2}"
