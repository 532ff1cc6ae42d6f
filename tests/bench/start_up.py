"""How long commands take to start, beside the imports that they cannot do without.

python -m tests.bench.start_up [--rounds 15]
python -m tests.bench.start_up --fresh

Seconds are wall clock; processes take turns, and medians count. `--fresh` clones the
checkout, runs the README's install command and times its solve again and again: nothing may
be left for the first one to prepare.
"""

import operator
import os
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.bench.arguments import arguments
from vrpcore.bench.problem_set import generated_set
from vrpcore.bench.timing import in_turn, timed
from vrpcore.formats.write import write_instances

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
REPEATS = 9


def seconds(command, folder=None):
    """Wall seconds of a process, which must succeed."""
    return timed(
        lambda: subprocess.run(
            command, cwd=folder, env=ENVIRONMENT, check=True, capture_output=True
        )
    ).wall_s


def beside_imports(rounds):
    """Each command and its yardstick in turns."""
    vrp = [sys.executable, "-m", "vrpcore.cli"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "one.json")
        write_instances(file, generated_set("uniform20", 1, 1).instances)
        pairs = {
            "vrp --help": ([*vrp, "--help"], "import typer, rich.console"),
            "vrp solve, N=20": ([*vrp, "solve", str(file)], "import numpy, onnxruntime"),
        }
        print("| command | ms | yardstick | ms | ratio |\n|---|---|---|---|---|")
        for name, (command, imports) in pairs.items():
            yardstick = [sys.executable, "-c", imports]
            turns = {"ours": partial(seconds, command), "theirs": partial(seconds, yardstick)}
            in_turn(turns, 1)  # fills the disk's cache
            found = in_turn(turns, rounds)
            ours, theirs = (1e3 * statistics.median(each) for each in found.values())
            ratio = statistics.median(map(operator.truediv, *found.values()))
            print(f"| {name} | {ours:.0f} | {imports} | {theirs:.0f} | {ratio:.2f} |")


def fresh():
    """The README's install, then its solve several times."""
    readme = (ROOT / "README.md").read_text()
    block = readme.split("<!-- install -->")[1].split("```")[1].removeprefix("sh\n")
    *install, solve = block.strip().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", str(ROOT), folder], check=True)
        spent = seconds(["bash", "-euc", "\n".join(install)], folder)
        first, *others = [seconds(solve.split(), folder) for _ in range(REPEATS)]
    again = statistics.median(others)
    print(f"install {spent:.1f} s; first solve {first:.3f} s, later ones {again:.3f} s: "
          f"{first / again:.2f}")  # fmt: skip


def main():
    """Prints a table, or a line."""
    args = arguments(__doc__, rounds=15, fresh=False)
    fresh() if args.fresh else beside_imports(args.rounds)


if __name__ == "__main__":
    main()
