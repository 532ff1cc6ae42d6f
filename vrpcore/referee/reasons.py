"""The referee's view of what is not served: the reason, and what proves that it must be so.

Plain loops, as in the rest of the referee.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.solution import REASONS, Reason
from vrpcore.instance.vehicle_types import VehicleType
from vrpcore.referee.permits import Permits
from vrpcore.referee.route_limits import Journey
from vrpcore.referee.served_units import Unit
from vrpcore.referee.single_legs import Legs, cost_of, leg_of
from vrpcore.referee.stated_breaks import free_breaks
from vrpcore.referee.trip_loads import boards_of, most_on_board

# What keeps a single vehicle from serving a stop, in the order of the contract.
_ALONE: tuple[Reason, ...] = (
    "SKILLS",
    "RELATION",
    "CAPACITY",
    "NO_ROAD",
    "WINDOW",
    "DURATION",
    "DISTANCE",
)
_PERMIT, _CAPACITY, _ROAD = (_ALONE.index(each) for each in ("RELATION", "CAPACITY", "NO_ROAD"))


def unit_reasons(
    instance: Instance, unit: Unit, slacks: Sequence[float], permits: Permits
) -> set[Reason]:
    """Why a customer, a shipment or a group may be unserved; more than one where rounding decides.

    A group has the reason that comes last among its members'.

    Args:
        instance: With constraints.
        unit: The customer, shipment or group that is not served.
        slacks: How much too late may count as in time.
        permits: Of the instance.
    """
    served: Reason = "FLEET" if math.isinf(unit.prize) else "PRIZE"
    ranges = []
    for stops in unit.members:
        found = reasons_of(instance, stops, slacks, permits)
        ranks = [REASONS.index(served if each is None else each) for each in found]
        ranges.append((min(ranks), max(ranks)))
    first, last = max(low for low, _ in ranges), max(high for _, high in ranges)
    left_out = {"FLEET", "PRIZE"} - {served}
    return {each for each in REASONS[first : last + 1] if each not in left_out}


def reasons_of(
    instance: Instance,
    stops: Sequence[int],
    slacks: Sequence[float],
    permits: Permits | None = None,
    legs: Legs | None = None,
) -> set[Reason | None]:
    """Why a stop may be unserved; more than one where rounding decides.

    Args:
        instance: With constraints.
        stops: A customer, or a shipment's pickup and delivery.
        slacks: How much too late may count as in time.
        permits: Of the instance; None: they are looked up.
        legs: Gives the legs; None: the instance's own.

    Returns:
        Those from the least slack to the greatest: why no vehicle serves only them; None
        where one does, or may do so together with others, or where there are no vehicles.
    """
    permits = permits or Permits(instance)
    passed = [_furthest(instance, stops, slack, permits, legs) for slack in slacks]
    known: list[Reason | None] = [*_ALONE, None]
    return {known[step] for step in range(min(passed), max(passed) + 1)}


def nobody_can_serve(
    instance: Instance,
    stops: Sequence[int],
    slacks: Sequence[float],
    permits: Permits | None = None,
) -> bool:
    """Whether no vehicle can serve them, by themselves or with others.

    Where a detour may be shorter than the direct leg, the shortest paths through all nodes
    decide. Breaks and setups do not count: if it visits others first, a vehicle may find a better
    location for a break, or a stop at the same location. Nor does the begin of a route at a stop,
    which may be another one, nor what a later trip changes.

    Args:
        instance: With constraints.
        stops: A customer, or a shipment's pickup and delivery.
        slacks: How much too late may count as in time.
        permits: Of the instance; None: they are looked up.
    """
    permits = permits or Permits(instance)
    reasons = reasons_of(instance, stops, slacks, permits)
    if None in reasons or reasons <= {"SKILLS", "RELATION", "NO_ROAD"}:
        return None not in reasons
    bare = _at_best(instance.own_constraints, stops)
    if bare is not instance.own_constraints:
        instance = replace(instance, constraints=bare)
        reasons = reasons_of(instance, stops, slacks, permits)
        if None in reasons:
            return False
    if reasons <= {"SKILLS", "RELATION", "CAPACITY", "NO_ROAD"}:
        return True
    given = instance.distances is not None or bare.durations is not None or bare.matrices
    if not given and instance.metric in ("euclidean", "haversine"):
        return True
    return None not in reasons_of(instance, stops, slacks, permits, _ShortestLegs())


def _at_best(constraints: Constraints, stops: Sequence[int]) -> Constraints:
    """Constraints under which only these stops are as easy to serve as with others.

    Those that are on board for others may have been delivered. In a later trip, the initial load
    is gone, and the vehicle left before these stops were released.
    """
    vehicles = []
    for each in constraints.vehicles:
        own = replace(each, breaks=()) if each.breaks else each
        if own.start is None and own.latest_start < math.inf:
            own = replace(own, latest_start=math.inf)
        if own.reloads and own.initial_load is not None:
            own = replace(own, initial_load=None)
        vehicles.append(own)
    found = constraints
    if constraints.has_setups or tuple(vehicles) != constraints.vehicles:
        found = replace(found, vehicles=tuple(vehicles), setup=None, setup_by_type=None)
    if any(each.reloads for each in vehicles):
        found = replace(found, release=np.full(len(found.release), -math.inf))
    if found.on_board is not None:
        shipment = found.shipment.copy()
        for row, owner in enumerate(found.on_board.tolist()):
            if owner >= 0 and row + 1 not in stops:
                shipment[row] = 0.0
        found = replace(found, shipment=shipment)
    return found


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


def _furthest(
    instance: Instance,
    stops: Sequence[int],
    slack: float,
    permits: Permits,
    legs: Legs | None,
) -> int:
    """How many limits the vehicle type that comes nearest passes; all where there is none."""
    furthest = -1
    for index, vehicle in enumerate(instance.own_constraints.vehicles):
        if vehicle.count == 0:
            continue
        passed = _allowed(instance, index, stops, permits)
        if passed == _ROAD:
            passed = _driven(instance, Route(index, tuple(stops)), slack, permits, legs)
        furthest = max(furthest, passed)
        if furthest == len(_ALONE):
            break
    return len(_ALONE) if furthest < 0 else furthest


def _allowed(instance: Instance, index: int, stops: Sequence[int], permits: Permits) -> int:
    """How many of the limits in `_ALONE` up to roads one vehicle with only these stops passes."""
    vehicle = instance.own_constraints.vehicles[index]
    for stop in stops:
        for skill in instance.own_constraints.skills[stop - 1]:
            if skill not in vehicle.skills:
                return 0
    if not permits.may(index, stops):
        return _PERMIT
    if len(stops) > vehicle.max_stops:
        return _CAPACITY
    loads = most_on_board(boards_of(instance, Route(index, tuple(stops))))
    for dimension, (load, _) in enumerate(loads):
        if load > vehicle.capacity[dimension] * (1 + LOAD_TOLERANCE):
            return _CAPACITY
    return _ROAD


def _driven(
    instance: Instance, route: Route, slack: float, permits: Permits, legs: Legs | None
) -> int:
    """How many of the limits in `_ALONE` it passes if it has passed those up to roads."""
    journey = Journey(instance, route, legs)
    vehicle = journey.vehicle
    if journey.missing:  # its times are not known
        reached = all(_leads_round(instance, route, permits, *pair) for pair in journey.missing)
        return len(_ALONE) if reached else _ROAD
    slack += journey.rounding if slack > 0.0 else 0.0
    if isinstance(journey.times(journey.earliest, slack), str):
        return _ROAD + 1
    if vehicle.breaks:
        rests = free_breaks(instance, route, journey, slack)
        if rests is None:
            return _ROAD + 1
        journey.take(rests)
    if journey.first_departure(slack) > journey.latest + slack:
        return _ROAD + 1
    return _passed_times(journey, vehicle, slack)


def _leads_round(instance: Instance, route: Route, permits: Permits, start: int, end: int) -> bool:
    """Whether a vehicle gets from a node to another through stops that it may serve, and reloads.

    A reload comes between two stops; what is picked up for a delivery is delivered before it.
    """
    constraints, vehicle = (
        instance.own_constraints,
        instance.own_constraints.vehicles[route.vehicle],
    )
    first = constraints.num_depots
    others = [
        first - 1 + stop
        for stop in range(1, constraints.num_stops + 1)
        if stop not in route.stops
        and all(skill in vehicle.skills for skill in constraints.skills[stop - 1])
        and permits.may(route.vehicle, (stop,))
    ]
    calls = list(vehicle.reloads or ()) if vehicle.max_reloads > 0 else []
    if start >= first and end >= first:  # the ends of a shipment
        calls = []
    reached, waiting = {start}, [start]
    while waiting:
        node = waiting.pop()
        at_reload = node < first and node != start
        if (not at_reload or end >= first) and _has_road(instance, vehicle, node, end):
            return True
        for other in [*others, *(calls if node >= first else ())]:
            if other not in reached and _has_road(instance, vehicle, node, other):
                reached.add(other)
                waiting.append(other)
    return False


def _has_road(instance: Instance, vehicle: VehicleType, start: int, end: int) -> bool:
    length, duration, _ = leg_of(instance, vehicle, start, end)
    cost = cost_of(instance, vehicle, start, end, 1.0)
    return not (math.isinf(length) or math.isinf(duration) or math.isinf(cost))


def _passed_times(journey: Journey, vehicle: VehicleType, slack: float) -> int:
    """The same of the limits on times and distances."""
    best = journey.best(slack)
    if best is None or best[0] > vehicle.max_duration + vehicle.max_overtime + slack:
        return _ROAD + 2
    if journey.travel > vehicle.max_travel_time + slack:
        return _ROAD + 2
    if journey.distance > vehicle.max_distance * (1 + LOAD_TOLERANCE) + journey.slack:
        return _ROAD + 3
    return len(_ALONE)
