"""A route that goes on: the times of its frozen stops are given."""

import dataclasses

import pytest

from tests.build import on_a_line
from tests.vrpcore.referee.days import cost, day, problems, report
from vrpcore.instance.solution import RouteBreak, RouteReload

KEYS = {
    "depots": [{"id": "d", "x": 0, "y": 0}],
    "customers": on_a_line(3, 7, 9, window=[[0, 20], [0, 30], [0, 40]], service=[1, 1, 1]),
    "vehicles": [{"id": "van", "duration_cost": 1}],
}
PLAIN = day(KEYS)
# It left at 0 and waited until 6; what comes next was told at 10: it drives on then.
VAN = report(
    1, 2, 3, departure=0.0, arrivals=(3.0, 14.0, 17.0), begins=(6.0, 14.0, 17.0), return_=27.0,
    duration=27.0, frozen=1, cost=45.0,
)  # fmt: skip


def changed(**stated):
    return dataclasses.replace(VAN, schedule=dataclasses.replace(VAN.schedule, **stated))


def test_a_right_route_is_accepted():
    assert cost(PLAIN, VAN) == 45.0


def test_the_same_times_are_wrong_where_nothing_is_frozen():
    assert problems(PLAIN, changed(frozen=None))


@pytest.mark.parametrize(
    ("route", "problem"),
    [
        (changed(begins=(2.0, 14.0, 17.0)), "customers[0].begin: 2.0, which is before 3.0: it"),
        (changed(arrivals=(2.0, 14.0, 17.0)), "customers[0].arrival: 2.0, which is before 3.0"),
        (changed(begins=(6.0, 14.0, 18.0)), "begins[2]: 18.0, expected 17.0"),
        (changed(return_=28.0), "return: 28.0, expected 27.0"),
        (changed(duration=26.0), "duration: 26.0, expected 27.0"),
        (dataclasses.replace(VAN, cost=44.0), "cost: 44.0, expected 45.0"),
    ],
)
def test_each_wrong_number_by_its_message(route, problem):
    assert [text for text in problems(PLAIN, route) if text.startswith(f"routes[0].{problem}")]


TIGHT = {
    **KEYS,
    "customers": on_a_line(3, 7, 9, window=[[0, 5], [0, 30], [0, 40]], service=[1] * 3),
}


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        (TIGHT, "customers[0]: begins at 6, after the last window closes"),
        (
            {
                **KEYS,
                "customers": on_a_line(3, 7, 9, window=[[8, 9], [0, 30], [0, 40]], service=[1] * 3),
            },
            "customers[0]: begins at 6, expected 8 or later",
        ),
        (
            {**KEYS, "vehicles": [{"id": "van", "window": [1, 99], "duration_cost": 1}]},
            "leaves at 0, before 1",
        ),
        (
            {**KEYS, "vehicles": [{"id": "van", "window": [0, 26], "duration_cost": 1}]},
            "return: ends at 27, 1 after the vehicle's shift",
        ),
        (
            {**KEYS, "vehicles": [{"id": "van", "max_duration": 26, "duration_cost": 1}]},
            "duration 27.0 exceeds max_duration 26.0",
        ),
    ],
)
def test_a_frozen_part_breaks_limits_where_the_answer_says_so(keys, problem):
    instance = day(keys)
    assert problems(instance, VAN) == [f"routes[0]: {problem}"]
    warned = problems(instance, VAN, warnings=("FROZEN_BREAKS_LIMIT: van is late",))
    assert warned == []


def test_who_is_on_the_way_to_a_first_stop_may_break_limits_of_the_whole_route():
    keys = {**KEYS, "customers": on_a_line(3), "vehicles": [{"id": "van", "max_distance": 5}]}
    route = report(1, departure=0.0, arrivals=(3.0,), begins=(3.0,), frozen=0)
    assert problems(day(keys), route) == ["routes[0]: distance 6.0 exceeds max_distance 5.0"]
    assert problems(day(keys), route, warnings=("FROZEN_BREAKS_LIMIT",)) == []


def test_stops_that_are_not_frozen_break_no_limit():
    late = on_a_line(3, 7, 9, window=[[0, 20], [0, 30], [0, 16]], service=[1] * 3)
    found = problems(
        day({**KEYS, "customers": late}), VAN, warnings=("FROZEN_BREAKS_LIMIT: van is late",)
    )
    assert found == ["routes[0]: customers[2]: begins at 17, after the last window closes"]


def test_breaks_and_reloads_of_a_frozen_part():
    keys = {
        **KEYS,
        "vehicles": [{"id": "van", "breaks": [{"id": "lunch", "duration": 2}]}],
    }
    instance = day(keys, vehicles=[{"reloads": (0,)}])
    reload = RouteReload(depot="d", after=1, arrival=8.0, begin=9.0, return_load=0.0)
    lunch = RouteBreak(id="lunch", begin=10.0, after=1, at_reload=True)
    stated = {
        "departure": 1.0, "arrivals": (4.0, 19.0, 22.0), "begins": (4.0, 19.0, 22.0),
        "reloads": (reload,), "breaks": (lunch,), "frozen": 1, "return_": 32.0,
    }  # fmt: skip
    assert problems(instance, report(1, 2, 3, **stated)) == []
    early = dataclasses.replace(reload, begin=7.0)
    found = problems(instance, report(1, 2, 3, **{**stated, "reloads": (early,)}))
    assert "routes[0].reloads[0].begin: 7.0, which is before 8.0: it cannot be so early" in found


def test_a_vehicle_that_is_under_way_to_its_first_stop():
    keys = {**KEYS, "customers": on_a_line(3, release=[2])}
    route = report(1, departure=0.0, arrivals=(3.0,), begins=(5.0,), frozen=0)
    assert problems(day(keys), route) == ["routes[0]: leaves at 0, before 2"]
    assert problems(day(keys), route, warnings=("FROZEN_BREAKS_LIMIT",)) == []
