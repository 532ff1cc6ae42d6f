"""Trips of a route, and what is on board in each of them."""

import itertools
import math

from vrpcore.instance.constraints import Constraints
from vrpcore.instance.plan import Route


def trips_of(route: Route) -> list[tuple[int, ...]]:
    """The stops of each trip of a route."""
    ends = [0, *(reload.after for reload in route.reloads), len(route.stops)]
    return [route.stops[first:last] for first, last in itertools.pairwise(ends)]


def boards_of(constraints: Constraints, route: Route) -> list[list[float]]:
    """What is on board at the start and after each stop and reload, by dimension.

    At a reload all that is for the depot is unloaded, and the deliveries of the next trip are
    loaded. Of the shipments that are on board from the start, those that the first trip does not
    deliver stay to its end.
    """
    boards, extra = [], constraints.board(route.vehicle).tolist()
    trips = [[stop - 1 for stop in trip] for trip in trips_of(route)]
    for dimension in range(constraints.delivery.shape[1]):
        board = list[float]()
        for number, rows in enumerate(trips):
            changes = [
                constraints.pickup[row, dimension]
                - constraints.delivery[row, dimension]
                + constraints.shipment[row, dimension]
                for row in rows
            ]
            amounts = constraints.delivery[rows, dimension].tolist()
            first = math.fsum([*amounts, extra[dimension]] if number == 0 else amounts)
            board += itertools.accumulate(changes, initial=first)
        boards.append(board)
    return boards
