import torch

from tests.vrpcore.policy.cases import SMALL
from vrpcore.policy.policy import build_policy, scaled_distance


def test_a_steep_head_attends_to_the_nearest():
    policy = build_policy(SMALL, 0)
    coords = torch.rand(1, 6, 2)
    valid = torch.ones(1, 6, dtype=torch.bool)
    changed = coords.clone()
    changed[0, 5] = 1.0 - changed[0, 5]
    with torch.no_grad():
        policy.encoder.slope.fill_(1e4)

        def encode(places):
            distance = scaled_distance(places, valid)
            return policy.encoder(places, torch.ones(1, 6), valid, distance, torch.zeros(1, 3))

        # Every node attends to itself alone, so that the others are not moved.
        assert torch.allclose(encode(coords)[:, :5], encode(changed)[:, :5], atol=1e-6)
