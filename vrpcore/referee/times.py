"""The times that a route states: its departure and all that follows, lateness, frozen times."""

import math
from collections.abc import Generator, Iterator
from typing import NamedTuple

from vrpcore.instance.solution import RouteSchedule
from vrpcore.referee.costs import COST_TOLERANCE
from vrpcore.referee.departures import best, overtime, time_cost
from vrpcore.referee.journey import Call, Journey, JourneyTimes, Late
from vrpcore.referee.loads import Limit, Problem, Wrong

# What is wrong with times, and in the end the right ones; None: there are none.
Judged = Generator[Problem, None, JourneyTimes | None]


class _Best(NamedTuple):
    """The best departure, and up to what another is as good.

    Attributes:
        departure: The best.
        latest: Rounding may make of equal durations different ones: none is later.
        duration: None takes longer.
        cost: None costs more; infinite where time has no price but that of the duration.
        aim: What is least in words.
    """

    departure: float
    latest: float
    duration: float
    cost: float = math.inf
    aim: str = "duration"


def best_times(
    journey: Journey, schedule: RouteSchedule, tolerances: tuple[float, float]
) -> Judged:
    """Compares the times that a route states with those of the stated or the best departure.

    Args:
        journey: The route, with its breaks.
        schedule: What is stated of it.
        tolerances: How far times may be off: what is accepted, and what rounding may do.
    """
    accepted, strict = tolerances
    late = journey.times(journey.earliest, accepted)
    if isinstance(late, Late):
        yield Limit("", late.words)
        return None
    least = best(journey, strict) or best(journey, accepted)
    if least is None:
        if math.isfinite(journey.latest):
            yield Limit("", _leaves_too_late(journey, accepted))
        return None
    yield from too_long(journey, least.sharp.duration, accepted)
    good = _cheapest(journey, tolerances) or [
        _Best(least.near.time, least.sharp.time, least.sharp.duration)
    ]
    first, stated = good[0], schedule.departure
    chosen = first.departure if math.isnan(stated) else stated
    runs = [journey.times(chosen, slack) for slack in (strict, accepted)]
    known = [run for run in runs if isinstance(run, JourneyTimes)]
    if not known or not any(_is_best(journey, known, each, accepted) for each in good):
        late_words = f" up to {limit}" if (limit := journey.latest) < math.inf else ""
        words = f"{stated}, expected {first.departure} for the least {first.aim}{late_words}"
        yield Wrong("departure", words)
        own = journey.times(first.departure, 2 * accepted)
        known = [own] if isinstance(own, JourneyTimes) else []
    if not known:
        return None
    wrong = [list(differences(schedule, run, accepted)) for run in known]
    fewest = min(range(len(known)), key=lambda index: len(wrong[index]))
    yield from wrong[fewest]
    return known[fewest]


def _cheapest(journey: Journey, tolerances: tuple[float, float]) -> list[_Best]:
    """The best departures where lateness has a price; none where it has not, or all take too long.

    One may be best because all is in time by rounding.
    """
    accepted, strict = tolerances
    if not journey.is_priced:
        return []
    found = [best(journey, slack, priced=True) for slack in (0.0, strict)]
    if found == [None, None]:
        found = [best(journey, accepted, priced=True)]
    prices = journey.vehicle.duration_cost + journey.vehicle.overtime_cost
    prices += sum(due.price for due in (*journey.dues, journey.back) if due is not None)
    good = [
        _Best(
            near.time,
            max(near.time, sharp.time),
            max(near.duration, sharp.duration),
            sharp.cost * (1 + COST_TOLERANCE) + accepted * prices,
            "cost",
        )
        for near, sharp in (each for each in found if each is not None)
    ]
    least = min((each.cost for each in good), default=0.0) + accepted * prices
    return [each for each in good if each.cost <= least]


def _leaves_too_late(journey: Journey, slack: float) -> str:
    """The limit that keeps a route from leaving when it could, in words."""
    first, latest = journey.first_departure(slack), journey.vehicle.latest_start
    limit = f"latest_start is {latest}"
    if journey.latest < latest:
        limit = f"its shift ends or its depot closes at {journey.latest:.9g}"
    return f"leaves at {first:.9g} or later, {limit}"


