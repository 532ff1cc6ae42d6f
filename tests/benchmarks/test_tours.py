import numpy as np
import pytest
import torch

from benchmarks.tours import (
    TourBatch,
    device_cost,
    leg_by_leg,
    loop_cost,
    masked_matrix_cost,
    random_tours,
)
from vrpcore.cost.cost import tour_cost

SQUARE = TourBatch(
    coords=np.array([[[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]]] * 2),
    tours=np.array([[1, 2, 0], [1, 0, 2]]),
)


def all_costs(batch):
    """Every way to compute the B costs."""
    tours = batch.tours
    coords, device_tours = batch.on(torch.device("cpu"))
    return {
        "loop": loop_cost(batch.matrices().tolist(), batch.tour_lists()),
        "numpy": tour_cost(batch.coords, tours[:, None])[:, 0],
        "numpy padded": tour_cost(batch.coords, batch.padded_tours()[:, None])[:, 0],
        "masked": masked_matrix_cost(batch.matrices(), batch.padded_tours()),
        "device": device_cost(coords, device_tours).numpy(),
        "device padded": device_cost(coords, torch.from_numpy(batch.padded_tours())).numpy(),
        "leg by leg": leg_by_leg(coords, tours.tolist()),
    }


def test_by_hand():
    for name, cost in all_costs(SQUARE).items():
        assert list(cost) == [12.0, 16.0], name
    assert SQUARE.tour_lists() == [[1, 2], [1, 0, 2]]
    assert SQUARE.padded_tours().tolist() == [[1, 2, 0, 0, 0, 0], [1, 0, 2, 0, 0, 0]]


@pytest.mark.parametrize(("size", "batch_size"), [(1, 1), (10, 8), (50, 3)])
def test_all_ways_agree(size, batch_size):
    batch = random_tours(size, batch_size)
    costs = all_costs(batch)
    for name, cost in costs.items():
        np.testing.assert_allclose(cost, costs["numpy"], rtol=1e-5, err_msg=name)


def test_random_tours_visit_each_customer_once_and_are_repeatable():
    batch = random_tours(20, 7)
    assert batch.coords.shape == (7, 21, 2)
    for tour in batch.tour_lists():
        assert sorted(node for node in tour if node) == list(range(1, 21))
    assert (batch.tours == random_tours(20, 7).tours).all()
    assert batch.tours[:, -1].any()
