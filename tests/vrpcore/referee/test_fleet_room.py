"""Loads that all vehicles together cannot carry, with trips and groups."""

import pytest

from tests.build import constrained, on_a_line
from tests.vrpcore.referee.days import day
from vrpcore.instance.relations import Group
from vrpcore.referee.fleet_room import too_few_vehicles

KEYS = {
    "depots": [{"id": "d", "x": 0, "y": 0}],
    "customers": on_a_line(3, 7, demand=[4, 4]),
    "vehicles": [{"id": "van", "capacity": 7, "count": 1}],
}


@pytest.mark.parametrize(
    ("vehicle", "columns", "too_small"),
    [
        ({}, {}, True),
        ({"reloads": ()}, {}, True),
        ({"reloads": (0,)}, {}, False),
        ({"reloads": (0,), "max_reloads": 0.0}, {}, True),
        ({"reloads": (0,), "max_reloads": 1.0}, {}, False),
        ({"reloads": (0,), "max_reloads": 1.0, "initial_load": (7.0,)}, {}, True),
        ({"initial_load": (3.0,)}, {"groups": (Group("g", (1, 2)),)}, False),
        ({"initial_load": (4.0,)}, {"groups": (Group("g", (1, 2)),)}, True),
        ({"initial_load": (4.0,)}, {"groups": (Group("g", (1, 2), 9.0),)}, False),
    ],
)
def test_by_hand(vehicle, columns, too_small):
    found = too_few_vehicles(day(KEYS, vehicles=[vehicle], **columns))
    assert (found is not None) == too_small


@pytest.mark.parametrize(
    ("keys", "vehicles", "too_small"),
    [
        ({"demand": [4, 4]}, [{"count": 1, "capacity": 8}], False),
        ({"demand": [4, 4]}, [{"count": 1, "capacity": 7}], True),
        ({"demand": [4, 4], "prize": [1, None]}, [{"count": 1, "capacity": 7}], False),
        ({"pickup": [4, 4]}, [{"count": 1, "capacity": 7}], True),
        ({"pickup": [4, 4]}, [{"count": 1, "capacity": 7}, {"capacity": 1}], False),
        ({"pickup": [0, 0]}, [{"count": 0}], True),
        ({"demand": [[1, 4], [1, 4]]}, [{"count": 1, "capacity": [9, 7]}], True),
        ({"demand": [1, 1]}, [{"count": 0, "capacity": 9}, {"count": 1, "capacity": 1}], True),
    ],
)
def test_loads_that_all_vehicles_together_cannot_carry(keys, vehicles, too_small):
    instance = constrained(customers=on_a_line(1, 2, **keys), vehicles=vehicles)
    assert (too_few_vehicles(instance) is not None) == too_small


def proof(amounts, *vehicles, key="demand", **each):
    customers = on_a_line(*range(len(amounts)), **{key: amounts}, **each)
    return too_few_vehicles(constrained(customers=customers, vehicles=list(vehicles)))


def test_too_few_vehicles_by_loads():
    two = [{"count": 2, "capacity": 5}, {"count": 0}]
    assert proof([4, 4, 2], *two) is None
    assert proof([4, 4, 3], *two) == "demands of 11 are required, all vehicles carry 10"
    assert proof([4, 4, 3], *two, key="pickup").startswith("pickups of 11 are required")
    assert proof([4, 4, 3], *two, prize=[None, None, 1]) is None
    assert proof([4, 4, 3], {"count": 2, "capacity": 5}, {"capacity": 1}) is None
    listed = proof([[1, 4], [1, 4]], {"count": 1, "capacity": [5, 7]})
    assert listed == "demands of 8 in dimension 1 are required, all vehicles carry 7"
    assert proof([0], {"count": 0}) == "there are no vehicles"


def test_trips_and_alternatives_are_no_proof_of_too_few_vehicles():
    van = {"count": 1, "capacity": 5, "reloads": ["0"], "max_reloads": 1, "initial_load": 1}
    customers = on_a_line(1, 2, demand=[5, 4])
    assert too_few_vehicles(constrained(customers=customers, vehicles=[van])) is None
    customers[1]["demand"] = 5
    words = "demands of 10 are required, all vehicles carry 9"
    assert too_few_vehicles(constrained(customers=customers, vehicles=[van])) == words
    groups = [{"members": [1, 2]}]
    found = constrained(customers=customers, vehicles=[van], groups=groups)
    assert too_few_vehicles(found) is None
