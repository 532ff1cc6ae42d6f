"""The times of a route that was begun before some time: its fixed part, and what follows it."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from vrpcore.cost.itinerary import Itinerary
from vrpcore.cost.route_schedule import Schedule, route_report
from vrpcore.cost.timeline import Timeline, breaks_by_load
from vrpcore.cost.trips import Boards, boards_of, trip_at
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Plan, Route, Started
from vrpcore.instance.solution import RouteReport
from vrpcore.instance.vehicle_types import Break, Window


class AnswerTimes:
    """Schedules and reports the routes of an answer.

    Args:
        instance: With constraints.
        plan: Its routes; where it goes on, with what stays of them.

    Attributes:
        slack: As of `Timeline`.
    """

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self._instance, self._goes_on = instance, plan.freeze is not None
        self._timeline = Timeline(instance, -math.inf if plan.freeze is None else plan.freeze)
        self._started = {row: own for row, own in enumerate(plan.started) if own is not None}
        self.slack = self._timeline.slack

    def schedule(self, row: int, route: Route) -> Schedule | None:
        """The best times of a route, as of `Timeline`.

        Args:
            row: Of its vehicle in the answer; behind its routes: one that is not used there.
            route: The route.
        """
        if row not in self._started:
            return self._timeline.schedule(route)
        return schedule_begun(self._timeline, route, self._started[row])

    def load(self, row: int, route: Route) -> tuple[float, ...]:
        """The most on board in any trip, by dimension; arguments are as for `schedule`."""
        boards = _boards(self._instance.own_constraints, route, self._started.get(row))
        return tuple(float(max(board)) for board in boards)

    def report(self, row: int, route: Route, found: Schedule) -> RouteReport:
        """Report a route; `found` are its times, other arguments are as for `schedule`."""
        if (started := self._started.get(row)) is None:
            report = route_report(self._instance, route, found)
            return _with(report, frozen=0) if self._goes_on else report
        ids, goods = self._instance.ids, {each.id: each.amount for each in started.loaded}
        loaded = {
            stop: goods[ids[stop - 1]]
            for stop in trip_at(route, started.trip)
            if ids[stop - 1] in goods
        }
        report = route_report(self._instance, route, found, loaded)
        facts = {"loaded": started.loaded, "is_lost": started.is_lost, "frozen": started.stops}
        return _with(report, **facts)


def _with(report: RouteReport, **facts: Any) -> RouteReport:
    """The report whose schedule states more."""
    return replace(report, schedule=report.schedule and replace(report.schedule, **facts))


def schedule_begun(timeline: Timeline, route: Route, started: Started) -> Schedule | None:
    """The best times of a route that was begun, as of `Timeline`.

    To a route that is over nothing can be added: if it cannot keep limits on rides and waits, it
    ignores them, and then takes its breaks with whatever is on board.

    Args:
        timeline: Of the instance.
        route: The route.
        started: What of it is fixed.
    """
    bare = going_on(timeline.itinerary(route), started)
    own = timeline.constraints.vehicles[route.vehicle].breaks
    boards = _boards(timeline.constraints, route, started)
    breaks, by_load = breaks_to_take(own, started, bare), breaks_by_load(own, boards)
    places = {number: after for number, after, _ in started.breaks}

    def fits(index: int, after: int, *, overloaded: bool = False) -> bool:
        if index in places:
            return after == places[index]
        return after >= len(started.begins) and (overloaded or by_load(index, after))

    found = timeline.timed(route, bare, boards, breaks, fits)
    if found is None and started.is_over:
        bare = bare._replace(holds=bare.holds and bare.holds.behind(len(bare.holds.breaks), 0.0))
        found = timeline.timed(route, bare, boards, breaks, fits)
        found = found or timeline.timed(route, bare, boards, breaks, partial(fits, overloaded=True))
    return found


def _boards(constraints: Constraints, route: Route, started: Started | None) -> Boards:
    """Loads on board of a route, of which the trip under way was loaded with what is known."""
    if started is None:
        return boards_of(constraints, route)
    return boards_of(constraints, route, {started.trip: [each.amount for each in started.loaded]})


def going_on(itinerary: Itinerary, started: Started) -> Itinerary:
    """The itinerary of a route whose first positions have the times that they had.

    The vehicle goes on no earlier than at the time of the freeze. What of it is fixed may be late.

    Args:
        itinerary: Of the route without breaks.
        started: What is fixed.
    """
    fixed = len(started.begins)
    windows, services = list(itinerary.windows), list(itinerary.services)
    windows[:fixed] = [[(begin, begin)] for begin in started.begins]
    if started.is_over:
        windows[fixed:] = [late_windows(own) for own in windows[fixed:]]
    loading, stays = itinerary.loading, fixed < itinerary.num_visits
    waited, holds = 0.0, itinerary.holds
    if stays and started.home is not None:  # it reloads there
        windows[fixed] = [
            (max(first, started.until), max(last, started.until)) for first, last in windows[fixed]
        ]
    elif stays and not started.rests_after(fixed):
        if fixed:
            waited = max(0.0, started.until - started.begins[-1] - services[fixed - 1])
            services[fixed - 1] += waited
        else:
            loading = max(loading, started.until - started.departure)
    return itinerary._replace(
        holds=holds and holds.behind(fixed, waited),
        earliest=started.departure,
        latest_start=started.departure,
        latest=math.inf,
        windows=windows,
        services=services,
        loading=loading,
    )


def late_windows(windows: Sequence[Window]) -> list[Window]:
    """Windows of which the last one never closes."""
    if not windows:
        return [(-math.inf, math.inf)]
    return [*windows[:-1], (windows[-1][0], math.inf)]


def breaks_to_take(
    breaks: Sequence[Break], started: Started, itinerary: Itinerary
) -> tuple[Break, ...]:
    """Breaks of a route that was begun: at the times that they had, or not before it is free.

    One that has been missed by then is taken at once.

    Args:
        breaks: Of the vehicle type.
        started: What is fixed.
        itinerary: As `going_on` made it.
    """
    fixed, free, found = len(started.begins), _free_from(itinerary, started, breaks), list[Break]()
    taken = {number: (after, begin) for number, after, begin in started.breaks}
    last = max((begin for after, begin in taken.values() if after == fixed), default=math.inf)
    for number, own in enumerate(breaks):
        if number in taken:
            _, begin = taken[number]
            lasts = own.duration
            if begin == last and fixed < itinerary.num_visits:
                lasts = max(lasts, started.until - begin)
            # Not two with equal windows, which would have to be taken in the order of the list.
            end = begin + len(found) * math.ulp(begin)
            found.append(replace(own, windows=((begin, end),), duration=lasts))
            continue
        later = tuple((max(first, free), end) for first, end in own.windows if end >= free)
        if not later and started.is_over:
            later = ((free, math.inf),)
        elif not later:
            later, free = ((free, free),), free + own.duration
        found.append(replace(own, windows=later))
    return tuple(found)


def _free_from(itinerary: Itinerary, started: Started, breaks: Sequence[Break]) -> float:
    """When the vehicle may begin something that is not fixed; arguments as of `breaks_to_take`."""
    last = started.departure + itinerary.loading
    if started.begins:
        last = started.begins[-1] + itinerary.services[len(started.begins) - 1]
    for number, after, begin in started.breaks:
        if after == len(started.begins):
            last = max(last, begin + breaks[number].duration)
    return max(started.until, last)
