"""Likelihoods of given tours of variants."""

import torch

from tests.vrpcore.variants import drawn, forced_logits, inputs_of, random_policy, starts_of
from vrpcore.decode.rule_likelihood import forced_choices, rule_log_likelihood
from vrpcore.decode.rule_rollout import RuleRollout


def test_likelihoods_are_those_of_the_logits_and_learn():
    policy, instances = random_policy(4), drawn("mdvrpmbltw", 3, 8)
    inputs = inputs_of(instances)
    rollout = RuleRollout(policy)
    tours = rollout(*inputs, starts_of(inputs, 4), torch.tensor(1.0), torch.arange(3))
    logs = rule_log_likelihood(policy, policy.encode(inputs), inputs, tours)
    logits, active = forced_logits(policy, inputs, tours)
    expected = torch.log_softmax(logits, 2).gather(2, tours[:, :, 1:].flatten(1)[..., None])[..., 0]
    expected = torch.where(active, expected.view(logs.shape), 0.0)
    assert torch.allclose(logs, expected, atol=1e-5)
    (-logs.sum()).backward()
    assert all(part.grad is not None for part in policy.parameters())
    assert float(policy.way_factors.grad.abs().min()) > 0


def test_what_follows_the_last_customer_is_not_chosen():
    inputs = inputs_of(drawn("mdcvrp", 2, 3))
    tours = torch.tensor([[[0, 3, 1, 4, 5, 0, 0]], [[2, 3, 4, 5, 0, 0, 0]]])
    active = forced_choices(inputs, tours).active
    assert active[:, 0].tolist() == [[True] * 4 + [False] * 2, [True] * 3 + [False] * 3]
