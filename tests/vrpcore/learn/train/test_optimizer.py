import copy
import math

import pytest
import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from tests.vrpcore.learn.decode.cases import SMALL
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train import optimizer as optimizer_module
from vrpcore.learn.train.optimizer import Muon, Optimizer, hidden_matrices, orthogonalised
from vrpcore.learn.train.training_library import Step

SHAPES = ((24, 8), (8, 8), (8, 24), (16, 8), (8, 12), (24, 8))


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


def drawn(shape, seed):
    """A matrix whose singular values go from 1 to 1/30: bfloat16 knows no smaller ones."""
    rng = torch.Generator().manual_seed(seed)
    matrix = torch.randn(shape, generator=rng, dtype=torch.float64)
    u, _, v = torch.linalg.svd(matrix, full_matrices=False)
    return (u * torch.logspace(0, -1.5, min(shape), dtype=torch.float64)) @ v


def by_hand(matrix):
    """Jordan's iteration of the singular values, one by one, in float64."""
    u, value, v = torch.linalg.svd(matrix, full_matrices=False)
    value = value / value.norm()
    for _ in range(5):
        value = 3.4445 * value - 4.7750 * value**3 + 2.0315 * value**5
    return (u * value) @ v


@pytest.mark.parametrize("shape", [(8, 8), (8, 12), (8, 16), (16, 64)])
def test_directions_are_the_iteration_of_singular_values(shape):
    matrices = torch.stack([drawn(shape, seed) for seed in range(3)])
    expected = torch.stack([by_hand(matrix) for matrix in matrices])
    found = orthogonalised(matrices.float())
    assert torch.allclose(found, expected.float(), atol=1e-3)
    low = orthogonalised(matrices.bfloat16()).float()
    assert (low - expected).norm() < 0.05 * expected.norm()


def test_a_gradient_of_one_direction_or_none_gives_finite_steps():
    one = torch.outer(torch.ones(8), torch.arange(24.0)).unsqueeze(0)
    steps = orthogonalised(torch.cat((one, torch.zeros_like(one))))
    value = torch.linalg.svdvals(steps[0])
    assert 0.6 < value[0] < 1.3
    assert value[1:].max() < 1e-3
    assert torch.equal(steps[1], torch.zeros(8, 24))


@pytest.mark.parametrize(
    ("native", "compiled", "near"),
    [(True, None, 2e-4), (False, None, 5e-2), (False, Step(), 5e-2)],
    ids=["bfloat16", "float32", "compiled"],
)
def test_muon_moves_as_pytorchs_does(monkeypatch, native, compiled, near):
    monkeypatch.setattr(optimizer_module, "has_bfloat16", lambda device: native)
    ours = [drawn(shape, seed).float().requires_grad_() for seed, shape in enumerate(SHAPES)]
    theirs = [matrix.detach().clone().requires_grad_() for matrix in ours]
    before = [matrix.detach().clone() for matrix in ours]
    muon = Muon(ours, 0.1, compiled)
    muon.param_groups[0]["lr"] = 1e-2
    reference = torch.optim.Muon(theirs, lr=1e-2, weight_decay=0.1, adjust_lr_fn="match_rms_adamw")
    for step in range(3):
        for number, pair in enumerate(zip(ours, theirs, strict=True)):
            for matrix in pair:
                matrix.grad = drawn(matrix.shape, 10 * step + number).float()
        muon.step()
        reference.step()
    for start, one, other in zip(before, ours, theirs, strict=True):
        moved = (other - start).norm()
        assert (one - other).norm() < near * moved


@pytest.mark.parametrize("shape", [(8, 8), (12, 8), (130, 67), (16, 640)])
def test_the_compiled_direction_is_the_iteration_of_singular_values(shape):
    matrix = torch.nn.Parameter(torch.zeros(shape))
    matrix.grad = drawn(shape, 1).float()
    Step().muon(matrix, torch.zeros(shape), (0.0, 1.0, -1.0))
    assert torch.allclose(matrix.detach(), by_hand(drawn(shape, 1)).float(), atol=1e-4)


def test_the_compiled_step_of_no_gradient_is_none():
    matrix = torch.nn.Parameter(torch.ones(24, 8))
    matrix.grad = torch.zeros(24, 8)
    Step().muon(matrix, torch.zeros(24, 8), (0.95, 0.5, 1.0))
    assert torch.equal(matrix.detach(), torch.full((24, 8), 0.5))


@pytest.mark.parametrize("compiled", [None, Step()], ids=["products", "compiled"])
def test_matrices_without_a_gradient_stay(compiled):
    matrices = [drawn((8, 8), seed).float().requires_grad_() for seed in range(2)]
    before = [matrix.detach().clone() for matrix in matrices]
    matrices[0].grad = torch.ones(8, 8)
    muon = Muon(matrices, 0.1, compiled)
    muon.param_groups[0]["lr"] = 1e-2
    muon.step()
    assert not torch.equal(matrices[0], before[0])
    assert torch.equal(matrices[1], before[1])


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


@pytest.mark.parametrize("built", [False, True])
@pytest.mark.parametrize("norm", [math.inf, math.nan, 2.0])
def test_where_the_norm_is_not_finite_nothing_moves(monkeypatch, built, norm):
    """Also by PyTorch's products, which need no answer of the device for that."""
    monkeypatch.setattr(optimizer_module.training_library, "is_built", lambda: built)
    policy = with_gradient(build_policy(SMALL, 1), 2)
    other = with_gradient(copy.deepcopy(policy), 2)
    one, two = Optimizer(policy, 0.1), Optimizer(other, 0.1)
    for each in (one, two):
        each.step(1e-3)
    for mine, same in zip(policy.parameters(), other.parameters(), strict=True):
        same.grad = mine.grad.clone()
        if not math.isfinite(norm):
            mine.grad.fill_(norm)
    one.step(1e-3, torch.tensor(norm))
    if math.isfinite(norm):
        two.step(1e-3)
    assert all(map(torch.equal, policy.parameters(), other.parameters()))
    first, second = (tree_leaves(each.state_dict()) for each in (one, two))
    tensors = [pair for pair in zip(first, second, strict=True) if isinstance(pair[0], Tensor)]
    assert len(tensors) > 10
    assert all(torch.equal(*pair) for pair in tensors)


def test_a_gradient_is_forgotten():
    policy = with_gradient(build_policy(SMALL, 1), 2)
    Optimizer(policy, 0.0).zero_grad()
    assert all(parameter.grad is None for parameter in policy.parameters())
