import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vrpcore.arrays.batch import whole_demands
from vrpcore.instance.instance import LOAD_TOLERANCE
from vrpcore.instance.shares import stated_amounts

ODD = float(np.float32(0.7310586))  # of no few parts


@pytest.mark.parametrize(
    ("amounts", "limit", "expected"),
    [
        ([0.1] * 10, False, [0.1] * 10),
        ([7 / 30, 23 / 30, 0], False, [7 / 30, 23 / 30, 0]),
        ([12.3456, 2, 0.001], False, [12.3456, 2, 0.001]),
        ([3, 0, 16777215], False, [3, 0, 16777215]),
        ([ODD, 2, 0], False, [ODD * (1 - 2**-24), 2, 0]),
        ([ODD, 2, 0], True, [ODD * (1 + 2**-24), 2, 0]),
        (1 / 3, False, 1 / 3),
        ([[0.1, 1 / 3], [0.2, 2 / 3]], False, [[0.1, 1 / 3], [0.2, 2 / 3]]),
        ([0.1, np.nan], False, [np.float32(0.1), np.nan]),
        ([], False, []),
    ],
)  # fmt: skip
def test_float32_is_read_as_what_it_stands_for(amounts, limit, expected):
    found = stated_amounts(np.array(amounts, np.float32), limit=limit)
    assert np.array_equal(found, np.array(expected), equal_nan=True)


def test_other_types_are_read_as_they_are():
    assert stated_amounts(np.array([0.1, 1 / 3])).tolist() == [0.1, 1 / 3]
    assert stated_amounts(np.array([1, 3])).tolist() == [1.0, 3.0]
    assert stated_amounts(np.array([0.1, 0.2], np.float16)).tolist() == [0.1, 0.2]


@given(st.integers(1, 1000), st.data())
def test_routes_that_are_exactly_full_are_full_everywhere(parts, data):
    """Of whole parts the mask knows it, too; of other amounts search and referee do."""
    units = data.draw(st.lists(st.integers(1, parts), min_size=1, max_size=30))
    shares = np.array(units, np.float32) / np.float32(parts)
    demand = stated_amounts(shares)
    whole, limit = whole_demands(demand, 1.0)
    assert np.array_equal(whole * sum(units), np.array(units) * whole.sum())
    assert whole[0] * parts == units[0] * limit or limit == whole.sum() + 1
    odd = np.array([*np.array(units) / sum(units)], np.float32)
    assert stated_amounts(odd).sum() <= 1 + LOAD_TOLERANCE
