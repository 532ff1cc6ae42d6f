"""Gaps of a model, alone and with search, on every set that the shipped model is judged by.

VRP_TEST_DATA=... python -m tests.bench.model_gaps [--model FILE] [--sets n10 ... X] [--count 32]

Sets: n10 to n100, the field's usual ones; n200 and xstyle100, generated, with
references of `tests.bench.references`; X, CVRPLIB's up to 400 customers. Multi-start is
from all customers. A line a set and decode: mean gap, CPU milliseconds an instance.
"""

import argparse
import csv
import json
import os
import time
from pathlib import Path

import numpy as np

from tests.bench.references import SEED
from vrpcore.api import Solver, read_instances
from vrpcore.bench.problem_set import generated_set

DATA = Path(__file__).parent.parent / "data"
GENERATED = {"n200": "uniform200", "xstyle100": "xstyle100"}
SETS = ("n10", "n20", "n50", "n100", "n200", "xstyle100", "X")
X_LARGEST = 400


def problems(name, count):
    """Instances of a set and their reference costs."""
    if name in GENERATED:
        known = json.loads((DATA / "references.json").read_text())
        drawn = generated_set(GENERATED[name], count, SEED).instances
        instances = [instance for instance in drawn if instance.name in known]
        return instances, np.array([known[instance.name] for instance in instances])
    if name == "X":
        folder = Path(os.environ["VRP_TEST_DATA"]) / "cvrplib"
        with (folder / "index.csv").open(encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["set"] == "X"]
        instances = read_instances(*(folder / row["file"] for row in rows))
        chosen = [
            (instance, min(float(row[key]) for key in ("bks", "free_fleet_best") if row[key]))
            for instance, row in zip(instances, rows, strict=True)
            if instance.num_customers <= X_LARGEST
        ]
        return [instance for instance, _ in chosen][:count], np.array(
            [c for _, c in chosen][:count]
        )
    drawn = generated_set(f"kool{name[1:]}", count, SEED)
    known = [reference for reference in drawn.references if reference is not None]
    return drawn.instances[: len(known)], np.array(known)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model")
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--count", type=int, default=128)
    parser.add_argument("--modes", nargs="+", default=["x1", "x8", "fast"])
    args = parser.parse_args()
    solver = Solver(args.model, "cpu")
    print(f"model {solver.model.name} {solver.model.sha256[:12]} ({solver.model.backend})")
    for name in args.sets:
        instances, reference = problems(name, args.count)
        for mode in args.modes:
            options = {"improve": "fast"}
            if mode != "fast":
                most = max(instance.num_customers for instance in instances)
                options = {"improve": "none", "augment": int(mode[1:]), "starts": most}
            started = time.process_time()
            solutions = solver.solve(instances, **options)
            cpu = time.process_time() - started
            gap = np.array([answer.cost for answer in solutions]) / reference - 1
            print(
                f"{name:<10} {len(gap):>4} {mode:<5} gap {gap.mean():8.4%}  worst {gap.max():.3%}  "
                f"{1000 * cpu / len(gap):8.2f} CPU-ms",
                flush=True,
            )


if __name__ == "__main__":
    main()
