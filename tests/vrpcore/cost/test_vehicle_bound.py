import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import plain
from vrpcore.cost.vehicle_bound import fewest_vehicles


def fewest(demand, capacity):
    """Bins by trying everything."""
    best = len(demand)

    def place(index, loads):
        nonlocal best
        if len(loads) >= best:
            return
        if index == len(demand):
            best = len(loads)
            return
        for bin_index, load in enumerate(loads):
            if load + demand[index] <= capacity:
                place(
                    index + 1, [*loads[:bin_index], load + demand[index], *loads[bin_index + 1 :]]
                )
        place(index + 1, [*loads, demand[index]])

    place(0, [])
    return best


@pytest.mark.parametrize(
    "demand, capacity, bound",
    [
        ([], 1.0, 0),
        ([0.0, 0.0], 1.0, 1),
        ([6.0, 6.0, 6.0], 10.0, 3),  # the sum alone says 2
        ([7.0, 7.0, 4.0, 4.0], 10.0, 3),
        ([7.0, 7.0, 4.0], 10.0, 3),  # the sum says 2, but a four does not fit beside a seven
        ([6.0, 6.0, 4.0, 4.0], 10.0, 2),
        ([6.0, 6.0, 6.0, 5.0, 5.0, 4.0, 3.0, 3.0, 3.0], 10.0, 5),  # at least 4.1 vehicles
        ([0.1, 0.2, 0.7], 1.0, 1),
        ([5.0] * 4, 10.0, 2),
    ],
)
def test_by_hand(demand, capacity, bound):
    assert fewest_vehicles(plain(None, demand, capacity)) == bound


@pytest.mark.parametrize("parts", [1, 2, 3, 4, 7])
def test_a_load_at_the_limit_fits(parts):
    """As the referee lets it pass: the capacity and a billionth of it."""
    limit = plain(None, [], 10.0).load_limit
    assert fewest_vehicles(plain(None, [limit / parts] * parts, 10.0)) == 1
    assert fewest_vehicles(plain(None, [limit / parts * (1 + 1e-8)] * parts, 10.0)) == 2 - (
        parts == 1
    )


@settings(max_examples=150)
@given(demand=st.lists(st.integers(0, 20), min_size=1, max_size=7), capacity=st.integers(20, 30))
def test_never_above_the_truth_nor_below_the_sum(demand, capacity):
    bound = fewest_vehicles(plain(None, [float(amount) for amount in demand], float(capacity)))
    assert sum(demand) / capacity - 1e-6 <= bound <= fewest(demand, capacity)
