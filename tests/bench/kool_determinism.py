"""Share of identical routes when batch, threads, padding or order change.

python -m tests.bench.kool_determinism

All reference sets in one call, so that sizes share batches where they may; the policy
alone and with search.
"""

import numpy as np

from vrpcore.api import Solver
from vrpcore.bench.readme import field_sets


def shared(first, second):
    """Identical routes over all routes, matched by name, and the relative cost change."""
    theirs = {item.name: {route.customers for route in item.routes} for item in second}
    same = sum(
        len({route.customers for route in item.routes} & theirs[item.name]) for item in first
    )
    total = sum(len(item.routes) for item in first)
    cost = [np.mean([item.cost for item in part]) for part in (first, second)]
    return same / total, abs(cost[1] / cost[0] - 1)


def main():
    solver = Solver(device="cpu")
    instances = [instance for found in field_sets(64) for instance in found.instances]
    order = np.random.default_rng(0).permutation(len(instances))
    shuffled = [instances[row] for row in order]
    for improve in ("none", "fast"):
        first = solver.solve(instances, improve=improve)
        for name, part, options in (
            ("again", instances, {}),
            ("batch 1", instances, {"batch": 1}),
            ("batch 7", instances, {"batch": 7}),
            ("batch 64", instances, {"batch": 64}),
            ("one thread", instances, {"threads": 1, "workers": 1}),
            ("shuffled, batch 7", shuffled, {"batch": 7}),
        ):
            same, change = shared(first, solver.solve(part, improve=improve, **options))
            print(f"improve {improve:<5} {name:<18} routes identical {same:8.3%}  "
                  f"mean cost changed by {change:.1e}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
