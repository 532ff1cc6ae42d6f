"""Compares checkpoints on held-out instances: greedy, from 20 customers, paired with the first.

vrp generate --n 50 --count 512 --seed 515050 --label-seconds 0.2 -o held50.npz
python -m tests.bench.checkpoints --held held50.npz -- runs/one/last.pt runs/other/last.pt

A line a checkpoint: mean gap to the references of the files, in percent; behind it, the
difference to the first checkpoint in percentage points, with its standard error.
"""

from pathlib import Path

from tests.bench.arguments import arguments
from vrpcore.config.sections import Config, TrainConfig
from vrpcore.learn.policy.checkpoint import load_checkpoint, policy_from_checkpoint
from vrpcore.learn.train.data import fixed_batches
from vrpcore.learn.train.label_files import read_labels
from vrpcore.learn.train.validate import greedy_costs


def gaps_of(policy, batch):
    """Gap of each instance's best start, in percent."""
    best = greedy_costs(policy, batch, batch.starts).min(axis=1)
    return 100 * (best / batch.reference.numpy() - 1)


def main():
    args = arguments(
        __doc__, held={"type": Path, "nargs": "+", "required": True}, checkpoints=[Path]
    )
    labels = [read_labels(str(file), True) for file in args.held]
    config = Config(train=TrainConfig(validation_size=max(map(len, labels))))
    batches = fixed_batches(config, labels)
    first = {}
    for place in args.checkpoints:
        policy = policy_from_checkpoint(load_checkpoint(place), str(place))
        cells = []
        for name, batch in batches.items():
            gaps = gaps_of(policy, batch)
            difference = gaps - first.setdefault(name, gaps)
            error = difference.std() / len(gaps) ** 0.5
            cells.append(f"{name} {gaps.mean():.3f} ({difference.mean():+.3f} ± {error:.3f})")
        print(f"{place}: {', '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
