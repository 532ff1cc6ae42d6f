"""The cheapest assignment of rows to columns, against all of them."""

import ctypes
import itertools

import numpy as np
import pytest


def assigned(library, cost):
    """The column of each row."""
    columns = np.empty(len(cost), np.int32)
    addresses = [ctypes.c_void_p(array.ctypes.data) for array in (cost, columns)]
    library.inside_assigned(addresses[0], len(cost), addresses[1])
    return columns


@pytest.mark.parametrize("size", range(1, 7))
def test_no_assignment_is_cheaper(windows, size):
    rng = np.random.default_rng(size)
    for most in (1, 3, 1000):  # with many equal costs, and with few
        for _ in range(20):
            cost = rng.integers(0, most, (size, size), endpoint=True).astype(float)
            columns = assigned(windows, cost)
            assert sorted(columns) == list(range(size))
            least = min(
                cost[range(size), order].sum() for order in itertools.permutations(range(size))
            )
            assert cost[range(size), columns].sum() == least
