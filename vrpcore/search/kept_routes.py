"""Known routes stay, and their vehicles, where nothing else is better."""

from collections.abc import Sequence

from vrpcore.instance.constraints import Constraints
from vrpcore.instance.matching import match_routes
from vrpcore.instance.plan import Route

SAME_COST = 1e-9  # relative: costs that differ by less are equal but for rounding


def is_better(rank: tuple[int, int, float], other: tuple[int, int, float]) -> bool:
    """Return whether a rank, its cost last, is less than another by more than rounding."""
    if rank[:2] != other[:2]:
        return rank[:2] < other[:2]
    return rank[2] < other[2] - SAME_COST * abs(other[2])


def keep_vehicles(
    constraints: Constraints, routes: Sequence[Route], known: Sequence[Route]
) -> list[Route]:
    """Give routes the vehicle types of known routes, among types that differ only in name.

    As many stops as possible keep the type that they had.

    Args:
        constraints: The instance's.
        routes: Of a plan; they cost the same with the types that they get.
        known: Earlier routes.
    """
    alike: dict[int, list[int]] = {}
    for vehicle, first in enumerate(constraints.alike()):
        alike.setdefault(first, []).append(vehicle)
    found = list(routes)
    for types in alike.values():
        rows = [row for row, route in enumerate(routes) if route.vehicle in types]
        if len(types) < 2 or not rows:
            continue
        vehicles = [
            (vehicle, stops)
            for vehicle in types
            for stops in _stops_of_each(constraints, vehicle, known, len(rows))
        ]
        matches = match_routes([routes[row].stops for row in rows], [own for _, own in vehicles])
        for row, match in zip(rows, matches, strict=True):
            found[row] = routes[row]._replace(vehicle=vehicles[match][0])
    return found


def _stops_of_each(
    constraints: Constraints, vehicle: int, known: Sequence[Route], most: int
) -> list[Sequence[int]]:
    """The stops of each vehicle of a type in known routes, at most so many vehicles of no stop."""
    count = constraints.vehicles[vehicle].count
    own = [each.stops for each in known if each.vehicle == vehicle][:count]
    idle = most if count is None else min(most, count - len(own))
    return [*own, *[()] * idle]