def _is_best(journey: Journey, runs: list[JourneyTimes], least: _Best, tolerance: float) -> bool:
    """Return whether the departure of all runs is as good as the best."""
    chosen = runs[0].departure
    return (
        journey.earliest - tolerance <= chosen <= journey.latest + tolerance
        and chosen <= least.latest + tolerance
        and min(run.end for run in runs) - chosen <= least.duration + tolerance
        and (least.cost == math.inf or min(time_cost(journey, run) for run in runs) <= least.cost)
    )


def too_long(journey: Journey, duration: float, tolerance: float) -> Iterator[Problem]:
    """The limit on the duration of a route, where it is broken."""
    vehicle = journey.vehicle
    if duration > vehicle.max_duration + vehicle.max_overtime + tolerance:
        more = f" and max_overtime {vehicle.max_overtime}" if vehicle.max_overtime else ""
        limit = f"max_duration {vehicle.max_duration}{more}"
        yield Limit("", f"duration {duration} exceeds {limit}")


def differences(
    schedule: RouteSchedule, right: JourneyTimes, tolerance: float
) -> Iterator[Problem]:
    """Times that are stated otherwise than they are."""
    pairs = [
        ("return", schedule.return_, right.end),
        ("duration", schedule.duration, right.end - right.departure),
    ]
    for key, times, expected in (
        ("arrivals", schedule.arrivals, right.arrivals),
        ("begins", schedule.begins, right.begins),
    ):
        if times is not None and len(times) != len(expected):
            yield Wrong(key, f"{len(times)} times, expected {len(expected)}")
            continue
        for index, (stated, own) in enumerate(zip(times or (), expected, strict=False)):
            pairs.append((f"{key}[{index}]", stated, own))
    for index, (rest, own) in enumerate(zip(schedule.breaks or (), right.rests, strict=False)):
        pairs.append((f"breaks[{index}].begin", rest.begin, own))
    for index, (item, (arrival, begin)) in enumerate(
        zip(schedule.reloads or (), right.reloads, strict=False)
    ):
        pairs.append((f"reloads[{index}].arrival", item.arrival, arrival))
        pairs.append((f"reloads[{index}].begin", item.begin, begin))
    for key, stated, own in pairs:
        if abs(stated - own) > tolerance:  # False where it is NaN
            yield Wrong(key, f"{stated}, expected {own}")


def frozen_times(
    journey: Journey, schedule: RouteSchedule, tolerance: float, later: Iterator[float]
) -> Judged:
    """Follows a route up to its first stop that is not frozen as stated, then at once.

    What is stated need only be possible: nothing arrives or begins before it can. The vehicle may
    have waited anywhere.

    Args:
        journey: The route, with its breaks.
        schedule: States departure, arrivals and begins of all stops, and `frozen`.
        tolerance: How far times may be off.
        later: When positions that are not frozen begin at the earliest; at its end, they may at
            once.
    """
    departure, frozen = schedule.departure, schedule.frozen or 0
    if departure < journey.earliest - tolerance:
        yield Limit("", f"leaves at {departure:.9g}, before {journey.earliest:.9g}", -1)
    if departure > journey.latest + tolerance:
        yield Limit("", f"leaves at {departure:.9g}, after {journey.latest:.9g}", -1)
    found = JourneyTimes(departure, [], [], departure, [], [])
    now = departure + journey.loading
    for call in journey.calls:
        given = given_times(schedule, found, call)
        arrival = begin = soonest = now + call.leg
        if given is not None:
            arrival, begin = given
            for key, stated, least in (("arrival", arrival, soonest), ("begin", begin, arrival)):
                if stated < least - tolerance:
                    words = f"{stated}, which is before {least}: it cannot be so early"
                    yield Wrong(f"{call.name}.{key}", words)
            begin = max(begin, soonest)
        opened = call.begin(begin, tolerance)
        if opened is None:
            # A break is where the stop before it is.
            at = len(found.begins) - call.name.startswith("breaks")
            late = f"begins at {begin:.9g}, after the last window closes"
            yield Limit("", f"{call.name}: {late}", at)
        elif given is None:
            begin = max(opened, next(later, opened))
        elif begin < opened - tolerance:
            early = f"begins at {begin:.9g}, expected {opened:.9g} or later"
            yield Limit("", f"{call.name}: {early}", len(found.begins))
        found.note(call.name, arrival, begin)
        now = begin + call.service
    if len(found.begins) <= frozen and schedule.return_ > now + tolerance:
        now = schedule.return_
    if now > journey.shift_end + tolerance:
        over = f"ends at {now:.9g}, {now - journey.shift_end:.6g} after the vehicle's shift"
        yield Limit("", f"return: {over}")
    found = found._replace(end=now)
    yield from too_long(journey, now - departure, tolerance)
    yield from differences(schedule, found, tolerance)
    return found


