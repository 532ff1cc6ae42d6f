"""The departure that a route states, where rounding decides."""

import dataclasses
import random

import pytest

from tests.build import on_a_line
from tests.vrpcore.referee.days import NAN, day, problems, random_day, report
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.plan import Route
from vrpcore.instance.solution import RouteBreak, RouteReload
from vrpcore.instance.vehicle_types import Break
from vrpcore.referee.route_limits import Journey
from vrpcore.referee.stated_times import TimesCheck

KEYS = {
    "depots": [{"id": "d", "x": 0, "y": 0}],
    "customers": on_a_line(3, 7, window=[[0, 3], [20, 99]]),
    "vehicles": [{"id": "van", "duration_cost": 2}],
}
LATE = {"max_late": [9.0, 0.0], "late_cost": [1.0, 0.0]}


def test_the_right_times_of_routes_that_state_none():
    instance = day(KEYS, **LATE)
    check = TimesCheck(Journey(instance, Route(0, (1, 2))), report(1, 2).schedule, (1e-6, 1e-9))
    times = check.best()
    assert (times.departure, times.begins, times.end) == (9.0, [12.0, 20.0], 27.0)
    assert (check.problems, check.limits) == ([], [])


def test_a_departure_within_the_tolerance_is_right():
    instance = day(KEYS, **LATE)
    near = report(1, 2, departure=9.0 + 1e-6, begins=(12.0, 20.0), late=(9.0, 0.0))
    assert problems(instance, near) == []
    far = report(1, 2, departure=9.001, begins=(12.001, 20.0), late=(9.001, 0.0))
    assert problems(instance, far)[0].startswith("routes[0].departure: 9.001, expected 9.0")


def test_a_route_that_can_only_leave_too_late():
    keys = {**KEYS, "customers": on_a_line(3, release=[5])}
    keys["vehicles"] = [{"id": "van", "latest_start": 4}]
    assert problems(day(keys), report(1)) == [
        "routes[0]: leaves at 5 or later, latest_start is 4.0"
    ]


def test_a_duration_beyond_its_limit():
    keys = {**KEYS, "vehicles": [{"id": "van", "max_duration": 17}]}
    early = report(1, 2, departure=9.0)
    assert problems(day(keys, **LATE), early)[0].startswith("routes[0]: duration 17.99")


def scheduled(instance, route):
    """A route with all that the solver's timeline says of it; None: it finds no times."""
    own, van = instance.own_constraints, instance.own_constraints.vehicles[0]
    found = Timeline(instance).schedule(route)
    if found is None:
        return None
    reloads = tuple(
        RouteReload(
            depot="d", after=each.after, arrival=each.arrival, begin=each.begin,
            return_load=each.return_load[0],
        )
        for each in found.reloads
    )  # fmt: skip
    rests = tuple(
        RouteBreak(
            id=van.breaks[each.number].id, begin=each.begin, after=each.after,
            at_reload=each.at_reload,
        )
        for each in found.breaks
    )  # fmt: skip
    return report(
        *route.stops,
        load=found.load[0],
        cost=found.cost,
        start=None if van.start is None else "d",
        end=None if van.end is None else "d",
        distance=found.distance,
        duration=found.duration,
        departure=found.departure,
        return_=found.end,
        arrivals=found.arrivals,
        begins=found.begins,
        breaks=rests if van.breaks else None,
        reloads=reloads,
        late=found.late if own.max_late.any() else None,
        late_return=found.late_return if van.max_late > 0 else NAN,
        overtime=found.overtime if van.max_overtime > 0 else NAN,
    )


@pytest.mark.parametrize("part", range(4))
def test_the_referee_accepts_what_the_timeline_finds(part):
    accepted = 0
    for seed in range(150 * part, 150 * part + 150):
        instance, route = random_day(random.Random(seed))
        if seed % 2:
            own = instance.own_constraints
            lunch = Break(id="lunch", windows=((5.0, 9.0), (20.0, 60.0)), duration=3.0)
            van = dataclasses.replace(own.vehicles[0], breaks=(lunch,))
            own = dataclasses.replace(own, vehicles=(van,))
            instance = dataclasses.replace(instance, constraints=own)
        stated = scheduled(instance, route)
        van = instance.own_constraints.vehicles[0]
        bare = report(
            *route.stops,
            start=None if van.start is None else "d",
            end=None if van.end is None else "d",
            reloads=tuple(RouteReload(depot="d", after=each.after) for each in route.reloads),
        )
        if stated is None:
            assert problems(instance, bare), seed
        elif stated.schedule.duration > van.max_duration + van.max_overtime:
            assert "exceeds max_duration" in problems(instance, bare)[0], seed
        else:
            assert problems(instance, stated) == problems(instance, bare) == [], seed
            accepted += 1
    assert accepted > 40
