"""Loads that all vehicles together cannot carry, with trips and groups."""

import pytest

from tests.build import on_a_line
from tests.vrpcore.referee.days import day
from vrpcore.instance.relations import Group
from vrpcore.referee.fleet_room import fleet_is_too_small

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
    assert fleet_is_too_small(day(KEYS, vehicles=[vehicle], **columns)) == too_small
