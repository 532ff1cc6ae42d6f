"""What each part of the search is worth at equal time: it is left out, the rest goes on.

python -m tests.bench.search_ablation [--sizes 50 100 200] [--seconds 0.02 0.1 0.5] [--count 24]

Instances of its own (uniform, seed 4711); one thread; the seconds are those of the hgs_search
(the policy's tours are made before). A gap is relative to the best cost of any variant and
of one search of 6 times the longest time.
"""

import time

import numpy as np

from tests.bench.arguments import arguments
from vrpcore.cost.tour_routes import route_cost
from vrpcore.instance.generator import as_instances, random_problems
from vrpcore.search import evolution, hgs_search
from vrpcore.search.evolution import Allocation, allocate
from vrpcore.search.hgs_library import Problem
from vrpcore.solve.construct import construct
from vrpcore.solve.models import open_backend
from vrpcore.solve.solve_options import SolveOptions

SETTINGS = {
    "full": {},
    "without the policy": {"candidates": False},
    "without savings": {"savings": False},
    "one run, no children": {"plan": lambda size, starts, count: Allocation(1, count, 0, 0)},
    "no runs": {"plan": lambda *given: allocate(*given)._replace(runs=0)},
    "no random orders": {"plan": lambda *given: allocate(*given)._replace(orders=0)},
}


def candidates_of(instances):
    """The policy's solutions of each instance, cheapest first."""
    backend, options = open_backend(None, "cpu"), SolveOptions()
    return [construct([instance], backend, options)[0] for instance in instances]


def searched(instance, candidates, seconds, setting):
    """Cost after `seconds` of a variant."""
    kept = Problem.savings
    if not setting.get("savings", True):
        Problem.savings = lambda _: candidates[0]
    evolution.allocate = setting.get("plan", allocate)
    start = candidates if setting.get("candidates", True) else []
    end = time.perf_counter() + seconds
    routes = hgs_search.improve_instance(instance, start, hgs_search.Effort(end=end), 1)
    Problem.savings, evolution.allocate = kept, allocate
    return sum(route_cost(instance, route) for route in routes)


def main():
    args = arguments(__doc__, sizes=[50, 100, 200], seconds=[0.02, 0.1, 0.5], count=24)
    rng = np.random.default_rng(4711)
    for size in args.sizes:
        problems = random_problems("uniform", (args.count, size), "by_size", rng)
        instances = as_instances(problems, f"u{size}")
        candidates = candidates_of(instances)
        costs = {
            (seconds, name): np.array(
                [
                    searched(instance, found, seconds, setting)
                    for instance, found in zip(instances, candidates, strict=True)
                ]
            )
            for seconds in args.seconds
            for name, setting in SETTINGS.items()
        }
        long = 6 * max(args.seconds)
        best = np.min(
            [
                *costs.values(),
                [
                    searched(instance, found, long, {})
                    for instance, found in zip(instances, candidates, strict=True)
                ],
            ],
            axis=0,
        )
        print(
            f"\n| N={size}, {args.count} instances | "
            + " | ".join(f"{s:g} s" for s in args.seconds)
        )
        for name in SETTINGS:
            gaps = [f"{(costs[seconds, name] / best - 1).mean():.2%}" for seconds in args.seconds]
            print(f"| {name} | " + " | ".join(gaps) + " |", flush=True)


if __name__ == "__main__":
    main()
