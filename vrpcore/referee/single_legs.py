"""The referee's single legs: lengths, durations and costs, with plain `math`, one at a time."""

import math
from collections.abc import Callable

from vrpcore.instance.instance import EARTH_RADIUS_M, Instance
from vrpcore.instance.vehicle_types import VehicleType

_NEARLY_ANTIPODAL = 1 - 1e-10
_ANTIPODAL_SLACK_M = 0.3  # there the haversine formula keeps half of float64's digits only

# Length and duration of a leg for a vehicle, and how far off rounding may put them.
GivenLegs = Callable[[Instance, VehicleType, int, int], tuple[float, float, float]]


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
    """What a leg costs: the number that is given, or its length at the vehicle's rate."""
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
    if instance.metric == "haversine":
        arc, nearly_antipodal = _arc(instance, start, end)
        return arc, _ANTIPODAL_SLACK_M * nearly_antipodal
    return _planar(instance, start, end), 0.0


def _planar(instance: Instance, start: int, end: int) -> float:
    (x, y), (other_x, other_y) = _point(instance, start), _point(instance, end)
    across, along = x - other_x, y - other_y
    if instance.metric == "euclidean":
        return math.hypot(across, along)
    exact = math.sqrt(across * across + along * along)
    return int(exact + 0.5) if instance.metric == "euc_2d" else math.ceil(exact)


def _arc(instance: Instance, start: int, end: int) -> tuple[float, bool]:
    """Metres along the sphere, and whether the two points are nearly opposite."""
    (longitude, latitude), (other_longitude, other_latitude) = (
        _point(instance, start),
        _point(instance, end),
    )
    north = math.sin(math.radians(latitude - other_latitude) / 2)
    east = math.sin(math.radians(longitude - other_longitude) / 2)
    shrink = math.cos(math.radians(latitude)) * math.cos(math.radians(other_latitude))
    half = min(1.0, max(0.0, north * north + shrink * east * east))
    return 2 * EARTH_RADIUS_M * math.asin(math.sqrt(half)), half > _NEARLY_ANTIPODAL


def _point(instance: Instance, node: int) -> tuple[float, float]:
    if instance.coords is None:
        raise ValueError(f"{instance.name}: neither coords nor distances")
    return float(instance.coords[node, 0]), float(instance.coords[node, 1])
