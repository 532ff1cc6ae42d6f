import numpy as np
import pytest
import torch

from vrpcore.arrays.batch import EXACT
from vrpcore.instance.instance import MAX_STOPS
from vrpcore.learn.env.environment import STAMP_STEP, VISITED, rooms


def test_each_stamp_is_exact_and_beyond_every_load():
    longest = 2 * (MAX_STOPS + 1)  # choices of one construction
    stamps = VISITED + STAMP_STEP * np.arange(longest + 1)
    assert np.array_equal(stamps.astype(np.float32), stamps)
    assert stamps[0] > EXACT


@pytest.mark.parametrize(
    ("remaining", "open_demand", "unused"),
    [
        (9.0, 4.0, 5.0),  # this vehicle serves all
        (9.0, 9.0, 0.0),
        (3.0, 4.0, 8.0),  # one further vehicle with 1 of 9
        (3.0, 12.0, 0.0),  # one, full
        (3.0, 12.5, 8.5),  # a second one with 0.5
        (0.0, 0.0, 0.0),
        (9.0, -1.0, 9.0),  # not more than a vehicle
    ],
)
def test_rooms_by_hand(remaining, open_demand, unused):
    found = rooms(torch.tensor([[remaining]]), torch.tensor([[open_demand]]), torch.tensor([[9.0]]))
    assert found.tolist() == [[[remaining, unused]]]
