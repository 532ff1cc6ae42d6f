"""What lies between nodes."""

import numpy as np
import pytest
import torch

from tests.vrpcore.variants import drawn, inputs_of
from vrpcore.learn.env.legs import legs_of, rows_of


@pytest.mark.parametrize("name", ["mdvrptw", "mdovrpl"])
def test_rows_are_the_ways_from_each_node(name):
    inputs = inputs_of(drawn(name, 3, 7), more_nodes=2)
    legs = legs_of(inputs)
    nodes = torch.tensor([[0, 9, 3], [4, 4, 1], [2, 0, 8]])
    coords = inputs.coords.numpy()
    away = rows_of(legs.away, legs.row, nodes).numpy()
    back = rows_of(legs.back, legs.row, nodes).numpy()
    for row in range(3):
        for start in range(3):
            way = coords[row] - coords[row, nodes[row, start]]
            expected = np.hypot(way[:, 0], way[:, 1])
            np.testing.assert_allclose(away[row, start], expected, atol=1e-6)
            ends = np.zeros_like(expected) if "o" in name else expected
            np.testing.assert_allclose(back[row, start], ends, atol=1e-6)


def test_services_count_towards_a_limit_of_time_alone():
    inputs = inputs_of(drawn("vrptw", 2, 5))
    assert (inputs.service > 0).any()
    switched = inputs._replace(limit_has_service=torch.tensor([True, False]))
    counted = legs_of(switched).counted
    torch.testing.assert_close(counted[0], inputs.service[0])
    assert (counted[1] == 0).all()
