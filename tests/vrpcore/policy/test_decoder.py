import math

import torch

from tests.vrpcore.policy.cases import SMALL
from vrpcore.policy.decoder import LOGIT_MASK
from vrpcore.policy.policy import build_policy


def test_logits_are_bounded_masked_and_know_distance():
    policy = build_policy(SMALL, 0)
    coords = torch.rand(1, 4, 2)
    valid = torch.ones(1, 4, dtype=torch.bool)
    cache = policy.encode(coords, torch.tensor([[0.0, 1, 2, 3]]), torch.tensor([9.0]), valid)
    mask = torch.tensor([[[True, False, True, True]]])
    last = torch.tensor([[1]])
    logits = policy(cache, last, torch.ones(1, 1, 2), mask)[0, 0]
    assert logits[1] == LOGIT_MASK
    with torch.no_grad():
        policy.decoder.distance_factor.add_(1.0)
        cache = policy.encode(coords, torch.tensor([[0.0, 1, 2, 3]]), torch.tensor([9.0]), valid)
        farther = policy(cache, last, torch.ones(1, 1, 2), mask)[0, 0]
    distance = (coords[0] - coords[0, 1]).norm(dim=1)
    expected = logits - math.log2(4) * distance
    assert torch.allclose(farther[mask[0, 0]], expected[mask[0, 0]], atol=1e-5)
