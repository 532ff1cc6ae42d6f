import copy

import pytest
import torch

from tests.vrpcore.decode.test_rollout import SMALL
from vrpcore.policy.policy import build_policy
from vrpcore.train.optimizer import Optimizer, hidden_matrices


def with_gradient(policy, seed):
    rng = torch.Generator().manual_seed(seed)
    for parameter in policy.parameters():
        parameter.grad = torch.randn(parameter.shape, generator=rng)
    return policy


def moved(before, after, name):
    return (after.state_dict()[name] - before.state_dict()[name]).abs()


def test_matrices_are_those_between_features():
    policy = build_policy(SMALL, 1)
    shapes = {tuple(matrix.shape) for matrix in hidden_matrices(policy)}
    assert shapes == {(48, 16), (16, 16), (32, 16), (16, 32)}
    assert len(hidden_matrices(policy)) == 4 * SMALL.num_layers + 3


def test_a_step_moves_every_weight_and_all_directions_of_a_matrix_alike():
    policy = with_gradient(build_policy(SMALL, 1), 2)
    before, gradient = copy.deepcopy(policy), policy.decoder.query.weight.grad.clone()
    Optimizer(policy, 0.0).step(1e-3)
    for name in policy.state_dict():
        assert (moved(before, policy, name) > 0).float().mean() > 0.9, name
    step = before.decoder.query.weight - policy.decoder.query.weight
    steps, gradients = torch.linalg.svdvals(step.detach()), torch.linalg.svdvals(gradient)
    assert steps[0] / steps[8] < 1.8 < gradients[0] / gradients[8]
    # AdamW's first step is the learning rate; a matrix's mean square step 4 * 0.2 of it.
    assert moved(before, policy, "decoder.room").max() == pytest.approx(1e-3, rel=0.02)
    assert step.detach().square().mean().sqrt() == pytest.approx(0.8e-3, rel=0.3)


def test_resumed_is_uninterrupted():
    first = with_gradient(build_policy(SMALL, 1), 2)
    optimizer = Optimizer(first, 0.01)
    optimizer.step(1e-3)
    second = copy.deepcopy(first)
    resumed = Optimizer(second, 0.01)
    resumed.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    for policy, each in ((first, optimizer), (second, resumed)):
        with_gradient(policy, 3)
        each.step(2e-3)
    for one, other in zip(first.parameters(), second.parameters(), strict=True):
        assert torch.equal(one, other)


def test_a_gradient_is_forgotten():
    policy = with_gradient(build_policy(SMALL, 1), 2)
    Optimizer(policy, 0.0).zero_grad()
    assert all(parameter.grad is None for parameter in policy.parameters())
