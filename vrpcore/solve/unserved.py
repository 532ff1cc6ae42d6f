"""Why customers and shipments are not served."""

import math
from collections.abc import Sequence

import numpy as np

from vrpcore.cost.no_road import Legs
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.instance import LOAD_TOLERANCE, CustomerId, Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.service_unit import Unit
from vrpcore.instance.solution import REASONS, Unserved
from vrpcore.instance.vehicle_types import VehicleType
from vrpcore.referee.reasons import ALONE, ROAD

_PERMIT = ALONE.index("RELATION")
_Miss = tuple[float, str]  # by how much, and in words


def why_unit_unserved(
    instance: Instance, timeline: Timeline, unit: Unit, legs: Legs | None = None
) -> Unserved:
    """As `why_unserved`; a group has the reason that comes last among its members'.

    Args:
        instance: With constraints.
        timeline: Of the instance.
        unit: Who is left out.
        legs: Of the instance, where many are asked for.
    """
    legs = legs or Legs(instance)
    found = [why_unserved(instance, timeline, *member, legs) for member in unit.members]
    if len(found) == 1 and found[0].id == unit.id:
        return found[0]
    last = max(found, key=lambda each: REASONS.index(each.reason))
    if last.reason == "FLEET" and not math.isinf(unit.prize):
        return Unserved(unit.id, "PRIZE", f"leaving it out costs {unit.prize:g}")
    return Unserved(unit.id, last.reason, f"{last.id}: {last.detail}")


def why_unserved(
    instance: Instance,
    timeline: Timeline,
    name: CustomerId,
    stops: Sequence[int],
    legs: Legs | None = None,
) -> Unserved:
    """The first reason that applies, proved by trying a vehicle of each type only for it.

    A stop that is reached only through others could be served by that vehicle.

    Args:
        instance: With constraints.
        timeline: Of the instance.
        name: Of the customer or shipment.
        stops: Its stops in order.
        legs: Of the instance, where many are asked for.
    """
    constraints, legs = instance.own_constraints, legs or Legs(instance)
    furthest, nearest = -1, (math.inf, "")
    by_others, rows = False, [stop - 1 for stop in stops]
    for index in legs.kinds:
        vehicle, route = constraints.vehicles[index], Route(index, tuple(stops))
        step, miss = first_miss(instance, timeline, route, legs)
        if step > 0 and not legs.permits[index, rows].all():
            step, miss = _PERMIT, (0.0, _permit_in_words(instance, stops))
        if step == len(ALONE):
            furthest, by_others = step, not timeline.has_roads(route)
            if not by_others:
                break
        own = "for" if step == ROAD else "of"
        named = constraints.listed_vehicles and step != _PERMIT
        whose = f" {own} vehicle {vehicle.id!r}" if named else ""
        if step > furthest or (step == furthest and miss[0] < nearest[0]):
            furthest, nearest = step, (miss[0], f"{miss[1]}{whose}")
    if 0 <= furthest < len(ALONE):
        return Unserved(name, ALONE[furthest], nearest[1])
    prize = float(constraints.prize[stops[0] - 1])
    if not math.isinf(prize):
        return Unserved(name, "PRIZE", f"leaving it out costs {prize:g}")
    if furthest < 0:
        return Unserved(name, "FLEET", "there are no vehicles")
    row = stops[0] - 1
    picks_alone = constraints.pickup[row].any() and not constraints.delivery[row].any()
    if picks_alone and not constraints.pickup_only_routes:
        return Unserved(name, "FLEET", "no route may have only pickups")
    able = "together with others" if by_others else "by itself"
    return Unserved(name, "FLEET", f"{able} it could be served")


def first_miss(
    instance: Instance, timeline: Timeline, route: Route, legs: Legs
) -> tuple[int, _Miss]:
    """The first of `ALONE` that keeps a vehicle from a route; their number: none.

    Times of a route through other stops are not known: where a road is missing, they are no
    reason.
    """
    vehicle = instance.own_constraints.vehicles[route.vehicle]
    for step, look in ((0, _skills), (_PERMIT + 1, _capacity)):
        if (miss := look(instance, timeline, route, vehicle)) is not None:
            return step, miss
    if not timeline.has_roads(route):
        pair = legs.unreachable(route.vehicle, timeline.nodes(route))
        if pair is None:
            return len(ALONE), (0.0, "")
        start, end = (instance.node_name(node) for node in pair)
        return ROAD, (0.0, f"no road leads from {start} to {end}")
    for step, look in enumerate((_window, _duration, _distance), start=ROAD + 1):
        if (miss := look(instance, timeline, route, vehicle)) is not None:
            return step, miss
    return len(ALONE), (0.0, "")


