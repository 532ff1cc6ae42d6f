"""The referee's view of reloads: those that a route states, and what it states of them.

Plain loops, as in the rest of the referee.
"""

import math
from collections.abc import Iterator, Sequence

from vrpcore.errors import describe
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Reload, Route
from vrpcore.instance.solution import RouteReload, RouteSchedule
from vrpcore.instance.vehicle_types import VehicleType
from vrpcore.referee.trip_loads import Boards, trips_of


def stated_reloads(
    instance: Instance, vehicle: VehicleType, stated: Sequence[RouteReload], num_stops: int
) -> tuple[list[Reload], list[str], list[tuple[int | None, str, str]]]:
    """The reloads that a route states, what is wrong with them in words, and broken limits.

    Of a limit: how many stops come before it, less one (None: the whole route), the key of the
    route, and words.

    Args:
        instance: With constraints.
        vehicle: The type.
        stated: Of the route.
        num_stops: Of the route.
    """
    rows = {depot.id: row for row, depot in enumerate(instance.own_constraints.depots)}
    allowed, last = vehicle.reloads or (), 0
    found: list[Reload] = []
    problems, limits = [], list[tuple[int | None, str, str]]()
    for row, item in enumerate(stated):
        place, depot = f"reloads[{row}]", rows.get(item.depot)
        if depot is None or depot not in allowed:
            names = ", ".join(instance.own_constraints.depots[each].id for each in allowed)
            expected = f"expected one of {names}" if names else "the vehicle has no reloads"
            limits.append((item.after - 1, f"{place}.depot", f"{describe(item.depot)}, {expected}"))
        if not last < item.after < num_stops:
            expected = f"expected {last + 1} to {num_stops - 1}, between two stops"
            problems.append(f"{place}.after: {item.after}, {expected}")
        elif depot is not None:
            found.append(Reload(depot, item.after))
        last = max(last, item.after)
    if len(stated) > vehicle.max_reloads:
        limits.append((None, "reloads", f"{len(stated)}, max_reloads is {vehicle.max_reloads:g}"))
    return found, problems, limits


def unfit_loads(
    stated: Sequence[RouteReload], trips: Sequence[Boards], listed: bool
) -> Iterator[str]:
    """Stated `return_load` that are not what is on board on arrival, in words.

    Args:
        stated: Of the route.
        trips: What is on board in each trip.
        listed: Amounts are written as lists.
    """
    for row, (item, boards) in enumerate(zip(stated, trips, strict=False)):
        place, load = f"reloads[{row}].return_load", item.return_load
        if isinstance(load, tuple) and not listed:
            yield f"{place}: a list of {len(load)}, expected a number"
            continue
        if listed and not isinstance(load, tuple):
            if not math.isnan(load):
                yield f"{place}: {load}, expected a list of {len(boards[-1])}"
            continue
        amounts = load if isinstance(load, tuple) else (load,)
        if len(amounts) != len(boards[-1]):
            yield f"{place}: a list of {len(amounts)}, expected {len(boards[-1])}"
            continue
        for dimension, (amount, own) in enumerate(zip(amounts, boards[-1], strict=True)):
            most = max(board[dimension] for board in boards)
            if abs(amount - own) > 1e-9 * max(abs(amount), abs(own)) + 1e-12 * most:
                key = f"{place}[{dimension}]" if listed else place
                yield f"{key}: {amount}, expected {own}"


def divided(instance: Instance, route: Route) -> Iterator[tuple[int, str]]:
    """Who is served in the wrong trip: the position among the stops, and words.

    A shipment is picked up and delivered in one trip; one that is on board from the start is
    delivered in the first.
    """
    constraints = instance.own_constraints
    trips = trips_of(route)
    served = 0
    for row, stops in enumerate(trips):
        for position, stop in enumerate(stops):
            place, partner = served + position, constraints.partner(stop)
            if partner is not None and partner in route.stops and partner not in stops:
                if partner < stop:
                    yield place, "it was picked up in another trip"
            elif constraints.on_board is not None and constraints.on_board[stop - 1] >= 0 and row:
                yield place, "it is on board from the start, and delivered after a reload"
        served += len(stops)


def presence(vehicle: VehicleType, schedule: RouteSchedule) -> Iterator[str]:
    """What is wrong in words where reloads are stated, or not.

    Routes that state no times need not state that there are none.
    """
    if vehicle.reloads is None and schedule.reloads is not None:
        yield "not expected, the vehicle has none"
    if vehicle.reloads is not None and schedule.reloads is None and schedule.begins is not None:
        yield "missing, expected a list"
