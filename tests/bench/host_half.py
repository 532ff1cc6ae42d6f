"""The host's half of construction on an accelerator, in two checkouts, without an accelerator.

taskset -c 1 python -m tests.bench.host_half FOLDER [--rounds 5] [-o RECORD]

FOLDER is the other checkout. A backend returns tours that were made before, as the device's copy
arrives: 16 bits a node, padded. Measured is all that `construct` does around it: a batch, its
symmetries, random streams, costs, ranks, checks. CPU seconds of processes that take turns.
"""

import os
import statistics
import subprocess
import sys
from functools import partial
from pathlib import Path

from tests.bench.arguments import OUTPUT, arguments, show
from tests.bench.checkouts import ROOT, in_turns, record

SIZES = (20, 50, 100)
# Runs with the packages of either checkout. Backends of the older one returned 64 bits a node.
WORK = """
import sys, time
import numpy as np
from vrpcore.bench.problem_set import generated_set
from vrpcore.solve.backend import ModelInfo
from vrpcore.solve.construct import batch_limit, construct
from vrpcore.solve.solve_options import SolveOptions

size, wide = int(sys.argv[1]), sys.argv[2] == "wide"
options = SolveOptions(improve="none", augment=8, starts=size)
instances = generated_set(f"uniform{size}", batch_limit(size, options, False), 1).instances
rng = np.random.default_rng(1)

def tour(instance):
    found, load = [], 0
    for node in (1 + rng.permutation(size)).tolist():
        if load + instance.demand[node] > instance.capacity:
            found.append(0)
            load = 0
        found.append(node)
        load += instance.demand[node]
    return found + [0] * (2 * size + 2 - len(found))

one = np.array([[tour(instance) for _ in range(size)] for instance in instances], np.int16)
first = one[np.arange(8 * len(one)) % len(one)]     # copy by copy
later = one[np.arange(8 * len(one)) // 8]           # instance by instance

class Arrived:
    info = ModelInfo(
        name="arrived", sha256="", train_sizes=(1, 1000), backend="torch", device="cuda"
    )
    variants = None

    def construct(self, batch, starts, temperature, seed):
        return first.astype(np.int64) if wide else later

for turn in range(6):
    began = time.process_time()
    construct(instances, Arrived(), options)
    if turn:
        print(len(instances) / (time.process_time() - began))
"""


def rate(checkout, wide, size):
    """Instances a second in a process of its own, the median of its calls."""
    found = subprocess.run(
        [sys.executable, "-c", WORK, str(size), wide],
        cwd=checkout,
        env=os.environ | {"PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    return statistics.median(map(float, found.stdout.split()))


def main():
    given = arguments(__doc__, folder=Path, rounds=5, output=OUTPUT)
    rows = []
    for size in SIZES:
        turns = {
            "before": partial(rate, given.folder, "wide", size),
            "now": partial(rate, ROOT, "narrow", size),
        }
        rows.append([f"{size}, {size} starts", *in_turns(turns, given.rounds)])
        print(rows[-1], flush=True)
    program = "taskset -c 1 python -m tests.bench.host_half"
    show(record("N, 8 symmetries", "{:,.0f}", program, rows), given.output)


if __name__ == "__main__":
    main()
