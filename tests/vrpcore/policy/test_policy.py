import math

import pytest
import torch

from tests.vrpcore.policy.cases import SMALL
from vrpcore.policy.checkpoint import weights_sha256
from vrpcore.policy.policy import build_policy, fleet_features, scaled_distance


def test_distance_by_hand():
    coords = torch.tensor([[[0.0, 0.0], [0.3, 0.4], [0.9, 0.9]]])
    found = scaled_distance(coords, torch.tensor([[True, True, False]]))
    assert found[0, 0, 1] == found[0, 1, 0] == pytest.approx(0.5)
    found = scaled_distance(coords.expand(1, -1, -1), torch.ones(1, 3, dtype=torch.bool))
    assert float(found[0, 0, 1]) == pytest.approx(0.5 * math.log2(3))


def test_the_seed_decides_the_weights_and_nothing_else_is_touched():
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first, second = build_policy(SMALL, 1), build_policy(SMALL, 1)
    assert weights_sha256(first.state_dict()) == weights_sha256(second.state_dict())
    assert weights_sha256(first.state_dict()) != weights_sha256(build_policy(SMALL, 2).state_dict())
    assert torch.equal(torch.get_rng_state(), before)


def test_how_tightly_loads_must_be_packed_by_hand():
    demand = torch.tensor([[0.0, 3.0, 4.0], [0.0, 8.0, 8.0], [0.0, 0.0, 0.0]])
    found = fleet_features(demand, torch.tensor([4.0, 4.0, 4.0]))
    # 7 in two vehicles of 4; 16 fill four; nothing still has one.
    assert found.tolist() == [[0.25, 0.125, 0.5], [0.0, 0.0, 0.25], [1.0, 1.0, 1.0]]
