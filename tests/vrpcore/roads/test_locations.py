"""Locations: each point once, checked, and named in messages."""

import math

import numpy as np
import pytest

from vrpcore.errors import InstanceError
from vrpcore.roads.locations import Locations

COORDS = [[8.1, 49.0], [8.2, 49.0], [8.1, 49.00000001], [-0.0000001, 0.0]]


def test_places_at_one_point_are_one():
    places = Locations(COORDS, ())
    assert places.points == ((8.1, 49.0), (8.2, 49.0), (0.0, 0.0))
    assert not np.signbit(places.coords).any()
    matrix = np.arange(9.0).reshape(3, 3)
    order = [0, 1, 0, 2]
    expected = [[matrix[a, b] for b in order] for a in order]
    assert places.spread(matrix).tolist() == expected
    apart = Locations(COORDS[:2], ())
    assert apart.spread(matrix[:2, :2]).tolist() == matrix[:2, :2].tolist()
    assert Locations([], ()).points == ()


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ([180.5, 0], "B: longitude 180.5, expected -180 to 180 degrees"),
        ([0, -91], "B: latitude -91, expected -90 to 90 degrees"),
        ([math.nan, 0], "B: longitude nan, expected"),
        ([0, math.inf], "B: latitude inf, expected"),
    ],
)
def test_what_is_not_in_degrees(place, message):
    with pytest.raises(InstanceError) as caught:
        Locations([[0, 0], place], ["A", "B"])
    assert message in str(caught.value)
    assert caught.value.code == "OUT_OF_RANGE"
    with pytest.raises(InstanceError, match=r"^location 1: "):
        Locations([[0, 0], place], ())


def test_a_coordinate_that_a_service_counts_is_named():
    places = Locations(COORDS, ["depot", "A", "B", "C"])
    points = places.points[1:]
    message = "NoSegment: Could not find a matching segment for coordinate 1"
    assert places.named(message, points) == f"{message} (C)"
    for other in ("TooBig", "no coordinate 7", "coordinate 99999999999"):
        assert places.named(other, points) == other
