"""Time limits: wall seconds of whole `vrp solve` processes, and what they answered.

python -m tests.bench.time_limits [--limits 0.5 1 2 5 20] [--counts 1 100 5000]
python -m tests.bench.time_limits --lists 3000 [--first 0]

Instances of 20 to 100 customers. Prints a line a pair: seconds, answers, mean cost.
With --lists, random lists with random options of a solve in place of files: what is wrong, which
takes more than a second above its limit, and what keeps room in its session.
"""

import json
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.bench.arguments import arguments
from tests.vrpcore.random_lists import outcome
from vrpcore.api import Solver
from vrpcore.bench.timing import timed

VRP = [sys.executable, "-m", "vrpcore.cli"]


def random_lists(first, count):
    """Solves random lists, and prints what is wrong and how late the latest was."""
    solver, latest, wrong = Solver(device="cpu"), 0.0, 0
    for seed in range(first, first + count):
        with solver.session(2 + seed % 3) as session:
            late, found = outcome(solver, session, seed)
        if late > 1.0 or found:
            wrong += 1
            print(f"{late:.3f} s late: {found or seed}", flush=True)
        latest = max(latest, late)
        if (done := seed + 1 - first) % 250 == 0 or done == count:
            print(f"{done} lists, {wrong} wrong, latest {latest:.3f} s", flush=True)


def main():
    args = arguments(__doc__, limits=[0.5, 1, 2, 5, 20], counts=[1, 100, 5000], lists=0, first=0)
    if args.lists:
        random_lists(args.first, args.lists)
        return
    with tempfile.TemporaryDirectory() as folder:
        for count in args.counts:
            file, out = Path(folder, f"{count}.jsonl"), Path(folder, "out.json")
            shape = ["--n", "20-100", "--count", str(count)]
            subprocess.run([*VRP, "generate", *shape, "-o", str(file), "-q"], check=True)
            for limit in args.limits:
                command = [*VRP, "solve", str(file), "-o", str(out), "-q", "--device", "cpu"]
                command += ["--time-limit", str(limit)]
                seconds = timed(partial(subprocess.run, command, check=True)).wall_s
                summary = json.loads(out.read_text())["summary"]
                check = [*VRP, "check", str(file), str(out), "-q"]
                subprocess.run(check, check=True, stdout=subprocess.DEVNULL)
                print(
                    f"{count:>6} instances, limit {limit:>5} s: {seconds:7.3f} s, "
                    f"{summary['solved']} solved, mean cost {summary['cost'] / count:.4f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
