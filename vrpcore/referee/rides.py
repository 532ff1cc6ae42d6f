"""The begins of a route whose rides or waits have limits, and what it states of them.

Deliberately naive: each limit makes some begin later until nothing changes, for a given longest
duration; that is halved, or where times have prices divided into thirds, until it is best.
"""

import itertools
import math
from collections.abc import Generator, Iterator, Sequence
from copy import copy

from vrpcore.instance.solution import RouteSchedule
from vrpcore.referee.costs import COST_TOLERANCE
from vrpcore.referee.departures import Rest, overloads_in, time_cost
from vrpcore.referee.journey import Call, Journey, JourneyTimes, Late
from vrpcore.referee.loads import Limit, Problem, Wrong
from vrpcore.referee.times import Judged, differences, frozen_times, given_times, too_long

_STEPS = 60  # that find a duration
_MOST_WAYS = 5000  # to place breaks


def ride_times(
    journey: Journey, schedule: RouteSchedule, tolerances: tuple[float, float]
) -> Judged:
    """Compares the times that a route states with the earliest of the best begins.

    Those cost least, of these they are the shortest. Where times have prices and stops have several
    windows, a route need only be as good as what is found here.

    Args:
        journey: The route, with its breaks.
        schedule: What is stated of it.
        tolerances: How far times may be off: what is accepted, and what rounding may do.
    """
    accepted, strict = tolerances
    first = next((own for slack in tolerances if (own := begins(journey, slack))), None)
    if first is None:
        yield from _broken(journey, schedule, accepted)
        return None
    slack = strict if begins(journey, strict) else accepted
    length = _shortest(journey, first, slack)
    yield from too_long(journey, length, accepted)
    if journey.is_priced or journey.vehicle.overtime_cost > 0.0:
        room = journey.vehicle.max_duration + journey.vehicle.max_overtime
        most = max(length, min(first.end - first.departure, room))
        length = _cheapest(journey, length, most, slack)
        length = yield from _as_good(journey, schedule, length, tolerances)
    found = begins(journey, slack, length + strict) or begins(journey, accepted, length + accepted)
    if found is None:
        return None
    if abs(schedule.departure - found.departure) > accepted:  # False where it is NaN
        yield Wrong("departure", f"{schedule.departure}, expected {found.departure}")
    yield from differences(schedule, found, accepted)
    yield from _rides(journey, schedule, found, accepted)
    return found


def frozen_rides(journey: Journey, schedule: RouteSchedule, tolerance: float) -> Judged:
    """As `frozen_times`, with begins no earlier than limits on rides and waits allow.

    The departure is stated, so that the least begins are the best ones.

    Args:
        journey: The route, with its breaks.
        schedule: What is stated of it.
        tolerance: How far times may be off.
    """
    later = _later(journey, schedule, tolerance) if journey.has_rides else ()
    found = yield from frozen_times(journey, schedule, tolerance, iter(later))
    if found is None or not journey.has_rides:
        return found
    frozen, rides = schedule.frozen or 0, _rides_of(journey, found.begins)
    for at, call in enumerate(_stops(journey)):
        arrival, begin = found.arrivals[at], found.begins[at]
        if at >= frozen and begin - arrival > call.wait + tolerance:
            yield Limit(
                f"begins[{at}]", f"a wait of {begin - arrival:.9g} exceeds {call.wait:.9g}", at
            )
        if at >= frozen and call.pickup and rides[at] > call.ride + tolerance:
            yield _too_long(call, rides[at], at)
    yield from _rides(journey, schedule, found, tolerance)
    return found


