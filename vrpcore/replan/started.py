"""The part of known routes that vehicles have begun, and what they have loaded, at some time."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from vrpcore.cost.itinerary import FREE, Itinerary
from vrpcore.cost.route_times import Taken, Times, times_of
from vrpcore.cost.timeline import Timeline, breaks_by_load
from vrpcore.cost.trips import trip_at
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import ANY_VEHICLE, Goods, KnownDay, Plan, Reload, Route, Started, Visit
from vrpcore.instance.vehicle_types import Break, Window
from vrpcore.replan.frozen_goods import has_for
from vrpcore.replan.going_on import late_windows

# Of the rounding of a departure: with more, it would be stated differently the next time.
_BELOW_ONE = 1 - 1e-6


def begun(instance: Instance, plan: Plan) -> Plan:
    """A known plan with what has started of its routes; each stop only in the first that has it.

    Args:
        instance: The whole.
        plan: With vehicle types, where there are some for them; if it does not go on, it stays.
    """
    if plan.freeze is None:
        return plan
    timeline, seen, found = Timeline(instance), set[int](), list[tuple[Route, Started | None]]()
    for known, day in zip(plan.routes, plan.each_day, strict=True):
        route = _part(timeline.constraints, known, seen)
        seen.update(route.stops)
        if route is not known:
            day = day._replace(begins=(), breaks=(), rounding=None)
        found.append(_begun(instance, timeline, route, day, plan.freeze))
    routes, started = zip(*found, strict=True) if found else ((), ())
    return plan._replace(routes=list(routes), started=started)


def _begun(
    instance: Instance, timeline: Timeline, route: Route, day: KnownDay, freeze: float
) -> tuple[Route, Started | None]:
    """A known route as far as it goes on, and what of it has started."""
    if not route.stops or route.vehicle == ANY_VEHICLE:
        return route, None
    vehicle = timeline.constraints.vehicles[route.vehicle]
    is_lost, depots = day.is_lost or vehicle.is_lost, vehicle.reloads or ()
    started = started_at(timeline, route, day, freeze)
    count = 0 if started is None else len(started.begins)
    calls = tuple(
        each
        for row, each in enumerate(route.reloads)
        if each.depot in depots or each.after + row < count
    )
    rest = route._replace(reloads=calls)
    if started is None:
        return (rest._replace(stops=(), reloads=()) if is_lost else rest), None
    goods = _goods_of(instance, route, day.goods, started.trip, freeze)
    started = started._replace(is_lost=is_lost, loaded=goods)
    rest, started = (_lost if is_lost else _supplied)(instance, rest, started)
    return rest, started if rest.stops else None


def started_at(timeline: Timeline, route: Route, day: KnownDay, time: float) -> Started | None:
    """Find the part of a known route that has started; None: its vehicle has not left.

    Its times follow from its stated departure, else from the rule by which vehicles leave; breaks
    are where it states them, if they can be. It may be too late for its limits.

    Args:
        timeline: Of the instance.
        route: With a vehicle type, at least one stop, and both ends of a shipment in order.
        day: What it states.
        time: What begins before it has begun.
    """
    before, vehicle = time - timeline.slack, timeline.constraints.vehicles[route.vehicle]
    legs = timeline.itinerary(route).legs
    road = next((at for at, leg in enumerate(legs) if not math.isfinite(leg)), None)
    if road is not None and road < len(route.visits):
        route = Route.of(route.vehicle, route.visits[:road])  # nobody drove further
        if not route.stops:
            return None
    # It was not on its way to what follows a stop that is gone and had not begun.
    off = min((each for each in day.gone if day.begins and each >= before), default=math.inf)
    facts = tuple(begin for begin in day.begins if begin <= off)
    itinerary, times = _times(timeline, route, day._replace(begins=facts))
    if times is None or times.departure >= before:
        return None
    begins, breaks, home = list[float](), list[Taken](), None
    number, stops, last = 0, 0, times.departure + itinerary.loading
    for begin, end, rest in _done(times, itinerary, vehicle.breaks):
        if rest is None and off < math.inf and number == len(facts):
            break
        if rest is None and number == len(route.visits):
            home = begin if last < before else None
            break
        if begin >= before:
            if rest is None and last < before:
                begins.append(begin)  # it is on its way there
            break
        if rest is None:
            begins.append(begin)
            stops += not isinstance(route.visits[number], Reload)
            number += 1
        else:
            breaks.append(rest)
        last = end
    may_reload = vehicle.end in (vehicle.reloads or ())
    may_reload &= len(route.reloads) < vehicle.max_reloads
    if home is not None and day.back is not None and max(home, time) < day.back:
        may_reload = False  # it has been at stops that are gone, and is not back from there
    return Started(
        time,
        times.departure,
        tuple(begins),
        tuple(breaks),
        stops,
        is_over=home is not None and not may_reload,
        home=home if may_reload else None,
        trip=number - stops,
    )


def _done(
    times: Times, itinerary: Itinerary, breaks: Sequence[Break]
) -> Iterator[tuple[float, float, Taken | None]]:
    """Begin and end of each position and break in order; of a break also which it is."""
    for at in range(len(times.begins) + 1):
        for rest in times.rests:
            if rest.after == at:
                yield rest.begin, rest.begin + breaks[rest.number].duration, rest
        if at < len(times.begins):
            yield times.begins[at], times.begins[at] + itinerary.services[at], None


def _times(timeline: Timeline, route: Route, day: KnownDay) -> tuple[Itinerary, Times | None]:
    """Its itinerary, as late as it has to be, and its times; None: it may leave at no time."""
    limited, slack = timeline.itinerary(route), timeline.slack
    bare, free = (_given(each, day) for each in (limited, limited._replace(holds=None)))
    own = timeline.constraints.vehicles[route.vehicle].breaks
    breaks, sooner = list(own), list(own)
    for number, _, begin in day.breaks:
        if begin is not None:
            windows = _started_windows(day, own[number].windows, begin)
            breaks[number] = replace(own[number], windows=tuple(windows))
            sooner[number] = replace(own[number], windows=((-math.inf, begin),))
    late_breaks = [replace(each, windows=tuple(late_windows(each.windows))) for each in breaks]
    # What has happened may break today's limits on rides and waits. Without the stops that are
    # gone, begins may ask for a departure or breaks before those that are stated.
    early = free._replace(earliest=-math.inf) if day.begins else free
    early = early._replace(latest_start=math.inf) if day.begins and free.is_open else early
    ways = (bare, breaks), (free, breaks), (early, sooner), (_late(free), late_breaks)
    if len(day.breaks) == len(breaks) > 0 and day.departure is not None:
        order = [number for number, _, _ in day.breaks]
        stated = {(number, after) for number, after, _ in day.breaks}
        for itinerary, each in ways:
            unpriced = itinerary._replace(prices=FREE)
            found = times_of(unpriced, slack, each, lambda *place: place in stated, order)
            if found is not None:
                return itinerary, found
    places = {number: after for number, after, _ in day.breaks}
    by_load = breaks_by_load(own, timeline.boards(route))

    def as_stated(index: int, after: int) -> bool:
        return places.get(index, after) == after and by_load(index, after)

    for fits, (itinerary, each) in itertools.product((as_stated, by_load), ways):
        if (found := timeline.depart(itinerary, each, fits)) is not None:
            return itinerary, found
    bare = _late(free)._replace(prices=FREE)
    found = times_of(bare, slack) or times_of(bare._replace(latest_start=math.inf), slack)
    return bare, found


def _given(itinerary: Itinerary, day: KnownDay) -> Itinerary:
    """The itinerary from the departure that is stated, with the begins that were fixed before."""
    if day.departure is None:
        return itinerary
    windows, holds = list(itinerary.windows), itinerary.holds
    windows[: len(day.begins)] = [
        _started_windows(day, own, begin) for own, begin in zip(windows, day.begins, strict=False)
    ]
    off = day.rounding or 0.0
    if day.rounding is None and day.begins:
        holds = None  # facts, whatever is allowed today
    elif holds is not None:  # within which rides and waits kept their limits
        windows[: len(day.begins)] = [
            [(first, max(first, min(last, begin + off))) for first, last in own]
            for own, begin in zip(windows, day.begins, strict=False)
        ]
    first, last = day.departure - off, day.departure + off * _BELOW_ONE
    return itinerary._replace(
        holds=holds,
        earliest=min(max(first, itinerary.earliest), last),
        latest_start=max(min(last, itinerary.latest_start), first),
        windows=windows,
    )


def _started_windows(day: KnownDay, windows: Sequence[Window], begin: float) -> list[Window]:
    """When what is stated to begin at some time may have begun."""
    if day.rounding is None:
        return [(begin, begin)]
    least = begin - day.rounding
    found = [(max(first, least), last) for first, last in windows if last >= least]
    return found or [(least, least)]


def _late(itinerary: Itinerary) -> Itinerary:
    """An itinerary in which everything may be late."""
    windows = [late_windows(own) for own in itinerary.windows]
    return itinerary._replace(windows=windows, latest=math.inf)


def _part(constraints: Constraints, route: Route, seen: set[int]) -> Route:
    """The route without stops that are seen or come twice, and ends of shipments without order."""
    first = {stop: at for at, stop in reversed([*enumerate(route.stops)]) if stop not in seen}

    def stays(at: int, stop: int) -> bool:
        if (partner := constraints.partner(stop)) is None or first.get(stop) != at:
            return first.get(stop) == at
        return partner in first and (first[partner] > at) == (partner > stop)

    stay = [stays(at, stop) for at, stop in enumerate(route.stops)]
    if all(stay):
        return route
    left = iter(stay)
    visits = [visit for visit in route.visits if isinstance(visit, Reload) or next(left)]
    return Route.of(route.vehicle, visits)._replace(van=route.van)


def _goods_of(
    instance: Instance, route: Route, stated: Sequence[Goods], trip: int, freeze: float
) -> tuple[Goods, ...]:
    """Amounts that a trip of a known route was loaded with: as stated, else today's.

    What was delivered before the freeze to stops that are gone by now counts no more, nor what a
    plan states for ends of shipments: these are not loaded at a depot.
    """
    constraints, numbers = instance.own_constraints, instance.numbers
    delivery = constraints.delivery
    now = {
        instance.ids[stop - 1]: tuple(delivery[stop - 1].tolist()) for stop in trip_at(route, trip)
    }
    # Whose delivery was loaded in vain, and so again, is served in the later trip.
    trip_of = {each.id: each.trip for each in sorted(stated, key=lambda each: each.trip)}
    own = {trip_of[name] for name in now if name in trip_of}
    known = now | {
        each.id: each.amount
        for each in stated
        if each.trip in own
        and (each.id in numbers or each.begin is None or not each.begin < freeze)
        and (each.id not in numbers or constraints.partner(numbers[each.id]) is None)
    }
    return tuple(Goods(name, amount) for name, amount in known.items() if any(amount))


def _supplied(instance: Instance, route: Route, started: Started) -> tuple[Route, Started]:
    """The route without the next stop, if it asks for more than was loaded for it."""
    done = started.stops + started.trip
    goes_to = route.visits[done] if done < len(started.begins) else None
    if isinstance(goes_to, int) and not has_for(instance, route, started, goes_to):
        visits = (visit for visit in route.visits if visit != goes_to)
        route = Route.of(route.vehicle, visits)._replace(van=route.van)
        started = started._replace(begins=started.begins[:done])
    return route, started


def _lost(instance: Instance, route: Route, started: Started) -> tuple[Route, Started]:
    """A broken vehicle's route, as far as it was begun; its pickups count as not picked up."""
    constraints, done = instance.own_constraints, started.stops + started.trip
    visits, served = list[Visit](), set(route.stops[: started.stops])
    begins, places = list[float](), [0]
    for visit, begin in zip(route.visits[:done], started.begins, strict=False):
        if isinstance(visit, Reload):
            stays = bool(visits) and not isinstance(visits[-1], Reload)
        else:
            stays = (constraints.partner(visit) or visit) in served
        if stays:
            visits.append(visit)
            begins.append(begin)
        places.append(len(visits))
    rest = Route.of(route.vehicle, visits)
    loaded = started.loaded
    if len(rest.reloads) < started.trip:
        loaded = _goods_of(instance, rest, (), len(rest.reloads), started.until)
    breaks = tuple(
        (number, min(places[after], len(rest.visits)), begin)
        for number, after, begin in started.breaks
    )
    return route._replace(stops=rest.stops, reloads=rest.reloads), started._replace(
        begins=tuple(begins[: len(rest.visits)]),
        breaks=breaks,
        stops=len(rest.stops),
        is_over=True,
        home=None,
        trip=len(rest.reloads),
        loaded=loaded,
    )
