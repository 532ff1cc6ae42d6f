"""Steps that were traced construct the tours that the policy constructs, at every size."""

import pytest
import torch

from vrpcore.export.signature import example_inputs
from vrpcore.export.traced import trace_rollout
from vrpcore.learn.decode.rollout import build_rollout


@pytest.mark.parametrize(
    ("batch_size", "num_nodes", "num_starts"), [(3, 9, 4), (1, 3, 1), (5, 30, 2)]
)
def test_every_axis_is_free(either, batch_size, num_nodes, num_starts):
    source = either.source
    inputs = example_inputs(source.metadata["format"], batch_size, num_nodes, num_starts)
    traced, eager = trace_rollout(source.policy), build_rollout(source.policy)
    for temperature in (0.0, 1.0):
        inputs["temperature"] = torch.tensor(temperature)
        with torch.no_grad():
            expected = eager(*inputs.values())
            assert torch.equal(traced(*inputs.values()), expected)


def test_the_policy_is_left_as_it_was(either):
    policy = either.source.policy
    before = {name: weight.requires_grad for name, weight in policy.named_parameters()}
    trace_rollout(policy)
    assert {name: weight.requires_grad for name, weight in policy.named_parameters()} == before
