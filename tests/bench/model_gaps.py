"""Gaps of a model, alone and with search, on every set that the shipped model is judged by.

VRP_TEST_DATA=... python -m tests.bench.model_gaps [--model FILE] [--sets n10 ... X] [--count 32]

Sets: n10 to n100, the literature's usual ones; n200 and xstyle100, generated, with
references of `tests.bench.references`; CVRPLIB's, X up to 400 customers. Multi-start is
from all customers. A line a set and decode: mean gap, CPU milliseconds an instance.
"""

import json
import os
from functools import partial
from pathlib import Path

import numpy as np

from tests.bench.arguments import arguments
from tests.bench.references import FILE, SEED
from vrpcore.api import Solver
from vrpcore.bench.problem_set import generated_set
from vrpcore.bench.readme import cvrplib_sets, field_sets
from vrpcore.bench.timing import timed

GENERATED = {"n200": "uniform200", "xstyle100": "xstyle100"}
CVRPLIB = ("A", "B", "P", "X")
SETS = ("n10", "n20", "n50", "n100", "n200", "xstyle100", *CVRPLIB)


def problems(name, count):
    """Instances of a set and their reference costs."""
    if name in GENERATED:
        known = json.loads(FILE.read_text())
        drawn = generated_set(GENERATED[name], count, SEED).instances
        instances = [instance for instance in drawn if instance.name in known]
        return instances, np.array([known[instance.name] for instance in instances])
    sets = field_sets(count)
    if name in CVRPLIB:
        sets = cvrplib_sets(Path(os.environ["VRP_TEST_DATA"]) / "cvrplib")
    (found,) = (each for each in sets if each.name in (name, f"kool{name[1:]}"))
    return found.instances[:count], np.array(found.references[:count])


def main():
    args = arguments(
        __doc__,
        model={},
        sets={"nargs": "+", "default": SETS, "choices": SETS},
        count=128,
        modes=["x1", "x8", "fast"],
    )
    solver = Solver(args.model, "cpu")
    print(f"model {solver.model.name} {solver.model.sha256[:12]} ({solver.model.backend})")
    for name in args.sets:
        instances, reference = problems(name, args.count)
        for mode in args.modes:
            options = {"improve": "fast"}
            if mode != "fast":
                most = max(instance.num_customers for instance in instances)
                options = {"improve": "none", "augment": int(mode[1:]), "starts": most}
            solved = timed(partial(solver.solve, instances, **options))
            gap = np.array([answer.cost for answer in solved.result]) / reference - 1
            print(
                f"{name:<10} {len(gap):>4} {mode:<5} gap {gap.mean():8.4%}  worst {gap.max():.3%}  "
                f"{1000 * solved.cpu_s / len(gap):8.2f} CPU-ms",
                flush=True,
            )


if __name__ == "__main__":
    main()
