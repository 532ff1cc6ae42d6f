"""The referee's view of lateness and overtime: what a route states of them, and what they cost.

Plain loops, as in the rest of the referee.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

from vrpcore.instance.solution import RouteSchedule
from vrpcore.referee.route_limits import Journey, Times


class Late(NamedTuple):
    """How late a route is, and how much too long; 0 where it may not be.

    Attributes:
        stops: Of each stop, how much later than its last window closes its service begins.
        back: How late it is back, or ends its last service.
        overtime: By how much its duration exceeds `max_duration`.
    """

    stops: list[float]
    back: float
    overtime: float


def lateness(journey: Journey, times: Times) -> Late:
    """How late a route with known times is."""
    stops = [
        0.0 if due is None else max(0.0, begin - due.time)
        for due, begin in zip(journey.dues, times.begins, strict=True)
    ]
    back = 0.0 if journey.back is None else max(0.0, times.end - journey.back.time)
    over = 0.0
    if journey.vehicle.max_overtime > 0.0:
        over = max(0.0, times.end - times.departure - journey.vehicle.max_duration)
    return Late(stops, back, over)


def unfit_lateness(
    journey: Journey, schedule: RouteSchedule, late: Late, tolerance: float
) -> Iterator[tuple[str, str]]:
    """Keys of the route that are missing, not expected, or not the right number; with words."""
    states_times = schedule.begins is not None
    may_be_late = any(due is not None for due in journey.dues)
    if schedule.late is not None and not may_be_late:
        yield "late", "not expected, no stop may be late"
    elif schedule.late is None and may_be_late and states_times:
        yield "late", f"missing, expected a list of {len(late.stops)}"
    elif schedule.late is not None and len(schedule.late) != len(late.stops):
        yield "late", f"{len(schedule.late)} numbers, expected {len(late.stops)}"
    elif schedule.late is not None:
        for index, (stated, own) in enumerate(zip(schedule.late, late.stops, strict=True)):
            if abs(stated - own) > tolerance:
                yield f"late[{index}]", f"{stated}, expected {own}"
    for key, stated, own, is_allowed in (
        ("late_return", schedule.late_return, late.back, journey.back is not None),
        ("overtime", schedule.overtime, late.overtime, journey.vehicle.max_overtime > 0.0),
    ):
        if math.isnan(stated):
            if is_allowed and states_times:
                yield key, f"missing, expected {own}"
        elif not is_allowed:
            yield key, "not expected, the vehicle allows none"
        elif abs(stated - own) > tolerance:
            yield key, f"{stated}, expected {own}"


def price_of(
    journey: Journey, schedule: RouteSchedule, late: Late, tolerance: float
) -> tuple[float, float]:
    """What lateness and overtime cost, and how far off that may be.

    What is stated within the tolerance of times is right: the cost is that of what is stated.
    """
    terms = [(late.overtime, schedule.overtime, journey.vehicle.overtime_cost)]
    if journey.back is not None:
        terms.append((late.back, schedule.late_return, journey.back.price))
    stated = schedule.late
    if stated is None or len(stated) != len(late.stops):
        stated = (math.nan,) * len(late.stops)
    for due, own, told in zip(journey.dues, late.stops, stated, strict=True):
        if due is not None:
            terms.append((own, told, due.price))
    cost = slack = 0.0
    for own, told, price in terms:
        if abs(told - own) <= tolerance:  # False where it is NaN
            cost += told * price
        else:
            cost += own * price
            slack += tolerance * price
    return cost, slack
