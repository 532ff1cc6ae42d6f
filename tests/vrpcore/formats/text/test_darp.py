import math

import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.text.darp import read_darp

TEXT = """2 2 90 3 30.5
 0   0.000   0.000   0   0    0  100
 1  -1.198  -5.164   3   1    0 1440
 2   5.573   7.114   3   2    0 1440
 3  -6.614   0.072   4  -1   10   25
 4   1.000   0.072   3  -2    0 1440
 5   0.000   0.000   0   0    0  100
"""


def test_a_small_file():
    found = read_darp(TEXT, "small")
    constraints, (vehicle,) = found.own_constraints, found.own_constraints.vehicles
    assert found.ids == ("1-3:pickup", "1-3:delivery", "2-4:pickup", "2-4:delivery")
    assert found.coords[:3].tolist() == [[0, 0], [-1.198, -5.164], [-6.614, 0.072]]
    assert (vehicle.count, vehicle.capacity, vehicle.max_duration) == (2, (3.0,), 90)
    assert constraints.max_ride.tolist() == [math.inf, 30.5, math.inf, 30.5]
    assert constraints.shipment.ravel().tolist() == [1, -1, 2, -2]
    assert constraints.windows.tolist()[:2] == [[[0, 1440]], [[10, 25]]]
    assert constraints.service.tolist() == [3, 4, 3, 3]
    assert constraints.depots[0].window == (0, 100)


def test_a_duration_of_the_whole_day_is_no_limit():
    found = read_darp(TEXT.replace("2 2 90", "2 2 100"), "day")
    assert found.own_constraints.vehicles[0].max_duration == math.inf


def test_the_end_depot_may_be_missing():
    without = TEXT[: TEXT.rindex(" 5")]
    assert read_darp(without, "x").own_constraints.num_stops == 4


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("2 2 90", "0 2 90", "line 1: vehicles: 0, expected a whole number of at least 1"),
        ("2 2 90", "2 3 90", "line 1: requests: 5 stops, expected 1 to 6"),
        ("30.5", "-1", "line 1: ride: -1"),
        ("3  -2", "3  -1", "line 6: a demand of -1, its pickup on line 4 has 2"),
        (" 5   0.0", " 5   1.0", "line 7: the end depot differs from row 0, expected the same"),
    ],
)
def test_what_is_wrong_is_reported_with_its_line(old, new, said):
    with pytest.raises(InstanceError) as error:
        read_darp(TEXT.replace(old, new), "odd")
    assert str(error.value).startswith(said)
