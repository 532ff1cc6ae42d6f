"""Kills a training run (SIGKILL) at random moments, resumes it each time, compares the end.

python -m tests.bench.kill_and_resume [--kills 10] [--seed 1]

The killed run must end with the weights and the metrics of one that nobody touched, bit
by bit.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

from tests.bench.arguments import arguments
from vrpcore.bench.timing import timed
from vrpcore.learn.policy.checkpoint import load_checkpoint

SETTINGS = (
    "train.steps=600", "train.save_every=20", "train.validate_every=100", "train.log_every=5",
    "train.batch_size=32", "train.ema_decay=0.98", "train.validation_size=32",
    "problem.num_customers={min: 8, max: 14}", "problem.capacity=by_route_length",
    "policy.num_layers=2",
)  # fmt: skip
TIMELESS = ("seconds", "instances_per_second", "peak_memory_mb")


def command(folder, resume):
    """The run's command line, from the start or from its checkpoint."""
    start = [sys.executable, "-m", "vrpcore.cli", "train", "--quiet"]
    if resume:
        return [*start, "--resume", str(folder)]
    return [*start, "--out", str(folder), *(f"--set={setting}" for setting in SETTINGS)]


def metrics(folder):
    """Lines of metrics without what depends on the clock."""
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    return [
        {key: value for key, value in json.loads(line).items() if key not in TIMELESS}
        for line in lines
    ]


def main():
    """Exits 1 if a weight or a line differs."""
    args = arguments(__doc__, kills=10, seed=1)
    draw = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as root:
        whole, parts = Path(root) / "whole", Path(root) / "parts"
        seconds = timed(lambda: subprocess.run(command(whole, False), check=True)).wall_s
        killed = 0
        for _ in range(args.kills):
            process = subprocess.Popen(command(parts, (parts / "last.pt").exists()))
            try:
                process.wait(timeout=draw.uniform(1.0, seconds / 3))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
                step = metrics(parts)[-1]["step"] if (parts / "metrics.jsonl").exists() else 0
                print(f"killed near step {step}", flush=True)
        subprocess.run(command(parts, True), check=True)
        first, second = (load_checkpoint(run / "last.pt")["policy"] for run in (whole, parts))
        same = all(torch.equal(first[name], second[name]) for name in first)
        lines = metrics(whole) == metrics(parts)
        print(f"{killed} kills: weights identical: {same}; metrics identical: {lines}")
        sys.exit(0 if same and lines else 1)


if __name__ == "__main__":
    main()
