"""The referee's view of who is not served: the reason, and what proves that it must be so.

Plain loops, as in the rest of the referee.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.instance.solution import Reason
from vrpcore.instance.vehicle_types import VehicleType
from vrpcore.referee.route_limits import Legs, Trip, cost_of, leg_of, most_on_board
from vrpcore.referee.stated_breaks import free_breaks

# What keeps a single vehicle from serving a stop, in the order of the contract.
_ALONE: tuple[Reason, ...] = (
    "SKILLS",
    "CAPACITY",
    "NO_ROAD",
    "WINDOW",
    "DURATION",
    "DISTANCE",
)
_ROAD = _ALONE.index("NO_ROAD")


def reasons_of(
    instance: Instance, stops: Sequence[int], slacks: Sequence[float], legs: Legs | None = None
) -> set[Reason | None]:
    """Why a stop may be unserved; more than one where rounding decides.

    Args:
        instance: With constraints.
        stops: A customer, or a shipment's pickup and delivery.
        slacks: How much too late may count as in time.
        legs: Gives the legs; None: the instance's own.

    Returns:
        Those from the least slack to the greatest: why no vehicle serves only them; None
        where one does, or may do so together with others, or where there are no vehicles.
    """
    passed = [_furthest(instance, stops, slack, legs) for slack in slacks]
    known: list[Reason | None] = [*_ALONE, None]
    return {known[step] for step in range(min(passed), max(passed) + 1)}


def nobody_can_serve(instance: Instance, stops: Sequence[int], slacks: Sequence[float]) -> bool:
    """Whether no vehicle can serve them, by themselves or with others.

    Where a detour may be shorter than the direct leg, the shortest paths through all nodes
    decide. Breaks and setups do not count: if it visits others first, a vehicle may find a better
    location for a break, or a stop at the same location. Nor does the begin of a route at a stop,
    which may be another one.

    Args:
        instance: With constraints.
        stops: A customer, or a shipment's pickup and delivery.
        slacks: How much too late may count as in time.
    """
    reasons = reasons_of(instance, stops, slacks)
    if None in reasons or reasons <= {"SKILLS", "CAPACITY", "NO_ROAD"}:
        return None not in reasons
    constraints = instance.own_constraints
    bare = tuple(
        replace(each, breaks=(), latest_start=math.inf if each.start is None else each.latest_start)
        for each in constraints.vehicles
    )
    if constraints.has_setups or bare != constraints.vehicles:
        constraints = replace(constraints, vehicles=bare, setup=None, setup_by_type=None)
        instance = replace(instance, constraints=constraints)
        if None in reasons_of(instance, stops, slacks):
            return False
    given = (
        instance.distances is not None or constraints.durations is not None or constraints.matrices
    )
    if not given and instance.metric in ("euclidean", "haversine"):
        return True
    return None not in reasons_of(instance, stops, slacks, _ShortestLegs())


class _ShortestLegs:
    """Legs as long as the shortest path through all nodes, and as fast as the fastest."""

    def __init__(self) -> None:
        self._direct: dict[tuple[str | None, float], list[list[list[float]]]] = {}
        self._known: dict[tuple[str | None, float, int], list[list[float]]] = {}

    def __call__(
        self, instance: Instance, vehicle: VehicleType, start: int, end: int
    ) -> tuple[float, float, float]:
        key = vehicle.matrix, vehicle.speed, start
        if key not in self._known:
            direct = self._direct_ways(instance, vehicle)
            self._known[key] = [_shortest(rows, start) for rows in direct]
        lengths, durations = self._known[key]
        return lengths[end], durations[end], 0.0

    def _direct_ways(self, instance: Instance, vehicle: VehicleType) -> list[list[list[float]]]:
        """Lengths and durations of all direct legs."""
        key = vehicle.matrix, vehicle.speed
        if key not in self._direct:
            nodes = range(instance.own_constraints.num_depots + instance.own_constraints.num_stops)
            lengths, durations = [], []
            for row in nodes:
                legs = [leg_of(instance, vehicle, row, node) for node in nodes]
                lengths.append([leg[0] for leg in legs])
                durations.append([leg[1] for leg in legs])
            self._direct[key] = [lengths, durations]
        return self._direct[key]


def _shortest(rows: list[list[float]], source: int) -> list[float]:
    """The shortest paths from a node, by the nearest node that is not done each time."""
    best = list(rows[source])
    best[source] = 0.0
    waiting = set(range(len(rows)))
    while waiting:
        node = min(waiting, key=best.__getitem__)
        waiting.remove(node)
        row, length = rows[node], best[node]
        for other in waiting:
            if length + row[other] < best[other]:
                best[other] = length + row[other]
    return best


def _furthest(instance: Instance, stops: Sequence[int], slack: float, legs: Legs | None) -> int:
    """How many limits the vehicle type that comes nearest passes; all where there is none."""
    furthest = -1
    for index, vehicle in enumerate(instance.own_constraints.vehicles):
        if vehicle.count == 0:
            continue
        furthest = max(furthest, _passed(instance, index, stops, slack, legs))
        if furthest == len(_ALONE):
            break
    return len(_ALONE) if furthest < 0 else furthest


def _passed(
    instance: Instance, index: int, stops: Sequence[int], slack: float, legs: Legs | None
) -> int:
    """How many of the limits in `_ALONE` one vehicle with only these stops passes."""
    vehicle = instance.own_constraints.vehicles[index]
    for stop in stops:
        for skill in instance.own_constraints.skills[stop - 1]:
            if skill not in vehicle.skills:
                return 0
    if len(stops) > vehicle.max_stops:
        return 1
    for dimension, (load, _) in enumerate(most_on_board(instance, stops)):
        if load > vehicle.capacity[dimension] * (1 + LOAD_TOLERANCE):
            return 1
    trip = Trip(instance, index, stops, legs)
    if trip.missing:  # its times are not known
        reached = all(_leads_round(instance, index, stops, *pair) for pair in trip.missing)
        return len(_ALONE) if reached else _ROAD
    slack += trip.rounding if slack > 0.0 else 0.0
    if isinstance(trip.times(trip.earliest, slack), str):
        return _ROAD + 1
    if vehicle.breaks:
        rests = free_breaks(instance, trip, stops, slack)
        if rests is None:
            return _ROAD + 1
        trip.take(rests)
    if trip.first_departure(slack) > vehicle.latest_start + slack:
        return _ROAD + 1
    return _passed_times(trip, vehicle, slack)


def _leads_round(
    instance: Instance, index: int, stops: Sequence[int], start: int, end: int
) -> bool:
    """Whether a vehicle gets from a node to another through stops that it may serve."""
    constraints, vehicle = instance.own_constraints, instance.own_constraints.vehicles[index]
    first = constraints.num_depots - 1
    others = [
        first + stop
        for stop in range(1, constraints.num_stops + 1)
        if stop not in stops
        and all(skill in vehicle.skills for skill in constraints.skills[stop - 1])
    ]
    reached, waiting = {start}, [start]
    while waiting:
        node = waiting.pop()
        if _has_road(instance, vehicle, node, end):
            return True
        for other in others:
            if other not in reached and _has_road(instance, vehicle, node, other):
                reached.add(other)
                waiting.append(other)
    return False


def _has_road(instance: Instance, vehicle: VehicleType, start: int, end: int) -> bool:
    length, duration, _ = leg_of(instance, vehicle, start, end)
    cost = cost_of(instance, vehicle, start, end, 1.0)
    return not (math.isinf(length) or math.isinf(duration) or math.isinf(cost))


def _passed_times(trip: Trip, vehicle: VehicleType, slack: float) -> int:
    """The same of the limits on times and distances."""
    best = trip.best(slack)
    if best is None or best[0] > vehicle.max_duration + slack:
        return _ROAD + 2
    if trip.travel > vehicle.max_travel_time + slack:
        return _ROAD + 2
    if trip.distance > vehicle.max_distance * (1 + LOAD_TOLERANCE) + trip.slack:
        return _ROAD + 3
    return len(_ALONE)


def fleet_is_too_small(instance: Instance) -> bool:
    """Whether all vehicles together cannot carry what is required, in some load dimension."""
    constraints = instance.own_constraints
    required = [row for row in range(constraints.num_stops) if math.isinf(constraints.prize[row])]
    room = [0.0] * constraints.delivery.shape[1]
    vehicles = 0.0
    for vehicle in constraints.vehicles:
        count = math.inf if vehicle.count is None else vehicle.count
        if count == 0:
            continue
        vehicles += count
        for dimension, capacity in enumerate(vehicle.capacity):
            if capacity > 0:
                room[dimension] += count * capacity
    if required and vehicles == 0:
        return True
    for dimension, most in enumerate(room):
        for amounts in (constraints.delivery, constraints.pickup):
            needed = math.fsum(float(amounts[row, dimension]) for row in required)
            if needed > most * (1 + LOAD_TOLERANCE):
                return True
    return False
