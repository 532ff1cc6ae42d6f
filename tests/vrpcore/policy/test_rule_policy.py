"""The policy of the variants."""

import dataclasses

import pytest
import torch

from tests.vrpcore.variants import SMALL
from vrpcore.improve import native_rules
from vrpcore.policy.policy import build_policy
from vrpcore.policy.rule_policy import build_rule_policy, widened

needs_search = pytest.mark.skipif(not native_rules.is_built(), reason="the search was not built")


def test_weights_of_a_plain_policy_begin_a_wider_one(tmp_path):
    plain = build_policy(dataclasses.replace(SMALL, variants=False), 3)
    policy = build_rule_policy(SMALL, 1)
    policy.load_state_dict(widened(plain.state_dict(), policy))
    assert torch.equal(policy.encoder.customer.weight[:, :3], plain.encoder.customer.weight)
    assert not policy.encoder.customer.weight[:, 3:].any()
    assert not policy.way_factors.any()
