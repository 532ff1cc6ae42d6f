"""Gaps and CPU time of `Solver` on the small reference sets.

python tests/bench/kool_gaps.py [--improve none --augment 8] [--sizes 10 20 50 100]

Prints a line a size: mean of the instances' gaps, CPU milliseconds an instance (this
process and its search processes, start-up of those included), wall seconds.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np

from vrpcore.api import Solver
from vrpcore.instance.generator import Problems, as_instances

DATA = Path(__file__).parent.parent / "data"


def load(size):
    """The reference set of a size: instances and reference costs."""
    with np.load(DATA / f"kool_n{size}.npz") as arrays:
        count = len(arrays["coords"])
        problems = Problems(
            coords=arrays["coords"].astype(np.float64),
            demand=arrays["demand"].astype(np.int64),
            capacity=np.full(count, int(arrays["capacity"])),
        )
        return as_instances(problems, f"kool-n{size}"), arrays["ref_cost"]


def cpu_seconds():
    """CPU seconds of this process and of its finished children."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 20, 50, 100])
    parser.add_argument("--improve", default="fast")
    parser.add_argument("--augment", type=int, default=1)
    parser.add_argument("--decode", default="multistart")
    parser.add_argument("--starts", type=int)
    parser.add_argument("--model")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--threads", type=int)
    args = parser.parse_args()
    solver = Solver(args.model, "cpu")
    print(f"model {solver.model.name} {solver.model.sha256[:12]} ({solver.model.backend})")
    for size in args.sizes:
        instances, reference = load(size)
        cpu, wall = cpu_seconds(), time.perf_counter()
        solutions = solver.solve(
            instances,
            improve=args.improve,
            augment=args.augment,
            decode=args.decode,
            starts=args.starts,
            workers=args.workers,
            threads=args.threads,
        )
        cpu, wall = cpu_seconds() - cpu, time.perf_counter() - wall
        gaps = np.array([solution.cost for solution in solutions]) / reference - 1
        print(
            f"N={size:<4} gap {gaps.mean():8.4%}  worst {gaps.max():7.3%}  "
            f"{cpu / len(instances) * 1e3:8.2f} CPU-ms  {wall:7.2f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
