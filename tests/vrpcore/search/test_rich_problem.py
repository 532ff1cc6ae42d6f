"""Instances with constraints as the search reads them."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.build import constrained
from vrpcore.instance.vehicle_types import MAX_BREAKS, MOST_FREE
from vrpcore.search import rich_library
from vrpcore.search.rich_problem import RichProblem


def test_equal_durations_take_no_memory_of_their_own():
    vehicles = [{"speed": 1}, {"id": "b", "capacity": 4}]
    alike = constrained(customers=[{"x": 3, "y": 4}], vehicles=vehicles)
    arrays = RichProblem(alike).arrays
    assert arrays["distances"].shape == (1, 3, 3)
    for name in ("durations", "distances_to", "durations_to"):
        assert arrays[name] is arrays["distances"]
    slower = constrained(customers=[{"x": 3, "y": 4}], vehicles=[*vehicles, {"speed": 0.5}])
    arrays = RichProblem(slower).arrays
    assert arrays["distances"][:, 0, 1].tolist() == [5.0, 5.0]
    assert arrays["durations"][:, 0, 1].tolist() == [5.0, 10.0]
    assert arrays["profile"].tolist() == [0, 0, 1]


def test_breaks_and_setups_by_hand():
    rests = [
        {"window": [1, 2], "duration": 3, "max_load": 4},
        {"windows": [[1, 2], [5, 6]]},
        {"window": [1, 2]},
    ]
    customers = [
        {"x": 3, "y": 4, "setup": 2, "service_by_vehicle": {"b": 7}},
        {"x": 0, "y": 0, "service": 5},
    ]
    vehicles = [{"id": "a"}, {"id": "b", "breaks": rests, "service_cost": 9}]
    arrays = RichProblem(constrained(customers=customers, vehicles=vehicles)).arrays
    assert arrays["services"].tolist() == [[0, 5], [7, 5]]
    assert arrays["setups"].tolist() == [2, 0]
    assert arrays["location"].tolist() == [0, 1, 0, -1]
    assert arrays["service_cost"].tolist() == [0, 9]
    assert arrays["break_from"].tolist() == [0, 0, 3]
    assert arrays["break_time"].tolist() == [3, 0, 0]
    never = [math.inf, math.inf]
    assert arrays["break_windows"].tolist() == [[[1, 2], never], [[1, 2], [5, 6]], [[1, 2], never]]
    assert arrays["break_load"].ravel().tolist() == [pytest.approx(4), math.inf, math.inf]
    assert arrays["break_first"].tolist() == [0, 0, 1]


def test_costs_of_legs_stand_in_for_distances():
    costs = [[0, 7], [2, 0]]
    slow = {"distances": [[0, 1], [1, 0]]}
    vehicles = [
        {"distance_cost": 3, "max_distance": 20},
        {"matrix": "slow", "distance_cost": 3, "max_distance": 20},
    ]
    instance = constrained(
        customers=[{"x": 3, "y": 4}], vehicles=vehicles, costs=costs, matrices={"slow": slow}
    )
    arrays = RichProblem(instance).arrays
    assert arrays["distances"][:, :2, :2].tolist() == [costs, slow["distances"]]
    assert arrays["distances_to"][0, :2, :2].tolist() == [[0, 2], [7, 0]]
    assert arrays["distance_cost"].tolist() == [1, 3]
    assert arrays["max_distance"].tolist() == [math.inf, pytest.approx(20)]
    assert arrays["max_length"].tolist() == [pytest.approx(20), math.inf]
    assert arrays["lengths"][0, 0, 1] == 5.0


def test_limits_include_half_of_what_the_referee_lets_pass():
    vehicles = [{"capacity": 4, "max_distance": 100, "count": 9}]
    problem = RichProblem(constrained(customers=[{"x": 3, "y": 4}], vehicles=vehicles))
    arrays = problem.arrays
    assert 4 < arrays["capacity"][0] < 4 * (1 + 1e-8)
    assert 100 < arrays["max_distance"][0] < 100 * (1 + 1e-8)
    assert arrays["count"].tolist() == [1]
    assert problem.instance.num_customers == problem.num_stops == 1


def test_a_shipment_weighs_twice_where_stops_are_counted():
    end = {"x": 0, "y": 0}
    shipment = {"id": "s", "pickup": end, "delivery": end, "priority": 3}
    customers = [{"x": 3, "y": 4, "priority": 5}]
    instance = constrained(customers=customers, shipments=[shipment], vehicles=[{}])
    assert RichProblem(instance).arrays["weight"].tolist() == [21, 13, 0]
    twice = replace(instance, constraints=replace(instance.own_constraints, counts_stops=True))
    assert RichProblem(twice).arrays["weight"].tolist() == [21, 26, 0]


@pytest.mark.parametrize("key", ["distances", "durations", "costs"])
def test_no_road_is_a_way_that_no_vehicle_may_travel(key):
    whole = [[0, 4, 6], [5, 0, 7], [6, 7, 0]]
    ways = {"distances": whole, "durations": whole, key: [[0, 4, None], [5, 0, 7], [6, 7, 0]]}
    vehicles = [{"max_travel_time": 20}, {"id": "b", "max_distance": 9, "speed": 0.5}]
    problem = RichProblem(constrained(depots=[{}], customers=[{}, {}], vehicles=vehicles, **ways))
    arrays = problem.arrays
    assert problem.lacks_roads
    most = arrays["max_travel_time"]
    assert most[0] == pytest.approx(20)
    for row in (0, 1):
        durations = arrays["durations"][row]
        assert np.isfinite(durations).all()
        assert durations[0, 2] > 1.5 * most.max()
        assert 3 * durations[durations < durations[0, 2]].max() < most[1]
        assert arrays["distances"][row, 0, 2] > 20


def test_with_all_roads_nothing_is_limited():
    vehicles = [{}, {"id": "b", "capacity": 4}]
    problem = RichProblem(constrained(customers=[{"x": 3, "y": 4}], vehicles=vehicles))
    assert not problem.lacks_roads
    assert problem.arrays["max_travel_time"].tolist() == [math.inf] * 2


def test_many_breaks_are_given_in_the_order_that_they_have():
    windows = [[5 * (11 - row), 60] for row in range(11)]
    windows[4] = [0, 3]
    breaks = [{"window": each, "duration": row} for row, each in enumerate(windows)]
    vehicles = [{"id": "a", "breaks": breaks}, {"id": "b", "breaks": breaks[:7]}]
    arrays = RichProblem(constrained(customers=[{"x": 3, "y": 4}], vehicles=vehicles)).arrays
    assert arrays["break_time"].tolist() == [4, 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, *range(7)]
    assert arrays["break_windows"].shape == (18, 1, 2)
    assert arrays["break_first"].tolist() == [-1] * 11 + [
        0b10000 if k != 4 and windows[k][0] > 3 else 0 for k in range(7)
    ]


def test_the_library_has_room_for_all_sets_of_breaks():
    source = (Path(rich_library.__file__).parents[1] / "native/rich/rich_input.hpp").read_text()
    room = int(re.search(r"kMostRestSets = (\d+);", source)[1])
    free = [1 << count for count in range(30) if count << count <= MOST_FREE]
    assert max(*free, MAX_BREAKS + 1) <= room
