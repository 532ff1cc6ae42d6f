"""The policy of the variants."""

import dataclasses
import math

import pytest
import torch

from tests.vrpcore.variants import SMALL, drawn, inputs_of
from vrpcore.improve import native_rules
from vrpcore.policy.policy import build_policy, scaled_distance
from vrpcore.policy.rule_policy import build_rule_policy, widened

needs_search = pytest.mark.skipif(not native_rules.is_built(), reason="the search was not built")


def test_weights_of_a_plain_policy_begin_a_wider_one(tmp_path):
    plain = build_policy(dataclasses.replace(SMALL, variants=False), 3)
    policy = build_rule_policy(SMALL, 1)
    policy.load_state_dict(widened(plain.state_dict(), policy))
    assert torch.equal(policy.encoder.customer.weight[:, :3], plain.encoder.customer.weight)
    assert not policy.encoder.customer.weight[:, 3:].any()
    assert not policy.way_factors.any()
    assert not policy.apart_slope.any()


def test_how_far_windows_lie_apart():
    instances = [drawn(name, 1, 7)[0] for name in ("mdvrptw", "ovrptw", "vrpl")]
    inputs = inputs_of(instances, more_nodes=1)
    distance = scaled_distance(inputs.coords, inputs.valid)
    apart = build_rule_policy(SMALL, 1).apart(inputs, distance)
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
        has_windows = instance.rules.windows[:, 0, 0].max() > 0
        assert bool(apart[row, :count, :count].any()) == has_windows
