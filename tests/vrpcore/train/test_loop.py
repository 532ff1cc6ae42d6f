import math
from functools import partial

import numpy as np
import pytest
import torch

from tests.vrpcore.decode.cases import SMALL
from tests.vrpcore.train.cases import STREAMS, ragged_batch, random_batch
from vrpcore.config.sections import (
    PolicyConfig,
)
from vrpcore.decode.fixed_shape import FixedShapeRollout
from vrpcore.decode.rollout import Rollout
from vrpcore.errors import MissingLibraryError
from vrpcore.policy.policy import build_policy
from vrpcore.train import loop as loop_module
from vrpcore.train import native
from vrpcore.train.compare import Comparison
from vrpcore.train.distributed import World
from vrpcore.train.improved import improved_tours
from vrpcore.train.loop import LoopLearner
from vrpcore.train.two_phase import TwoPhaseLearner

TOLERANCE = 2e-5


def gradients(policy):
    return [parameter.grad.clone() for parameter in policy.parameters()]


def loop(policy, precision="fp32"):
    return LoopLearner(policy, precision, World())


def two_phases(policy):
    return TwoPhaseLearner(FixedShapeRollout(policy), "fp32", World())


def compare(policy, learn, reference):
    policy.zero_grad()
    found = learn()
    ours = gradients(policy)
    policy.zero_grad()
    expected = reference()
    theirs = gradients(policy)
    assert found.loss == pytest.approx(expected.loss, rel=1e-4, abs=TOLERANCE)
    assert found.cost == pytest.approx(expected.cost, rel=1e-9)
    scale = max(float(part.abs().max()) for part in theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert float((mine - other).abs().max()) <= TOLERANCE * scale


def compare_reinforced(policy, batch, compared):
    compare(
        policy,
        lambda: loop(policy).reinforce(batch, STREAMS, compared),
        lambda: two_phases(policy).reinforce(batch, STREAMS, compared),
    )


@pytest.mark.parametrize("batch", [random_batch(), random_batch(capacity=900), ragged_batch()])
@pytest.mark.parametrize("size", [1, 30_000, 10**6])
def test_loop_has_the_gradient_of_the_forced_pass(monkeypatch, batch, size):
    monkeypatch.setattr(loop_module, "PART_NUMBERS", size)
    policy = build_policy(SMALL, 3)
    compare_reinforced(policy, batch, Comparison())


@pytest.mark.parametrize(
    "compared",
    [
        Comparison(np.linspace(2, 5, 6)[:, None], 3.0),
        Comparison(relative=True),
        Comparison(pairs=True),
        Comparison(pairs=True, improve=partial(improved_tours, iterations=20)),
    ],
)
def test_loop_compares_as_the_two_phases(compared):
    compare_reinforced(build_policy(SMALL, 3), ragged_batch(), compared)


def test_imitation_has_the_gradient_of_the_forced_pass():
    policy, batch = build_policy(SMALL, 3), ragged_batch()
    compare(
        policy,
        lambda: loop(policy).imitate(batch),
        lambda: two_phases(policy).imitate(batch),
    )


def test_bfloat16_products_stay_near():
    policy, batch = build_policy(SMALL, 3), ragged_batch()
    found = []
    for precision in ("fp32", "bf16"):
        policy.zero_grad()
        result = loop(policy, precision).imitate(batch)
        found.append((result.loss, torch.cat([part.flatten() for part in gradients(policy)])))
    (loss, exact), (near_loss, near) = found
    assert near_loss == pytest.approx(loss, rel=0.01)
    assert float(torch.dot(exact, near) / (exact.norm() * near.norm())) > 0.99


@pytest.mark.parametrize("batch", [random_batch(), ragged_batch()])
def test_sampled_tours_are_the_rollouts(batch):
    policy = build_policy(SMALL, 3).eval()
    inputs = batch.to_device(torch.device("cpu"))
    with torch.no_grad():
        expected = Rollout(policy)(*inputs, batch.starts, torch.ones([]), STREAMS)
        cache = policy.encode(*inputs)
        tours = FixedShapeRollout(policy).construct(cache, inputs, batch.starts, STREAMS, 1.0)
    assert torch.equal(tours, expected[:, :, : tours.shape[2]])
    assert not expected[:, :, tours.shape[2] :].any()


@pytest.mark.parametrize(("width", "heads"), [(12, 2), (48, 12)], ids=str)
def test_any_number_of_heads_and_features_has_its_gradient(width, heads):
    shape = PolicyConfig(embed_dim=width, num_heads=heads, num_layers=1, feedforward_dim=8)
    policy, batch = build_policy(shape, 3), ragged_batch()
    compare_reinforced(policy, batch, Comparison())


def test_threads_change_nothing(monkeypatch):
    monkeypatch.setattr(loop_module, "PART_NUMBERS", 1)
    policy, batch, found = build_policy(SMALL, 3), ragged_batch(), []
    before = torch.get_num_threads()
    for threads in (1, 3):
        torch.set_num_threads(threads)
        policy.zero_grad()
        result = loop(policy).reinforce(batch, STREAMS, Comparison())
        found.append((result.loss, gradients(policy)))
    torch.set_num_threads(before)
    assert found[0][0] == found[1][0]
    for one, other in zip(found[0][1], found[1][1], strict=True):
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-6)


def test_a_tour_that_cannot_be_has_no_finite_loss():
    policy, batch = build_policy(SMALL, 3), ragged_batch()
    batch.tours[0, 0, :2] = 1  # the same customer twice
    assert loop(policy).imitate(batch).loss == math.inf


def test_without_the_library_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(native, "library_file", lambda: tmp_path / "none.so")
    with pytest.raises(MissingLibraryError, match=r"training step is missing .* C\+\+ compiler"):
        loop(build_policy(SMALL, 3))