def _later(journey: Journey, schedule: RouteSchedule, tolerance: float) -> list[float]:
    """The least begins of what is not frozen within all limits; none where there are none."""
    tried, place = copy(journey), JourneyTimes(0.0, [], [], 0.0, [], [])
    tried.earliest = tried.latest = schedule.departure
    tried.calls, free = [], list[str]()
    for call in journey.calls:
        given = given_times(schedule, place, call)
        if given is None:
            free.append(call.name)
        else:
            ride = call.ride if len(place.begins) == (schedule.frozen or 0) else math.inf
            windows = [(given[1], given[1])]
            call = call._replace(windows=windows, wait=math.inf, ride=ride)
        tried.calls.append(call)
        place.note(call.name, 0.0, 0.0)
    if math.isnan(schedule.departure) or (found := begins(tried, tolerance)) is None:
        return []
    own = {f"customers[{at}]": begin for at, begin in enumerate(found.begins)}
    own |= {f"breaks[{row}]": begin for row, begin in enumerate(found.rests)}
    own |= {f"reloads[{row}]": begin for row, (_, begin) in enumerate(found.reloads)}
    return [own.get(name, found.end) for name in free]


def _rides(
    journey: Journey, schedule: RouteSchedule, times: JourneyTimes, tolerance: float
) -> Iterator[Problem]:
    """Rides that are not stated as they are."""
    own = _rides_of(journey, times.begins)
    limited = any(call.pickup for call in _stops(journey))
    if schedule.rides is None:
        if limited and schedule.begins is not None:
            yield Wrong("rides", f"missing, expected a list of {len(own)}")
    elif not limited:
        yield Wrong("rides", "not expected, no ride has a limit")
    elif len(schedule.rides) != len(own):
        yield Wrong("rides", f"{len(schedule.rides)} numbers, expected {len(own)}")
    else:
        for at, (stated, expected) in enumerate(zip(schedule.rides, own, strict=True)):
            if abs(stated - expected) > tolerance:
                yield Wrong(f"rides[{at}]", f"{stated}, expected {expected}")


def _stops(journey: Journey) -> list[Call]:
    """The calls that are no breaks, reloads or depots, in order."""
    return [call for call in journey.calls if call.name.startswith("customers")]


def _rides_of(journey: Journey, times: Sequence[float]) -> list[float]:
    """How long the ride to each stop is that begins at its time; 0 where it has no limit."""
    stops = _stops(journey)
    places = {call.name: at for at, call in enumerate(stops)}
    found = [0.0] * len(stops)
    for at, call in enumerate(stops):
        if call.pickup:
            start = places[call.pickup]
            found[at] = times[at] - times[start] - stops[start].service
    return found


def _too_long(call: Call, ride: float, at: int) -> Limit:
    return Limit(f"rides[{at}]", f"{ride:.9g} exceeds max_ride {call.ride:.9g}", at)


def begins(journey: Journey, slack: float, longest: float = math.inf) -> JourneyTimes | None:
    """The earliest begins within all limits; None: there are none.

    Args:
        journey: The route, with its breaks.
        slack: How far limits may be missed.
        longest: The longest duration.
    """
    calls, names = journey.calls, {call.name: at for at, call in enumerate(journey.calls)}
    times, departure = [-math.inf] * len(calls), journey.earliest
    windows = 1 + sum(max(0, len(call.windows) - 1) for call in calls)
    for _ in range(2 * (len(calls) + 1) * windows):
        if departure > journey.latest + slack:
            return None
        over, arrivals = departure + journey.loading, list[float]()
        for at, call in enumerate(calls):
            arrivals.append(over + call.leg)
            begin = call.begin(max(arrivals[at], times[at]), slack)
            if begin is None:
                return None
            times[at], over = begin, begin + call.service
        if over > journey.shift_end + slack:
            return None
        before = [departure, *times]
        departure = max(departure, over - longest)
        for at, call in enumerate(calls):
            wait = 0.0 if at == 0 and journey.vehicle.start is None else call.wait
            if at == 0:
                departure = max(departure, times[0] - wait - call.leg - journey.loading)
            else:
                own = times[at] - wait - call.leg - calls[at - 1].service
                times[at - 1] = max(times[at - 1], own)
            if call.pickup:
                start = names[call.pickup]
                own = times[at] - call.ride - calls[start].service
                times[start] = max(times[start], own)
        moved = any(
            now > old + slack / 4 for now, old in zip((departure, *times), before, strict=True)
        )
        if not moved:
            return _noted(journey, departure, arrivals, times, over)
    return None


