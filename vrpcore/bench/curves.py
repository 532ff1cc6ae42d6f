"""From single runs to curves: mean gap against CPU seconds per instance."""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


class Run(NamedTuple):
    """One solve of one instance.

    Attributes:
        cost: By this project's cost code; None where the answer fails its check.
        solver_s: CPU seconds of the solver itself, the x axis.
        cpu_s: CPU seconds of the whole call: building the model in Python and reading the
            routes out of it as well.
        wall_s: Wall seconds of the whole call.
        failure: Why there is no cost, else None.
    """

    cost: float | None
    solver_s: float
    cpu_s: float
    wall_s: float
    failure: str | None = None


class Point(NamedTuple):
    """The means of one method with one setting on one set.

    Attributes:
        method: Name of the curve.
        setting: Name of the point.
        instances: Number of instances tried.
        failed: How many of them have no feasible answer.
        solver_s: Mean over all tried, as `cpu_s` and `wall_s`; see `Run`.
        gap: Mean of (cost - reference) / reference over the answered; None without any.
        worst: The largest such gap.
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


class Reach(NamedTuple):
    """What rivals need to be as good as one point.

    Attributes:
        point: What they have to reach.
        solver_s: By rival, CPU seconds of its quickest point that is at least as good and
            never failed; None where it has none.
    """

    point: Point
    solver_s: Mapping[str, float | None]


class Comparison(NamedTuple):
    """One point beside the best rival of the same setting, instance by instance.

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


def best_known(
    given: Sequence[float | None], runs: Iterable[Mapping[int, Run]]
) -> list[float | None]:
    """The reference of each instance: the given one, else the best cost of any run.

    Args:
        given: Known costs, one per instance.
        runs: Of every method and setting, by the instance's place.
    """
    best = list(given)
    for found in runs:
        for place, run in found.items():
            if given[place] is None and run.cost is not None:
                known = best[place]
                best[place] = run.cost if known is None else min(known, run.cost)
    return best


def summed_up(
    method: str, setting: str, runs: Mapping[int, Run], references: Sequence[float | None]
) -> Point:
    """One point of a curve.

    Args:
        method: Its curve.
        setting: Its name.
        runs: By the instance's place; at least one.
        references: One an instance. Where a reference is 0, so is the gap of a cost of 0;
            other costs have none there.
    """
    gaps = []
    for place, run in runs.items():
        reference = references[place]
        if run.cost is None or reference is None:
            continue
        if reference > 0:
            gaps.append(run.cost / reference - 1)
        elif run.cost == reference:
            gaps.append(0.0)
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
    )


def compared(
    setting: str,
    own: Mapping[int, Run],
    rivals: Mapping[str, Mapping[int, Run]],
    references: Sequence[float | None],
) -> Comparison | None:
    """Pairs a method's runs with those of the best rival.

    Args:
        setting: Of all of them.
        own: Runs by the instance's place.
        rivals: Runs by method.
        references: One an instance.

    Returns:
        The comparison; None where no rival answered two of the same instances.
    """
    found = []
    for rival, runs in rivals.items():
        pairs = [
            (run.cost / reference, other.cost / reference)
            for place, run in own.items()
            if (other := runs.get(place)) is not None
            and (reference := references[place])
            and run.cost is not None
            and other.cost is not None
        ]
        if len(pairs) < 2:
            continue
        differences = [mine - theirs for mine, theirs in pairs]
        comparison = Comparison(
            setting=setting,
            rival=rival,
            instances=len(pairs),
            difference=statistics.fmean(differences),
            error=statistics.stdev(differences) / math.sqrt(len(pairs)),
        )
        found.append((statistics.fmean(theirs for _, theirs in pairs), comparison))
    return min(found, key=lambda item: item[0])[1] if found else None


def reaches(points: Sequence[Point], own: str) -> list[Reach]:
    """For each point of our own: what rivals need for the same mean gap.

    Args:
        points: Of one set.
        own: How our methods' names begin.
    """
    rivals = list(dict.fromkeys(p.method for p in points if not p.method.startswith(own)))
    safe = [(p.method, p.gap, p.solver_s) for p in points if not p.failed and p.gap is not None]
    found = []
    for point in points:
        if point.method.startswith(own) and point.gap is not None:
            as_good = [(method, seconds) for method, gap, seconds in safe if gap <= point.gap]
            quickest = {
                rival: min(
                    (seconds for method, seconds in as_good if method == rival), default=None
                )
                for rival in rivals
            }
            found.append(Reach(point, quickest))
    return found
