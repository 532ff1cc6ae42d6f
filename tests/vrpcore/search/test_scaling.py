import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import plain, random_instance
from vrpcore.cost.distance import distance_matrix
from vrpcore.search import scaling
from vrpcore.search.scaling import is_directed, whole_demand


def test_whole_demands_stay_as_they_are():
    demand, limit = whole_demand(plain(None, [3.0, 4.0], 7.0))
    assert (demand.tolist(), limit) == ([0, 3, 4], 7)
    demand, limit = whole_demand(plain(None, [100.0, 200.0], 300.0))
    assert (demand.tolist(), limit) == ([0, 100, 200], 300)


def test_decimals_by_hand():
    """A capacity of 1 becomes 2^39, the limit a billionth more; demands are rounded up."""
    demand, limit = whole_demand(plain(None, [0.5, 0.3], 1.0))
    assert demand.tolist() == [0, 2**38, math.ceil(0.3 * 2**39)]
    assert limit == int((1 + 1e-9) * 2**39)


def test_large_whole_demands_stay_and_huge_ones_are_scaled():
    demand, limit = whole_demand(plain(None, [100.0, 2.0**39 - 1], 2.0**39))
    assert (demand.tolist(), limit) == ([0, 100, 2**39 - 1], int(2**39 * (1 + 1e-9)))
    demand, limit = whole_demand(plain(None, [2.0**41, 6.0], 2.0**41))
    assert (demand.tolist(), limit) == ([0, 2**39, 2], int(2**39 * (1 + 1e-9)))


def test_decimals_that_fill_the_vehicle_exactly_still_fit():
    demand, limit = whole_demand(plain(None, [0.1, 0.2, 0.7], 1.0))
    assert sum(demand) <= limit


def test_a_demand_far_beyond_the_capacity_never_fits():
    for demand, capacity in (([262144.5], 0.015625), ([1e300], 5.0), ([1e300, 0.5], 5.0)):
        whole, limit = whole_demand(plain(None, demand, capacity))
        assert whole[1] > limit


def test_one_bit_beyond_the_limit_does_not_fit():
    limit = plain(None, [0.5], 1.0).load_limit
    for amount, fits in ((limit - 1e-11, True), (math.nextafter(limit, 2.0), False)):
        whole, whole_limit = whole_demand(plain(None, [amount], 1.0))
        assert bool(whole[1] <= whole_limit) is fits


@settings(max_examples=200)
@given(
    demand=st.lists(st.floats(0.0, 1e6), min_size=1, max_size=30),
    capacity=st.floats(1e-3, 1e7),
)
def test_what_fits_in_whole_numbers_fits_exactly(demand, capacity):
    instance = plain(None, demand, capacity)
    whole, limit = whole_demand(instance)
    load = 0
    chosen = []
    for customer, amount in enumerate(whole[1:]):
        if load + amount <= limit:
            load += amount
            chosen.append(demand[customer])
    assert math.fsum(chosen) <= instance.load_limit


@pytest.mark.parametrize("rows", [1, 2, 99])
def test_one_length_makes_a_direction(monkeypatch, rows):
    instance = random_instance(0, 6)
    assert not is_directed(instance)
    instance = plain(None, [1] * 6, 9, distances=distance_matrix(instance))
    monkeypatch.setattr(scaling, "CHUNK_CELLS", rows * 7)
    assert not is_directed(instance)
    instance.distances[2, 5] += 0.5
    assert is_directed(instance)
