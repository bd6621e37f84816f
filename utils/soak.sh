#!/usr/bin/env bash
# Does for hours what the tests do for seconds, and prints what was done. Each
# part is done in blocks; called again, the script goes on behind the last block
# that succeeded, so it may be interrupted at any time. A block that fails ends
# its part and is the first to be tried again.
#
#   utils/soak.sh [PERCENT] [PART...]     100 and all parts unless said
#   utils/soak.sh 0                       what was done so far
#
#   load      3,600 s of mixed load (unittests/Host/MixedLoad.cpp)
#   exits     1,000 exits during compilation
#   forks     1,000 forks during parallel calls
#   programs  100,000 random programs, interpreter against both tiers
#   text infix program model graph calls entry npy
#             3,600 s of CPU of that fuzzer (utils/fuzz.sh)
#   torch     20,000 random programs with functions over axes against PyTorch,
#             where python3 has it
#
# Several calls for different parts may run beside each other.
# build/soak-state/PART.blocks has a line for each block: amount, seconds of CPU,
# exit status; PART.log has their output.
set -euo pipefail
cd "$(dirname "$0")/.."

percent=${1:-100}
fuzzers=(text infix program model graph calls entry sums npy)
parts=("${@:2}")
if [ ${#parts[@]} -eq 0 ]; then
  parts=(load exits forks programs "${fuzzers[@]}")
  if python3 -c 'import torch' 2>/dev/null; then
    parts+=(torch)
  else
    echo "skipped: torch" >&2
  fi
fi
state=$PWD/build/soak-state
host=$PWD/build/release/unittests/Host
mkdir -p "$state"
unset KEXPR_CACHE_DIR KEXPR_LISTENERS KEXPR_PROFILE_DIR

compiling=(WithAStaticEngineAtWork WithALeakedEngineAtWork
  WithAnEngineInAnObjectOfTheHosts WithAnEngineThatWarmsUp
  WhileThreadsOfTheHostCompile WhileADiskCacheIsWritten)

goal_of() {
  local all=3600
  case $1 in
  exits | forks) all=1000 ;;
  programs) all=100000 ;;
  torch) all=20000 ;;
  esac
  echo $((all * percent / 100))
}

sum() { # column part
  awk -v column="$1" '{ sum += $column } END { printf "%d", sum }' \
    "$state/$2.blocks"
}

done_of() {
  case " ${fuzzers[*]} " in
  *" $1 "*) awk '{ printf "%d", $1 }' "build/fuzz-state/$1/seconds" \
    2>/dev/null || echo 0 ;;
  *) sum 1 "$1" ;;
  esac
}

# Sets what block number $2 of a part is: a command, how long it takes at most,
# and its amount where the output does not say it.
plan() {
  local part=$1 number=$2 left=$3
  limit=3600
  case $part in
  load)
    # Memory is flat or not over all of it, so this is one block.
    amount=$left limit=$((left + 900))
    command=("$host/MixedLoad" "$amount" "$number") ;;
  exits)
    amount=56
    local scene=${compiling[number % 6]} way=$((number / 6 % 3))
    command=(env KEXPR_HOST_ROUNDS=7 "$host/HostTest"
      "--gtest_filter=Ways/Exit.$scene/$way") ;;
  forks)
    amount=100
    command=(env KEXPR_HOST_ROUNDS=5 KEXPR_HOST_DEADLINE=1200 "$host/HostTest"
      "--gtest_filter=*/ForkedCall.DuringACallOfAnotherThread/$((number % 2))") ;;
  programs)
    command=(env KEXPR_FUZZ_SECONDS=60 "KEXPR_FUZZ_SEED=$(next_seed)"
      build/release/unittests/Fuzz/FuzzTest
      --gtest_filter=Fuzz.MachineCodeEqualsInterpreter) ;;
  torch)
    amount=1000
    command=(python3 utils/torch_programs.py --reducing --count "$amount"
      --seed "$number" --check build/release/unittests/Api/ApiTest) ;;
  *)
    amount=$left limit=$((20 * left + 3600))
    command=(utils/fuzz.sh "$(goal_of "$part")" "$part") ;;
  esac
}

next_seed() { cat "$state/programs.seed" 2>/dev/null || echo 1; }

# The valid programs of a block, and the seed of the next.
count_programs() {
  local part=programs valid tried
  read -r valid tried < <(sed -n \
    's/^\([0-9]*\) of \([0-9]*\) inputs were valid$/\1 \2/p' "$state/$part.output")
  echo $(($(next_seed) + tried)) >"$state/programs.seed"
  amount=$valid
}

# Sets `cpu` to the seconds that all commands so far took. A subshell would know
# of its own alone.
count_cpu() {
  times >"$state/$part.times"
  cpu=$(awk 'NR == 2 { gsub(/[ms]/, " "); print $1 * 60 + $2 + $3 * 60 + $4 }' \
    "$state/$part.times")
}

run_block() {
  local part=$1 status=0 before
  plan "$part" "$(awk '$3 == 0' "$state/$part.blocks" | wc -l)" \
    $(($(goal_of "$part") - $(done_of "$part")))
  export TEST_TMPDIR=$state/$part.tmp # What a killed program leaves is removed.
  rm -rf "$TEST_TMPDIR" && mkdir "$TEST_TMPDIR"
  count_cpu
  before=$cpu
  timeout --kill-after=30 "$limit" "${command[@]}" >"$state/$part.output" 2>&1 &
  child=$!
  wait $child || status=$?
  child=
  [ $status -ne 143 ] || interrupted # Somebody ended the command instead.
  { echo "+ ${command[*]}" && cat "$state/$part.output"; } >>"$state/$part.log"
  [ $status -ne 0 ] || [ "$part" != programs ] || count_programs
  [ $status -eq 0 ] || amount=0
  count_cpu
  echo "$amount $(awk "BEGIN { print $cpu - $before }") $status" \
    >>"$state/$part.blocks"
  return $status
}

table() {
  local part failures
  printf '%-9s %8s %8s %10s  %s\n' part 'done' of CPU result
  for part in "${parts[@]}"; do
    failures=$(awk '$3 != 0' "$state/$part.blocks" | wc -l)
    printf '%-9s %8d %8d %8d s  %s\n' "$part" "$(done_of "$part")" \
      "$(goal_of "$part")" "$(sum 2 "$part")" \
      "$([ "$failures" = 0 ] && echo well || echo "$failures blocks failed")"
  done
}

interrupted() {
  [ -z "$child" ] || kill "$child" || true
  wait
  table
  exit 130
}
child=
trap interrupted INT TERM

for part in "${parts[@]}"; do
  touch "$state/$part.blocks"
done
cmake --preset release >/dev/null
cmake --build --preset release --target HostTest MixedLoad FuzzTest \
  ApiTest >/dev/null
failed=()
for part in "${parts[@]}"; do
  while [ "$(done_of "$part")" -lt "$(goal_of "$part")" ]; do
    run_block "$part" || { failed+=("$part"); break; }
  done
done
table
[ ${#failed[@]} -eq 0 ] || echo "failed: ${failed[*]}; see $state/PART.log" >&2
[ ${#failed[@]} -eq 0 ]
