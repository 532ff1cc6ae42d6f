"""Curves from single runs: mean gap against CPU seconds per instance."""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


class SolverRun(NamedTuple):
    """One solve of one instance.

    Attributes:
        cost: By this project's cost code; None where the answer fails its check.
        solver_s: CPU seconds of the solver itself, the x axis.
        cpu_s: CPU seconds of the whole call: building the model in Python and reading the
            routes out of it as well.
        wall_s: Wall seconds of the whole call.
        failure: Why there is no cost, else None.
        vehicles: How many routes there are, where fewer come before cost; else None.
    """

    cost: float | None
    solver_s: float
    cpu_s: float
    wall_s: float
    failure: str | None = None
    vehicles: int | None = None


class Known(NamedTuple):
    """The reference of the gaps of an instance's runs.

    Attributes:
        cost: None where nothing is known.
        vehicles: How many routes it has, where fewer come before cost; else None.
    """

    cost: float | None
    vehicles: int | None = None


class Point(NamedTuple):
    """The means of one method with one setting on one set.

    Attributes:
        method: Name of the curve.
        setting: Name of the point.
        instances: Number of instances tried.
        failed: How many of them have no feasible answer.
        solver_s: Mean over all tried, as `cpu_s` and `wall_s`; see `SolverRun`.
        gap: Mean of (cost - reference) / reference over the answered; None without any.
        worst: The largest such gap.
        equal: Where fewer vehicles come before cost: how many of the answered have as many as
            the best known; the gap is theirs. Else None.
        above: There: how many vehicles the others have beyond the best known, in all.
    """

    method: str
    setting: str
    instances: int
    failed: int
    solver_s: float
    cpu_s: float
    wall_s: float
    gap: float | None
    worst: float | None
    equal: int | None = None
    above: int | None = None


class Reach(NamedTuple):
    """The time that rivals need to be as good as one point.

    Attributes:
        point: What they have to reach.
        solver_s: By rival, CPU seconds of its quickest point that is at least as good and
            never failed; None where it has none.
    """

    point: Point
    solver_s: Mapping[str, float | None]


class RivalComparison(NamedTuple):
    """One point against the best rival of the same setting, instance by instance.

    Attributes:
        setting: Of both.
        rival: The rival's method, the one with the lowest mean gap.
        instances: Number of instances that both answered.
        difference: Mean of (own cost - the rival's) / reference; negative if our own is better.
        error: Standard error of that mean.
    """

    setting: str
    rival: str
    instances: int
    difference: float
    error: float


def best_known(given: Sequence[Known], runs: Iterable[Mapping[int, SolverRun]]) -> list[Known]:
    """The reference of each instance: the given one, else the best of any run.

    Args:
        given: One an instance.
        runs: Of every method and setting, by the instance's position.
    """
    best = list(given)
    for found in runs:
        for position, run in found.items():
            known = best[position]
            if given[position].cost is None and run.cost is not None:
                rank = run.vehicles or 0, run.cost
                if known.cost is None or rank < (known.vehicles or 0, known.cost):
                    best[position] = Known(run.cost, run.vehicles)
    return best


def gap_of(run: SolverRun, known: Known) -> float | None:
    """(cost - reference) / reference; None without both, or with other numbers of vehicles.

    Where a reference is 0, so is the gap of a cost of 0; other costs have none there.
    """
    if run.cost is None or known.cost is None or run.vehicles != known.vehicles:
        return None
    if known.cost > 0:
        return run.cost / known.cost - 1
    return 0.0 if run.cost == known.cost else None


def summed_up(
    method: str, setting: str, runs: Mapping[int, SolverRun], references: Sequence[Known]
) -> Point:
    """One point of a curve.

    Args:
        method: Its curve.
        setting: Its name.
        runs: By the instance's position; at least one.
        references: One an instance.
    """
    found = [gap_of(run, references[position]) for position, run in runs.items()]
    gaps = [gap for gap in found if gap is not None]
    beyond = [
        run.vehicles - known
        for position, run in runs.items()
        if run.vehicles is not None and (known := references[position].vehicles) is not None
    ]
    return Point(
        method=method,
        setting=setting,
        instances=len(runs),
        failed=sum(run.cost is None for run in runs.values()),
        solver_s=statistics.fmean(run.solver_s for run in runs.values()),
        cpu_s=statistics.fmean(run.cpu_s for run in runs.values()),
        wall_s=statistics.fmean(run.wall_s for run in runs.values()),
        gap=statistics.fmean(gaps) if gaps else None,
        worst=max(gaps, default=None),
        equal=beyond.count(0) if beyond else None,
        above=sum(max(0, number) for number in beyond) if beyond else None,
    )


def compared(
    setting: str,
    own: Mapping[int, SolverRun],
    rivals: Mapping[str, Mapping[int, SolverRun]],
    references: Sequence[Known],
) -> RivalComparison | None:
    """Pairs a method's runs with those of the best rival.

    Args:
        setting: Of all of them.
        own: Runs by the instance's position.
        rivals: Runs by method.
        references: One an instance.

    Returns:
        The comparison; None where no rival answered two of the same instances.
    """
    found = []
    for rival, runs in rivals.items():
        pairs = [
            (mine, theirs)
            for position, run in own.items()
            if (other := runs.get(position)) is not None
            and references[position].cost
            and (mine := gap_of(run, references[position])) is not None
            and (theirs := gap_of(other, references[position])) is not None
        ]
        if len(pairs) < 2:
            continue
        differences = [mine - theirs for mine, theirs in pairs]
        comparison = RivalComparison(
            setting=setting,
            rival=rival,
            instances=len(pairs),
            difference=statistics.fmean(differences),
            error=statistics.stdev(differences) / math.sqrt(len(pairs)),
        )
        found.append((statistics.fmean(theirs for _, theirs in pairs), comparison))
    return min(found, key=lambda item: item[0])[1] if found else None


def reaches(points: Sequence[Point], own: str) -> list[Reach]:
    """For each of our points, compute the time that rivals need for the same mean gap.

    Where fewer vehicles come before cost, no more vehicles, and with as many no larger a gap.

    Args:
        points: Of one set.
        own: How our methods' names begin.
    """
    rivals = list(dict.fromkeys(p.method for p in points if not p.method.startswith(own)))
    safe = [point for point in points if not point.failed and point.gap is not None]
    found = []
    for point in points:
        if point.method.startswith(own) and point.gap is not None:
            as_good = [other for other in safe if _rank(other) <= _rank(point)]
            quickest = {
                rival: min((o.solver_s for o in as_good if o.method == rival), default=None)
                for rival in rivals
            }
            found.append(Reach(point, quickest))
    return found


def _rank(point: Point) -> tuple[int, float]:
    return point.above or 0, math.inf if point.gap is None else point.gap
