"""What crosses the bus in a step."""

import threading

import numpy as np
import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from tests.vrpcore.learn.decode.cases import SMALL
from tests.vrpcore.learn.train.cases import random_batch
from tests.vrpcore.variants import labelled, random_policy
from vrpcore.config.sections import Config, ProblemConfig, TrainConfig
from vrpcore.learn.decode.fixed_shape import FixedShapeRollout
from vrpcore.learn.decode.likelihood import log_likelihood
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train import compare, two_phase
from vrpcore.learn.train.compare import Comparison, build_comparison
from vrpcore.learn.train.data import StepBatches, arrange
from vrpcore.learn.train.distributed import World
from vrpcore.learn.train.learner import build_learner
from vrpcore.learn.train.two_phase import TwoPhaseLearner


def test_on_a_cpu_nothing_is_moved():
    policy, batch = build_policy(SMALL, 3), random_batch()
    learner = TwoPhaseLearner(FixedShapeRollout(policy), "fp32", World())
    result = learner.reinforce(batch, torch.arange(6), Comparison())
    assert (result.bytes_to_host, result.bytes_to_device) == (0, 0)


def test_the_first_tours_are_passed_while_the_last_are_improved(monkeypatch):
    policy, batch, passed = build_policy(SMALL, 3), random_batch(), threading.Event()
    monkeypatch.setattr(compare, "BLOCK_ROWS", 1)

    def noted(*given):
        found = log_likelihood(*given)
        passed.set()
        return found

    def improve(part, tours, cost):
        last = torch.equal(part.coords, batch.coords[-1:])
        assert not last or passed.wait(60)
        return tours[np.arange(len(tours)), cost.argmin(1)][:, None]

    monkeypatch.setattr(two_phase, "log_likelihood", noted)
    learner = TwoPhaseLearner(FixedShapeRollout(policy), "fp32", World())
    learner.reinforce(batch, torch.arange(6), Comparison(pairs=True, improve=improve))
    assert passed.is_set()


@pytest.mark.parametrize("objective", ["imitate", "reinforce"])
def test_a_step_on_variants_lowers_its_loss(objective):
    policy, batch = (
        random_policy(1),
        arrange(labelled(), TrainConfig(starts=6), np.random.default_rng(0)),
    )
    learner = TwoPhaseLearner(FixedShapeRollout(policy), "fp32", World())
    optimizer = torch.optim.Adam(policy.parameters(), 3e-3)
    figures = []
    for _ in range(12):
        optimizer.zero_grad()
        if objective == "imitate":
            figures.append(learner.imitate(batch).loss)
        else:
            seeds = torch.zeros(48, dtype=torch.int64)
            figures.append(learner.reinforce(batch, seeds, Comparison()).cost)
        optimizer.step()
    assert min(figures[-3:]) < figures[0]


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore:Warning. Profiler clears events")  # the only cycle's
def test_copies_of_a_step_do_not_grow_with_the_batch():
    device = torch.device("cuda")
    policy = build_policy(SMALL, 3).to(device)
    learner = TwoPhaseLearner(FixedShapeRollout(policy), "fp32", World())
    copies = {}
    for count in (8, 64):
        config = Config(
            problem=ProblemConfig(num_customers=9, capacity=20),
            train=TrainConfig(batch_size=count, starts=5),
        )
        batch = StepBatches(config, [])[0]
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as result:
            step = learner.reinforce(batch, torch.arange(count), Comparison())
            torch.cuda.synchronize()
        # Those that cross the bus; an operation may copy on the device as it likes.
        ways = ("Memcpy HtoD", "Memcpy DtoH")
        copies[count] = sum(event.name.startswith(ways) for event in result.events())
        # Tours one way; coordinates, demands, starts, streams and one number a tour the other.
        assert step.bytes_to_host <= count * 5 * 20 * 8
        assert step.bytes_to_device <= count * (10 * (8 + 4 + 1) + 4 + 5 * 8 + 8 + 5 * 4)
    assert copies[8] == copies[64]
    assert 2 <= copies[64] < 20


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's own, on first compiling
@pytest.mark.filterwarnings("ignore:The .grad attribute")  # PyTorch 2.11's, on compiling
@pytest.mark.filterwarnings("ignore:TensorFloat32 tensor cores")  # off, since results are compared
@pytest.mark.filterwarnings(
    "ignore:\\s*Online softmax is disabled"
)  # what a small batch compiles to
@pytest.mark.parametrize("objective", ["reinforce", "prefer"])
def test_a_compiled_step_learns_what_an_eager_one_learns(objective):
    """Capacity 30 divides loads that are whole vehicles: a division must not be approximate."""
    config = Config(
        problem=ProblemConfig(num_customers=20, capacity=30),
        train=TrainConfig(batch_size=64, objective=objective, precision="fp32"),
    )
    batch, found = StepBatches(config, [])[0], []
    comparison = build_comparison(config, None)
    for compiled in (False, True):
        policy = build_policy(SMALL, 3).cuda()
        learner = build_learner(policy, config, compiled, "fp32", World())
        result = learner.reinforce(batch, torch.arange(64), comparison)
        gradient = torch.cat([part.grad.reshape(-1) for part in policy.parameters()])
        found.append((result.cost, gradient.cpu()))
    (cost, gradient), (other_cost, other) = found
    # Near-ties may fall the other way in the last bits.
    assert other_cost == pytest.approx(cost, rel=1e-2)
    assert torch.nn.functional.cosine_similarity(gradient, other, dim=0) > 0.98
