"""The predecessor's benchmark: seconds an epoch and what two minutes of training reach.

python -m tests.bench.tiny_training [--seconds 120] [--threads 2] [--set a.b=value]

An epoch is 25 batches of 128 instances with 10 customers. Costs are per customer on 1024
fresh instances, whose reference the search finds in 0.1 s each (on all cores).
"""

import dataclasses
import statistics
import tempfile
from pathlib import Path

import numpy as np
import torch

from tests.bench.arguments import OVERRIDES, arguments
from vrpcore.config.reader import load_config
from vrpcore.cost.tour_routes import route_costs
from vrpcore.instance.generator import Problems, as_instances
from vrpcore.learn.train.trainer import Trainer
from vrpcore.learn.train.validate import validate
from vrpcore.search.label import label_instances


def main():
    args = arguments(
        __doc__,
        seconds=120.0,
        threads=2,
        seed=1,
        compile={"choices": ["auto", "true", "false"], "default": "auto"},
        overrides=OVERRIDES,
    )
    torch.set_num_threads(args.threads)
    overrides = [
        f"train.time_limit_s={args.seconds}",
        f"train.seed={args.seed}",
        f"train.compile={args.compile}",
        "train.steps=100000",
        "train.validate_every=0",
        *args.overrides,
    ]
    config = load_config("tiny", overrides)
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(config, Path(folder), torch.device("cpu"))
        rates = []
        trainer.run(lambda progress: rates.append(progress.rate), lambda: False)
        epoch = 25 * 128 / statistics.median(rates)
        print(f"{trainer.step} steps, {trainer.seconds:.1f} s, {epoch:.2f} s an epoch (median)")
        test = dataclasses.replace(config, train=dataclasses.replace(config.train, seed=987654))
        fresh = Trainer(test, Path(folder) / "test", torch.device("cpu")).validation["n10"]
        result = validate(trainer.shipped_policy(), fresh)
        print(f"cost per customer: multi-start {result.cost / 10:.4f}, "
              f"single greedy {result.single_cost / 10:.4f}", flush=True)  # fmt: skip
        problems = Problems(
            coords=fresh.coords.numpy(),
            demand=fresh.demand.numpy().astype(np.int64),
            capacity=fresh.capacity.numpy().astype(np.int64),
        )
        labelled = label_instances(as_instances(problems, "t"), 0.1, 1, None)
        best = [sum(route_costs(i, [each.stops for each in i.plan.routes])) for i in labelled]
        print(f"reference by search: {np.mean(best) / 10:.4f}")


if __name__ == "__main__":
    main()
