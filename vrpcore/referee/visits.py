"""The referee's single visits: how long a stop takes, and when its service may begin."""

import math
from typing import NamedTuple

from vrpcore.instance.instance import Instance


class Due(NamedTuple):
    """When something that may be late should be.

    Attributes:
        time: After it, it is late.
        most: How late it may be.
        price: Per unit of that.
    """

    time: float
    most: float
    price: float


def service_of(instance: Instance, vehicle: int, stop: int, before: int | None) -> float:
    """Setup and service of a stop for a vehicle.

    Args:
        instance: With constraints.
        vehicle: Index of its type.
        stop: 1..N.
        before: The node before it; None: it is the first, without a start depot.
    """
    constraints = instance.own_constraints
    times = (
        constraints.service
        if constraints.service_by_type is None
        else constraints.service_by_type[vehicle]
    )
    setups = (
        constraints.setup
        if constraints.setup_by_type is None
        else constraints.setup_by_type[vehicle]
    )
    service = float(times[stop - 1])
    if setups is None:
        return service
    if before is not None and _same_location(instance, before, len(constraints.depots) - 1 + stop):
        return service
    return service + float(setups[stop - 1])


def _same_location(instance: Instance, node: int, other: int) -> bool:
    """Whether two nodes have the same location number, or, without any, the same coordinates."""
    places = instance.own_constraints.places
    if places is not None and (places[node] is not None or places[other] is not None):
        return places[node] == places[other]
    if node == other:
        return True
    if instance.coords is None:
        return False
    return all(
        float(instance.coords[node, axis]) == float(instance.coords[other, axis]) for axis in (0, 1)
    )


def windows_of(instance: Instance, stop: int) -> list[tuple[float, float]]:
    """When service should begin at a stop, without the padding."""
    rows = instance.own_constraints.windows[stop - 1]
    return [(float(row[0]), float(row[1])) for row in rows if float(row[0]) != math.inf]


def due_at(instance: Instance, stop: int) -> Due | None:
    """When service should have begun at a stop that may be late; None: it may not be."""
    constraints = instance.own_constraints
    most = float(constraints.max_late[stop - 1])
    if most <= 0.0:
        return None
    closes = windows_of(instance, stop)[-1][1]
    return Due(closes, most, float(constraints.late_cost[stop - 1]))
