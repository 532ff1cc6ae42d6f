"""The instance that is left in the middle of the day, as the search sees it."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vrpcore.cost.timeline import Timeline
from vrpcore.instance.constraints import MAX_PRIORITY, Constraints
from vrpcore.instance.instance import Instance
from vrpcore.instance.relations import Relation
from vrpcore.instance.vehicle_types import Break, VehicleType
from vrpcore.replan.frozen_goods import with_any_goods, with_own_goods
from vrpcore.replan.going_on import breaks_to_take, going_on
from vrpcore.replan.under_way import UnderWay

# Of a fixed stop, its vehicle, and its position among those that stay.
_Places = Mapping[int, tuple[UnderWay, int]]
_Allowed = NDArray[np.bool_]  # [T, N], who may serve whom


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
    constraints = instance.own_constraints
    stops = {stop for own in known for stop in own.stops}
    gone = {stop for own in known for stop in own.stops_over}
    gone |= _alternatives_gone(constraints, stops)
    constraints, undelivered = _unloaded(constraints, known)
    columns = _columns(constraints, timeline, known)
    made = replace(
        constraints,
        **columns,
        vehicles=_fleet(constraints, timeline, known, freeze),
        groups=tuple(each for each in constraints.groups if stops.isdisjoint(each.members)),
        relations=_relations_left(constraints, known, columns["allowed"]),
    )
    if constraints.goods == "any":
        made = with_any_goods(made, known)
    else:
        made, unreachable = with_own_goods(instance, made, known, freeze)
        undelivered |= unreachable
    gone |= undelivered - stops
    left = tuple(stop for stop in range(1, constraints.num_stops + 1) if stop not in gone)
    return left, replace(instance, constraints=made).take(left)


def _unloaded(constraints: Constraints, known: Sequence[UnderWay]) -> tuple[Constraints, set[int]]:
    """Remove what was on board for a first trip that is over.

    Returns:
        The constraints without its weight, and the stops of such shipments, delivered or not.
    """
    if constraints.on_board is None:
        return constraints, set()
    over = np.isin(constraints.on_board, [own.type for own in known if own.stops_over])
    # A stop of these that is served in a later trip all the same keeps its weight there.
    bare = over.copy()
    bare[[stop - 1 for own in known for stop in own.first]] = False
    shipment = np.where(bare[:, None], 0.0, constraints.shipment)
    return replace(constraints, shipment=shipment), set((np.flatnonzero(over) + 1).tolist())


def _columns(
    constraints: Constraints, timeline: Timeline, known: Sequence[UnderWay]
) -> dict[str, Any]:
    """The columns of stops in which those that stay have their times and their vehicles."""
    windows, allowed = constraints.windows.copy(), constraints.permits()
    names = ("prize", "priority", "max_late", "release", "max_wait", "max_ride")
    columns = {name: getattr(constraints, name).copy() for name in names}
    skills, waits = list(constraints.skills), dict[tuple[int, int], float]()
    for own in known:
        begins = own.started.begins[len(own.over) :]
        for stop, begin in zip(own.first, begins, strict=True):
            pair = [stop - 1, (constraints.partner(stop) or stop) - 1]
            windows[stop - 1], windows[stop - 1, 0] = math.inf, begin
            columns["max_late"][stop - 1], columns["release"][stop - 1] = 0.0, -math.inf
            columns["max_wait"][stop - 1] = columns["max_ride"][stop - 1] = math.inf
            columns["prize"][min(pair)], columns["priority"][min(pair)] = math.inf, MAX_PRIORITY
            skills[stop - 1] = frozenset()
            allowed[:, pair] = False
            allowed[own.type, pair] = True
        if own.stops_over and constraints.on_board is not None:
            allowed[own.type, constraints.on_board == own.type] = False  # undelivered
        if own.first and not own.started.rests_after(len(own.started.begins)):
            service = timeline.services(own.route)[len(own.stops) - 1]
            wait = own.started.until - begins[-1] - service
            waits[own.type, own.first[-1] - 1] = wait
            if (other := constraints.partner(own.first[-1])) is not None and wait > 0:
                # Who has got on rides while the vehicle stays there.
                columns["max_ride"][other - 1] -= wait
    found = {"windows": windows, "allowed": allowed, **columns, "skills": tuple(skills)}
    if any(wait > 0 for wait in waits.values()):
        services = [constraints.services(each) for each in range(len(constraints.vehicles))]
        found["service_by_type"] = by_type = np.array(services)
        for place, wait in waits.items():
            by_type[place] += max(0.0, wait)
    return found


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
            fleet.append(_rest_of(constraints, timeline, own))
    return tuple(fleet)


def _rest_of(constraints: Constraints, timeline: Timeline, own: UnderWay) -> VehicleType:
    """A vehicle with what is left of its limits; what is fixed may need more than they are."""
    vehicle, started = constraints.vehicles[own.type], own.started
    bare = timeline.itinerary(own.route)
    start, leaves = own.leaves_from(vehicle.start)
    driven = len(own.over)
    if not own.first and not started.rests_after(driven):
        loading = 0.0 if start is None else constraints.depots[start].service
        if leaves + loading < started.until:
            # Before then in any case: what is loaded from then on is not in this trip.
            leaves = started.until - max(loading, 2 * timeline.slack)
    longest = vehicle.max_duration + vehicle.max_overtime
    closes, latest_start = vehicle.window[1], leaves
    if started.home is not None:  # it may leave later: its duration counts from before
        latest_start = math.inf
        closes = min(closes, started.departure + longest - vehicle.max_late)
        vehicle = replace(vehicle, max_duration=math.inf)
    closes += _least(way.end - closes - vehicle.max_late for way in own.ways)
    beyond = max(0.0, leaves - closes)  # it may leave a reload after its shift, being late
    longest = vehicle.max_duration + vehicle.max_overtime
    longer = _least(way.duration - longest for way in own.ways)
    further = _least(way.distance - vehicle.max_distance for way in own.ways)
    more = _least(way.travel - vehicle.max_travel_time for way in own.ways)
    calls = driven - len(own.stops_over)
    return replace(
        vehicle,
        start=start,
        window=(leaves, closes + beyond),
        latest_start=latest_start,
        max_late=max(0.0, vehicle.max_late - beyond),
        max_duration=vehicle.max_duration + longer - (leaves - started.departure),
        max_distance=vehicle.max_distance + further - math.fsum(bare.lengths[:driven]),
        max_travel_time=vehicle.max_travel_time + more - math.fsum(bare.legs[:driven]),
        max_stops=max(vehicle.max_stops, len(own.stops)) - len(own.stops_over),
        max_reloads=max(0.0, vehicle.max_reloads - calls),
        initial_load=None if own.over else vehicle.initial_load,
        breaks=_breaks(vehicle, timeline, own),
        loading="any" if constraints.first_covered(own.first) else vehicle.loading,
    )


def _breaks(vehicle: VehicleType, timeline: Timeline, own: UnderWay) -> tuple[Break, ...]:
    """The breaks that are left, at their times or from when the vehicle is free."""
    if not vehicle.breaks:
        return ()
    itinerary = going_on(timeline.itinerary(own.route), own.started)
    found = breaks_to_take(vehicle.breaks, own.started, itinerary)
    over = {number for number, after, _ in own.started.breaks if after < len(own.over)}
    return tuple(each for number, each in enumerate(found) if number not in over)


def _least(excess: Iterable[float]) -> float:
    """The least excess over a limit; 0 where it need not be exceeded."""
    return max(0.0, min(excess, default=0.0))


def _alternatives_gone(constraints: Constraints, stops: set[int]) -> set[int]:
    """Find the stops that are alternatives to fixed stops."""
    taken = (group for group in constraints.groups if not stops.isdisjoint(group.members))
    others = {member for group in taken for member in set(group.members) - stops}
    return others | {constraints.partner(member) or member for member in others}


def _relations_left(
    constraints: Constraints, known: Sequence[UnderWay], allowed: _Allowed
) -> tuple[Relation, ...]:
    """Relations among stops that are not over, with those that begin routes with what is fixed.

    A relation that is broken by what is fixed asks for nothing more.

    Args:
        constraints: Of the whole instance; no relation names a vehicle type.
        known: The vehicles that have left.
        allowed: [T, N], who may serve whom; changes where a relation asks for it.
    """
    places = {stop: (own, at) for own in known for at, stop in enumerate(own.stops)}
    found = [Relation("chain", own.first, None, "start") for own in known if own.first]
    for each in constraints.relations:
        fixed = [stop for stop in each.stops if stop in places]
        if not fixed:
            if each.at == "start":
                late = [own.type for own in known if own.stops]
                allowed[np.ix_(late, _rows(each.stops))] = False
            found.append(each)
        elif not each.is_broken([(places[stop][0].type, places[stop][1]) for stop in fixed]):
            found += _left_of(each, fixed, places, allowed)
    return tuple(found)


def _rows(stops: Sequence[int]) -> list[int]:
    return [stop - 1 for stop in stops]


def _left_of(
    relation: Relation, fixed: Sequence[int], places: _Places, allowed: _Allowed
) -> Iterator[Relation]:
    """The rest of a relation some of whose stops are fixed."""
    over = [stop for stop in fixed if stop in places[stop][0].stops_over]
    rest = [stop for stop in relation.stops if stop not in places]
    left = relation._replace(stops=tuple(stop for stop in relation.stops if stop not in over))
    types = [places[stop][0].type for stop in fixed]
    if relation.kind == "apart":
        allowed[np.ix_(types, _rows(rest))] = False
        yield left
        return
    others = [each for each in range(len(allowed)) if each != types[0]]
    allowed[np.ix_(others, _rows(rest))] = False
    if relation.kind == "together" or not over:
        yield left
        return
    last = relation.stops.index(over[-1])
    allowed[:, _rows([stop for stop in rest if relation.stops.index(stop) < last])] = False
    if relation.kind == "order":
        yield left
        return
    yield from _left_of_chain(left, over[-1], places[over[-1]][0], allowed)


def _left_of_chain(
    relation: Relation, last: int, own: UnderWay, allowed: _Allowed
) -> Iterator[Relation]:
    """The rest of a chain: it follows its last stop that is over."""
    follows = last == own.stops_over[-1] and (not own.first or own.first[0] in relation.stops)
    if not follows:
        allowed[:, _rows([stop for stop in relation.stops if stop not in own.first])] = False
        return
    if not relation.stops:
        if relation.at == "end":
            allowed[own.type] = False  # the route is over
        return
    yield relation._replace(at="start")
    if relation.at == "end":
        yield relation._replace(stops=relation.stops[-1:])
