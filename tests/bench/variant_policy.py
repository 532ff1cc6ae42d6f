"""The policy alone on RouteFinder's sets: gaps to PyVRP's references by variant.

python -m tests.bench.variant_policy DATA [--model FILE] [--sizes 50 100] [--count 64]
    [--names cvrp vrptw ...] [--augment 8] [--workers 2] [-o RECORD]

Greedy from all first customers; the cost of the best tour, in float64 by the referee. Tours that
break a limit or leave somebody out are counted, and the next one is taken.
"""

import time
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.records import Column, Headline, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from vrpcore.bench.evaluation import model_text
from vrpcore.bench.problem_set import read_sets
from vrpcore.cost.timeline import Timeline
from vrpcore.cost.tour_routes import route_costs
from vrpcore.instance.variant_generator import VARIANTS
from vrpcore.solve.construct import construct
from vrpcore.solve.models import open_backend
from vrpcore.solve.solve_options import SolveOptions
from vrpcore.threads import side_by_side

BASIC = ("cvrp", "vrptw", "ovrp", "vrpl", "vrpb", "ovrptw")
# RouteFinder's gaps to the same references, Berto et al. 2024, arXiv:2406.15007.
PUBLISHED = {
    50: dict(zip(BASIC, (1.27, 2.08, 2.72, 1.52, 2.99, 1.35), strict=True)),
    100: dict(zip(BASIC, (1.46, 3.19, 4.08, 1.81, 3.93, 2.37), strict=True)),
}
GOALS = {50: 2.4, 100: 3.8}
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


def measured(backend, args, size):
    """Mean gap in percent and its standard error, by variant."""
    options, cells = SolveOptions(improve="none", augment=args.augment, starts=size), {}
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
        gaps = 100 * np.array([gap for part, _ in found for gap in part])
        broken = sum(number for _, number in found)
        cells[name] = [gaps.mean(), gaps.std(ddof=1) / np.sqrt(len(gaps))]
        print(
            f"{name}{size}: {cells[name][0]:.2f} ± {cells[name][1]:.2f} % of {len(gaps)}, "
            f"{broken} broken, {time.perf_counter() - started:.1f} s",
            flush=True,
        )
    return cells


def mean_of(cells, names):
    """The mean of the gaps of some variants."""
    return float(np.mean([cells[name][0] for name in names]))


def record_of(cells, info):
    """The record of the six basic variants and of all, by size."""
    six = {size: mean_of(own, BASIC) for size, own in cells.items()}
    count = len(next(iter(cells.values())))
    rows = [[name] for name in (*BASIC, "**mean of the six**", f"mean of all {count}")]
    for size, own in cells.items():
        published = PUBLISHED[size]
        for row, name in zip(rows, BASIC, strict=False):
            row += [own[name], published[name]]
        missed = "" if six[size] <= GOALS[size] else ", **missed**"
        rows[-2] += [f"**{six[size]:.2f}** (goal {GOALS[size]}{missed})"]
        rows[-2] += [round(float(np.mean([*published.values()])), 2)]
        rows[-1] += [f"{mean_of(own, own):.2f}", None]
    columns = [Column("")]
    for size in cells:
        columns += [Column(f"N={size}", "{:.2f} ± {:.2f}"), Column("RouteFinder", "{:.2f}")]
    where = origin("python -m tests.bench.variant_policy FOLDER/variants/routefinder --count 64")
    missed = [size for size in cells if six[size] > GOALS[size]]
    headline = Headline(
        claim="48 variants, policy without search, 8 symmetries, six basic ones, "
        f"N = {' / '.join(map(str, cells))}: gap",
        figure=f"{' / '.join(f'{gap:.2f}' for gap in six.values())} %",
        goal=f"goal {' / '.join(str(GOALS[size]) for size in cells)} %"
        + f" (**missed** at {' and '.join(map(str, missed))})" * bool(missed),
        machine=where["machine"],
    )
    model = model_text(info)
    return PageRecord(**where, model=model, headlines=[headline], columns=columns, rows=rows)


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
        output=OUTPUT,
    )
    backend = open_backend(args.model, "cpu").variants
    cells = {size: measured(backend, args, size) for size in args.sizes}
    for size, own in cells.items():
        print(f"all {len(own)}, N={size}: {mean_of(own, own):.2f} %")
    if {*BASIC} <= {*args.names}:
        show(record_of(cells, backend.info), args.output)


if __name__ == "__main__":
    main()
