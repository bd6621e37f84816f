#!/usr/bin/env bash
# Installs what kexpr is built, tested and measured with: Debian 12, as root.
# Does nothing, and asks no registry, when everything is there.
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config     # the build
  git ca-certificates                  # getting the source
  ccache                               # LLVM's headers are slow to compile
  llvm-19-dev                          # IR, code generation, ORC; FileCheck
  clang-19 libclang-rt-19-dev          # sanitizers and libFuzzer
  clang-tidy-19                        # checks of sources
  zlib1g-dev libzstd-dev               # what LLVM's static libraries ask for
  libtbb-dev                           # oneTBB
  libxxhash-dev                        # hashes
  libgtest-dev                         # GoogleTest
  libbenchmark-dev                     # Google Benchmark
  libsleef-dev                         # vector functions to measure against
  libeigen3-dev                        # loops to measure against
  libcli11-dev                         # command lines of the tools
  nlohmann-json3-dev                   # JSON that the tools write
  diffutils                            # kexpr-dump --diff
  libmpfr-dev                          # what errors are measured against
  binutils                             # nm, to see what a library exports
  gdb linux-perf                       # that they see kernels by name
  dpkg-dev file                        # what Debian packages depend on
  python3 python3-dev python3-venv     # utils/*.py; the Python package
  nodejs                               # runs the scripts of pages in tests
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "kexpr needs packages that are not installed; run:" >&2
  echo "  sudo apt-get install ${missing[*]}" >&2
  exit 1
fi
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
