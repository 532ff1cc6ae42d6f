"""Lateness and overtime: what a route states of them, and what they cost."""

import dataclasses

import pytest

from tests.build import on_a_line
from tests.vrpcore.referee.days import cost, day, problems, report

# Out 3 and serves, too late by 1; on 4; home at 14, too late by 2, after 14 instead of 11.
KEYS = {
    "depots": [{"id": "d", "x": 0, "y": 0}],
    "customers": on_a_line(3, 7, window=[[0, 2], [0, 99]]),
    "vehicles": [{"id": "van", "window": [0, 12], "max_duration": 11}],
}
LIMITS = {"max_late": 4.0, "late_cost": 10.0, "max_overtime": 4.0, "overtime_cost": 100.0}
LATE = day(KEYS, vehicles=[LIMITS], max_late=[1.5, 0.0], late_cost=[7.0, 0.0])
VAN = report(
    1, 2, load=0.0, cost=341.0, distance=14.0, duration=14.0, departure=0.0, return_=14.0,
    arrivals=(3.0, 7.0), begins=(3.0, 7.0), late=(1.0, 0.0), late_return=2.0, overtime=3.0,
)  # fmt: skip


def changed(**stated):
    return dataclasses.replace(VAN, schedule=dataclasses.replace(VAN.schedule, **stated))


def test_a_right_route_is_accepted():
    assert cost(LATE, VAN, cost=341.0) == 14 + 7 + 20 + 300
    assert cost(LATE, report(1, 2)) == 341.0


NAN = float("nan")


@pytest.mark.parametrize(
    ("route", "problem"),
    [
        (changed(late=None), "late: missing, expected a list of 2"),
        (changed(late=(1.0,)), "late: 1 numbers, expected 2"),
        (changed(late=(0.0, 0.0)), "late[0]: 0.0, expected 1.0"),
        (changed(late_return=NAN), "late_return: missing, expected 2.0"),
        (changed(late_return=1.0), "late_return: 1.0, expected 2.0"),
        (changed(overtime=NAN), "overtime: missing, expected 3.0"),
        (changed(overtime=0.0), "overtime: 0.0, expected 3.0"),
        (dataclasses.replace(VAN, cost=14.0), "cost: 14.0, expected 341.0"),
    ],
)
def test_each_wrong_number_by_its_message(route, problem):
    assert problems(LATE, route) == [f"routes[0].{problem}"]


def test_what_may_not_be_late_states_nothing():
    keys = {**KEYS, "customers": on_a_line(3, 7), "vehicles": [{"id": "van"}]}
    assert problems(day(keys), VAN) == [
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
        KEYS, vehicles=[{**LIMITS, **vehicle}], max_late=[most, 0.0], late_cost=[7.0, 0.0]
    )
    assert problems(instance, report(1, 2))[0].startswith(f"routes[0]: {problem}")


def test_a_vehicle_leaves_within_its_shift_even_if_it_may_be_back_late():
    keys = {**KEYS, "customers": on_a_line(3, 7, release=[13, 13]), "vehicles": [{"id": "van"}]}
    keys["vehicles"] = [{"id": "van", "window": [0, 12]}]
    instance = day(keys, vehicles=[{"max_late": float("inf")}])
    assert problems(instance, report(1, 2)) == [
        "routes[0]: leaves at 13 or later, its shift ends or its depot closes at 12"
    ]


def test_what_it_costs_more_that_a_type_serves_a_stop():
    prices = [[5.0, 2.0]]
    keys = {**KEYS, "customers": on_a_line(3, 7), "vehicles": [{"id": "van"}]}
    assert cost(day(keys, vehicle_cost=prices), report(1, 2)) == 21.0
    ends = {"pickup": {"x": 1, "y": 0}, "delivery": {"x": 2, "y": 0}}
    keys = {**keys, "customers": [], "shipments": [{"id": "s", "amount": 1, **ends}]}
    instance = day(keys, vehicle_cost=[[5.0, 5.0]])
    assert cost(instance, report("s:pickup", "s:delivery")) == 9.0


def test_the_departure_of_the_least_cost_is_expected():
    # Leaving 9 later saves 9 of waiting at 2 each, and makes the first 9 late at 1 each.
    keys = {
        **KEYS,
        "customers": on_a_line(3, 7, window=[[0, 3], [20, 99]]),
        "vehicles": [{"id": "van", "duration_cost": 2}],
    }
    instance = day(keys, max_late=[9.0, 0.0], late_cost=[1.0, 0.0])
    right = report(1, 2, departure=9.0, begins=(12.0, 20.0), late=(9.0, 0.0), cost=59.0)
    assert cost(instance, right) == 59.0
    early = report(1, 2, departure=4.0, begins=(7.0, 20.0), late=(4.0, 0.0), cost=64.0)
    assert problems(instance, early)[0] == (
        "routes[0].departure: 4.0, expected 9.0 for the least cost"
    )
    # Both cost the same; the least duration decides.
    same = day(keys, max_late=[9.0, 0.0], late_cost=[2.0, 0.0])
    assert problems(same, dataclasses.replace(early, cost=68.0))[0] == (
        "routes[0].departure: 4.0, expected 9.0 for the least cost"
    )
    assert cost(same, dataclasses.replace(right, cost=68.0)) == 68.0
