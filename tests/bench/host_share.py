"""Share of a training step on a CPU that costs take.

python -m tests.bench.host_share [--threads 2]

The cost function is wrapped in a clock; a step is everything between two reports.
"""

import tempfile
import time
from pathlib import Path

import torch

from tests.bench.arguments import arguments
from vrpcore.config.reader import load_config
from vrpcore.learn.train import loop
from vrpcore.learn.train.trainer import Trainer

CASES = (("tiny", []), *(("train", [
    f"problem.num_customers={size}", "problem.capacity=by_size", f"train.starts={size}",
    f"train.batch_size={batch}",
]) for size, batch in ((20, 64), (50, 64), (100, 16))))  # fmt: skip


def main():
    """Prints one line a case."""
    args = arguments(__doc__, threads=2)
    torch.set_num_threads(args.threads)
    plain, spent = loop.tour_cost, [0.0]

    def timed(coords, tours):
        begun = time.perf_counter()
        cost = plain(coords, tours)
        spent[0] += time.perf_counter() - begun
        return cost

    loop.tour_cost = timed
    for name, settings in CASES:
        steps = ["train.steps=12", "train.log_every=1", "train.validate_every=0"]
        config = load_config(name, [*settings, *steps])
        points = []
        with tempfile.TemporaryDirectory() as folder:
            trainer = Trainer(config, Path(folder), torch.device("cpu"))
            trainer.run(
                lambda _, points=points: points.append((time.perf_counter(), spent[0])),
                lambda: False,
            )
        (begun, before), (ended, after) = points[1], points[-1]
        cost, whole, steps = after - before, ended - begun, len(points) - 2
        size = config.problem.num_customers
        print(f"N={size}, batch {config.train.batch_size}: cost {1e3 * cost / steps:.2f} ms of "
              f"{1e3 * whole / steps:.0f} ms a step, {100 * cost / whole:.2f} %")  # fmt: skip


if __name__ == "__main__":
    main()
