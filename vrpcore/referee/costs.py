"""Lengths and costs of single legs, with plain `math`, and the price of uneven work."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from vrpcore.instance.instance import EARTH_RADIUS_M, Instance
from vrpcore.instance.relations import Balance
from vrpcore.instance.vehicle_types import VehicleType

COST_TOLERANCE = 1e-9  # relative, of costs, distances and loads
_NEARLY_ANTIPODAL = 1 - 1e-10
_ANTIPODAL_SLACK_M = 0.3  # there the haversine formula keeps half of float64's digits only

# Length and duration of a leg for a vehicle, and how far off rounding may put them.
GivenLegs = Callable[[Instance, VehicleType, int, int], tuple[float, float, float]]


def is_close(stated: float, expected: float, slack: float) -> bool:
    """Return whether a stated number is the expected one."""
    return math.isclose(stated, expected, rel_tol=COST_TOLERANCE, abs_tol=slack)


def leg_of(
    instance: Instance, vehicle: VehicleType, start: int, end: int
) -> tuple[float, float, float]:
    """Length and duration of a leg for a vehicle, and how far off rounding may put them."""
    constraints = instance.own_constraints
    lengths, durations = None, constraints.durations
    if vehicle.matrix is not None:
        lengths, durations, _ = constraints.matrices[vehicle.matrix]
    if lengths is None:
        length, slack = leg_length(instance, start, end)
    else:
        length, slack = float(lengths[start, end]), 0.0
    if durations is None:
        return length, length / constraints.speed / vehicle.speed, slack
    return length, float(durations[start, end]) / vehicle.speed, slack


def cost_of(instance: Instance, vehicle: VehicleType, start: int, end: int, length: float) -> float:
    """Cost of a leg: the number that is given, or its length at the vehicle's rate."""
    costs = instance.own_constraints.costs
    if vehicle.matrix is not None:
        costs = instance.own_constraints.matrices[vehicle.matrix].costs
    return length * vehicle.distance_cost if costs is None else float(costs[start, end])


def leg_length(instance: Instance, start: int, end: int) -> tuple[float, float]:
    """Length from one node to another by the instance's matrix or metric.

    Args:
        instance: The instance.
        start: Its row in the instance's arrays.
        end: Likewise.

    Returns:
        The length, an int where the metric gives whole numbers, and how far off rounding may
        have put it.

    Raises:
        ValueError: The instance has neither coordinates nor distances.
    """
    if instance.distances is not None:
        return float(instance.distances[start, end]), 0.0
    if instance.coords is None:
        raise ValueError(f"{instance.name}: neither coords nor distances")
    x, y = float(instance.coords[start, 0]), float(instance.coords[start, 1])
    other_x, other_y = float(instance.coords[end, 0]), float(instance.coords[end, 1])
    if instance.metric == "haversine":
        return _arc(x, y, other_x, other_y)
    across, along = x - other_x, y - other_y
    if instance.metric == "euclidean":
        return math.hypot(across, along), 0.0
    exact = math.sqrt(across * across + along * along)
    return int(exact + 0.5) if instance.metric == "euc_2d" else math.ceil(exact), 0.0


def path_length(instance: Instance, nodes: Sequence[int]) -> tuple[float, float]:
    """Length of the legs along some nodes, and how far off rounding may have put it."""
    coords = instance.coords if instance.distances is None else None
    if coords is not None and instance.metric == "euclidean":  # most are; as below, but at once
        places: list[list[float]] = coords[list(nodes)].tolist()
        return sum(map(math.dist, places, places[1:])), 0.0
    legs = [leg_length(instance, start, end) for start, end in itertools.pairwise(nodes)]
    return sum(length for length, _ in legs), sum(slack for _, slack in legs)


def _arc(
    longitude: float, latitude: float, other_longitude: float, other_latitude: float
) -> tuple[float, float]:
    """Metres along the sphere, and how far off rounding may have put them."""
    north = math.sin(math.radians(latitude - other_latitude) / 2)
    east = math.sin(math.radians(longitude - other_longitude) / 2)
    shrink = math.cos(math.radians(latitude)) * math.cos(math.radians(other_latitude))
    half = min(1.0, max(0.0, north * north + shrink * east * east))
    slack = _ANTIPODAL_SLACK_M if half > _NEARLY_ANTIPODAL else 0.0
    return 2 * EARTH_RADIUS_M * math.asin(math.sqrt(half)), slack


class Cost(NamedTuple):
    """A route's cost with its tolerance, and the route's share of the balance.

    Attributes:
        value: The cost.
        slack: How far off it may be.
        duration: Of the route, and how far off it may be.
        distance: Likewise.
        stops: Their number.
        load: All that is served, in the first load dimension.
    """

    value: float
    slack: float
    duration: tuple[float, float]
    distance: tuple[float, float]
    stops: int
    load: float


def price_of_uneven(balance: Balance, routes: Sequence[Cost]) -> tuple[float, float]:
    """Cost of the largest values of any used vehicle, and how far off that may be.

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
