"""What short trainings ship, beside those of another checkout.

python -m tests.bench.short_runs --before TREE --labels FOLDER [--seeds 1 2] [-o RECORD]

TREE is a checkout that is installed in its own .venv, FOLDER has u20.npz, u50.npz, u100.npz and
mixed.npz. Trains `quick` for 60 s and `imitate` for 90 s from random weights with either, in turn;
then the policy of each `last.pt` constructs the usual test sets greedily from all first customers,
by the code of this checkout. Mean gaps over the seeds, and the smallest and largest one.
"""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.records import Column, Headline, Record, origin
from tests.bench.arguments import OUTPUT, arguments, show
from vrpcore.api import load_policy
from vrpcore.bench.problem_set import generated_set

RUNS = {"quick": (60, ("kool20",)), "imitate": (90, ("kool20", "kool50"))}
LABELS = ("u20", "u50", "u100", "mixed")
COUNT = 128
GAP = "{:.2f} % ({:.2f} to {:.2f})"
COLUMNS = (
    Column("config"), Column("seconds"), Column("set"), Column("before", GAP), Column("now", GAP),
)  # fmt: skip


def trained(python, tree, config, seed, labels, folder):
    """The checkpoint that a run from random weights ends with."""
    seconds, _ = RUNS[config]
    command = [python, "-m", "vrpcore.cli", "train", "--config", config, "--device", "cpu", "-q"]
    command += ["--seed", str(seed), "--out", folder, "--set", f"train.time_limit_s={seconds}"]
    if config == "imitate":
        for name in LABELS:
            command += ["--data", labels / f"{name}.npz"]
    subprocess.run(list(map(str, command)), cwd=tree, check=True)
    return folder / "last.pt"


def gap(checkpoint, name):
    """Mean gap on a set, in percent."""
    problems = generated_set(name, COUNT, 0)
    policy, found = load_policy(str(checkpoint), "cpu"), []
    for first in range(0, COUNT, 16):
        rows = slice(first, first + 16)
        best = policy.solve(problems.instances[rows]).costs.min(1)
        found += (best / problems.references[rows] - 1).tolist()
    return 100 * statistics.fmean(found)


def main():
    """Trains, measures and prints the record."""
    args = arguments(
        __doc__,
        before={"type": Path, "required": True},
        labels={"type": Path, "required": True},
        seeds=[1, 2],
        output=OUTPUT,
    )
    here = Path.cwd()
    trees = {
        "before": (args.before / ".venv/bin/python", args.before),
        "now": (sys.executable, here),
    }
    found = {}
    with tempfile.TemporaryDirectory() as scratch:
        for config, (_, sets) in RUNS.items():
            for seed in args.seeds:
                for name, (python, tree) in trees.items():
                    folder = Path(scratch) / f"{config}-{seed}-{name}"
                    last = trained(python, tree, config, seed, args.labels.absolute(), folder)
                    for each in sets:
                        found.setdefault((config, each, name), []).append(gap(last, each))
                        print(config, seed, name, each, found[config, each, name][-1], flush=True)
    rows = []
    for config, (seconds, sets) in RUNS.items():
        for each in sets:
            cells = [found[config, each, name] for name in trees]
            means = [[statistics.fmean(gaps), min(gaps), max(gaps)] for gaps in cells]
            rows.append([config, seconds, each, *means])
    seeds = " ".join(map(str, args.seeds))
    record = Record(
        **origin(f"python -m tests.bench.short_runs --before TREE --labels FOLDER --seeds {seeds}"),
        columns=COLUMNS,
        rows=rows,
        notes=[f"Greedy, all first customers, {COUNT} instances a set, two cores."],
        headlines=[
            Headline(
                f"what {row[0]} ships after {row[1]} s, {row[2]}",
                f"{row[4][0]:.2f} %",
                f"{row[3][0]:.2f} % before",
            )
            for row in rows
        ],
    )
    show(record, args.output)


if __name__ == "__main__":
    main()
