"""The referee's view of trips: who is served in which, and what is on board in each.

Plain loops, as in the rest of the referee.
"""

import itertools
import math
from collections.abc import Sequence

from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Route

# On board in each load dimension, at the start of a trip and after each of its stops.
Boards = list[list[float]]


def trips_of(route: Route) -> list[tuple[int, ...]]:
    """The stops of each trip of a route."""
    if not route.reloads:
        return [route.stops]
    cuts = [0, *(each.after for each in route.reloads), len(route.stops)]
    return [route.stops[first:last] for first, last in itertools.pairwise(cuts)]


def boards_of(instance: Instance, route: Route) -> list[Boards]:
    """What is on board in each trip.

    At first that is the load that a vehicle begins with, and all that is on board for shipments,
    whether they are served or not; besides, in each trip, all that it delivers. In a trip that was
    under way when a plan was frozen it is what it was loaded with then.
    """
    constraints = instance.own_constraints
    dimensions = range(constraints.delivery.shape[1])
    found: list[Boards] = []
    more = _first_board(instance, route.vehicle)
    for number, stops in enumerate(trips_of(route)):
        goods = [tuple(map(float, constraints.delivery[stop - 1])) for stop in stops]
        if route.begun is not None and number == route.begun.trip:
            goods = [each.amount for each in route.begun.loaded]
        board = [math.fsum([more[each], *(own[each] for own in goods)]) for each in dimensions]
        boards = [list(board)]
        for stop in stops:
            for each in dimensions:
                board[each] -= float(constraints.delivery[stop - 1, each])
                board[each] += float(constraints.pickup[stop - 1, each])
                board[each] += float(constraints.shipment[stop - 1, each])
            boards.append(list(board))
        found.append(boards)
        more = [0.0 for _ in dimensions]
    return found


def _first_board(instance: Instance, vehicle: int) -> list[float]:
    """On board of a vehicle from its start on, besides what its first trip delivers."""
    constraints = instance.own_constraints
    initial = constraints.vehicles[vehicle].initial_load
    found = [0.0] * constraints.delivery.shape[1] if initial is None else list(initial)
    if constraints.on_board is not None:
        for row, owner in enumerate(constraints.on_board.tolist()):
            if owner == vehicle:
                for each in range(len(found)):
                    found[each] -= float(constraints.shipment[row, each])
    return found


def most_on_board(trips: Sequence[Boards]) -> list[tuple[float, str]]:
    """Of each load dimension the most on board in any trip, and where, in words."""
    found = []
    for dimension in range(len(trips[0][0])):
        most, where, served = -math.inf, "", 0
        for row, boards in enumerate(trips):
            for place, board in enumerate(boards):
                if board[dimension] > most:
                    most = board[dimension]
                    where = f"after customers[{served + place - 1}]"
                    if place == 0:
                        where = f"after reloads[{row - 1}]" if row else "at the start"
            served += len(boards) - 1
        found.append((most, where))
    return found


def added_up(instance: Instance, route: Route, dimension: int) -> float:
    """All amounts together that come on board or leave in a load dimension."""
    constraints = instance.own_constraints
    added = abs(_first_board(instance, route.vehicle)[dimension])
    if route.begun is not None:
        added += math.fsum(each.amount[dimension] for each in route.begun.loaded)
    for stop in route.stops:
        added += float(constraints.delivery[stop - 1, dimension])
        added += float(constraints.pickup[stop - 1, dimension])
        added += abs(float(constraints.shipment[stop - 1, dimension]))
    return added


def served_load(instance: Instance, stops: Sequence[int]) -> float:
    """What stops are brought and what is taken from them, in the first load dimension.

    A shipment counts once.
    """
    constraints = instance.own_constraints
    amounts = []
    for stop in stops:
        amounts.append(float(constraints.delivery[stop - 1, 0]))
        amounts.append(float(constraints.pickup[stop - 1, 0]))
        moved = float(constraints.shipment[stop - 1, 0])
        partner = constraints.partner(stop)
        if partner is None or partner > stop:
            amounts.append(abs(moved))
    return math.fsum(amounts)