def _permit_in_words(instance: Instance, stops: Sequence[int]) -> str:
    """Which vehicles stops ask for."""
    constraints, found = instance.own_constraints, []
    names = [vehicle.id for vehicle in constraints.vehicles]
    for row in (stop - 1 for stop in stops):
        if constraints.allowed is not None and not constraints.allowed[:, row].all():
            own = np.flatnonzero(constraints.allowed[:, row]).tolist()
            listed = ", ".join(repr(names[each]) for each in own)
            found.append(f"its vehicles are {listed}" if own else "no vehicle may serve it")
        if constraints.on_board is not None and constraints.on_board[row] >= 0:
            found.append(f"it is on board vehicle {names[constraints.on_board[row]]!r}")
        found += [
            f"relations[{number}] asks for vehicle {names[each.vehicle]!r}"
            for number, each in enumerate(constraints.relations)
            if each.vehicle is not None and row + 1 in each.stops
        ]
    return "; ".join(dict.fromkeys(found))


def _skills(instance: Instance, _: Timeline, route: Route, vehicle: VehicleType) -> _Miss | None:
    needed = frozenset[str]().union(
        *(instance.own_constraints.skills[stop - 1] for stop in route.stops)
    )
    missing = sorted(needed - vehicle.skills)
    if not missing:
        return None
    return len(missing), f"{', '.join(map(repr, missing))} missing from the skills"


def _capacity(
    instance: Instance, timeline: Timeline, route: Route, vehicle: VehicleType
) -> _Miss | None:
    over = []
    for dimension, (load, most) in enumerate(
        zip(timeline.load(route), vehicle.capacity, strict=True)
    ):
        if load > most * (1 + LOAD_TOLERANCE):
            name = f"[{dimension}]" if instance.own_constraints.listed_amounts else ""
            over.append((load - most, f"{load:g} is {load - most:g} above capacity{name} {most:g}"))
    if len(route.stops) > vehicle.max_stops:
        more = len(route.stops) - vehicle.max_stops
        over.append((more, f"{more:g} more stops than max_customers {vehicle.max_stops:g}"))
    return max(over, default=None)


def _window(
    instance: Instance, timeline: Timeline, route: Route, vehicle: VehicleType
) -> _Miss | None:
    late, position = timeline.lateness(route)
    if position < 0 and (late or vehicle.breaks) and timeline.schedule(route) is None:
        if late:
            return late, f"{instance.time_in_words(late)} too late at the start"
        return math.fsum(each.duration for each in vehicle.breaks), "no room for the breaks"
    if position < 0:
        return None
    at = (
        f"at {instance.ids[route.stops[position] - 1]}"
        if position < len(route.stops)
        else "at the end"
    )
    return late, f"{instance.time_in_words(late)} too late {at}"


def _duration(
    instance: Instance, timeline: Timeline, route: Route, vehicle: VehicleType
) -> _Miss | None:
    schedule = timeline.schedule(route)
    if schedule is None:  # only by rounding: it was not too late before
        return 0.0, "0 too late"
    longest = "max_duration with max_overtime" if vehicle.max_overtime > 0 else "max_duration"
    pairs = (
        (schedule.duration, vehicle.max_duration + vehicle.max_overtime, longest),
        (schedule.travel, vehicle.max_travel_time, "max_travel_time"),
    )
    words = instance.time_in_words
    over = [
        (value - most, f"{words(value)} is {words(value - most)} above {name} {words(most)}")
        for value, most, name in pairs
        if value > most + timeline.slack
    ]
    return max(over, default=None)


def _distance(
    instance: Instance, timeline: Timeline, route: Route, vehicle: VehicleType
) -> _Miss | None:
    schedule, most = timeline.schedule(route), vehicle.max_distance
    if schedule is None or schedule.distance <= most * (1 + LOAD_TOLERANCE):
        return None
    over, words = schedule.distance - most, instance.length_in_words
    detail = f"{words(schedule.distance)} is {words(over)} above max_distance {words(most)}"
    return over, detail
