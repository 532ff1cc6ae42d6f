import math

import pytest

from tests.vrpcore.formats.json.refusals import refusal
from vrpcore.formats.text.sdvrp import read_sdvrp
from vrpcore.instance.vehicle_types import VehicleType

TEXT = """3 10
4 15
0

 1 2
4	6
5 9
7 2.5
"""


def test_a_small_file():
    found = read_sdvrp(TEXT, "small")
    constraints = found.own_constraints
    assert (found.name, found.ids, found.capacity, found.max_vehicles) == (
        "small",
        (1, 2, 3),
        10,
        None,
    )
    assert found.coords.tolist() == [[1, 2], [4, 6], [5, 9], [7, 2.5]]
    assert found.demand.tolist() == [0, 4, 15, 0]
    assert constraints.split.tolist() == [True, True, False]
    assert constraints.vehicles == (VehicleType(id="0", capacity=(10.0,)),)
    assert (constraints.split_step, constraints.listed_vehicles) == (1, False)
    assert constraints.vehicles[0].max_duration == math.inf


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("3 10", "4 10", "line 5: 5 demands so far, expected 4"),
        ("3 10", "2 10", "line 3: 1 columns, expected 2 (x y)"),
        ("3 10", "3 0", "line 1: capacity: 0"),
        ("4 15", "4 15 1 2", "line 2: 4 demands so far, expected 3"),
        ("4 15", "4 -15", "line 2: demand: -15"),
        ("7 2.5\n", "", "line 7: the file ends, expected numbers: x y"),
        ("7 2.5", "7 x", "line 8: y: 'x'"),
        ("7 2.5", "7 2 5", "line 8: 3 columns, expected 2 (x y)"),
        ("7 2.5", "7 2.5\n1 1", "line 9: '1 1' after the last row"),
    ],
)
def test_what_is_wrong_is_reported_with_its_line(old, new, said):
    assert refusal(read_sdvrp, TEXT, old, new).startswith(said)
