"""Times as a route states them: its departure, lateness, and a frozen part."""

import dataclasses
import random

import pytest

from tests.build import on_a_line, parts
from tests.vrpcore.referee.days import (
    NAN,
    changed,
    cost,
    day,
    problems,
    random_day,
    report,
    with_breaks,
)
from vrpcore.cost.route_schedule import route_report
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.solution import RouteBreak, RouteReload
from vrpcore.instance.vehicle_types import Break

KEYS = {
    "customers": on_a_line(3, 7, window=[[0, 3], [20, 99]]),
    "vehicles": [{"id": "van", "duration_cost": 2}],
}
LATE = {"max_late": [9.0, 0.0], "late_cost": [1.0, 0.0]}


def test_a_departure_within_the_tolerance_is_right():
    instance = day(KEYS, **LATE)
    near = report(1, 2, departure=9.0 + 1e-6, begins=(12.0, 20.0), late=(9.0, 0.0))
    assert problems(instance, near) == []
    far = report(1, 2, departure=9.001, begins=(12.001, 20.0), late=(9.001, 0.0))
    assert problems(instance, far)[0].startswith("routes[0].departure: 9.001, expected 9.0")


def test_a_duration_beyond_its_limit():
    keys = {**KEYS, "vehicles": [{"id": "van", "max_duration": 17}]}
    early = report(1, 2, departure=9.0)
    assert problems(day(keys, **LATE), early)[0].startswith("routes[0]: duration 17.99")


def scheduled(instance, route):
    """A route with all that the solver's timeline says of it; None: it finds no times."""
    found = Timeline(instance).schedule(route)
    return None if found is None else route_report(instance, route, found)


@pytest.mark.parametrize("part", parts(4))
def test_the_referee_accepts_what_the_timeline_finds(part):
    accepted = 0
    for seed in range(150 * part, 150 * part + 150):
        instance, route = random_day(random.Random(seed))
        if seed % 2:
            lunch = Break(id="lunch", windows=((5.0, 9.0), (20.0, 60.0)), duration=3.0)
            instance = with_breaks(instance, lunch)
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


# Out 3 and serves, too late by 1; on 4; home at 14, too late by 2, after 14 instead of 11.
LATE_KEYS = {
    "customers": on_a_line(3, 7, window=[[0, 2], [0, 99]]),
    "vehicles": [{"id": "van", "window": [0, 12], "max_duration": 11}],
}
LIMITS = {"max_late": 4.0, "late_cost": 10.0, "max_overtime": 4.0, "overtime_cost": 100.0}
TOO_LATE = day(LATE_KEYS, vehicles=[LIMITS], max_late=[1.5, 0.0], late_cost=[7.0, 0.0])
LATE_VAN = report(
    1, 2, load=0.0, cost=341.0, distance=14.0, duration=14.0, departure=0.0, return_=14.0,
    arrivals=(3.0, 7.0), begins=(3.0, 7.0), late=(1.0, 0.0), late_return=2.0, overtime=3.0,
)  # fmt: skip


def test_a_late_route_is_accepted():
    assert cost(TOO_LATE, LATE_VAN, cost=341.0) == 14 + 7 + 20 + 300
    assert cost(TOO_LATE, report(1, 2)) == 341.0


@pytest.mark.parametrize(
    ("route", "problem"),
    [
        (changed(LATE_VAN, late=None), "late: missing, expected a list of 2"),
        (changed(LATE_VAN, late=(1.0,)), "late: 1 numbers, expected 2"),
        (changed(LATE_VAN, late=(0.0, 0.0)), "late[0]: 0.0, expected 1.0"),
        (changed(LATE_VAN, late_return=NAN), "late_return: missing, expected 2.0"),
        (changed(LATE_VAN, late_return=1.0), "late_return: 1.0, expected 2.0"),
        (changed(LATE_VAN, overtime=NAN), "overtime: missing, expected 3.0"),
        (changed(LATE_VAN, overtime=0.0), "overtime: 0.0, expected 3.0"),
        (changed(LATE_VAN, cost=14.0), "cost: 14.0, expected 341.0"),
    ],
)
def test_each_wrong_lateness_by_its_message(route, problem):
    assert problems(TOO_LATE, route) == [f"routes[0].{problem}"]


