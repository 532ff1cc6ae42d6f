"""Seconds from random weights to a gap on the literature's 20-customer test set.

python -m tests.bench.time_to_gap SECONDS [--goals 5 2] [--threads 2] [--seeds 3]
    [--set train.batch_size=32 ...] [--rl4co PYTHON --curve LOG [-o RECORD]]

Trains the packaged configuration `quick` (--config) for SECONDS a seed, no labels, and
decodes the 128 instances of tests/data/kool_n20.npz (proven optima; greedy, all starts, no
augmentation) every few seconds; the clock stands still meanwhile, for both. With
`--curve`, a log of RL4CO's own POMO run on the same set (JSON Lines: instances, gap in
percent), its seconds are the instances that it needed at the rate of its training step,
which is measured here with as many threads, before and after each seed.
"""

import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from benchmarks.decoding import WORKER
from benchmarks.records import Column, Headline, PageRecord, origin
from tests.bench.arguments import OUTPUT, OVERRIDES, arguments, show
from vrpcore.arrays.symmetry import unit_box
from vrpcore.config.reader import load_config
from vrpcore.learn.env.inputs import plain_inputs
from vrpcore.learn.train.data import TrainBatch
from vrpcore.learn.train.trainer import Trainer
from vrpcore.learn.train.validate import validate

SIZE, COUNT = 20, 128
RL4CO_BATCH = 64
DATA = Path(__file__).parent.parent / "data" / "kool_n20.npz"


def test_set():
    """The set as a validation batch; it is decoded here and used for nothing else."""
    with np.load(DATA) as arrays:
        coords = arrays["coords"][:COUNT].astype(np.float64)
        demand = torch.from_numpy(arrays["demand"][:COUNT].astype(np.float32))
        reference = torch.from_numpy(arrays["ref_cost"][:COUNT].astype(np.float64))
        capacity = torch.full((COUNT,), float(arrays["capacity"]))
    valid = np.ones(demand.shape, bool)
    unit = torch.from_numpy(unit_box(coords, valid).astype(np.float32))
    return TrainBatch(
        inputs=plain_inputs(unit, demand, capacity, torch.from_numpy(valid)),
        coords=torch.from_numpy(coords),
        starts=torch.arange(1, SIZE + 1).repeat(COUNT, 1),
        tours=torch.zeros(COUNT, 0, 0, dtype=torch.int64),
        reference=reference,
    )


def learn(name, seed, seconds, goals, overrides):
    """(seconds, instances, gap in percent) at each decoding of one run."""
    config = load_config(name, [
        f"problem.num_customers={SIZE}", "problem.capacity=30", f"train.time_limit_s={seconds}",
        f"train.seed={seed}", "train.steps=10000000", "train.validate_every=0",
        "train.save_every=10000000", *overrides,
    ])  # fmt: skip
    batch, curve = test_set(), []
    every = max(1.0, seconds / 60)
    decoding = [0.0]

    def report(_):
        now = time.perf_counter()
        passed = now - started - decoding[0]
        if passed >= (curve[-1][0] if curve else 0.0) + every:
            gap = 100 * validate(trainer.shipped_policy(), batch).gap
            curve.append((passed, trainer.instances, gap))
            decoding[0] += time.perf_counter() - now

    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(config, Path(folder), torch.device("cpu"))
        started = time.perf_counter()
        trainer.run(report, lambda: False)
    passed = time.perf_counter() - started - decoding[0]
    curve.append((passed, trainer.instances, 100 * validate(trainer.shipped_policy(), batch).gap))
    firsts = [next((point for point in curve if point[2] <= goal), None) for goal in goals]
    print(f"seed {seed}: end {curve[-1][2]:.2f} % after {curve[-1][0]:.0f} s, {curve[-1][1]:,} "
          "instances; " + "; ".join(
              f"{goal:g} % " + (f"after {first[0]:.0f} s ({first[1]:,} instances)" if first
                                else "not reached")
              for goal, first in zip(goals, firsts, strict=True)), flush=True)  # fmt: skip
    return [first[:2] if first else None for first in firsts]


def rl4co_rate(args):
    """RL4CO's instances a second at batch 64 with as many threads."""
    numbers = (SIZE, RL4CO_BATCH, 1, 15, args.threads)
    command = [args.rl4co, str(WORKER), "train", *map(str, numbers), "cpu"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return RL4CO_BATCH / json.loads(done.stdout.splitlines()[-1])["wall_s"]


def record(goals, reached, rates, points, args):
    """The table: each goal, in seconds here and at RL4CO's median rate.

    Args:
        goals: Gaps in percent.
        reached: Of each seed, seconds and instances for each goal; None where it was not reached.
        rates: RL4CO's instances a second.
        points: Its curve.
        args: Of the command.
    """
    rate, rows, ratios = statistics.median(rates), [], []
    for goal, found in zip(goals, zip(*reached, strict=True), strict=True):
        seen = next((point["instances"] for point in points if point["gap"] <= goal), None)
        if None in found or seen is None:
            rows.append([f"{goal:g} %", "not reached by every seed", None, None])
            continue
        seconds, instances = zip(*found, strict=True)
        ratios.append(seen / rate / statistics.median(seconds))
        each = ", ".join(f"{one:.0f}" for one in seconds)
        rows.append([
            f"{goal:g} %",
            f"{statistics.median(seconds):.0f} s ({each}; {min(instances):,} to {max(instances):,} "
            "instances)",
            f"{seen / rate:.0f} s ({seen:,} instances at {rate:.0f} a second)",
            {"bold": round(ratios[-1], 1)},
        ])  # fmt: skip
    threads = f"{args.threads} thread{'s' if args.threads > 1 else ''}"
    command = (
        f"python -m tests.bench.time_to_gap {args.seconds:g} --goals "
        f"{' '.join(f'{goal:g}' for goal in goals)} --threads {args.threads} --seeds {args.seeds} "
        "--rl4co PYTHON --curve LOG"
    )
    claim = f"training, N = 20: time to {' / '.join(f'{goal:g}' for goal in goals)} % against RL4CO"
    figure = f"{' / '.join(f'{ratio:.0f}' for ratio in ratios)} times faster"
    here = origin(command)
    return PageRecord(
        **here | {"machine": f"{here['machine']}, {threads}"},
        columns=[Column("gap"), Column("here"), Column("RL4CO"), Column("ratio (goal 10)")],
        rows=rows,
        headlines=[Headline(claim, figure, "goal 10")] if len(ratios) == len(goals) else (),
    )


def main():
    """Prints each seed's times, and the ratio of medians."""
    args = arguments(
        __doc__,
        seconds=float,
        goals=[5.0, 2.0],
        config="quick",
        threads=2,
        seeds=3,
        overrides=OVERRIDES,
        rl4co={},
        curve={},
        output=OUTPUT,
    )
    torch.set_num_threads(args.threads)
    rates = [rl4co_rate(args)] if args.curve else []
    reached = []
    for seed in range(1, args.seeds + 1):
        reached.append(learn(args.config, seed, args.seconds, args.goals, args.overrides))
        rates += [rl4co_rate(args)] if args.curve else []
    if args.curve:
        lines = Path(args.curve).read_text().splitlines()
        points = [json.loads(line) for line in lines if line.startswith("{")]
        show(record(args.goals, reached, rates, points, args), args.output)


if __name__ == "__main__":
    main()
