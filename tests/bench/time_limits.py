"""Time limits: wall seconds of whole `vrp solve` processes, and what they answered.

python -m tests.bench.time_limits [--limits 0.5 1 2 5 20] [--counts 1 100 5000]

Instances of 20 to 100 customers. Prints a line a pair: seconds, answers, mean cost.
"""

import json
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.bench.arguments import arguments
from vrpcore.bench.timing import timed

VRP = [sys.executable, "-m", "vrpcore.cli"]


def main():
    args = arguments(__doc__, limits=[0.5, 1, 2, 5, 20], counts=[1, 100, 5000])
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
