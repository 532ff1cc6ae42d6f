"""Fleets that must be filled to the brim: the share solved, by the search and by PyVRP.

python -m tests.bench.tight_fleets [--count 1000] [--levels fast] [--budgets 0.5] [--rivals 200]

PyVRP is given the mean time of the first level, then each of the budgets.
"""

from functools import partial

import numpy as np

from benchmarks.contender import judge
from benchmarks.plain_rivals import pyvrp_solver
from benchmarks.rivals import PYVRP
from tests.bench.arguments import arguments
from tests.vrpcore.search.cases import full_fleet
from vrpcore.bench.timing import timed
from vrpcore.search.effort import Effort
from vrpcore.search.hgs_search import improve_instance


def measure(name, solve, count, show):
    """Solves `count` instances; returns mean seconds."""
    missed, seconds, costs = [], [], []
    for seed in range(count):
        instance, _ = full_fleet(seed)
        solved = timed(partial(solve, instance))
        seconds.append(solved.wall_s)
        cost, fault = judge(instance, solved.result)
        if fault:
            missed.append(seed)
        else:
            costs.append(cost)
    mean = float(np.mean(seconds))
    share = 100 * (count - len(missed)) / count
    print(
        f"{name:<16} {share:6.1f} % of {count} solved, mean {1000 * mean:7.1f} ms, "
        f"mean cost of the solved {np.mean(costs):.2f}",
        flush=True,
    )
    if show:
        for seed in missed:
            instance, _ = full_fleet(seed)
            print(
                f"  missed {seed}: {instance.num_customers} customers, "
                f"{instance.max_vehicles} vehicles of {instance.capacity:g}"
            )
    return mean


def main():
    args = arguments(
        __doc__,
        count=1000,
        levels={"nargs": "*", "default": ["fast"]},
        budgets={"type": float, "nargs": "*", "default": [0.5]},
        rivals={"type": int, "default": 200, "help": "instances for PyVRP"},
        show={"action": "store_true", "help": "which ones are missed"},
    )
    means = [
        measure(
            level,
            lambda each, level=level: improve_instance(each, [], Effort(level)),
            args.count,
            args.show,
        )
        for level in args.levels
    ]
    if not PYVRP.installed or not args.rivals:
        return
    for budget in (*means[:1], *args.budgets):
        solve = pyvrp_solver(budget, 0)
        name = f"PyVRP {1000 * budget:.0f} ms"
        measure(name, lambda each, solve=solve: solve(each).routes, args.rivals, args.show)


if __name__ == "__main__":
    main()
