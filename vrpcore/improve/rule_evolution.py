"""How a search with constraints spends its effort: runs of annealing, then children of plans."""

import math
from collections.abc import Iterator
from random import Random

from vrpcore.improve.native_rules import Found, RuleSearch
from vrpcore.improve.search import ITERATIONS, LARGEST_WHOLE, SWEEP_ITERATIONS, SWEEPS, Effort

# Temperatures in mean costs of a leg: the first grows with the root of the iterations per stop.
WARMEST = (1.0, 4.0)  # lowest and highest
WARMING = 0.2
COOLEST = 0.02
# Iterations per second that a search with a time limit expects.
PACE = 1e5
# Several runs take this share of the effort, each at least so many iterations per stop.
RUN_SHARE = 0.4
RUN_ITERATIONS = 100
MOST_RUNS = 4
# Of each child, per stop; its first temperature; how many plans are kept.
CHILD_ITERATIONS = 25
CHILD_WARMEST = 0.3
MOST_PLANS = 8
_ANY_NUMBER = 2**62


def evolve(search: RuleSearch, size: int, effort: Effort, seed: int, *, children: bool) -> Found:
    """Improves what a search has constructed.

    Args:
        search: After `construct`, and `start` where routes are known.
        size: Number of stops.
        effort: How much search.
        seed: >= 0.
        children: False: one run alone.

    Returns:
        The best plan found.
    """
    if effort.level == "none" or (effort.end is not None and effort.left() <= 0.0):
        return search.found()
    seconds = None if effort.end is None else effort.left()
    total = _iterations(effort.level, size) if seconds is None else int(seconds * PACE)
    runs = min(int(RUN_SHARE * total / (RUN_ITERATIONS * size)), MOST_RUNS) if children else 1
    if runs < 2:
        limit = _ANY_NUMBER if seconds is not None else total
        search.anneal(limit, _temperature(total, size), -1.0 if seconds is None else seconds)
        return search.found()
    plans = list(_runs(search, size, total, seconds, runs, seed))
    if seconds is not None:
        total = _ANY_NUMBER
    else:
        total -= runs * int(RUN_SHARE * total / runs)
    return _children(search, plans, size, total, effort, Random(seed))


def _runs(
    search: RuleSearch, size: int, total: int, seconds: float | None, runs: int, seed: int
) -> Iterator[Found]:
    """The plans of several runs, the first from what the search has, the others from new ones."""
    expected = int(RUN_SHARE * total / runs)
    for run in range(runs):
        if run > 0:
            search.construct((seed + run) % 2**64)
        if seconds is None:
            search.anneal(expected, _temperature(expected, size))
        else:
            search.anneal(_ANY_NUMBER, _temperature(expected, size), RUN_SHARE * seconds / runs)
        yield search.found()


def _children(
    search: RuleSearch, plans: list[Found], size: int, total: int, effort: Effort, random: Random
) -> Found:
    """Makes children, improves each and keeps the best plans."""
    timed = effort.end is not None
    while total > 0 and (not timed or effort.left() > 0.0):
        first, second = random.sample(plans, 2)
        search.cross(first, second)
        iterations = min(CHILD_ITERATIONS * size, total)
        left = max(effort.left(), 0.0) if timed else -1.0
        total -= search.anneal(iterations, (CHILD_WARMEST, COOLEST), left)
        child = search.found()
        if all(child.value != plan.value for plan in plans):
            plans.append(child)
            plans.sort(key=lambda plan: plan.value)
            del plans[MOST_PLANS:]
    return min(plans, key=lambda plan: plan.value)


def _iterations(level: str, num_stops: int) -> int:
    """Of a search without a time limit: as many per stop as plain instances get."""
    if num_stops > LARGEST_WHOLE:
        return SWEEPS[level] * SWEEP_ITERATIONS * num_stops
    return ITERATIONS[level] * num_stops


def _temperature(iterations: int, size: int) -> tuple[float, float]:
    """First and last temperature of a run: warmer for longer runs."""
    warmest = min(max(WARMING * math.sqrt(iterations / size), WARMEST[0]), WARMEST[1])
    return warmest, COOLEST
