"""The part of known routes that vehicles have started at some time."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from vrpcore.cost.going_on import late_windows
from vrpcore.cost.itinerary import FREE, Itinerary
from vrpcore.cost.route_times import Taken, Times, times_of
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.plan import Reload, Route, Started, route_of
from vrpcore.instance.vehicle_types import Break, Window

# Of the rounding of a departure: with more, it would be stated differently the next time.
_BELOW_ONE = 1 - 1e-6


def started_at(timeline: Timeline, constraints: Constraints, route: Route, time: float) -> Started:
    """Find the part of a known route that has started.

    Its times follow from its stated departure, else from the rule by which vehicles leave; breaks
    are where it states them, if they can be. It may be too late for its limits.

    Args:
        timeline: Of the instance.
        constraints: Of the instance.
        route: With a vehicle type, at least one stop, and both ends of a shipment in order.
        time: What begins before it has begun.
    """
    before = time - timeline.slack
    legs = timeline.itinerary(route).legs
    road = next((at for at, leg in enumerate(legs) if not math.isfinite(leg)), None)
    if road is not None and road < len(route.visits):
        driven = route_of(route.vehicle, route.visits[:road])  # nobody drove further
        route = route._replace(stops=driven.stops, reloads=driven.reloads)
        if not route.stops:
            return Started(time)
    itinerary, times = _times(timeline, constraints, route)
    departure = math.inf if times is None else times.departure
    if times is None or departure >= before:
        return Started(time)
    found, breaks = list[float](), list[Taken]()
    number, stops, last = 0, 0, departure + itinerary.loading
    for begin, end, rest in _done(times, itinerary, constraints.vehicles[route.vehicle].breaks):
        if rest is None and number == len(route.visits):
            is_home = last < before
            may_reload = is_home and _may_reload(constraints, route)
            own = Started(time, departure, tuple(found), tuple(breaks), stops, trip=number - stops)
            return own._replace(
                is_over=is_home and not may_reload, home=begin if may_reload else None
            )
        if begin >= before:
            if rest is None and last < before:
                found.append(begin)  # it is on its way there
            break
        if rest is None:
            found.append(begin)
            stops += not isinstance(route.visits[number], Reload)
            number += 1
        else:
            breaks.append(rest)
        last = end
    return Started(time, departure, tuple(found), tuple(breaks), stops, trip=number - stops)


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


def _may_reload(constraints: Constraints, route: Route) -> bool:
    """Return whether the vehicle may reload at its end."""
    vehicle = constraints.vehicles[route.vehicle]
    return vehicle.end in (vehicle.reloads or ()) and len(route.reloads) < vehicle.max_reloads


def _times(
    timeline: Timeline, constraints: Constraints, route: Route
) -> tuple[Itinerary, Times | None]:
    """Its itinerary, as late as it has to be, and its times; None: it may leave at no time."""
    bare, slack = _given(timeline.itinerary(route), route), timeline.slack
    begins = {number: begin for number, _, begin in route.rests if begin is not None}
    breaks = tuple(
        replace(own, windows=tuple(_started_windows(route, own.windows, begins[number])))
        if number in begins
        else own
        for number, own in enumerate(constraints.vehicles[route.vehicle].breaks)
    )
    late_breaks = tuple(replace(own, windows=tuple(late_windows(own.windows))) for own in breaks)
    in_time, late = (bare, breaks), (_late(bare), late_breaks)
    if len(route.rests) == len(breaks) > 0 and route.departure is not None:
        order = [number for number, _, _ in route.rests]
        fits = {(number, after) for number, after, _ in route.rests}
        for itinerary, own in (in_time, late):
            free = itinerary._replace(prices=FREE)
            found = times_of(free, slack, own, lambda *place: place in fits, order)
            if found is not None:
                return itinerary, found
    free_rests = route._replace(rests=())
    for each, (itinerary, own) in itertools.product((route, free_rests), (in_time, late)):
        if (found := timeline.depart(each, itinerary, own)) is not None:
            return itinerary, found
    bare = _late(bare)._replace(prices=FREE)
    found = times_of(bare, slack) or times_of(bare._replace(latest_start=math.inf), slack)
    return bare, found


def _given(itinerary: Itinerary, route: Route) -> Itinerary:
    """The itinerary from the departure that is stated, with the begins that were fixed before."""
    if route.departure is None:
        return itinerary
    windows = list(itinerary.windows)
    windows[: len(route.given)] = [
        _started_windows(route, own, begin)
        for own, begin in zip(windows, route.given, strict=False)
    ]
    off = route.rounding or 0.0
    first, last = route.departure - off, route.departure + off * _BELOW_ONE
    return itinerary._replace(
        earliest=min(max(first, itinerary.earliest), last),
        latest_start=max(min(last, itinerary.latest_start), first),
        windows=windows,
    )


def _started_windows(route: Route, windows: Sequence[Window], begin: float) -> list[Window]:
    """When what is stated to begin at some time may have begun."""
    if route.rounding is None:
        return [(begin, begin)]
    least = begin - route.rounding
    found = [(max(first, least), last) for first, last in windows if last >= least]
    return found or [(least, least)]


def _late(itinerary: Itinerary) -> Itinerary:
    """An itinerary in which everything may be late."""
    windows = [late_windows(own) for own in itinerary.windows]
    return itinerary._replace(windows=windows, latest=math.inf)
