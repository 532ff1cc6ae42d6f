"""Gaps to the best known values of the public instances beyond capacity, next to PyVRP's.

python -m tests.bench.variant_gaps DATA [--families ...] [--count 12] [--seconds 1]
    [--rivals pyvrp]

One core, the same seconds of search for both (PyVRP's begin after its first solution), in turn on
each instance. Every answer is costed by this project's timelines and checked by its referee. Gaps
are in the file's unit, to the value in `bks.csv` under its convention: the mean over the instances
that a solver answers in full; `partial` counts the others.

Where fewer vehicles come before distance (Li and Lim), this project is asked for that, and PyVRP
is given vehicles that cost more than any distance. The gap is that of the distance where there
are as many vehicles as in the best known answer; the cell says of how many instances, and how many
vehicles there are above it in all. A dash: PyVRP cannot express the family.
"""

import importlib.util
from typing import NamedTuple

import numpy as np

from benchmarks.contender import judge
from benchmarks.pyvrp_model import pyvrp_constraints_solver
from benchmarks.whole import CannotExpressError, fewest_first
from tests.bench.arguments import arguments
from tests.bench.variant_files import FAMILIES, read_family
from vrpcore.api import Solver
from vrpcore.bench.timing import timed
from vrpcore.referee.referee import check_solution

RIVALS = ("pyvrp",)


class Outcome(NamedTuple):
    """What a solver made of an instance.

    Attributes:
        gap: Relative; None where not all are served, or by another number of vehicles.
        partial: Whether not all who are required are served, or nothing was found.
        above: Vehicles beyond the best known number, where it comes first.
        seconds: By the clock, model and answer included.
    """

    gap: float | None
    partial: bool
    above: int
    seconds: float


def own(solver, known, seconds):
    """This project's outcome."""
    options = {"time_per_instance": seconds, "workers": 1, "threads": 1}
    options["fewest_vehicles"] = known.vehicles is not None
    found = timed(lambda: solver.solve([known.instance], **options))
    (solution,) = found.result
    if solution.status != "solved":
        return Outcome(None, True, 0, found.wall_s)
    problems = check_solution(known.instance, solution).problems
    if problems:
        raise SystemExit(f"{known.file.name}: {problems[0]}")
    return outcome(known, solution.cost, len(solution.routes), found.wall_s)


def pyvrp(known, seconds):
    """PyVRP's outcome; None where it cannot express the instance."""
    instance, solve = known.instance, pyvrp_constraints_solver(seconds, 0)
    try:
        asked = instance if known.vehicles is None else fewest_first(instance)
        found = timed(lambda: solve(asked))
    except CannotExpressError:
        return None
    routes = found.result.routes
    cost, _ = judge(instance, routes)
    if cost is None:
        return Outcome(None, True, 0, found.wall_s)
    return outcome(known, cost, len(routes), found.wall_s)


def outcome(known, cost, vehicles, seconds):
    """The outcome of an answer that serves all who are required."""
    above = 0 if known.vehicles is None else vehicles - known.vehicles
    gap = cost / known.cost - 1 if above == 0 else None
    return Outcome(gap, False, max(0, above), seconds)


def cells(outcomes, hierarchical):
    """Gap, partial answers, seconds."""
    if None in outcomes:
        return ["-"] * 3
    gaps = [each.gap for each in outcomes if each.gap is not None]
    gap = f"{100 * np.mean(gaps):.2f} %" if gaps else "none"
    if hierarchical:
        gap += f" of {len(gaps)}; {sum(each.above for each in outcomes)} vehicles above"
    partial = sum(each.partial for each in outcomes)
    return [gap, str(partial), f"{np.mean([each.seconds for each in outcomes]):.2f}"]


def main():
    args = arguments(
        __doc__,
        data=str,
        families={"nargs": "+", "default": list(FAMILIES), "choices": FAMILIES},
        count={"type": int, "default": 12, "help": "most instances of a family"},
        seconds={"type": float, "default": 1.0, "help": "of search, each instance"},
        rivals={"nargs": "*", "default": RIVALS, "choices": RIVALS},
    )
    solver = Solver(device="cpu")
    contenders = {"vrp": lambda known: own(solver, known, args.seconds)}
    if args.rivals and importlib.util.find_spec("pyvrp"):
        contenders["PyVRP"] = lambda known: pyvrp(known, args.seconds)
    heads = [f"{name} {what}" for name in contenders for what in ("gap", "partial", "s")]
    print(f"| family | instances | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 2)}")
    for family in args.families:
        found = {name: [] for name in contenders}
        known = list(read_family(args.data, family, args.count))
        for turn, each in enumerate(known):
            for name in list(contenders)[:: -1 if turn % 2 else 1]:
                found[name].append(contenders[name](each))
        hierarchical = FAMILIES[family].vehicles is not None
        row = [cell for name in contenders for cell in cells(found[name], hierarchical)]
        print(f"| {family} | {len(known)} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
