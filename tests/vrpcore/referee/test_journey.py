"""Legs, services, windows and times of one vehicle, by hand and beside the timeline."""

import pytest

from tests.build import constrained, on_a_line
from tests.vrpcore.cost.cases import random_times
from tests.vrpcore.referee.days import day
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.plan import Route
from vrpcore.referee.departures import best
from vrpcore.referee.journey import Journey, service_of, time_tolerance

WAITS = constrained(
    customers=on_a_line(3, 7, windows=[[[0, 4], [10, 20]], [[0, 99]]], service=[2, 1]),
    vehicles=[{}, {"start": None, "end": "0"}],
)


def test_times_after_a_departure():
    times = Journey(WAITS, Route(0, (1, 2))).times(2.0, 0.0)
    assert (times.departure, times.arrivals, times.begins, times.end) == (2, [5, 16], [10, 16], 24)
    late = Journey(WAITS, Route(0, (1, 2))).times(18.0, 0.5)
    assert late.words == "customers[0]: arrives at 21, 1 after the last window closes"
    assert Journey(WAITS, Route(0, (1, 2))).times(18.0, 1.0) != late


def test_the_least_duration_by_hand():
    journey = Journey(WAITS, Route(0, (1, 2)))
    assert (journey.distance, journey.travel, journey.earliest) == (14.0, 14.0, 0.0)
    assert best(journey, 1e-9).sharp == best(journey, 1e-9).near == (0.0, 17.0, 0.0, ())
    assert best(Journey(WAITS, Route(1, (1, 2))), 1e-9).near[1:3] == (14.0, 0.0)
    closed = constrained(customers=on_a_line(3, window=[[0, 2]]), vehicles=[{}])
    assert best(Journey(closed, Route(0, (1,))), 1e-9) is None
    assert best(Journey(closed, Route(0, (1,))), 1.0).near[1:3] == (6.0, 0.0)


def test_legs_of_matrices_by_hand():
    matrices = {
        "slow": {"durations": [[0, 8], [6, 0]]},
        "far": {"distances": [[0, 9], [7, 0]]},
        "both": {"distances": [[0, 9], [7, 0]], "durations": [[0, 8], [6, 0]]},
    }
    types = [{}, {"matrix": "slow", "speed": 2}, {"matrix": "far", "speed": 4}, {"matrix": "both"}]
    instance = constrained(customers=on_a_line(3), vehicles=types, matrices=matrices, speed=0.5)
    journeys = [Journey(instance, Route(vehicle, (1,))) for vehicle in range(4)]
    assert [journey.distance for journey in journeys] == [6, 6, 16, 16]
    assert [journey.travel for journey in journeys] == [12, 7, 8, 14]


def test_the_referee_and_the_timeline_find_the_same_departure():
    for seed in range(200, 400):
        instance = random_times(seed)
        stops = tuple(range(1, instance.num_customers + 1))
        found = Timeline(instance).schedule(Route(0, stops))
        found_best = best(Journey(instance, Route(0, stops)), 0.0)
        own = found and (0.0, found.duration, found.departure, ())
        assert [own, own] == [found_best and found_best.near, found_best and found_best.sharp], seed


def test_long_routes_take_no_longer_than_their_length():
    number = 2000
    places = [float(place) for place in range(number)]
    windows = [[[place + 1, place + 5]] for place in range(number)]
    instance = constrained(customers=on_a_line(*places, windows=windows), vehicles=[{"end": None}])
    least = best(Journey(instance, Route(0, tuple(range(1, number + 1)))), 1e-9)
    assert least.near == least.sharp == (0.0, number - 1.0, 1.0, ())


def test_the_tolerance_of_times():
    assert time_tolerance(WAITS) == (pytest.approx(99e-6), pytest.approx(99e-9))
    short = constrained(customers=on_a_line(1, service=[1]), vehicles=[{}])
    assert time_tolerance(short)[0] == 1e-6
    epoch = on_a_line(1, window=[[1_700_000_000, 1_700_300_000]])
    assert time_tolerance(constrained(customers=epoch, vehicles=[{}]))[0] == pytest.approx(0.3)
    far = constrained(customers=on_a_line(1), vehicles=[{"window": [1e12, 1e12 + 5]}])
    assert time_tolerance(far) == (pytest.approx(100), pytest.approx(0.1))
    endless = constrained(customers=on_a_line(1, window=[[0, 60]]), vehicles=[{"window": [0, 1e9]}])
    assert time_tolerance(endless)[0] == pytest.approx(60e-6)
    for key in ("max_duration", "max_travel_time"):
        long = constrained(customers=on_a_line(1), vehicles=[{key: 2e7}, {key: 1e9}, {}])
        assert time_tolerance(long)[0] == pytest.approx(0.002)


KEYS = {
    "depots": [{"id": "d", "x": 3, "y": 0}, {"id": "e", "x": 0, "y": 0}],
    "customers": on_a_line(3, 3, 7, service=[1, 2, 3], setup=[10, 20, 30]),
}


def test_setups_depend_on_the_node_before():
    instance = day(KEYS)
    found = [service_of(instance, 0, 1, before) for before in (None, 0, 1, 3, 4)]
    assert found == [11, 1, 11, 1, 11]
    assert service_of(instance, 0, 3, 3) == 33.0
