import dataclasses
import math

import pytest
import torch

from tests.vrpcore.learn.policy.cases import SMALL
from tests.vrpcore.variants import SMALL as VARIANTS_SMALL
from tests.vrpcore.variants import drawn, inputs_of
from vrpcore.learn.policy.checkpoint import weights_sha256
from vrpcore.learn.policy.policy import build_policy, fleet_features, scaled_distance, widened


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


def test_weights_of_a_plain_policy_begin_a_wider_one(tmp_path):
    plain = build_policy(dataclasses.replace(VARIANTS_SMALL, variants=False), 3)
    policy = build_policy(VARIANTS_SMALL, 1)
    policy.load_state_dict(widened(plain.state_dict(), policy))
    assert torch.equal(policy.encoder.customer.weight[:, :3], plain.encoder.customer.weight)
    assert not policy.encoder.customer.weight[:, 3:].any()
    assert not policy.way_factors.any()
    assert not policy.apart_slope.any()


def test_how_far_windows_lie_apart():
    instances = [drawn(name, 1, 7)[0] for name in ("mdvrptw", "ovrptw", "vrpl")]
    inputs = inputs_of(instances, more_nodes=1)
    distance = scaled_distance(inputs.coords, inputs.valid)
    apart = build_policy(VARIANTS_SMALL, 1).apart(inputs, distance)
    for row, (instance, count) in enumerate(zip(instances, inputs.valid.sum(1), strict=True)):
        scale = math.log2(count)
        for one in range(count):
            for other in range(count):
                leg = float(distance[row, one, other]) / scale
                waits = [
                    float(inputs.opening[row, later])
                    - float(inputs.closing[row, first] + inputs.service[row, first])
                    - leg
                    for first, later in ((one, other), (other, one))
                ]
                expected = scale * max(0.0, *waits)
                assert float(apart[row, one, other]) == pytest.approx(expected, abs=1e-4)
        has_windows = instance.own_constraints.windows[:, 0, 0].max() > 0
        assert bool(apart[row, :count, :count].any()) == has_windows
