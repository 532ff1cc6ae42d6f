"""Initial routes for stops without a direct road from and to a depot."""

import itertools
from collections import Counter

from vrpcore.cost.no_road import Legs
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Route

_MOST_UNITS = 200  # customers and shipments that routes are made for


def routes_by_others(instance: Instance) -> list[Route]:
    """Makes routes through other stops to each stop that can only be reached through them.

    Insertion puts one or two stops at once into a route, and so misses chains of three and more
    that a route must have as a whole. These routes may break limits.

    Args:
        instance: With constraints.

    Returns:
        Each stop once.
    """
    constraints, legs = instance.own_constraints, Legs(instance)
    first, found = constraints.num_depots - 1, list[Route]()
    used, taken, tried = Counter[int](), set[int](), 0
    for stop in range(1, constraints.num_stops + 1):
        partner = constraints.partner(stop)
        if (partner or stop) < stop or first + stop in taken or tried >= _MOST_UNITS:
            continue
        unit = [first + stop] if partner is None else [first + stop, first + partner]
        paths = [
            (vehicle, path)
            for vehicle, kind in enumerate(constraints.vehicles)
            if kind.count is None or used[vehicle] < kind.count
            if constraints.may_serve(vehicle, stop)
            if (path := _path_by(instance, legs, vehicle, unit, taken)) is not None
        ]
        if any(len(path) == len(unit) for _, path in paths):
            continue  # insertion finds it
        tried += 1
        if not paths:
            continue
        vehicle, path = min(paths, key=lambda each: len(each[1]))
        used[vehicle] += 1
        taken.update(path)
        found.append(Route(vehicle, tuple(node - first for node in path)))
    return found


def _path_by(
    instance: Instance, legs: Legs, vehicle: int, unit: list[int], taken: set[int]
) -> list[int] | None:
    """The nodes of a route through a unit and others that are not taken; None: there is no path."""
    kind, route = instance.own_constraints.vehicles[vehicle], list[int]()
    ends = (kind.start, *unit, kind.end)
    path = [node for node in ends if node is not None]
    for start, end in itertools.pairwise(path):
        closed = {*path, *route, *taken}
        if (between := legs.path(vehicle, start, end, closed)) is None:
            return None
        route += [*between, *([end] if end in unit else [])]
    return route if kind.start is not None else [unit[0], *route]