def test_what_may_not_be_late_states_nothing():
    keys = {"customers": on_a_line(3, 7)}
    assert problems(day(keys), LATE_VAN) == [
        "routes[0].late: not expected, no stop may be late",
        "routes[0].late_return: not expected, the vehicle allows none",
        "routes[0].overtime: not expected, the vehicle allows none",
        "routes[0].cost: 341.0, expected 14.0",
    ]


@pytest.mark.parametrize(
    ("vehicle", "most", "problem"),
    [
        ({}, 0.5, "customers[0]: arrives at 3, 0.5 more than max_late after the last window"),
        ({"max_late": 1.0}, 1.5, "return: ends at 14, 1 more than max_late after the vehicle's"),
        ({"max_overtime": 2.0}, 1.5, "duration 14.0 exceeds max_duration 11.0 and max_overtime 2"),
    ],
)
def test_each_limit_by_its_message(vehicle, most, problem):
    instance = day(
        LATE_KEYS, vehicles=[{**LIMITS, **vehicle}], max_late=[most, 0.0], late_cost=[7.0, 0.0]
    )
    assert problems(instance, report(1, 2))[0].startswith(f"routes[0]: {problem}")


def test_a_vehicle_leaves_within_its_shift_even_if_it_may_be_back_late():
    keys = {"customers": on_a_line(3, 7, release=[13, 13])}
    vehicles = [{"id": "van", "window": [0, 12]}]
    instance = day(keys | {"vehicles": vehicles}, vehicles=[{"max_late": float("inf")}])
    assert problems(instance, report(1, 2)) == [
        "routes[0]: leaves at 13 or later, its shift ends or its depot closes at 12"
    ]


def test_what_it_costs_more_that_a_type_serves_a_stop():
    prices = [[5.0, 2.0]]
    keys = {"customers": on_a_line(3, 7)}
    assert cost(day(keys, vehicle_cost=prices), report(1, 2)) == 21.0
    ends = {"pickup": {"x": 1, "y": 0}, "delivery": {"x": 2, "y": 0}}
    keys = {**keys, "customers": [], "shipments": [{"id": "s", "amount": 1, **ends}]}
    instance = day(keys, vehicle_cost=[[5.0, 5.0]])
    assert cost(instance, report("s:pickup", "s:delivery")) == 9.0


def test_the_departure_of_the_least_cost_is_expected():
    # Leaving 9 later saves 9 of waiting at 2 each, and makes the first 9 late at 1 each.
    instance = day(KEYS, **LATE)
    right = report(1, 2, departure=9.0, begins=(12.0, 20.0), late=(9.0, 0.0), cost=59.0)
    assert cost(instance, right) == 59.0
    early = report(1, 2, departure=4.0, begins=(7.0, 20.0), late=(4.0, 0.0), cost=64.0)
    said = "routes[0].departure: 4.0, expected 9.0 for the least cost"
    assert problems(instance, early)[0] == said
    # Both cost the same; the least duration decides.
    same = day(KEYS, **LATE | {"late_cost": [2.0, 0.0]})
    assert problems(same, changed(early, cost=68.0))[0] == said
    assert cost(same, changed(right, cost=68.0)) == 68.0


DAY_KEYS = {
    "customers": on_a_line(3, 7, 9, window=[[0, 20], [0, 30], [0, 40]], service=[1, 1, 1]),
    "vehicles": [{"id": "van", "duration_cost": 1}],
}
PLAIN = day(DAY_KEYS)
# It left at 0 and waited until 6; what comes next was told at 10: it drives on then.
VAN = report(
    1, 2, 3, departure=0.0, arrivals=(3.0, 14.0, 17.0), begins=(6.0, 14.0, 17.0), return_=27.0,
    duration=27.0, frozen=1, cost=45.0,
)  # fmt: skip


def test_a_right_route_is_accepted():
    assert cost(PLAIN, VAN) == 45.0


def test_the_same_times_are_wrong_where_nothing_is_frozen():
    assert problems(PLAIN, changed(VAN, frozen=None))


@pytest.mark.parametrize(
    ("route", "problem"),
    [
        (
            changed(VAN, begins=(2.0, 14.0, 17.0)),
            "customers[0].begin: 2.0, which is before 3.0: it",
        ),
        (
            changed(VAN, arrivals=(2.0, 14.0, 17.0)),
            "customers[0].arrival: 2.0, which is before 3.0",
        ),
        (changed(VAN, begins=(6.0, 14.0, 18.0)), "begins[2]: 18.0, expected 17.0"),
        (changed(VAN, return_=28.0), "return: 28.0, expected 27.0"),
        (changed(VAN, duration=26.0), "duration: 26.0, expected 27.0"),
        (changed(VAN, cost=44.0), "cost: 44.0, expected 45.0"),
    ],
)
def test_each_wrong_number_by_its_message(route, problem):
    assert [text for text in problems(PLAIN, route) if text.startswith(f"routes[0].{problem}")]


