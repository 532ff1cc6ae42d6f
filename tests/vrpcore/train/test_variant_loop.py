"""The compiled step of the field's variants against two phases in PyTorch."""

from functools import partial

import numpy as np
import pytest
import torch

from tests.vrpcore.variants import NAMES, drawn, labelled, random_policy
from vrpcore.arrays.rules import make_rule_batch
from vrpcore.config.sections import TrainConfig
from vrpcore.decode.rule_rollout import RuleRollout
from vrpcore.improve import native_rules
from vrpcore.train import loop as loop_module
from vrpcore.train.compare import Comparison
from vrpcore.train.distributed import World
from vrpcore.train.improved import improved_variant_tours
from vrpcore.train.variant_data import arrange
from vrpcore.train.variant_labels import VariantLabels
from vrpcore.train.variant_learner import VariantLearner, costs_of
from vrpcore.train.variant_loop import VariantLoopLearner, rule_arrays

TOLERANCE = 3e-5
needs_search = pytest.mark.skipif(not native_rules.is_built(), reason="the search was not built")


def unlabelled(names, size=9, starts=5):
    """One instance of each variant, without tours."""
    instances = [drawn(name, 1, size, seed=4)[0] for name in names]
    batch = make_rule_batch(instances, size + 4)  # one node of padding at least
    labels = VariantLabels(
        name="drawn",
        batch=batch,
        tour=np.zeros((len(names), 0), np.int64),
        length=np.full(len(names), np.nan),
    )
    return arrange(labels, TrainConfig(starts=starts), np.random.default_rng(0))


def streams_of(batch):
    return torch.arange(len(batch.starts)) * 7919 + 5


def gradients(policy):
    return [parameter.grad.clone() for parameter in policy.parameters()]


def compare(policy, learn):
    """The same step by both learners: losses, costs and gradients."""
    found = []
    for learner in (
        VariantLoopLearner(policy, "fp32", World()),
        VariantLearner(policy, "fp32", World()),
    ):
        policy.zero_grad()
        found.append((learn(learner), gradients(policy)))
    (one, ours), (other, theirs) = found
    assert one.loss == pytest.approx(other.loss, rel=1e-4, abs=TOLERANCE)
    assert one.cost == pytest.approx(other.cost, rel=1e-9)
    scale = max(float(part.abs().max()) for part in theirs)
    for mine, their in zip(ours, theirs, strict=True):
        assert float((mine - their).abs().max()) <= TOLERANCE * scale


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("size", [1, 10**6])
def test_the_loop_has_the_gradient_of_the_forced_pass(monkeypatch, size, pairs):
    monkeypatch.setattr(loop_module, "PART_NUMBERS", size)
    policy, batch = random_policy(3), unlabelled(NAMES)
    compared = Comparison(relative=True, pairs=pairs)
    compare(policy, lambda learner: learner.reinforce(batch, streams_of(batch), compared))


@needs_search
def test_improved_tours_count_alike():
    policy, batch = random_policy(3), unlabelled(NAMES)
    compared = Comparison(pairs=True, improve=partial(improved_variant_tours, iterations=20))
    compare(policy, lambda learner: learner.reinforce(batch, streams_of(batch), compared))


@needs_search
def test_imitation_has_the_gradient_of_the_forced_pass():
    policy = random_policy(3)
    batch = arrange(labelled(), TrainConfig(starts=5, orders=3), np.random.default_rng(1))
    compare(policy, lambda learner: learner.imitate(batch))


def test_somebody_whom_nobody_can_serve_is_left_out():
    policy, batch = random_policy(3), unlabelled(("ovrptw", "mdvrpbl", "cvrp"))
    inputs = batch.inputs
    demand = inputs.demand.clone()
    served = inputs.num_depots + 2
    demand[torch.arange(3), served] = inputs.capacity + 1
    batch = batch._replace(inputs=inputs._replace(demand=demand))
    result = VariantLoopLearner(policy, "fp32", World()).reinforce(
        batch, streams_of(batch), Comparison()
    )
    assert result.cost > 3.0  # who is missing counts
    compare(policy, lambda learner: learner.reinforce(batch, streams_of(batch), Comparison()))


def test_sampled_tours_are_the_rollouts():
    policy, batch = random_policy(3), unlabelled(NAMES)
    costs = {}

    class Remembers(Comparison):
        def rows(self, rows):
            return self

        def advantage(self, cost):
            costs["loop"] = cost.copy()
            return super().advantage(cost)

    learner = VariantLoopLearner(policy, "fp32", World())
    learner.reinforce(batch, streams_of(batch), Remembers())
    with torch.no_grad():
        tours = RuleRollout(policy)(*batch.inputs, batch.starts, torch.ones([]), streams_of(batch))
    assert np.allclose(costs["loop"], costs_of(batch, tours.numpy()), rtol=1e-9)


def test_arrays_of_the_compiled_step_are_dense():
    batch = unlabelled(("mdovrpmbltw", "vrpl"))
    arrays = rule_arrays(batch.inputs)
    assert all(array.is_contiguous() for array in arrays)
    assert arrays.servable.dtype == torch.bool


def test_threads_change_nothing(monkeypatch):
    monkeypatch.setattr(loop_module, "PART_NUMBERS", 1)
    policy, batch, found = random_policy(3), unlabelled(NAMES[:12]), []
    before = torch.get_num_threads()
    for threads in (1, 3):
        torch.set_num_threads(threads)
        policy.zero_grad()
        learner = VariantLoopLearner(policy, "fp32", World())
        result = learner.reinforce(batch, streams_of(batch), Comparison())
        found.append((result.loss, gradients(policy)))
    torch.set_num_threads(before)
    assert found[0][0] == found[1][0]
    for one, other in zip(found[0][1], found[1][1], strict=True):
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-6)
