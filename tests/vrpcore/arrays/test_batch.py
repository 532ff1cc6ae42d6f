import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vrpcore.arrays.batch import EXACT, whole_demands


def test_integers_stay():
    demand, capacity = whole_demands(np.array([0.0, 3.0, 7.0]), 9.0)
    assert demand.tolist() == [0, 3, 7]
    assert capacity == 9


def test_enormous_capacity_is_cut_to_what_is_needed():
    demand, capacity = whole_demands(np.array([0.0, 3.0, 7.0]), 2.0**62)
    assert demand.tolist() == [0, 3, 7]
    assert 10 <= capacity < EXACT


def test_decimal_fractions_become_exact():
    # 0.1 + 0.2 > 0.3 in floating point, yet the vehicle is exactly full.
    demand, capacity = whole_demands(np.array([0.0, 0.1, 0.2]), 0.3)
    assert demand.tolist() == [0, 1, 2]
    assert capacity == 3


@given(
    st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=30),
    st.floats(1e-6, 1e9),
)
def test_what_fits_scaled_fits_unscaled(shares, capacity):
    demand = np.array([0.0, *shares]) * capacity
    whole, limit = whole_demands(demand, capacity)
    assert limit < EXACT
    assert (whole == np.rint(whole)).all()
    assert whole.max() <= limit
    total = scaled = 0.0
    for value, number in zip(demand, whole, strict=True):
        if scaled + number <= limit:
            total, scaled = total + value, scaled + number
    assert total <= capacity * (1 + 1e-9)


@pytest.mark.parametrize("demand", [[0.0, 0.0], [0.0, 1e-300]])
def test_nothing_to_carry(demand):
    whole, limit = whole_demands(np.array(demand), 5.0)
    assert whole.max() <= limit
