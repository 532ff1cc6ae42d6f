"""The best begins of an order of stops whose rides or waits have limits; nothing of the product.

All limits say by how much one time is at least later than another, so the longest ways between them
tell all. With a duration D each time is the later one of its earliest and of what follows from a
departure at the earliest end less D: between the D at which that changes, costs are linear.
"""

import itertools
import math
from typing import NamedTuple

from tests.vrpcore.oracle_times import TOLERANCE, Departure

ORIGIN, LEAVE = 0, 1  # rows of the table of ways; then the steps, and the end


class Step(NamedTuple):
    """A stop, a reload, a break or the end, in order.

    Attributes:
        way: How long it takes to get there.
        visit: What is done.
        wait: The longest from arrival to begin.
        pickup: The number of the step whose ride ends here; None: none has a limit.
        ride: That limit, from the end of that step.
    """

    way: float
    visit: object
    wait: float
    pickup: int | None = None
    ride: float = math.inf


def has_limits(steps):
    """Whether begins are chosen."""
    return any(min(step.wait, step.ride) < math.inf for step in steps)


def best_begins(steps, leaves, limits):
    """The `Departure` that costs least; None: the limits allow none.

    Args:
        steps: In order.
        leaves: Earliest and latest departure, and how long loading takes then.
        limits: As of `best_departure`.
    """
    found = []
    for windows in itertools.product(*(_open(step.visit) for step in steps)):
        table = _ways(steps, windows, leaves, limits)
        if table is not None:
            found += _choices(table, steps, limits)
    return min(found, default=None)


def _open(visit):
    """When it may begin, and from when on that is late."""
    *before, (opens, closes) = visit.windows
    return [*((*each, math.inf) for each in before), (opens, closes + visit.max_late, closes)]


def _ways(steps, windows, leaves, limits):
    """The longest way between any two of origin, departure, steps and end; None: they contradict.

    A way of w from one to another: it is at least so much later.
    """
    last = len(steps) + 2
    table = [[-math.inf] * (last + 1) for _ in range(last + 1)]

    def later(one, other, by):
        table[one][other] = max(table[one][other], by)

    later(ORIGIN, LEAVE, leaves[0])
    later(LEAVE, ORIGIN, -leaves[1])
    over = leaves[2]  # how long the step before takes
    for row, (step, (opens, closes, _)) in enumerate(zip(steps, windows, strict=True), start=2):
        later(row - 1, row, over + step.way)
        longest = 0.0 if step.visit.is_first else step.wait
        later(row, row - 1, -(over + step.way + longest + TOLERANCE))
        later(ORIGIN, row, opens)
        later(row, ORIGIN, -closes - TOLERANCE)
        if step.pickup is not None:
            first = steps[step.pickup].visit.service
            later(row, step.pickup + 2, -first - step.ride - TOLERANCE)
        over = step.visit.service
    later(last - 1, last, over)
    later(last, last - 1, -over)
    later(last, ORIGIN, -(limits.closes + limits.max_late) - TOLERANCE)
    later(last, LEAVE, -(limits.max_duration + limits.max_overtime) - TOLERANCE)
    rows = range(last + 1)
    for by, one, other in itertools.product(rows, rows, rows):
        later(one, other, table[one][by] + table[by][other])
    return None if any(table[row][row] > 1e-12 for row in rows) else table


def _choices(table, steps, limits):
    """Departures of which one costs least, each with what follows."""
    rows = range(LEAVE, len(table))
    end = len(table) - 1
    soonest = [table[ORIGIN][row] for row in range(len(table))]
    spans = [table[LEAVE][row] for row in range(len(table))]
    spans[LEAVE] = 0.0
    # With a duration d each is at max(soonest, soonest end - d + its span).
    least = max(spans[end], *(soonest[end] + spans[row] + table[row][ORIGIN] for row in rows))
    turns = [soonest[end] + spans[row] - soonest[row] for row in rows]
    for row, step in enumerate(steps, start=2):
        turns.append(soonest[end] + spans[row] - step.visit.windows[-1][1])
    most = soonest[end] - soonest[LEAVE]
    inside = (each for each in (*turns, limits.max_duration, most) if least <= each <= most)
    for length in {least, *inside}:
        times = [max(soonest[row], soonest[end] - length + spans[row]) for row in rows]
        leave, *begins, over = times
        late, duration = max(0.0, over - limits.closes), over - leave
        overtime = max(0.0, duration - limits.max_duration)
        price = duration * limits.duration_cost + late * limits.late_cost
        price += overtime * limits.overtime_cost if overtime else 0.0
        for begin, step in zip(begins, steps, strict=True):
            if step.visit.late_cost:
                price += step.visit.late_cost * max(0.0, begin - step.visit.windows[-1][1])
        yield Departure(price, duration, leave, late, overtime, tuple(begins))
