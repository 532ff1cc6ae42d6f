"""The price of uneven work: the largest values of any used vehicle."""

import math
from collections.abc import Sequence

from vrpcore.cost.route_schedule import Schedule
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.plan import Route


def uneven_work_cost(
    constraints: Constraints, routes: Sequence[Route], schedules: Sequence[Schedule]
) -> float | None:
    """Each price of `balance` times the largest such value; None: it has none.

    Args:
        constraints: Of the instance.
        routes: Of the used vehicles.
        schedules: Theirs.
    """
    prices = constraints.balance
    if prices is None:
        return None
    return math.fsum(
        price * max(values, default=0.0)
        for price, values in (
            (prices.duration, [each.duration for each in schedules]),
            (prices.distance, [each.distance for each in schedules]),
            (prices.customers, [float(len(each.stops)) for each in routes]),
            (prices.load, [_served_load(constraints, each.stops) for each in routes]),
        )
    )


def _served_load(constraints: Constraints, stops: Sequence[int]) -> float:
    """All that is delivered, picked up and carried in the first dimension, in all trips."""
    rows = [stop - 1 for stop in stops]
    carried = (
        abs(constraints.shipment[row, 0])
        for row in rows
        if (constraints.partner(row + 1) or row + 2) > row + 1  # at the pickup, if it has one
    )
    own = (*constraints.delivery[rows, 0], *constraints.pickup[rows, 0])
    return math.fsum((*own, *carried))
