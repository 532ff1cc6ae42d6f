"""Activities of vehicles in order, as their routes state them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from vrpcore.instance.instance import Instance
    from vrpcore.instance.solution import RouteSchedule
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
