import math
from functools import partial

import numpy as np
import pytest
import torch

from tests.vrpcore.learn.decode.cases import SMALL
from tests.vrpcore.learn.train.cases import overloaded_batch, ragged_batch, random_batch
from tests.vrpcore.variants import NAMES, drawn, labelled, random_policy, train_batch
from vrpcore.config.sections import PolicyConfig, TrainConfig
from vrpcore.errors import MissingLibraryError
from vrpcore.learn.decode.fixed_shape import FixedShapeRollout
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train import loop as loop_module
from vrpcore.learn.train import training_library
from vrpcore.learn.train.compare import Comparison
from vrpcore.learn.train.data import arrange
from vrpcore.learn.train.distributed import World
from vrpcore.learn.train.improved import improved_tours
from vrpcore.learn.train.loop import LoopLearner
from vrpcore.learn.train.two_phase import TwoPhaseLearner

TOLERANCE = 3e-5


def variants(names=tuple(NAMES), size=9):
    """One instance of each variant, with a node of padding at least."""
    instances = [drawn(name, 1, size, seed=4)[0] for name in names]
    return train_batch(instances, size + 4, TrainConfig(starts=5))


def labelled_variants():
    return arrange(labelled(), TrainConfig(starts=5, orders=3), np.random.default_rng(1))


def policy_for(batch):
    return build_policy(SMALL, 3) if batch.inputs.plain else random_policy(3)


def streams_of(batch):
    return torch.arange(len(batch.starts)) * 7919 + 5


def gradients(policy):
    return [parameter.grad.clone() for parameter in policy.parameters()]


def loop(policy, precision="fp32"):
    return LoopLearner(policy, precision, World())


def two_phases(policy):
    return TwoPhaseLearner(FixedShapeRollout(policy), "fp32", World())


def compare(policy, learn):
    """The same step by both learners: losses, costs and gradients."""
    policy.zero_grad()
    found = learn(loop(policy))
    ours = gradients(policy)
    policy.zero_grad()
    expected = learn(two_phases(policy))
    theirs = gradients(policy)
    assert found.loss == pytest.approx(expected.loss, rel=1e-4, abs=TOLERANCE)
    assert found.cost == pytest.approx(expected.cost, rel=1e-9)
    scale = max(float(part.abs().max()) for part in theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert float((mine - other).abs().max()) <= TOLERANCE * scale


def compare_reinforced(policy, batch, compared):
    compare(policy, lambda learner: learner.reinforce(batch, streams_of(batch), compared))


@pytest.mark.parametrize(
    ("build", "compared"),
    [
        (random_batch, Comparison()),
        (partial(random_batch, capacity=900), Comparison()),
        (ragged_batch, Comparison()),
        (variants, Comparison(relative=True)),
        (variants, Comparison(relative=True, pairs=True)),
    ],
)
@pytest.mark.parametrize("size", [1, 30_000, 10**6])
def test_loop_has_the_gradient_of_the_forced_pass(monkeypatch, build, compared, size):
    monkeypatch.setattr(loop_module, "PART_NUMBERS", size)
    batch = build()
    compare_reinforced(policy_for(batch), batch, compared)


IMPROVED = Comparison(pairs=True, improve=partial(improved_tours, iterations=20))


@pytest.mark.parametrize(
    ("build", "compared"),
    [
        (ragged_batch, Comparison(np.linspace(2, 5, 6)[:, None], 3.0)),
        (ragged_batch, Comparison(relative=True)),
        (ragged_batch, Comparison(pairs=True)),
        (ragged_batch, IMPROVED),
        (variants, IMPROVED),
    ],
)
def test_loop_compares_as_the_two_phases(build, compared):
    batch = build()
    compare_reinforced(policy_for(batch), batch, compared)


def test_a_batch_that_cannot_be_served_gives_no_finite_loss():
    batch = overloaded_batch()
    found = loop(build_policy(SMALL, 3)).reinforce(batch, streams_of(batch), Comparison())
    assert not math.isfinite(found.loss)


@pytest.mark.parametrize("build", [ragged_batch, labelled_variants])
def test_imitation_has_the_gradient_of_the_forced_pass(build):
    batch = build()
    compare(policy_for(batch), lambda learner: learner.imitate(batch))


def test_somebody_whom_nobody_can_serve_is_left_out():
    policy, batch = random_policy(3), variants(("ovrptw", "mdvrpbl", "cvrp"))
    inputs = batch.inputs
    demand = inputs.demand.clone()
    served = inputs.num_depots + 2
    demand[torch.arange(3), served] = inputs.capacity + 1
    batch = batch._replace(inputs=inputs._replace(demand=demand))
    result = loop(policy).reinforce(batch, streams_of(batch), Comparison())
    assert result.cost > 3.0  # who is missing counts
    compare_reinforced(policy, batch, Comparison())


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


@pytest.mark.parametrize(("width", "heads"), [(12, 2), (48, 12)], ids=str)
def test_any_number_of_heads_and_features_has_its_gradient(width, heads):
    shape = PolicyConfig(embed_dim=width, num_heads=heads, num_layers=1, feedforward_dim=8)
    policy, batch = build_policy(shape, 3), ragged_batch()
    compare_reinforced(policy, batch, Comparison())


@pytest.mark.parametrize("build", [random_batch, ragged_batch, variants])
def test_sampled_tours_are_the_rollouts(build):
    batch, costs = build(), {}
    policy = policy_for(batch)

    class Remembers(Comparison):
        def rows(self, rows):
            return self

        def advantage(self, cost):
            costs["loop"] = cost.copy()
            return super().advantage(cost)

    loop(policy).reinforce(batch, streams_of(batch), Remembers())
    with torch.no_grad():
        tours = build_rollout(policy)(
            *batch.inputs.columns, batch.starts, torch.ones([]), streams_of(batch)
        )
    assert np.allclose(costs["loop"], batch.costs(tours.numpy()), rtol=1e-9)


@pytest.mark.parametrize("build", [ragged_batch, partial(variants, NAMES[:12])])
def test_threads_change_nothing(monkeypatch, build):
    monkeypatch.setattr(loop_module, "PART_NUMBERS", 1)
    batch, found = build(), []
    policy = policy_for(batch)
    before = torch.get_num_threads()
    for threads in (1, 3):
        torch.set_num_threads(threads)
        policy.zero_grad()
        result = loop(policy).reinforce(batch, streams_of(batch), Comparison())
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
    monkeypatch.setattr(training_library, "library_file", lambda: tmp_path / "none.so")
    with pytest.raises(MissingLibraryError, match=r"training step is missing .* C\+\+ compiler"):
        loop(build_policy(SMALL, 3))
