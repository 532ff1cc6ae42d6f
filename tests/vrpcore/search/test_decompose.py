import dataclasses

import numpy as np

from tests.build import random_instance
from vrpcore.search.decompose import neighbouring_groups, part_of

# East, north, west and south of the depot, which is not at the origin.
AROUND = np.array([[5, 5], [7, 5.1], [5.1, 8], [2, 5.1], [5.1, 1], [9, 5.2]])
INSTANCE = random_instance(0, 5, coords=AROUND, max_vehicles=9)
ROUTES = [[3], [1, 5], [4], [2]]


def test_groups_by_hand():
    """By direction from the east, counter-clockwise; each as full as it may be."""
    assert neighbouring_groups(INSTANCE, ROUTES, 3, 0.0) == [[[1, 5], [2]], [[3], [4]]]
    assert neighbouring_groups(INSTANCE, ROUTES, 2, 0.0) == [[[1, 5]], [[2], [3]], [[4]]]
    assert neighbouring_groups(INSTANCE, ROUTES, 1, 0.0) == [[[1, 5]], [[2]], [[3]], [[4]]]
    assert neighbouring_groups(INSTANCE, ROUTES, 9, 0.5) == [[[4], [1, 5], [2], [3]]]
    assert neighbouring_groups(INSTANCE, ROUTES, 9, 0.9) == [[[2], [3], [4], [1, 5]]]
    assert neighbouring_groups(INSTANCE, ROUTES, 9, 0.6) == [[[3], [4], [1, 5], [2]]]
    assert neighbouring_groups(INSTANCE, ROUTES, 9, 0.3) == [[[4], [1, 5], [2], [3]]]


def test_without_coordinates_the_order_stays():
    matrix = dataclasses.replace(INSTANCE, coords=None, distances=np.ones((6, 6)))
    assert neighbouring_groups(matrix, ROUTES, 3, 0.0) == [[[3], [1, 5]], [[4], [2]]]


def test_a_part_may_not_use_more_vehicles_than_before():
    assert part_of(INSTANCE, ROUTES[:3])[0].max_vehicles == 3
    unlimited = dataclasses.replace(INSTANCE, max_vehicles=None)
    assert part_of(unlimited, ROUTES[:3])[0].max_vehicles is None
