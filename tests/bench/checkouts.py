"""CPU seconds of commands in two checkouts, in turns: what a change of the whole house costs.

python -m tests.bench.checkouts FOLDER [--rounds 5] [-o docs/results/records/checkouts.json]

FOLDER is the other checkout, with its libraries built. Each command is a process of one thread;
CPU seconds of the process, medians of all rounds.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.records import Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from vrpcore.bench.problem_set import generated_set
from vrpcore.bench.timing import in_turn
from vrpcore.formats.write import write_instances
from vrpcore.instance.generator import random_problems
from vrpcore.instance.variant_generator import VARIANTS, variant_instances

ROOT = Path(__file__).resolve().parents[2]
ONE = ["--device", "cpu", "--workers", "1", "--threads", "1", "-q", "-o", "out.json"]
QUICK = ["--improve", "none"]
POLICY = [*QUICK, "--model", "base", "--augment", "8"]
TRAIN = ["train", "--config", "tiny", "--threads", "1", "-q", "--set"]
COMMANDS = {
    "`vrp --help`": ["--help"],
    "one instance of 20 customers": ["solve", "one.json", *ONE],
    "2000 of 20 by the policy": ["solve", "small.json", *ONE, *QUICK, "--model", "small"],
    "40 of 100": ["solve", "plain.json", *ONE],
    "12 of 100 with windows": ["solve", "windows.json", *ONE],
    "40 of 100 by the policy, 8 symmetries": ["solve", "plain.json", *ONE, *POLICY],
    "150 steps of training": [*TRAIN, "train.steps=150"],
}


def cpu_s(checkout, folder, command, codes=(0,)):
    """CPU seconds of a command, which ends with one of these codes."""
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    ended = subprocess.run(
        [sys.executable, "-m", "vrpcore.cli", *command],
        cwd=tempfile.mkdtemp(dir=folder) if command[0] == "train" else folder,
        env=environment,
        check=False,
        capture_output=True,
    )
    if ended.returncode not in codes:
        raise SystemExit(f"{command} ended with {ended.returncode}: {ended.stderr.decode()}")
    return used() - before


def in_turns(turns, rounds):
    """What both checkouts take in turns, medians, and the ratio of the second to the first."""
    before, now = map(statistics.median, in_turn(turns, rounds).values())
    return [before, now, now / before]


def record(first, figure, program, rows):
    """The record of rows of `in_turns`, whose figures have a format."""
    columns = [
        Column(first),
        Column("before", figure),
        Column("now", figure),
        Column("ratio", "{:.2f}"),
    ]
    return PageRecord(**origin(f"{program} FOLDER"), columns=columns, rows=rows)


def main():
    given = arguments(__doc__, folder=Path, rounds=5, output=OUTPUT)
    checkouts, rows = {"before": given.folder, "now": ROOT}, []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, size, count in (("one", 20, 1), ("small", 20, 2000), ("plain", 100, 40)):
            found = generated_set(f"uniform{size}", count, 1).instances
            write_instances(folder / f"{file}.json", found)
        rng = np.random.default_rng(1)
        problems = random_problems("uniform", (12, 100), "by_size", rng)
        windows = variant_instances(VARIANTS["vrptw"], problems, "vrptw", rng)
        write_instances(folder / "windows.json", windows)
        for said, command in COMMANDS.items():
            turns = {
                each: partial(cpu_s, checkout, folder, command)
                for each, checkout in checkouts.items()
            }
            in_turn(turns, 1)  # fills the disk's cache
            rows.append([said, *in_turns(turns, given.rounds)])
    show(record("", "{:.2f} s", "python -m tests.bench.checkouts", rows), given.output)


if __name__ == "__main__":
    main()
