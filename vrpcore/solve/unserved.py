"""Why customers and shipments are not served, and what proves that not all can be."""

import math
from collections.abc import Iterator, Sequence

from vrpcore.cost.no_road import Legs
from vrpcore.cost.shortest import (
    obeys_triangle_inequality,
    with_shortest_paths,
    without_breaks_and_setups,
)
from vrpcore.cost.timeline import Timeline, time_span
from vrpcore.instance.constraints import PICKUP
from vrpcore.instance.instance import LOAD_TOLERANCE, CustomerId, Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.solution import Reason, Unserved
from vrpcore.instance.vehicle_types import VehicleType
from vrpcore.referee.route_limits import TIME_TOLERANCE

# Reasons that hold for a vehicle with nothing else, in the order in which they are looked for.
_ALONE: tuple[Reason, ...] = (
    "SKILLS",
    "CAPACITY",
    "NO_ROAD",
    "WINDOW",
    "DURATION",
    "DISTANCE",
)
_ROAD = _ALONE.index("NO_ROAD")
_CHECKED = 10.0  # the check takes times as equal that differ by so many roundings
_Miss = tuple[float, str]  # by how much, and in words


def stop_groups(instance: Instance) -> Iterator[tuple[CustomerId, tuple[int, ...]]]:
    """Name and stops of each customer, and of each shipment: its pickup and its delivery."""
    constraints = instance.own_constraints
    for stop in range(1, constraints.num_stops + 1):
        partner = constraints.partner(stop)
        if partner is None:
            yield instance.ids[stop - 1], (stop,)
        elif partner > stop:
            yield str(instance.ids[stop - 1]).removesuffix(PICKUP), (stop, partner)


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
    by_others = False
    for index, vehicle in enumerate(constraints.vehicles):
        if vehicle.count == 0:
            continue
        route = Route(index, tuple(stops))
        step, miss = _first_miss(instance, timeline, route, legs)
        if step == len(_ALONE):
            furthest, by_others = step, not timeline.has_roads(route)
            if not by_others:
                break
        own = "for" if step == _ROAD else "of"
        whose = f" {own} vehicle {vehicle.id!r}" if constraints.listed_vehicles else ""
        if step > furthest or (step == furthest and miss[0] < nearest[0]):
            furthest, nearest = step, (miss[0], f"{miss[1]}{whose}")
    if 0 <= furthest < len(_ALONE):
        return Unserved(name, _ALONE[furthest], nearest[1])
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


def _first_miss(
    instance: Instance, timeline: Timeline, route: Route, legs: Legs
) -> tuple[int, _Miss]:
    """The first of `_ALONE` that keeps a vehicle from a route; their number: none.

    Times of a route through other stops are not known: where a road is missing, they are no
    reason.
    """
    vehicle = instance.own_constraints.vehicles[route.vehicle]
    for step, look in enumerate((_skills, _capacity)):
        if (miss := look(instance, timeline, route, vehicle)) is not None:
            return step, miss
    if not timeline.has_roads(route):
        pair = legs.unreachable(route.vehicle, timeline.nodes(route))
        if pair is None:
            return len(_ALONE), (0.0, "")
        start, end = (instance.node_name(node) for node in pair)
        return _ROAD, (0.0, f"no road leads from {start} to {end}")
    for step, look in enumerate((_window, _duration, _distance), start=_ROAD + 1):
        if (miss := look(instance, timeline, route, vehicle)) is not None:
            return step, miss
    return len(_ALONE), (0.0, "")


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
    pairs = (
        (schedule.duration, vehicle.max_duration, "max_duration"),
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


def is_proof(instance: Instance, reason: Reason, stops: Sequence[int]) -> bool:
    """Whether stops that no vehicle can serve by themselves cannot be served with others either.

    Where a detour may be shorter than the direct leg, a vehicle may be able to serve a stop only
    if it makes others first. There it may also find a better location for a break, or another
    stop at the same location, whose setup is enough for both. A time that is missed by
    no more than `vrp check` accepts proves nothing.

    Args:
        instance: With constraints.
        reason: Why they are not served.
        stops: A customer, or a shipment's pickup and delivery.
    """
    if reason in ("FLEET", "PRIZE"):
        return False
    if reason in ("SKILLS", "CAPACITY", "NO_ROAD"):
        return True
    bare = without_breaks_and_setups(instance)
    direct = obeys_triangle_inequality(instance)
    part = bare.take(stops) if direct else with_shortest_paths(bare, stops)
    timeline = Timeline(part)
    (name, own) = next(stop_groups(part))
    timeline.slack = TIME_TOLERANCE * time_span(
        instance.own_constraints
    )  # that of the part may be less
    routes = (Route(index, tuple(own)) for index in range(len(part.own_constraints.vehicles)))
    driven = (timeline.rounding(route) for route in routes)
    timeline.slack += _CHECKED * max(filter(math.isfinite, driven), default=0.0)
    return why_unserved(part, timeline, name, own).reason not in ("FLEET", "PRIZE")


def too_few_vehicles(instance: Instance) -> str | None:
    """What proves by loads that not all who are required can be served; None: nothing does.

    In each load dimension, all vehicles together carry at most the sum of their capacities when
    they leave, and when they are back.
    """
    constraints = instance.own_constraints
    if any(vehicle.count is None for vehicle in constraints.vehicles):
        return None
    if constraints.required.any() and not any(vehicle.count for vehicle in constraints.vehicles):
        return "there are no vehicles"
    for dimension in range(constraints.delivery.shape[1]):
        room = math.fsum(
            (vehicle.count or 0) * vehicle.capacity[dimension] if vehicle.count else 0.0
            for vehicle in constraints.vehicles
        )
        for amounts, what in ((constraints.delivery, "demands"), (constraints.pickup, "pickups")):
            needed = math.fsum(amounts[constraints.required, dimension])
            if needed > room * (1 + LOAD_TOLERANCE):
                name = f" in dimension {dimension}" if constraints.listed_amounts else ""
                return f"{what} of {needed:g}{name} are required, all vehicles carry {room:g}"
    return None
