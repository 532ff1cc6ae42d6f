"""Mean gap of `Solver` on CVRPLIB sets, rounded costs, any number of vehicles.

VRP_TEST_DATA=... python tests/bench/cvrplib_gaps.py [--sets A B P]

The reference is the lower of the best known cost and the best with a free fleet.
"""

import argparse
import csv
import os
import time
from pathlib import Path

import numpy as np

from vrpcore.api import Solver, read_instances


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=["A", "B", "P"])
    parser.add_argument("--improve", default="fast")
    parser.add_argument("--augment", type=int, default=1)
    args = parser.parse_args()
    folder = Path(os.environ["VRP_TEST_DATA"]) / "cvrplib"
    with (folder / "index.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    solver = Solver(device="cpu")
    for name in args.sets:
        chosen = [row for row in rows if row["set"] == name]
        instances = read_instances(*(folder / row["file"] for row in chosen))
        started = time.perf_counter()
        solutions = solver.solve(instances, improve=args.improve, augment=args.augment)
        seconds = time.perf_counter() - started
        gaps = []
        for row, solution in zip(chosen, solutions, strict=True):
            known = [float(row[key]) for key in ("bks", "free_fleet_best") if row[key]]
            gaps.append(solution.cost / min(known) - 1)
        print(
            f"{name:<7} {len(gaps)} instances  gap {np.mean(gaps):.3%}  worst {max(gaps):.3%}  "
            f"{seconds:.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
