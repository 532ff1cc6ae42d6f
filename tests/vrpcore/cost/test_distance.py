import math

import numpy as np
import pytest

from tests.build import plain
from vrpcore.cost.distance import (
    as_points,
    distance_matrix,
    instance_points,
    lengths,
    path_lengths,
)
from vrpcore.errors import ShapeError


def test_an_eighth_of_a_meridian_and_a_place_off_both_circles():
    """Latitudes and longitudes enter differently: from (10 E, 45 N) to (10 E, 90 N), and the
    spherical law of cosines elsewhere.
    """
    start, end = np.array([10 + 45j, 20 + 50j]), np.array([10 + 90j, -30 - 10j])
    north, south, turn = math.radians(50), math.radians(-10), math.radians(50)
    cosine = math.sin(north) * math.sin(south) + math.cos(north) * math.cos(south) * math.cos(turn)
    expected = [math.pi / 4 * 6_371_008.8, math.acos(cosine) * 6_371_008.8]
    assert lengths(start, end, "haversine") == pytest.approx(expected, rel=1e-12)
    assert lengths(end, start, "haversine") == pytest.approx(expected, rel=1e-12)


def test_the_other_side_of_the_earth():
    """Of these two places rounding makes the sine of half the angle more than 1."""
    start, end = np.array([-65.35 - 12.23j]), np.array([-65.35 + 180 + 12.23j])
    assert lengths(start, end, "haversine") == pytest.approx([math.pi * 6_371_008.8], rel=1e-12)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [("euclidean", [5.0, 2.5, 0.5]), ("euc_2d", [5, 3, 1]), ("ceil_2d", [5, 3, 1])],
)
def test_halves_of_each_planar_metric(metric, expected):
    points = as_points(np.array([[4.0, 5.0], [2.5, 2.0], [1.0, 2.5]]))
    assert lengths(points, np.array([1 + 1j, 0 + 2j, 1 + 2j]), metric).tolist() == expected


def test_the_matrix_of_an_instance():
    found = distance_matrix(plain([[0, 0], [3, 4], [3, 0]]))
    assert found.tolist() == [[0, 5, 3], [5, 0, 4], [3, 4, 0]]
    given = plain(None, distances=[[7.0, 1.0], [2.0, 7.0]])
    assert distance_matrix(given) is given.distances
    with pytest.raises(ShapeError, match="t: has distances but no coords; use the distances"):
        instance_points(given)


def test_ceil_keeps_perfect_squares():
    for scale in (3.0, 30.0, 300003.0):
        matrix = distance_matrix(plain([[0.0, 0.0], [scale, scale / 3 * 4]], metric="ceil_2d"))
        assert matrix[0, 1] == scale / 3 * 5


@pytest.mark.parametrize("metric", ["euclidean", "euc_2d", "ceil_2d", "haversine"])
def test_large_matrices_and_paths_have_the_lengths_of_single_legs(metric):
    coords = np.random.default_rng(0).uniform(-80, 80, (1100, 2))
    large = plain(coords, metric=metric)
    matrix = distance_matrix(large)
    points = instance_points(large)
    for row in (0, 511, 512, 1099):
        expected = lengths(points[row], points, metric)
        assert matrix[row] == pytest.approx(expected, rel=1e-14, abs=1e-9)
    path = np.array([0, 1099, 512, 3])
    expected = matrix[path[:-1], path[1:]]
    assert path_lengths(large, path) == pytest.approx(expected, rel=1e-14)
    given = plain(None, distances=[[0, 1, 2], [3, 0, 4], [5, 6, 0]])
    assert path_lengths(given, np.array([0, 2, 1, 0])).tolist() == [2.0, 6.0, 3.0]
