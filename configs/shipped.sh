#!/usr/bin/env bash
# The shipped model from labelled routes, or further from itself.
#
#   LABELS=folder-of-npz PROCESSES=2 bash configs/shipped.sh            imitation, then preferences
#   PROCESSES=1 SECONDS_EACH=43200 bash configs/shipped.sh further      goes on from the shipped weights,
#                                       preferences with a leader
#   LABELS=folder-of-npz SECONDS_EACH=1200 bash configs/shipped.sh small    the small model from the other
#   PROCESSES=1 SECONDS_EACH=18000 bash configs/shipped.sh variants     the model of the literature's variants
#
# LABELS holds u20.npz u50.npz u100.npz mixed.npz (make some: vrp generate --label-seconds).
# PROCESSES: one a GPU, or one a CPU core; batches are divided among them. Ends with the
# checkpoint, its export and card in runs/shipped; copy them to vrpcore/models to ship them.
set -euo pipefail
processes=${PROCESSES:-1}
data=()
for name in u20 u50 u100 mixed; do
  [ -n "${LABELS:-}" ] && data+=(--data "$LABELS/$name.npz")
done
limit=()
[ -n "${SECONDS_EACH:-}" ] && limit=(--set "train.time_limit_s=$SECONDS_EACH")

# train OUT BATCH ARGUMENTS...: BATCH is that of all processes together
train() {
  local out=$1 batch=$(($2 / processes))
  shift 2
  torchrun --nproc-per-node="$processes" -m vrpcore.cli train --name "$name" --out "$out" \
    --set "train.batch_size=$batch" "${data[@]}" "${limit[@]}" "$@"
}

# sixty thousand instances of ten customers
tens() {
  vrp generate --n 10 --count 60000 --seed 77 -q -o runs/n10.npz
}

name=base
mkdir -p runs
if [ "${1:-}" = further ]; then
  tens
  train runs/further 128 --config finetune --init shipped --data runs/n10.npz \
    --set data.mix=0.5 --set train.leader=3.0 --set train.ema_decay=0.999 \
    --set train.learning_rate=3.0e-4 --set train.final_learning_rate=0.01
  best=runs/further/last.pt
elif [ "${1:-}" = small ]; then
  name=small
  tens
  python -m vrpcore.export.prune vrpcore/models/base.pt runs/pruned.pt 0 4 5
  data=(--data runs/n10.npz)
  [ -n "${LABELS:-}" ] && data+=(--data "$LABELS/u20.npz")
  train runs/small 128 --config finetune --init runs/pruned.pt --set data.mix=0.4 \
    --set train.objective=reinforce --set train.improve=0 --set train.leader=4.0 \
    --set policy.num_layers=3 --set problem.num_customers.min=10 \
    --set problem.num_customers.max=30 --set train.learning_rate=4.0e-4 \
    --set train.final_learning_rate=0.01
  best=runs/small/best.pt
elif [ "${1:-}" = variants ]; then
  name=variants
  vrp generate --n 50 --variant all --count 16000 --label-seconds 0.04 --seed 9001 -q -o runs/v50.npz
  vrp generate --n 20-40 --variant all --count 6000 --label-seconds 0.02 --seed 9002 -q -o runs/v20.npz
  data=(--data runs/v50.npz --data runs/v20.npz)

  train runs/imitate 64 --config variants --init shipped \
    --set train.time_limit_s=900
  train runs/variants 64 --config variants --init runs/imitate/best.pt \
    --set train.objective=prefer --set train.improve=5 --set data.mix=0 \
    --set train.learning_rate=4.0e-4 --set train.final_learning_rate=0.01 \
    --set train.ema_decay=0.998 --set "problem.num_customers={min: 20, max: 110}" \
    --set "problem.distribution=[uniform, uniform, clustered]"
  best=runs/variants/best.pt
else
  : "${LABELS:?names the folder with u20.npz u50.npz u100.npz mixed.npz}"
  train runs/imitate 128 --config imitate
  train runs/finetune 128 --config finetune --init runs/imitate/best.pt
  best=runs/finetune/best.pt
fi
mkdir -p runs/shipped
python -m vrpcore.export.ship "$best" "$name" runs/shipped
