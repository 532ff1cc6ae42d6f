"""What vehicles have begun of known routes at some time."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

from vrpcore.cost.departure import least_duration
from vrpcore.cost.going_on import late_windows
from vrpcore.cost.itinerary import Itinerary, Taken
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.plan import Begun, Reload, Route, route_of
from vrpcore.instance.vehicle_types import Window

# Of the rounding of a departure: with more, it would be stated differently the next time.
_BELOW_ONE = 1 - 1e-6


def begun_at(timeline: Timeline, constraints: Constraints, route: Route, time: float) -> Begun:
    """What had begun of a known route.

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
            return Begun(time)
    itinerary, trail, departure, begins = _times(timeline, constraints, route)
    if departure >= before:
        return Begun(time)
    rests = {each.after + row: each for row, each in enumerate(trail)}
    found, breaks = list[float](), list[tuple[int, int, float]]()
    number, stops, last = 0, 0, departure + itinerary.loading
    for row, begin in enumerate(begins):
        is_visit = row not in rests
        if is_visit and number == len(route.visits):
            is_home = last < before
            may_reload = is_home and _may_reload(constraints, route)
            own = Begun(time, departure, tuple(found), tuple(breaks), stops, trip=number - stops)
            return own._replace(
                is_over=is_home and not may_reload, home=begin if may_reload else None
            )
        if begin >= before:
            if is_visit and last < before:
                found.append(begin)  # it is on its way there
            break
        if is_visit:
            found.append(begin)
            stops += not isinstance(route.visits[number], Reload)
            number += 1
        else:
            breaks.append((rests[row].number, rests[row].after, begin))
        last = begin + itinerary.services[row]
    return Begun(time, departure, tuple(found), tuple(breaks), stops, trip=number - stops)


def _may_reload(constraints: Constraints, route: Route) -> bool:
    """Whether the vehicle may reload at its end."""
    vehicle = constraints.vehicles[route.vehicle]
    return vehicle.end in (vehicle.reloads or ()) and len(route.reloads) < vehicle.max_reloads


def _times(
    timeline: Timeline, constraints: Constraints, route: Route
) -> tuple[Itinerary, tuple[Taken, ...], float, tuple[float, ...]]:
    """Its itinerary with breaks, these, when it left, and when each position began."""
    breaks = constraints.vehicles[route.vehicle].breaks
    bare = _given(timeline.itinerary(route), route)
    begins = {number: begin for number, _, begin in route.rests if begin is not None}
    breaks = tuple(
        replace(own, windows=tuple(_begun_windows(route, own.windows, begins[number])))
        if number in begins
        else own
        for number, own in enumerate(breaks)
    )
    late_breaks = tuple(replace(own, windows=tuple(late_windows(own.windows))) for own in breaks)
    in_time, late = (bare, breaks), (_late(bare), late_breaks)
    if len(route.rests) == len(breaks) > 0 and route.departure is not None:
        stated = tuple(Taken(number, after) for number, after, _ in route.rests)
        for itinerary, own in (in_time, late):
            whole = itinerary.with_breaks(own, stated)
            if (run := least_duration(whole, timeline.slack)) is not None:
                return whole, stated, run.departure, run.begins
    free = route._replace(rests=())
    for each, (itinerary, own) in itertools.product((route, free), (in_time, late)):
        timed = timeline.depart(each, itinerary, own)
        if timed is not None:
            return timed.itinerary, timed.taken, timed.run.departure, timed.run.begins
    bare = _late(bare)
    run = least_duration(bare, timeline.slack)
    if run is None:  # it may leave at no time
        run = least_duration(bare._replace(latest_start=math.inf), timeline.slack)
    if run is None:
        return bare, (), math.inf, ()
    return bare, (), run.departure, run.begins


def _given(itinerary: Itinerary, route: Route) -> Itinerary:
    """The itinerary from the departure that is stated, with the begins that were fixed before."""
    if route.departure is None:
        return itinerary
    windows = list(itinerary.windows)
    windows[: len(route.given)] = [
        _begun_windows(route, own, begin) for own, begin in zip(windows, route.given, strict=False)
    ]
    off = route.rounding or 0.0
    first, last = route.departure - off, route.departure + off * _BELOW_ONE
    return itinerary._replace(
        earliest=min(max(first, itinerary.earliest), last),
        latest_start=max(min(last, itinerary.latest_start), first),
        windows=windows,
    )


def _begun_windows(route: Route, windows: Sequence[Window], begin: float) -> list[Window]:
    """When what is stated to begin at some time may have begun."""
    if route.rounding is None:
        return [(begin, begin)]
    least = begin - route.rounding
    found = [(max(first, least), last) for first, last in windows if last >= least]
    return found or [(least, least)]


def _late(itinerary: Itinerary) -> Itinerary:
    """The same where everything may be late."""
    windows = [late_windows(own) for own in itinerary.windows]
    return itinerary._replace(windows=windows, latest=math.inf)
