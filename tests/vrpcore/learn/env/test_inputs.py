"""Instances on a device."""

import numpy as np
import pytest
import torch

from tests.vrpcore.variants import drawn, inputs_of
from vrpcore.arrays.batch import Batch
from vrpcore.learn.env.inputs import are_customers, are_depots, to_device

BATCH = Batch(
    coords_unit=np.arange(12, dtype=np.float32).reshape(2, 3, 2),
    demand=np.array([[0, 1, 2], [0, 3, 0]], np.float32),
    capacity=np.array([4, 5], np.float32),
    valid=np.array([[True, True, True], [True, True, False]]),
)


@pytest.mark.parametrize("name", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_a_batch_arrives_as_it_was(name):
    moved = to_device(BATCH, torch.device(name))
    assert moved.coords.device.type == name
    assert np.array_equal(moved.coords.cpu().numpy(), BATCH.coords_unit)
    assert np.array_equal(moved.demand.cpu().numpy(), BATCH.demand)
    assert np.array_equal(moved.capacity.cpu().numpy(), BATCH.capacity)
    assert np.array_equal(moved.valid.cpu().numpy(), BATCH.valid)


def test_what_plain_instances_lack_is_empty_and_stays_so():
    moved = to_device(BATCH, torch.device("cpu"))
    assert moved.plain
    assert len(moved.columns) == 4
    part = moved.take(slice(1, 2)).to_device(torch.device("cpu"))
    assert part.plain
    assert part.demand.tolist() == [[0, 3, 0]]
    full = to_device(BATCH.full(), torch.device("cpu"))
    assert not full.plain
    assert full.columns == tuple(full)
    assert full.take(slice(1, 2)).num_depots.tolist() == [1]


def test_nodes_are_depots_customers_or_padding():
    inputs = inputs_of(drawn("mdcvrp", 2, 5), more_nodes=3)
    depots, customers = are_depots(inputs), are_customers(inputs)
    assert depots.sum(1).tolist() == inputs.num_depots.tolist()
    assert customers.sum(1).tolist() == [5, 5]
    assert not (depots & customers).any()
    assert not customers[:, -3:].any()