def given_times(
    schedule: RouteSchedule, found: JourneyTimes, call: Call
) -> tuple[float, float] | None:
    """Stated arrival and begin at the next position of its kind; None: not stated, or not frozen.

    The first stop that is not frozen may have been waited for anywhere, too.
    """
    served, given = len(found.begins), None
    if served > (schedule.frozen or 0):
        return None
    if call.name.startswith("customers") and schedule.begins is not None:
        begin = schedule.begins[served]
        return (schedule.arrivals[served] if schedule.arrivals else begin), begin
    if call.name.startswith("breaks") and schedule.breaks is not None:
        given = (schedule.breaks[len(found.rests)].begin,) * 2
    elif call.name.startswith("reloads") and schedule.reloads is not None:
        item = schedule.reloads[len(found.reloads)]
        given = item.arrival, item.begin
    return None if given is None or math.isnan(sum(given)) else given


class Lateness(NamedTuple):
    """Lateness of a route, and its overtime; 0 where it may not be late.

    Attributes:
        stops: Of each stop, how much later than its last window closes its service begins.
        back: How late it is back, or ends its last service.
        overtime: By how much its duration exceeds `max_duration`.
    """

    stops: list[float]
    back: float
    overtime: float


def lateness(journey: Journey, times: JourneyTimes) -> Lateness:
    """Lateness of a route with known times."""
    stops = [
        0.0 if due is None else due.late(begin)
        for due, begin in zip(journey.dues, times.begins, strict=True)
    ]
    back = 0.0 if journey.back is None else journey.back.late(times.end)
    return Lateness(stops, back, overtime(journey, times.end - times.departure))


def unfit_lateness(
    journey: Journey, schedule: RouteSchedule, late: Lateness, tolerance: float
) -> Iterator[Problem]:
    """Keys of the route that are missing, not expected, or not the right number."""
    states_times, stated_stops = schedule.begins is not None, schedule.late
    may_be_late = any(due is not None for due in journey.dues)
    if stated_stops is None:
        if may_be_late and states_times:
            yield Wrong("late", f"missing, expected a list of {len(late.stops)}")
    elif not may_be_late:
        yield Wrong("late", "not expected, no stop may be late")
    elif len(stated_stops) != len(late.stops):
        yield Wrong("late", f"{len(stated_stops)} numbers, expected {len(late.stops)}")
    else:
        for index, (stated, own) in enumerate(zip(stated_stops, late.stops, strict=True)):
            if abs(stated - own) > tolerance:
                yield Wrong(f"late[{index}]", f"{stated}, expected {own}")
    for key, stated, own, is_allowed in (
        ("late_return", schedule.late_return, late.back, journey.back is not None),
        ("overtime", schedule.overtime, late.overtime, journey.vehicle.max_overtime > 0.0),
    ):
        if math.isnan(stated):
            if is_allowed and states_times:
                yield Wrong(key, f"missing, expected {own}")
        elif not is_allowed:
            yield Wrong(key, "not expected, the vehicle allows none")
        elif abs(stated - own) > tolerance:
            yield Wrong(key, f"{stated}, expected {own}")


def price_of(
    journey: Journey, schedule: RouteSchedule, late: Lateness, tolerance: float
) -> tuple[float, float]:
    """Cost of lateness and overtime, and how far off that may be.

    What is stated within the tolerance of times is right: the cost is that of what is stated.
    """
    terms = [(late.overtime, schedule.overtime, journey.vehicle.overtime_cost)]
    if journey.back is not None:
        terms.append((late.back, schedule.late_return, journey.back.price))
    stated = schedule.late
    if stated is None or len(stated) != len(late.stops):
        stated = (math.nan,) * len(late.stops)
    for due, own, told in zip(journey.dues, late.stops, stated, strict=True):
        if due is not None:
            terms.append((own, told, due.price))
    cost = slack = 0.0
    for own, told, price in terms:
        if abs(told - own) <= tolerance:  # False where it is NaN
            cost += told * price
        else:
            cost += own * price
            slack += tolerance * price
    return cost, slack
