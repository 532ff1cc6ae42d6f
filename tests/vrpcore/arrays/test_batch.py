import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vrpcore.arrays.batch import EXACT, Batch, make_batch, whole_demands
from vrpcore.arrays.symmetry import symmetric
from vrpcore.instance.instance import Instance


def some_batch():
    """Three instances of 1 to 3 customers, padded to five nodes."""
    return make_batch(
        [
            Instance(
                name="x",
                capacity=9.0,
                coords=np.arange(2.0 * size + 2).reshape(-1, 2) ** 2,
                demand=np.array([0.0, *range(1, size + 1)]),
                ids=tuple(range(size)),
            )
            for size in (1, 2, 3)
        ],
        5,
    )


def test_take_keeps_every_array_in_step():
    batch = some_batch()
    part = batch.take(np.array([2, 0]))
    for whole, taken in zip(batch, part, strict=True):
        assert np.array_equal(taken, whole[[2, 0]])


def test_padding_is_no_node():
    batch = some_batch()
    longer = batch.padded(8)
    assert [array.shape for array in longer] == [(3, 8, 2), (3, 8), (3,), (3, 8)]
    assert not longer.valid[:, 5:].any()
    for before, after in zip(batch, longer, strict=True):
        assert np.array_equal(before, after[:, :5] if after.ndim > 1 else after)


def test_augmented_copies_differ_in_their_coordinates_alone():
    batch = some_batch()
    copies = batch.augmented(8)
    for copy in range(8):
        own = copies.take(slice(3 * copy, 3 * copy + 3))
        assert np.array_equal(own.coords_unit, symmetric(batch.coords_unit, copy))
        assert isinstance(own, Batch)
        for before, after in zip(batch[1:], own[1:], strict=True):
            assert np.array_equal(before, after)


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
