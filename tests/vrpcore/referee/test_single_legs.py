import dataclasses
import math

import pytest

from tests.build import plain
from vrpcore.cost.distance import distance_matrix
from vrpcore.referee.single_legs import leg_length


@pytest.mark.parametrize(
    ("metric", "length"), [("euclidean", math.sqrt(10)), ("euc_2d", 3), ("ceil_2d", 4)]
)
def test_lengths_by_hand(metric, length):
    found, slack = leg_length(plain([[0, 0], [1, 3]], metric=metric), 0, 1)
    assert (found, slack) == (length, 0.0)
    assert isinstance(found, int) is (metric != "euclidean")


def test_a_matrix_has_directions():
    matrix = plain(None, distances=[[0, 2], [3, 0]])
    assert (leg_length(matrix, 0, 1), leg_length(matrix, 1, 0)) == ((2.0, 0.0), (3.0, 0.0))


def test_nearly_opposite_points_have_an_allowance():
    globe = plain([[0, 0], [180, 0], [10, 20]], metric="haversine")
    assert leg_length(globe, 0, 1)[1] == 0.3
    length, slack = leg_length(globe, 0, 2)
    assert (length, slack) == (pytest.approx(distance_matrix(globe)[0, 2], rel=1e-12), 0.0)


def test_neither_coordinates_nor_distances():
    nowhere = dataclasses.replace(plain([[0, 0], [1, 3]]), coords=None)
    with pytest.raises(ValueError, match="t: neither coords nor distances"):
        leg_length(nowhere, 0, 1)
