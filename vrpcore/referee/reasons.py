"""The referee's view of why somebody is not served.

Plain loops, as in the rest of the referee; but which types may serve a stop, and where roads lead,
it asks where the solver does, so that an answer is not lost because the two differ.
"""

import math
from collections.abc import Sequence

from vrpcore.cost.no_road import Legs
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.solution import REASONS, Reason
from vrpcore.instance.vehicle_types import VehicleType
from vrpcore.referee.route_limits import Journey
from vrpcore.referee.served_units import Unit
from vrpcore.referee.single_legs import GivenLegs
from vrpcore.referee.stated_breaks import free_breaks
from vrpcore.referee.stated_goods import Carried
from vrpcore.referee.trip_loads import boards_of, most_on_board

# Reasons that hold for a vehicle with nothing else, in the order in which they are looked for.
ALONE: tuple[Reason, ...] = (
    "SKILLS",
    "RELATION",
    "CAPACITY",
    "NO_ROAD",
    "WINDOW",
    "DURATION",
    "DISTANCE",
)
ROAD = ALONE.index("NO_ROAD")
_PERMIT, _CAPACITY = ALONE.index("RELATION"), ALONE.index("CAPACITY")


def unit_reasons(
    instance: Instance,
    unit: Unit,
    slacks: Sequence[float],
    legs: Legs,
    goods: Carried | None = None,
) -> set[Reason]:
    """Why a customer, a shipment or a group may be unserved; more than one where rounding decides.

    A group has the reason that comes last among its members'.

    Args:
        instance: With constraints.
        unit: The customer, shipment or group that is not served.
        slacks: How much too late may count as in time.
        legs: Of the instance.
        goods: What vehicles of the answer have on board; None: it is not looked at.
    """
    served: Reason = "FLEET" if math.isinf(unit.prize) else "PRIZE"
    ranges = []
    for stops in unit.members:
        found = reasons_of(instance, stops, slacks, legs)
        if None in found and goods is not None:
            held = {held_back(instance, stops, goods, legs, slack) is not None for slack in slacks}
            found = found - {None} | {"LOADED" if each else None for each in held}
        ranks = [REASONS.index(served if each is None else each) for each in found]
        ranges.append((min(ranks), max(ranks)))
    first, last = max(low for low, _ in ranges), max(high for _, high in ranges)
    left_out = {"FLEET", "PRIZE"} - {served}
    return {each for each in REASONS[first : last + 1] if each not in left_out}


def held_back(
    instance: Instance, stops: Sequence[int], goods: Carried, legs: Legs, slack: float
) -> str | None:
    """Why goods on board keep somebody unserved, in words; see `Carried.holds_back`."""
    able, later = (
        [
            limits_passed(each, Route(kind, tuple(stops)), slack, legs) == len(ALONE)
            for kind in legs.kinds
        ]
        for each in (instance, goods.later)
    )
    return goods.holds_back(stops, legs.kinds, able, later)


def reasons_of(
    instance: Instance,
    stops: Sequence[int],
    slacks: Sequence[float],
    legs: Legs | None = None,
) -> set[Reason | None]:
    """Why a stop may be unserved; more than one where rounding decides.

    Args:
        instance: With constraints.
        stops: A customer, or a shipment's pickup and delivery.
        slacks: How much too late may count as in time.
        legs: Of the instance; None: they are looked up.

    Returns:
        Those from the least slack to the greatest: why no vehicle serves only them; None
        where one does, or may do so together with others, or where there are no vehicles.
    """
    legs = legs or Legs(instance)
    passed = [_furthest(instance, stops, slack, legs) for slack in slacks]
    known: list[Reason | None] = [*ALONE, None]
    return {known[step] for step in range(min(passed), max(passed) + 1)}


def _furthest(instance: Instance, stops: Sequence[int], slack: float, legs: Legs) -> int:
    """How many limits the vehicle type that comes nearest passes; all where there is none."""
    furthest = -1
    for index in legs.kinds:
        passed = limits_passed(instance, Route(index, tuple(stops)), slack, legs)
        furthest = max(furthest, passed)
        if furthest == len(ALONE):
            break
    return len(ALONE) if furthest < 0 else furthest


def limits_passed(
    instance: Instance, route: Route, slack: float, legs: Legs, given: GivenLegs | None = None
) -> int:
    """How many of the limits in `ALONE`, in their order, one vehicle passes on a route.

    Args:
        instance: With constraints.
        route: A customer, or both ends of a shipment.
        slack: How much too late may count as in time.
        legs: Of the instance.
        given: Gives the lengths and durations of legs; None: they are the instance's own.

    Returns:
        All where it can serve them, or may do so on its way through others.
    """
    passed = _allowed(instance, route, legs)
    return _driven(instance, route, slack, legs, given) if passed == ROAD else passed


def _allowed(instance: Instance, route: Route, legs: Legs) -> int:
    """How many of the limits in `ALONE` up to roads it passes."""
    constraints = instance.own_constraints
    vehicle = constraints.vehicles[route.vehicle]
    for stop in route.stops:
        for skill in constraints.skills[stop - 1]:
            if skill not in vehicle.skills:
                return 0
    for stop in route.stops:
        if not legs.permits[route.vehicle, stop - 1]:
            return _PERMIT
    if len(route.stops) > vehicle.max_stops:
        return _CAPACITY
    for dimension, (load, _) in enumerate(most_on_board(boards_of(instance, route))):
        if load > vehicle.capacity[dimension] * (1 + LOAD_TOLERANCE):
            return _CAPACITY
    return ROAD


def _driven(
    instance: Instance, route: Route, slack: float, legs: Legs, given: GivenLegs | None
) -> int:
    """How many of the limits in `ALONE` it passes if it has passed those up to roads."""
    journey = Journey(instance, route, given)
    vehicle = journey.vehicle
    if journey.missing:  # its times are not known
        return len(ALONE) if _leads_round(instance, route, legs) else ROAD
    slack += journey.rounding if slack > 0.0 else 0.0
    if isinstance(journey.times(journey.earliest, slack), str):
        return ROAD + 1
    if vehicle.breaks:
        rests = free_breaks(instance, route, journey, slack)
        if rests is None:
            return ROAD + 1
        journey.take(rests)
    if journey.first_departure(slack) > journey.latest + slack:
        return ROAD + 1
    return _passed_times(journey, vehicle, slack)


def _leads_round(instance: Instance, route: Route, legs: Legs) -> bool:
    """Whether it gets from each of its nodes to the next, if need be through others."""
    constraints = instance.own_constraints
    vehicle = constraints.vehicles[route.vehicle]
    nodes = [constraints.num_depots - 1 + stop for stop in route.stops]
    starts, ends = ([] if end is None else [end] for end in (vehicle.start, vehicle.end))
    return legs.unreachable(route.vehicle, [*starts, *nodes, *ends]) is None


def _passed_times(journey: Journey, vehicle: VehicleType, slack: float) -> int:
    """The same of the limits on times and distances."""
    best = journey.best(slack)
    if best is None or best[0] > vehicle.max_duration + vehicle.max_overtime + slack:
        return ROAD + 2
    if journey.travel > vehicle.max_travel_time + slack:
        return ROAD + 2
    if journey.distance > vehicle.max_distance * (1 + LOAD_TOLERANCE) + journey.slack:
        return ROAD + 3
    return len(ALONE)
