#!/usr/bin/env bash
# Builds the libFuzzer programs and runs each until it has had so many seconds of
# CPU, counted over all calls of this script: one that was interrupted goes on
# where it was, and a larger number goes further.
#
#   utils/fuzz.sh [SECONDS] [NAME...]     600 seconds and all fuzzers unless said
#
# build/fuzz-state/NAME holds the corpus as it has grown, what failed (crashes/),
# the output of all runs (log) and the seconds so far (seconds). What failed is
# tried first by the next call, which fails as long as it does.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-600}
names=("${@:2}")
[ ${#names[@]} -gt 0 ] || names=(text infix program model graph calls entry sums npy)
slice=300
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

cmake --preset fuzz >/dev/null
cmake --build build/fuzz --target "${names[@]/#/kexpr-fuzz-}"

# What failed once must be well now.
replay() {
  local name=$1 state=build/fuzz-state/$1 found
  found=("$state"/crashes/*)
  [ -e "${found[0]}" ] || return 0
  "build/fuzz/unittests/Fuzz/kexpr-fuzz-$name" -timeout=60 \
    -rss_limit_mb=4096 "${found[@]}" >>"$state/log" 2>&1
}

# The state of a fuzzer that was never run: seeds besides those of the tree.
begin() {
  local name=$1 state=build/fuzz-state/$1
  mkdir -p "$state/corpus" "$state/crashes"
  case $name in
  graph | model) cp unittests/Data/pnnx/*.param "$state/corpus" ;;
  npy) find unittests/Data/pnnx -name '*.npy' -size -2k \
    -exec cp {} "$state/corpus" \; ;;
  esac
  echo 0 >"$state/seconds"
}

# One run of at most $2 seconds; adds what it took to the record.
run_slice() {
  local name=$1 limit=$2 state=build/fuzz-state/$1 took status=0
  TIMEFORMAT='%U %S'
  took=$({ time "build/fuzz/unittests/Fuzz/kexpr-fuzz-$name" \
    -max_total_time="$limit" -timeout=60 -rss_limit_mb=4096 -max_len=8192 \
    -artifact_prefix="$state/crashes/" -print_final_stats=1 \
    "$state/corpus" "unittests/Fuzz/corpus/$name" >>"$state/log" 2>&1; } 2>&1) ||
    status=$?
  awk -v took="$took" -v before="$(cat "$state/seconds")" \
    'BEGIN { split(took, part, " "); print before + part[1] + part[2] }' \
    >"$state/seconds.new"
  mv "$state/seconds.new" "$state/seconds"
  return $status
}

failed=()
for name in "${names[@]}"; do
  state=build/fuzz-state/$name
  [ -e "$state/seconds" ] || begin "$name"
  if ! replay "$name"; then
    failed+=("$name")
    continue
  fi
  while :; do
    left=$(awk -v all="$seconds" -v so="$(cat "$state/seconds")" \
      'BEGIN { print int(all - so + 0.999) }')
    [ "$left" -gt 0 ] || break
    run_slice "$name" $((left < slice ? left : slice)) ||
      { failed+=("$name"); break; }
  done
  printf '%-8s %8.0f s of CPU, %6d inputs kept, %d failures\n' "$name" \
    "$(cat "$state/seconds")" "$(find "$state/corpus" -type f | wc -l)" \
    "$(find "$state/crashes" -type f | wc -l)"
done

if [ ${#failed[@]} -gt 0 ]; then
  echo "failed: ${failed[*]}; see build/fuzz-state/NAME/log and crashes/" >&2
  exit 1
fi
