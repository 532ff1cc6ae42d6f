import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import constrained, on_a_line
from tests.vrpcore.variants import drawn
from vrpcore.arrays.batch import (
    EXACT,
    FAR,
    SLACK,
    Batch,
    make_batch,
    plain_batch,
    whole_demands,
)
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
    for whole, taken in zip(batch.columns, part.columns, strict=True):
        assert np.array_equal(taken, whole[[2, 0]])


def test_without_a_number_of_nodes_the_largest_instance_sets_it():
    instances = [drawn(name, 1, size)[0] for name, size in (("mdvrptw", 4), ("cvrp", 5))]
    assert make_batch(instances).valid.shape == (2, 7)  # three depots
    assert make_batch(instances[1:]).valid.shape == (1, 6)


def test_arrays_are_the_same_batch_as_their_instances():
    expected, sizes = some_batch(), np.array([1, 2, 3])
    coords = np.tile(np.arange(10.0).reshape(5, 2) ** 2, (3, 1, 1))
    demand = np.where(np.arange(5) <= sizes[:, None], np.arange(5), 0)
    found = plain_batch(coords, demand, np.ones(3), sizes)
    for name in ("coords_unit", "demand", "valid"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name


def test_padding_is_no_node():
    batch = some_batch()
    longer = batch.padded(8)
    assert [array.shape for array in longer.columns] == [(3, 8, 2), (3, 8), (3,), (3, 8)]
    assert not longer.valid[:, 5:].any()
    for before, after in zip(batch.columns, longer.columns, strict=True):
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


@pytest.mark.parametrize(
    ("amounts", "limit", "whole", "whole_limit"),
    [
        ([0.0, 3.0, 7.0], 9.0, [0, 3, 7], 9),
        # 0.1 + 0.2 > 0.3 in floating point, yet the vehicle is exactly full.
        ([0.0, 0.1, 0.2], 0.3, [0, 1, 2], 3),
    ],
)
def test_integers_stay_and_decimal_fractions_become_exact(amounts, limit, whole, whole_limit):
    demand, capacity = whole_demands(np.array(amounts), limit)
    assert (demand.tolist(), capacity) == (whole, whole_limit)


def test_enormous_capacity_is_cut_to_what_is_needed():
    demand, capacity = whole_demands(np.array([0.0, 3.0, 7.0]), 2.0**62)
    assert demand.tolist() == [0, 3, 7]
    assert 10 <= capacity < EXACT


def test_large_whole_numbers_are_divided_by_their_common_divisor():
    demand, capacity = whole_demands(np.array([0.0, 1e7, 1e7, 1e7, 2e7]), 39_999_999.0)
    assert (demand.tolist(), capacity) == ([0, 1, 1, 1, 2], 3)
    demand, capacity = whole_demands(np.array([0.0, 3e7, 2e7]), 1e9)
    assert (demand.tolist(), capacity) == ([0, 3, 2], 5)  # both at once
    small, capacity = whole_demands(np.array([0.0, 20.0, 40.0]), 50.0)
    assert (small.tolist(), capacity) == ([0, 20, 40], 50)


@pytest.mark.parametrize("parts", [1, 3, 7, 12, 997])
@pytest.mark.parametrize("capacity", [1.0, 0.7, 12.5])
def test_shares_of_the_capacity_fill_a_vehicle(parts, capacity):
    units = np.array([0, 1, 2, *range(0, 10 * parts, parts)]) % (parts + 1)
    demand, limit = whole_demands(units * (capacity / parts) * (1 + 1e-16), capacity)
    assert (demand / limit).tolist() == (units / parts).tolist()


def test_shares_of_many_parts_are_rounded_up():
    demand, limit = whole_demands(np.array([0.0, *[1 / 1009] * 1009]), 1.0)
    assert demand.sum() > limit == EXACT // 2


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
@pytest.mark.parametrize("capacity", [5.0, 0.5])
def test_nothing_to_carry(demand, capacity):
    whole, limit = whole_demands(np.array(demand), capacity)
    assert whole.max() <= limit
    assert limit >= 1  # shares of it are numbers


CUSTOMERS = on_a_line(0, 10, 20)


def test_numbers_by_hand():
    """Places from -10 to 30: a side is 40, times are halved by the speed."""
    customers = on_a_line(
        -10, 10, 30, demand=[4, 0, 2], pickup=[0, 3, 0], service=[2, 4, 6],
        window=[[10, 30], [0, 1000], [20, 60]],
    )  # fmt: skip
    vehicles = [{"capacity": 10, "window": [5, 105], "max_distance": 160, "speed": 2}]
    instance = constrained(customers=customers, vehicles=vehicles, backhauls="last")
    batch = make_batch([instance, drawn("cvrp", 1, 2)[0]], 6)
    assert batch.coords_unit[0, :4].tolist() == [[0.25, 0.5], [0.0, 0.5], [0.5, 0.5], [1.0, 0.5]]
    assert batch.valid[0].tolist() == [True] * 4 + [False] * 2
    assert batch.demand[0].tolist() == [0, 4, 0, 2, 0, 0]
    assert batch.pickup[0].tolist() == [0, 0, 3, 0, 0, 0]
    assert batch.service[0, :4] == pytest.approx([0, 0.1, 0.2, 0.3])
    assert batch.opening[0, :4] == pytest.approx([0, 0.25, 0, 0.75])
    assert batch.closing[0, :4] == pytest.approx(np.array([5, 1.25, 49.75, 2.75]) - SLACK)
    assert batch.limit[0] == pytest.approx(4 - SLACK)
    flags = (batch.limit_has_service, batch.backhauls_last, batch.open_end, batch.pickup_only)
    assert [flag[0] for flag in flags] == [False, True, False, True]
    assert batch.limit[1] == FAR
    assert (batch.closing[1] == FAR).all()


def test_depots_are_those_of_types_in_their_order():
    depots = [{"id": name, "x": x, "y": 0} for name, x in (("a", 0), ("b", 10), ("c", 20))]
    vehicles = [{"start": "c", "end": "c"}, {"start": "a", "end": "a"}]
    instance = constrained(depots=depots, customers=on_a_line(5, 20), vehicles=vehicles)
    batch = make_batch([instance], 4)
    assert batch.num_depots.tolist() == [2]
    assert batch.coords_unit[0, :, 0].tolist() == [1.0, 0.0, 0.25, 1.0]


def test_metres_of_a_map():
    customers = [{"x": 1, "y": 0}, {"x": 2, "y": 0}]
    instance = constrained(
        metric="haversine",
        depots=[{"id": "d", "x": 0, "y": 0}],
        customers=customers,
        vehicles=[{"max_distance": 222_390.0, "start": "d", "end": "d"}],
    )
    limit = float(make_batch([instance], 3).limit[0])
    assert limit == pytest.approx(222_390 / (math.radians(2) * 6_371_008.8), rel=1e-3)


def test_a_window_that_never_opens_again_stays_finite():
    instance = constrained(customers=CUSTOMERS, vehicles=[{}])
    wide = dataclasses.replace(instance.own_constraints.vehicles[0], window=(0.0, math.inf))
    constraints = dataclasses.replace(instance.own_constraints, vehicles=(wide,))
    batch = make_batch([dataclasses.replace(instance, constraints=constraints)], 5)
    assert all(np.isfinite(array).all() for array in batch)


def test_missing_columns_are_filled_with_neutral_values():
    batch = some_batch()
    assert batch.plain
    assert len(batch.columns) == 4
    full = batch.full()
    assert not full.plain
    assert full.full() is full
    assert (full.closing == FAR).all()
    assert full.num_depots.tolist() == [1, 1, 1]
    assert len(full.take(slice(0, 2)).augmented(8).limit) == 16
