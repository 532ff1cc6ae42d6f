"""How fast the main paths are, compared with another installation of this project.

python -m tests.bench.speed_against OTHER [--rounds 5] [-o RECORD.json]

OTHER is the Python of the other installation. Both run the same commands on the same files in
turns, in processes of their own, on all cores; medians count. The searches have as many
iterations here as there, so seconds compare. Training counts the seconds between two lines of its
log, so that neither starting nor compiling counts.
"""

import json
import operator
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.records import Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from tests.bench.goldens import TRAINING
from tests.bench.start_up import seconds
from vrpcore.bench.timing import in_turn

COLUMNS = (
    Column("path"),
    Column("before, s", "{:.2f}"),
    Column("now, s", "{:.2f}"),
    Column("now / before", "{:.2f}"),
)
# Of short trainings; of the steps the second half counts.
STEPS = 40
TRAININGS = {"plain": TRAINING["quick"], "variants": TRAINING["variants"]}


def training_seconds(python, settings, folder):
    """Seconds of the second half of a short training, as its log has them."""
    run = Path(tempfile.mkdtemp(dir=folder), "run")
    config, *more = settings
    own = (f"train.steps={STEPS}", f"train.log_every={STEPS // 2}", f"train.validate_every={STEPS}")
    command = [python, "-m", "vrpcore.cli", "train", "--config", config, "--out", str(run)]
    command += [part for each in (*more, *own) for part in ("--set", each)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    first, second = [line["seconds"] for line in lines if "loss" in line]
    return second - first


def commands(folder):
    """The commands of each path, behind the interpreter."""
    vrp = ("-m", "vrpcore.cli")
    for file, *kind in (("plain.json", "400"), ("windows.json", "40", "--variant", "vrptw")):
        size = ("--n", "50", "--seed", "1", "--count")
        generate = [sys.executable, *vrp, "generate", *size, *kind, "-o", file]
        subprocess.run(generate, cwd=folder, check=True, capture_output=True)
    solve = (*vrp, "solve", "-q", "--seed", "1", "-o", "answers.json")
    return {
        "start: `vrp --help`": (*vrp, "--help"),
        "400 of N = 50 read, constructed by the policy, checked, written": (
            *(*solve, "--improve", "none", "plain.json"),
        ),
        "the same answers read and checked": (*vrp, "check", "plain.json", "answers.json"),
        "400 of N = 50 searched": (*solve, "plain.json"),
        "40 of N = 50 with windows searched": (*solve, "windows.json"),
    }


def main():
    """Prints the table."""
    args = arguments(__doc__, other=str, rounds=5, output=OUTPUT)
    pythons = {"before": args.other, "now": sys.executable}
    with tempfile.TemporaryDirectory() as name:
        folder, rows = Path(name), []
        runs = {
            path: {
                each: partial(seconds, [python, *command], folder)
                for each, python in pythons.items()
            }
            for path, command in commands(folder).items()
        }
        for kind, settings in TRAININGS.items():
            runs[f"{STEPS // 2} steps of training, {kind}"] = {
                each: partial(training_seconds, python, settings, folder)
                for each, python in pythons.items()
            }
        for path, calls in runs.items():
            in_turn(calls, 1)  # fills the disk's cache
            found = in_turn(calls, args.rounds)
            before, now = map(statistics.median, found.values())
            ratio = statistics.median(map(operator.truediv, found["now"], found["before"]))
            rows.append([path, before, now, ratio])
            print(*rows[-1], flush=True)
    record = PageRecord(
        columns=COLUMNS,
        rows=tuple(rows),
        **origin("python -m tests.bench.speed_against OTHER"),
    )
    show(record, args.output)


if __name__ == "__main__":
    main()
