import numpy as np

from vrpcore.search.decompose import cut

# Centres of routes of 1, 2, 1 and 1 customers: east, north and south, west, seen from the depot.
SIZES = [1, 2, 1, 1]
OFFSETS = np.array([0.1 + 3j, 3.0 + 0.15j, 0.1 - 4j, -3.0 + 0.1j])


def test_groups_by_hand():
    """By direction from the east, counter-clockwise; each as full as it may be."""
    assert cut(SIZES, OFFSETS, 3, 0.0) == [[1, 0], [3, 2]]
    assert cut(SIZES, OFFSETS, 2, 0.0) == [[1], [0, 3], [2]]
    assert cut(SIZES, OFFSETS, 1, 0.0) == [[1], [0], [3], [2]]
    assert cut(SIZES, OFFSETS, 9, 0.5) == [[2, 1, 0, 3]]
    assert cut(SIZES, OFFSETS, 9, 0.9) == [[0, 3, 2, 1]]
    assert cut(SIZES, OFFSETS, 9, 0.3) == [[2, 1, 0, 3]]


def test_without_places_the_order_stays():
    assert cut(SIZES, None, 3, 0.0) == [[0, 1], [2, 3]]
    assert cut(SIZES, None, 9, 0.6) == [[2, 3, 0, 1]]
