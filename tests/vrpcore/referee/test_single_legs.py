import dataclasses
import math

import pytest

from tests.build import constrained, plain
from vrpcore.cost.distance import distance_matrix
from vrpcore.instance.plan import Route
from vrpcore.referee.single_legs import leg_length
from vrpcore.solve.answer import planned


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


@pytest.mark.parametrize("prices", [{}, {"duration_cost": 1}, {"travel_cost": 1}])
def test_so_have_the_times_that_follow_from_them(prices):
    """The two ways to compute this length differ by 0.19 m."""
    instance = constrained(
        depot=[4, -36],
        metric="haversine",
        customers=[{"x": -175.999998, "y": 36.000001}],
        vehicles=[{"speed": 0.5, **prices}],
    )
    answer = planned(instance, [Route(0, (1,))], ())  # raises where the check finds it wrong
    assert answer.routes[0].schedule.duration == pytest.approx(2 * 40_030_228.9, abs=1)


def test_neither_coordinates_nor_distances():
    nowhere = dataclasses.replace(plain([[0, 0], [1, 3]]), coords=None)
    with pytest.raises(ValueError, match="t: neither coords nor distances"):
        leg_length(nowhere, 0, 1)
