import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vrpcore.cost.fleet import fewest_vehicles
from vrpcore.instance.instance import Instance


def build(demand, capacity):
    return Instance(
        name="i",
        capacity=capacity,
        coords=np.zeros((len(demand) + 1, 2)),
        demand=np.array([0.0, *demand]),
        ids=tuple(range(len(demand))),
    )


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
        ([7.0, 7.0, 4.0, 4.0], 10.0, 3),  # fours do not fit beside sevens
        ([0.1, 0.2, 0.7], 1.0, 1),
        ([5.0] * 4, 10.0, 2),
    ],
)
def test_by_hand(demand, capacity, bound):
    assert fewest_vehicles(build(demand, capacity)) == bound


@settings(max_examples=150, deadline=None)
@given(demand=st.lists(st.integers(0, 20), min_size=1, max_size=7), capacity=st.integers(20, 30))
def test_never_above_the_truth_nor_below_the_sum(demand, capacity):
    bound = fewest_vehicles(build([float(amount) for amount in demand], float(capacity)))
    assert sum(demand) / capacity - 1e-6 <= bound <= fewest(demand, capacity)
