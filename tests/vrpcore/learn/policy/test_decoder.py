import math

import pytest
import torch

from tests.vrpcore.learn.policy.cases import SMALL
from vrpcore.learn.env.environment import Outlook
from vrpcore.learn.env.inputs import plain_inputs
from vrpcore.learn.policy.decoder import LOGIT_BOUND, LOGIT_MASK
from vrpcore.learn.policy.policy import build_policy


def test_logits_are_bounded_masked_and_know_distance():
    policy = build_policy(SMALL, 0)
    coords = torch.rand(1, 4, 2)
    valid = torch.ones(1, 4, dtype=torch.bool)
    demand = torch.tensor([[0.0, 1, 2, 3]])
    inputs = plain_inputs(coords, demand, torch.tensor([9.0]), valid)
    mask = torch.tensor([[[True, False, True, True]]])
    none, last = inputs.pickup, torch.tensor([[1]])
    given = last, torch.ones(1, 1, 2), Outlook(mask, none, none, none), none
    logits = policy(policy.encode(inputs), *given)[0, 0]
    assert logits[1] == LOGIT_MASK
    with torch.no_grad():
        policy.decoder.distance_factor.add_(1.0)
        farther = policy(policy.encode(inputs), *given)[0, 0]
    distance = (coords[0] - coords[0, 1]).norm(dim=1)
    expected = logits - math.log2(4) * distance
    assert torch.allclose(farther[mask[0, 0]], expected[mask[0, 0]], atol=1e-5)


def test_the_query_of_a_vehicle_is_its_nodes_and_its_rooms():
    """Where all nodes have one value, attention is that value, whatever the query asks."""
    decoder = build_policy(SMALL, 0).decoder
    nodes = torch.randn(1, 3, 16)
    with torch.no_grad():
        cache = decoder.cache(nodes, torch.zeros(1, 3, 3))
        value = torch.arange(16.0).view(1, 2, 1, 8).expand(1, 2, 3, 8)
        cache = cache._replace(value=value.contiguous(), pointer=torch.zeros(1, 16, 3))
        cache.pointer[0, 5, 1] = 0.1  # the fifth feature is 5
        mask = torch.tensor([[[True, True, False]]])
        logits = decoder(cache, torch.tensor([[2]]), torch.rand(1, 1, 2), mask)
    expected = [0.0, LOGIT_BOUND * math.tanh(0.5), LOGIT_MASK]
    assert logits.flatten().tolist() == pytest.approx(expected)


def test_rooms_turn_the_attention():
    decoder = build_policy(SMALL, 0).decoder
    mask, last = torch.ones(1, 1, 4, dtype=torch.bool), torch.tensor([[1]])
    with torch.no_grad():
        cache = decoder.cache(torch.randn(1, 4, 16), torch.zeros(1, 4, 4))
        share = torch.tensor([[[0.5, 0.25]]])
        found = decoder(cache, last, share, mask)
        query = cache.query.clone()
        query[1] += 0.5 * decoder.room[0] + 0.25 * decoder.room[1]
        expected = decoder(cache._replace(query=query), last, torch.zeros(1, 1, 2), mask)
    assert torch.allclose(found, expected, atol=1e-5)
    assert not torch.allclose(found, decoder(cache, last, torch.zeros(1, 1, 2), mask), atol=1e-3)
