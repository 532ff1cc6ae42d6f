"""The policy alone on RouteFinder's sets: gaps to PyVRP's references by variant.

python -m tests.bench.variant_policy DATA [--model FILE] [--sizes 50 100] [--count 64]
    [--names cvrp vrptw ...] [--augment 8] [--workers 2]

Greedy from all first customers; the cost of the best tour, in float64 by the referee. Tours that
break a limit or leave somebody out are counted, and the next one is taken.
"""

import time
from functools import partial
from pathlib import Path

import numpy as np

from tests.bench.arguments import arguments
from vrpcore.bench.problem_set import read_sets
from vrpcore.cost.timeline import Timeline
from vrpcore.cost.tour_routes import route_costs
from vrpcore.instance.variant_generator import VARIANTS
from vrpcore.solve.construct import construct
from vrpcore.solve.models import open_backend
from vrpcore.solve.solve_options import SolveOptions
from vrpcore.threads import side_by_side

BASIC = ("cvrp", "vrptw", "ovrp", "vrpl", "vrpb", "ovrptw")
_AT_ONCE = 8
_TOLERANCE = 1e-9


def cost_of(instance, timeline, routes):
    """Cost of routes; None where a limit is broken or somebody is left out."""
    if sum(len(route.stops) for route in routes) < instance.num_customers:
        return None
    if instance.constraints is None:
        loads = [instance.load(route.stops) for route in routes]
        total = sum(route_costs(instance, [route.stops for route in routes]))
        return total if max(loads) <= instance.capacity + _TOLERANCE else None
    total = 0.0
    for route in routes:
        times = timeline.schedule(route)
        limit = instance.own_constraints.vehicles[route.vehicle].max_distance
        if times is None or times.distance > limit + _TOLERANCE:
            return None
        total += times.cost
    return total


def gaps_of(backend, instances, references, options):
    """Gaps of the best feasible candidates, and how many candidates before them were not."""
    broken, gaps = 0, []
    for instance, reference, candidates in zip(
        instances, references, construct(instances, backend, options), strict=True
    ):
        timeline = None if instance.constraints is None else Timeline(instance)
        for plan in candidates:
            cost = cost_of(instance, timeline, plan.routes)
            if cost is not None:
                gaps.append(cost / reference - 1)
                break
            broken += 1
    return gaps, broken


def main():
    args = arguments(
        __doc__,
        data=Path,
        model="variants",
        sizes=[50, 100],
        count=64,
        names=[n for n, v in VARIANTS.items() if v.covered],
        augment=8,
        workers=2,
    )
    backend = open_backend(args.model, "cpu").variants
    for size in args.sizes:
        options = SolveOptions(improve="none", augment=args.augment, starts=size)
        means = {}
        for name in args.names:
            (problems,) = read_sets([args.data / f"{name}{size}.npz"], {}, args.count)
            instances, references = problems.instances, problems.references
            started = time.perf_counter()
            found = side_by_side(
                [
                    partial(
                        gaps_of,
                        backend,
                        instances[at : at + _AT_ONCE],
                        references[at : at + _AT_ONCE],
                        options,
                    )
                    for at in range(0, len(instances), _AT_ONCE)
                ],
                args.workers,
            )
            gaps = np.array([gap for part, _ in found for gap in part])
            broken = sum(number for _, number in found)
            means[name] = 100 * gaps.mean()
            error = 100 * gaps.std(ddof=1) / np.sqrt(len(gaps))
            print(
                f"{name}{size}: {means[name]:.2f} ± {error:.2f} % of {len(gaps)}, "
                f"{broken} broken, {time.perf_counter() - started:.1f} s",
                flush=True,
            )
        basic = [means[name] for name in BASIC if name in means]
        if len(basic) == len(BASIC):
            print(f"six basic variants, N={size}: {np.mean(basic):.2f} %")
        print(f"all {len(means)}, N={size}: {np.mean(list(means.values())):.2f} %")


if __name__ == "__main__":
    main()