def free_rests(
    journey: Journey, boards: Sequence[Sequence[float]], slack: float
) -> list[Rest] | None:
    """Breaks in their order and places with which a route keeps its limits on rides and waits.

    None: there are no such places, or no such limits.

    Args:
        journey: A route whose breaks are not placed.
        boards: Amounts on board in it, as of `boards_in`.
        slack: How far limits may be missed.
    """
    if not journey.has_rides:
        return None
    breaks, places = journey.vehicle.breaks, range(len(boards))
    ways = (
        [*zip(order, own, strict=True)]
        for own in itertools.combinations_with_replacement(places, len(breaks))
        for order in itertools.permutations(range(len(breaks)))
    )
    for rests in itertools.islice(ways, _MOST_WAYS):
        if any(any(overloads_in(breaks[index], boards, after)) for index, after in rests):
            continue
        tried = copy(journey)
        tried.calls = [*journey.calls]
        tried.take(rests)
        if begins(tried, slack, journey.vehicle.max_duration + journey.vehicle.max_overtime):
            return rests
    return None


def _noted(
    journey: Journey, departure: float, arrivals: list[float], times: list[float], end: float
) -> JourneyTimes:
    found = JourneyTimes(departure, [], [], end, [], [])
    for call, arrival, begin in zip(journey.calls, arrivals, times, strict=True):
        found.note(call.name, arrival, begin)
    return found


def _shortest(journey: Journey, first: JourneyTimes, slack: float) -> float:
    """The least duration, of at most that of the earliest begins."""
    least = journey.loading + sum(call.leg + call.service for call in journey.calls)
    most = first.end - first.departure
    for _ in range(_STEPS):
        middle = (least + most) / 2
        if begins(journey, slack, middle):
            most = middle
        else:
            least = middle
    return most


def _cost(journey: Journey, slack: float, length: float) -> float:
    found = begins(journey, slack, length)
    return time_cost(journey, found) if found else math.inf


def _cheapest(journey: Journey, low: float, high: float, slack: float) -> float:
    """The duration between two that costs least."""
    for _ in range(_STEPS):
        third = (high - low) / 3
        if _cost(journey, slack, low + third) <= _cost(journey, slack, high - third):
            high -= third
        else:
            low += third
    return high


def _as_good(
    journey: Journey, schedule: RouteSchedule, length: float, tolerances: tuple[float, float]
) -> Generator[Problem, None, float]:
    """Compares the cost of the stated duration with that of the best. Returns one that is good."""
    accepted, strict = tolerances
    stated = schedule.duration
    if math.isnan(stated):
        return length
    prices = journey.vehicle.duration_cost + journey.vehicle.overtime_cost
    prices += sum(due.price for due in (*journey.dues, journey.back) if due is not None)
    own, least = (_cost(journey, strict, each + strict) for each in (stated, length))
    if own <= least * (1 + COST_TOLERANCE) + accepted * prices:
        return stated
    yield Wrong("duration", f"{stated}, expected {length} for the least cost")
    return length


def _broken(journey: Journey, schedule: RouteSchedule, slack: float) -> Iterator[Problem]:
    """The reason why a route has no begins, or what is wrong with those that it states."""
    late = journey.times(journey.earliest, slack)
    if isinstance(late, Late):
        yield Limit("", late.words)
        return
    stated, stops = schedule.begins, _stops(journey)
    if stated is not None and len(stated) == len(stops):
        for at, (call, ride) in enumerate(zip(stops, _rides_of(journey, stated), strict=True)):
            if call.pickup and ride > call.ride + slack:
                yield _too_long(call, ride, at)
                return
    yield Limit("", "no begins keep all limits on rides and waits")
