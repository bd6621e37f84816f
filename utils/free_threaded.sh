#!/usr/bin/env bash
# Builds CPython without its global lock from Debian's sources, makes the wheel
# with it, and runs the Python tests there, then all at once by 16 threads.
# All is in build/free-threaded (35 MB to fetch; the interpreter takes some ten
# minutes on two cores, once).
#
#   utils/free_threaded.sh [SUITE PACKAGE]    trixie python3.13 unless said
#
# Exit status 77: the sources cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."

suite=${1:-trixie} package=${2:-python3.13}
root=$PWD/build/free-threaded
python=$root/$package/bin/${package}t

sources() {
  local lists=$root/apt mirror
  local apt=(apt-get -qq -oDir::State::Lists="$lists/lists"
    -oDir::Cache="$lists/cache" -oDir::State::status="$lists/status"
    -oDir::Etc::SourceList="$lists/sources.list" -oDir::Etc::SourceParts=-)
  # The mirror that this system has its packages from.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' \
    'Created-By: Packages' 'Origin: Debian' | head -n1)
  mkdir -p "$lists"/{lists,cache/archives}/partial
  : >"$lists/status"
  echo "deb-src $mirror $suite main" >"$lists/sources.list"
  "${apt[@]}" update
  (cd "$root" && "${apt[@]}" source --download-only --only-source "$package")
}

build() {
  local from=$root/source
  rm -rf "$from"
  mkdir -p "$from"
  tar -x --strip-components=1 -C "$from" -f "$root/${package}"_*.orig.tar.xz
  (cd "$from" && ./configure -q --disable-gil --prefix="$root/$package" \
    --without-doc-strings && make -s -j2 && make -s install) \
    >"$root/build.log" 2>&1 || { tail -n20 "$root/build.log" >&2; exit 1; }
  rm -r "$from"
  "$python" -c 'import ctypes, ssl, zlib' # What pip needs: libffi-dev, libssl-dev.
  touch "$root/$package/ready"
}

if [ ! -e "$root/$package/ready" ]; then
  utils/deps.sh
  mkdir -p "$root"
  sources || { echo "skipped: no sources of $package" >&2; exit 77; }
  echo "building $package without its lock"
  build
fi

# Not the newest of a package that has no wheel for this interpreter.
export PIP_ONLY_BINARY=:all: KEXPR_FORKS=1000
utils/wheel.sh "$python"
echo "each test by 16 threads"
cd build/wheel
fresh/bin/python -m pytest -q -p no:cacheprovider --parallel-threads=16 \
  ../../python/tests
