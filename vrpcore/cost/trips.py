"""Trips of a route, and what is on board in each of them."""

import itertools
import math
from collections.abc import Mapping, Sequence

from vrpcore.instance.constraints import Constraints
from vrpcore.instance.plan import Route

# Of each load dimension, on board at the start and after each stop and reload.
Boards = list[list[float]]


def trips_of(route: Route) -> list[tuple[int, ...]]:
    """The stops of each trip of a route."""
    ends = [0, *(reload.after for reload in route.reloads), len(route.stops)]
    return [route.stops[first:last] for first, last in itertools.pairwise(ends)]


def trip_at(route: Route, number: int) -> tuple[int, ...]:
    """The stops of a trip, counted from 0; none where the route has fewer."""
    return trips_of(route)[number] if number <= len(route.reloads) else ()


def boards_of(
    constraints: Constraints,
    route: Route,
    loaded: Mapping[int, Sequence[Sequence[float]]] | None = None,
) -> Boards:
    """Loads on board at the start and after each stop and reload, by dimension.

    At a reload all that is for the depot is unloaded, and the deliveries of the next trip are
    loaded. Of what is on board from the start, or was loaded, that which the trip does not deliver
    stays to its end.

    Args:
        constraints: Of the instance.
        route: The route.
        loaded: By the numbers of trips, all that they were loaded with; None, and for other
            trips: what their stops ask for.
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
            if loaded is not None and number in loaded:
                amounts = [amount[dimension] for amount in loaded[number]]
            else:
                amounts = constraints.delivery[_loaded(constraints, rows), dimension].tolist()
            first = math.fsum([*amounts, extra[dimension]] if number == 0 else amounts)
            board += itertools.accumulate(changes, initial=first)
        boards.append(board)
    return boards


def _loaded(constraints: Constraints, rows: list[int]) -> list[int]:
    """Those whose deliveries are loaded at the depot of their trip."""
    if constraints.on_board is None:
        return rows
    return [row for row in rows if constraints.on_board[row] < 0]
