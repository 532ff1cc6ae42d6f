"""The instance that is left in the middle of the day, as the search sees it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vrpcore.cost.going_on import breaks_to_take
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.constraints import MAX_PRIORITY, Constraints
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import route_of
from vrpcore.instance.vehicle_types import Break, VehicleType
from vrpcore.search.frozen_goods import GoodsLeft, with_any_goods
from vrpcore.search.frozen_relations import FixedStops, alternatives_gone, relations_left
from vrpcore.search.under_way import UnderWay


def what_is_left(
    instance: Instance, timeline: Timeline, known: Sequence[UnderWay], freeze: float
) -> tuple[tuple[int, ...], Instance]:
    """Takes out what is over.

    Args:
        instance: The whole, with a type for each vehicle that has left.
        timeline: Of it.
        known: The vehicles that have left.
        freeze: The time.

    Returns:
        The numbers of the stops that are left, and the instance with these stops and with the
        vehicles as they go on.
    """
    constraints, fixed = instance.own_constraints, [own.fixed for own in known]
    stops = {stop for each in fixed for stop in each.stops}
    gone = {stop for each in fixed for stop in each.over}
    gone |= alternatives_gone(constraints, fixed)
    constraints, undelivered = _unloaded(constraints, fixed)
    alike = constraints.goods == "any"
    goods = GoodsLeft.of(instance, () if alike else known)
    gone |= (undelivered | goods.gone) - stops
    columns = _columns(constraints, timeline, known)
    made = replace(
        constraints,
        **columns,
        vehicles=_fleet(constraints, timeline, known, freeze),
        groups=tuple(each for each in constraints.groups if stops.isdisjoint(each.members)),
        relations=relations_left(constraints, fixed, columns["allowed"]),
    )
    made = with_any_goods(made, known) if alike else goods.kept(made, freeze)
    left = tuple(stop for stop in range(1, constraints.num_stops + 1) if stop not in gone)
    return left, replace(instance, constraints=made).take(left)


def _unloaded(
    constraints: Constraints, fixed: Sequence[FixedStops]
) -> tuple[Constraints, set[int]]:
    """Remove what was on board for a first trip that is over.

    Returns:
        The constraints without its weight, and the stops of such shipments, delivered or not.
    """
    if constraints.on_board is None:
        return constraints, set()
    over = np.isin(constraints.on_board, [each.type for each in fixed if each.over])
    # A stop of these that is served in a later trip all the same keeps its weight there.
    kept = [stop - 1 for each in fixed for stop in each.first]
    bare = over.copy()
    bare[kept] = False
    shipment = np.where(bare[:, None], 0.0, constraints.shipment)
    return replace(constraints, shipment=shipment), set((np.flatnonzero(over) + 1).tolist())


def _columns(
    constraints: Constraints, timeline: Timeline, known: Sequence[UnderWay]
) -> dict[str, Any]:
    """The columns of stops in which those that stay have their times and their vehicles."""
    windows, allowed = constraints.windows.copy(), constraints.permits()
    names = ("prize", "priority", "max_late", "release")
    columns = {name: getattr(constraints, name).copy() for name in names}
    skills = list(constraints.skills)
    for own in known:
        begins = own.started.begins[len(own.over) :]
        for stop, begin in zip(own.first, begins, strict=True):
            pair = [stop - 1, (constraints.partner(stop) or stop) - 1]
            windows[stop - 1], windows[stop - 1, 0] = math.inf, begin
            columns["max_late"][stop - 1], columns["release"][stop - 1] = 0.0, -math.inf
            columns["prize"][min(pair)], columns["priority"][min(pair)] = math.inf, MAX_PRIORITY
            skills[stop - 1] = frozenset()
            allowed[:, pair] = False
            allowed[own.type, pair] = True
        if own.over and constraints.on_board is not None:
            allowed[own.type, constraints.on_board == own.type] = False  # undelivered
    found = {"windows": windows, "allowed": allowed, **columns, "skills": tuple(skills)}
    waits = [(own, more) for own in known if own.first and (more := _wait(timeline, own)) > 0]
    if waits:
        by_type = constraints.service_by_type
        shape = len(constraints.vehicles), constraints.num_stops
        found["service_by_type"] = services = np.empty(shape)
        services[:] = constraints.service if by_type is None else by_type
        for own, more in waits:
            services[own.type, own.first[-1] - 1] += more
    return found


def _wait(timeline: Timeline, own: UnderWay) -> float:
    """The extra time of a vehicle at its last fixed stop: until the time of the freeze."""
    after = len(own.started.begins)
    if own.started.rests_after(after):
        return 0.0
    fixed = route_of(own.type, (*own.over, *own.first))
    return own.started.until - own.started.begins[-1] - timeline.services(fixed)[-1]


def _fleet(
    constraints: Constraints, timeline: Timeline, known: Sequence[UnderWay], freeze: float
) -> tuple[VehicleType, ...]:
    """The vehicle types: those that have left go on, the others leave from now on."""
    fleet, under_way = list[VehicleType](), {own.type: own for own in known}
    for number, vehicle in enumerate(constraints.vehicles):
        if (own := under_way.get(number)) is None:
            opens, closes = vehicle.window
            fleet.append(replace(vehicle, window=(max(opens, freeze), closes)))
        elif own.started.is_over:
            fleet.append(replace(vehicle, count=0))
        else:
            fleet.append(_going_on(constraints, timeline, own))
    return tuple(fleet)


def _going_on(constraints: Constraints, timeline: Timeline, own: UnderWay) -> VehicleType:
    """A vehicle with what is left of its limits; what is fixed may need more than they are."""
    vehicle, fixed, bare = constraints.vehicles[own.type], own.fixed, timeline.itinerary(own.route)
    start, leaves = own.leaves_from(vehicle.start)
    driven = len(own.over)
    if not own.first and not own.started.rests_after(driven):
        loading = 0.0 if start is None else constraints.depots[start].service
        if leaves + loading < own.started.until:
            # Before then in any case: what is loaded from then on is not in this trip.
            leaves = own.started.until - max(loading, 2 * timeline.slack)
    longest = vehicle.max_duration + vehicle.max_overtime
    closes, latest_start = vehicle.window[1], leaves
    if own.started.home is not None:  # it may leave later: its duration counts from before
        latest_start = math.inf
        closes = min(closes, own.departure + longest - vehicle.max_late)
        vehicle = replace(vehicle, max_duration=math.inf)
    closes += _least(way.end - closes - vehicle.max_late for way in own.ways)
    beyond = max(0.0, leaves - closes)  # it may leave a reload after its shift, being late
    longest = vehicle.max_duration + vehicle.max_overtime
    longer = _least(way.duration - longest for way in own.ways)
    further = _least(way.distance - vehicle.max_distance for way in own.ways)
    more = _least(way.travel - vehicle.max_travel_time for way in own.ways)
    return replace(
        vehicle,
        start=start,
        window=(leaves, closes + beyond),
        latest_start=latest_start,
        max_late=max(0.0, vehicle.max_late - beyond),
        max_duration=vehicle.max_duration + longer - (leaves - own.departure),
        max_distance=vehicle.max_distance + further - math.fsum(bare.lengths[:driven]),
        max_travel_time=vehicle.max_travel_time + more - math.fsum(bare.legs[:driven]),
        max_stops=max(vehicle.max_stops, len(fixed.stops)) - len(fixed.over),
        max_reloads=max(0.0, vehicle.max_reloads - (driven - len(fixed.over))),
        initial_load=None if own.over else vehicle.initial_load,
        breaks=_breaks(vehicle, own, timeline),
    )


def _breaks(vehicle: VehicleType, own: UnderWay, timeline: Timeline) -> tuple[Break, ...]:
    """The breaks that are left, at their times or from when the vehicle is free."""
    if not vehicle.breaks:
        return ()
    route = own.route._replace(started=own.started)
    found = breaks_to_take(vehicle.breaks, route, timeline.itinerary(route))
    over = {number for number, after, _ in own.started.breaks if after < len(own.over)}
    return tuple(each for number, each in enumerate(found) if number not in over)


def _least(excess: Iterable[float]) -> float:
    """The least excess over a limit; 0 where it need not be exceeded."""
    return max(0.0, min(excess, default=0.0))
