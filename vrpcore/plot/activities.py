"""Activities of vehicles in order, as their routes state them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from vrpcore.cost.timeline import Timeline
from vrpcore.instance.plan import Route
from vrpcore.instance.solution import route_reloads
from vrpcore.plot.map import route_stops
from vrpcore.plot.style import route_types

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from vrpcore.instance.instance import Instance
    from vrpcore.instance.solution import RouteSchedule, Solution
    from vrpcore.instance.vehicle_types import Break, Window

Kind = Literal["travel", "waiting", "service", "break", "loading"]


class Bar(NamedTuple):
    """An activity of a vehicle, at a stop of its route or on the way there."""

    kind: Kind
    begin: float
    end: float
    stop: int | None = None


def loading_times(problem: Instance) -> dict[str, float]:
    """Loading time at each depot, by its id."""
    return {depot.id: depot.service for depot in problem.own_constraints.depots}


def service_times(problem: Instance, answer: Solution) -> list[list[float]]:
    """How long each stop of each route takes, with its setup; 0 where the instance is plain.

    Raises:
        InstanceError: A route names a customer or a vehicle that is not in the instance.
    """
    if problem.constraints is None:
        return [[0.0] * len(route.customers) for route in answer.routes]
    times, kinds, found = Timeline(problem), route_types(problem, answer), []
    for kind, stops, route in zip(kinds, route_stops(problem, answer), answer.routes, strict=True):
        reloads = () if route.schedule is None else route_reloads(problem, route.schedule)
        found.append(times.services(Route(kind, tuple(stops), reloads)))
    return found


def bars(
    schedule: RouteSchedule,
    services: Sequence[float],
    breaks: Sequence[Break],
    loading: Mapping[str, float],
) -> Iterator[Bar]:
    """List a vehicle's activities from departure to return, as its route states; none are empty.

    Args:
        schedule: Its times, all of them stated.
        services: How long each stop takes, with its setup.
        breaks: Of its type.
        loading: How long loading takes at each depot, by its id.
    """
    lasting = {each.id: each.duration for each in breaks}
    reloads = {each.after: each for each in schedule.reloads or ()}
    left = schedule.departure + loading.get(schedule.start or "", 0.0)
    found = [Bar("loading", schedule.departure, left)]

    def rest(after: int, at_reload: bool = False) -> float:
        """Adds the breaks behind a number of stops, or at the reload there; when they are over."""
        now = left
        for each in schedule.breaks or ():
            if (each.after, each.at_reload) == (after, at_reload):
                end = each.begin + lasting[each.id]
                found.extend((Bar("waiting", now, each.begin), Bar("break", each.begin, end)))
                now = end
        return now

    times = zip(schedule.arrivals or (), schedule.begins or (), services, strict=True)
    for stop, (arrival, begin, service) in enumerate(times):
        left = rest(stop)
        if (reload := reloads.get(stop)) is not None:
            end = reload.begin + loading[reload.depot]
            found += [
                Bar("travel", left, reload.arrival),
                Bar("waiting", reload.arrival, reload.begin),
                Bar("loading", reload.begin, end),
            ]
            left = end
            left = rest(stop, at_reload=True)
        found += [
            Bar("travel", left, arrival, stop),
            Bar("waiting", arrival, begin, stop),
            Bar("service", begin, begin + service, stop),
        ]
        left = begin + service
    found.append(Bar("travel", rest(len(services)), schedule.return_))
    yield from (bar for bar in found if bar.end > bar.begin)


def late_spans(schedule: RouteSchedule) -> list[Window]:
    """Periods of lateness: from when a stop or the return was due; and overtime.

    Args:
        schedule: Its times, all of them stated.
    """
    pairs = zip(schedule.begins or (), schedule.late or (), strict=False)
    found = [(begin - late, begin) for begin, late in pairs if late > 0]
    beyond = (schedule.late_return, schedule.overtime)
    return found + [(schedule.return_ - each, schedule.return_) for each in beyond if each > 0]
