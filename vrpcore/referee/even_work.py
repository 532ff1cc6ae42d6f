"""The referee's price of uneven work, and how far off it may be."""

from collections.abc import Sequence

from vrpcore.instance.relations import Balance
from vrpcore.referee.stated_route import Cost


def price_of_uneven(balance: Balance, routes: Sequence[Cost]) -> tuple[float, float]:
    """What the largest values of any used vehicle cost, and how far off that may be.

    Args:
        balance: What a unit of each costs.
        routes: Of the used vehicles.
    """
    cost = slack = 0.0
    for price, values in (
        (balance.duration, [route.duration for route in routes]),
        (balance.distance, [route.distance for route in routes]),
        (balance.customers, [(float(route.stops), 0.0) for route in routes]),
        (balance.load, [(route.load, 0.0) for route in routes]),
    ):
        cost += price * max((value for value, _ in values), default=0.0)
        slack += price * max((off for _, off in values), default=0.0)
    return cost, slack