@pytest.mark.parametrize(
    ("first", "vehicle", "problem"),
    [
        ([0, 5], {}, "customers[0]: begins at 6, after the last window closes"),
        ([8, 9], {}, "customers[0]: begins at 6, expected 8 or later"),
        ([0, 20], {"window": [1, 99]}, "leaves at 0, before 1"),
        ([0, 20], {"window": [0, 26]}, "return: ends at 27, 1 after the vehicle's shift"),
        ([0, 20], {"max_duration": 26}, "duration 27.0 exceeds max_duration 26.0"),
    ],
)
def test_a_frozen_part_breaks_limits_where_the_answer_says_so(first, vehicle, problem):
    customers = on_a_line(3, 7, 9, window=[first, [0, 30], [0, 40]], service=[1] * 3)
    vehicles = [{"id": "van", "duration_cost": 1, **vehicle}]
    instance = day({"customers": customers, "vehicles": vehicles})
    assert problems(instance, VAN) == [f"routes[0]: {problem}"]
    warned = problems(instance, VAN, warnings=("FROZEN_BREAKS_LIMIT: van is late",))
    assert warned == []


def test_who_is_on_the_way_to_a_first_stop_may_break_limits_of_the_whole_route():
    keys = {**DAY_KEYS, "customers": on_a_line(3), "vehicles": [{"id": "van", "max_distance": 5}]}
    route = report(1, departure=0.0, arrivals=(3.0,), begins=(3.0,), frozen=0)
    assert problems(day(keys), route) == ["routes[0]: distance 6.0 exceeds max_distance 5.0"]
    assert problems(day(keys), route, warnings=("FROZEN_BREAKS_LIMIT",)) == []


def test_a_route_that_leaves_after_the_freeze_is_judged_as_any_other():
    fresh = changed(
        VAN, departure=20.0, arrivals=(23.0, 28.0, 31.0), begins=(23.0, 28.0, 31.0), return_=41.0,
        duration=21.0, frozen=0,
    )  # fmt: skip
    wide = on_a_line(3, 7, 9, window=[[0, 50]] * 3, service=[1] * 3)
    instance = day({**DAY_KEYS, "customers": wide})
    assert cost(instance, changed(fresh, cost=39.0), freeze=20.0) == 39.0
    (said,) = problems(instance, changed(fresh, frozen=1, cost=39.0), freeze=20.0)
    assert said == "routes[0].frozen: 1, expected 0: it leaves after the freeze"
    later = problems(instance, changed(fresh, cost=39.0), freeze=15.0)
    assert "routes[0].departure: 20.0, expected 15.0" in later[0]
    small = day({**DAY_KEYS, "customers": wide, "vehicles": [{"id": "van", "max_distance": 5}]})
    warned = {"freeze": 20.0, "warnings": ("FROZEN_BREAKS_LIMIT",)}
    assert any("exceeds max_distance" in text for text in problems(small, fresh, **warned))


def test_stops_that_are_not_frozen_break_no_limit():
    late = on_a_line(3, 7, 9, window=[[0, 20], [0, 30], [0, 16]], service=[1] * 3)
    found = problems(
        day({**DAY_KEYS, "customers": late}), VAN, warnings=("FROZEN_BREAKS_LIMIT: van is late",)
    )
    assert found == ["routes[0]: customers[2]: begins at 17, after the last window closes"]


def test_breaks_and_reloads_of_a_frozen_part():
    keys = {**DAY_KEYS, "vehicles": [{"id": "van", "breaks": [{"id": "lunch", "duration": 2}]}]}
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
    keys = {**DAY_KEYS, "customers": on_a_line(3, release=[2])}
    route = report(1, departure=0.0, arrivals=(3.0,), begins=(5.0,), frozen=0)
    assert problems(day(keys), route) == ["routes[0]: leaves at 0, before 2"]
    assert problems(day(keys), route, warnings=("FROZEN_BREAKS_LIMIT",)) == []
