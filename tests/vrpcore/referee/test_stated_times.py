"""The departure that a route states, where rounding decides."""

from tests.build import on_a_line
from tests.vrpcore.referee.days import day, problems, report
from vrpcore.instance.plan import Route
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
