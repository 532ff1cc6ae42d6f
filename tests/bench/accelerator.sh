#!/usr/bin/env bash
# The figures that need a GPU, in five parts, each meant to take less than ten minutes:
#
#   bash tests/bench/accelerator.sh check     does everything work, and is it right?
#   bash tests/bench/accelerator.sh rates     solving; training: idle share and copies
#   bash tests/bench/accelerator.sh limits    training: variants, improved tours, largest N
#   RL4CO=PYTHON bash tests/bench/accelerator.sh training    training beside RL4CO
#   RL4CO=PYTHON bash tests/bench/accelerator.sh decoding    decoding beside RL4CO
#
# What is printed also goes to OUT (default runs/accelerator). DEVICE=cpu STEPS=12 SIZES="20"
# BATCH=64 (for `training`, default 512) rehearses it without a GPU. A command that fails or
# takes too long does not stop the others, but then the part ends with exit status 1.
set -uo pipefail
device=${DEVICE:-cuda} out=${OUT:-runs/accelerator} sizes=${SIZES:-20 50 100} steps=${STEPS:-40}
failed=0
mkdir -p "$out"

# measure SECONDS NAME COMMAND...
measure() {
  local seconds=$1 name=$2
  shift 2
  echo "== $name: $*"
  timeout -k 10 "$seconds" "$@" 2>&1 | tee "$out/$name.txt"
  local code=${PIPESTATUS[0]}
  [ "$code" = 0 ] || {
    echo "== $name: exit $code"
    failed=1
  }
}

# train NAME ARGUMENTS...: a run folder under OUT
train() {
  local name=$1
  shift
  rm -rf "$out/$name"
  measure 120 "$name" vrp train --device "$device" --out "$out/$name" --set "train.steps=$steps" \
    --set train.validate_every=0 --set problem.capacity=by_size "$@"
}

# idle NAME: the idle share of a run; then what is large in its folder goes
idle() {
  python3 -m tests.bench.idle_share "$out/$1" | tee "$out/$1/idle.txt"
  rm -f "$out/$1"/{last.pt,profile-trace.json}
}

case ${1:-} in
check)
  measure 120 self-test vrp doctor --self-test --device "$device" -o "$out/self-test.json"
  # These files alone: others import what a machine for training need not have.
  mapfile -t files < <(grep -rl --include='test_*.py' 'pytest\.mark\.gpu' tests)
  measure 300 tests python3 -m pytest -q -m gpu "${files[@]}"
  measure 120 lessons python -m benchmarks lessons --quick --device "$device" -o "$out/lessons.json"
  ;;
rates)
  measure 200 one-launch python3 -m tests.bench.one_launch -o "$out/one-launch.json"
  for size in $sizes; do
    measure 100 "solve-$size" vrp bench solve "uniform$size" --device "$device" \
      -o "$out/solve-$size.json"
    for batch in 64 512; do
      train "train-$size-$batch" --set "problem.num_customers=$size" \
        --set "train.starts=$size" --set "train.batch_size=$batch" --set train.profile=true
      idle "train-$size-$batch"
    done
  done
  ;;
limits)
  train variants --config variants --set train.objective=reinforce --set train.profile=true
  idle variants
  train improved --config finetune --set problem.num_customers=50 --set train.profile=true
  idle improved
  for size in ${LARGEST:-500 1000}; do
    train "largest-$size" --set "problem.num_customers=$size" --set train.batch_size=16 \
      --set train.recompute=true
    rm -f "$out/largest-$size/last.pt"
  done
  ;;
training)
  : "${RL4CO:?names the interpreter that has rl4co}"
  cases=()
  for size in $sizes; do cases+=("$size:${BATCH:-512}"); done
  measure 580 training-beside-rl4co python3 -m tests.bench.rl4co_training --rl4co "$RL4CO" \
    --device "$device" --rounds 1 --cases "${cases[@]}"
  ;;
decoding)
  : "${RL4CO:?names the interpreter that has rl4co}"
  measure 580 decoding-beside-rl4co python -m benchmarks decode --rl4co "$RL4CO" --device "$device"
  ;;
*)
  sed -n '2,14s/^# \{0,1\}//p' "$0"
  exit 2
  ;;
esac
exit "$failed"
