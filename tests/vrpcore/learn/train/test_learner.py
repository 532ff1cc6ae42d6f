from dataclasses import replace

import pytest
import torch
from torch.fx.experimental import _config as shapes

from tests.vrpcore.learn.policy.cases import SMALL, farthest_policy
from tests.vrpcore.learn.train.cases import random_batch
from tests.vrpcore.learn.train.runs import small_config
from vrpcore.config.sections import ProblemConfig
from vrpcore.errors import ConfigError
from vrpcore.learn.decode.select import PRIME
from vrpcore.learn.device import COMPILE_OPTIONS
from vrpcore.learn.env.legs import legs_between
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train import learner as learner_module
from vrpcore.learn.train import training_library
from vrpcore.learn.train.compare import Comparison
from vrpcore.learn.train.distributed import World
from vrpcore.learn.train.learner import build_learner, instance_streams
from vrpcore.learn.train.loop import LoopLearner
from vrpcore.learn.train.two_phase import TwoPhaseLearner
from vrpcore.learn.train.validate import greedy_tours


def learner(rollout, compiled=False):
    return build_learner(
        build_policy(SMALL, 1), small_config(rollout=rollout), compiled, "fp32", World()
    )


@pytest.mark.parametrize(
    ("rollout", "built", "kind"),
    [
        ("auto", True, LoopLearner),
        ("loop", True, LoopLearner),
        ("auto", False, TwoPhaseLearner),
        ("two_phase", True, TwoPhaseLearner),
    ],
)
def test_on_a_cpu_it_is_the_loop_unless_told_otherwise_or_not_built(
    monkeypatch, rollout, built, kind
):
    monkeypatch.setattr(training_library, "is_built", lambda: built)
    assert type(learner(rollout)) is kind


def test_a_loop_cannot_be_compiled():
    with pytest.raises(ConfigError, match="loop runs on a CPU and has nothing to compile"):
        learner("loop", compiled=True)


def test_a_decoder_with_its_own_scores_is_asked_for_them():
    policy, batch = farthest_policy(), random_batch()
    with pytest.raises(ConfigError, match="loop knows only the package's encoder, decoder and env"):
        build_learner(policy, small_config(rollout="loop"), False, "fp32", World())
    learner = build_learner(policy, small_config(), False, "fp32", World())
    assert isinstance(learner, TwoPhaseLearner)
    learner.reinforce(batch, torch.arange(6), Comparison())
    tours = greedy_tours(policy, batch, torch.zeros(6, 1, dtype=torch.int64))
    lengths = legs_between(batch.inputs.coords)[:, 0]
    assert (tours[:, 0, 1] == lengths.argmax(1).numpy()).all()


def test_all_that_is_compiled_is_used(monkeypatch):
    compiled = []

    def count(function, *, dynamic, options):
        assert options == COMPILE_OPTIONS
        calls = []
        compiled.append(calls)

        def counted(*args, **kwargs):
            calls.append(dynamic)
            return function(*args, **kwargs)

        return counted

    monkeypatch.setattr(torch, "compile", count)
    found, batch = learner("two_phase", compiled=True), random_batch()
    found.reinforce(batch, torch.arange(len(batch.coords)), Comparison())
    assert len(compiled) == SMALL.num_layers + 2  # the decoder and the step
    assert all(compiled)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's own
@pytest.mark.filterwarnings("ignore:The .grad attribute")  # PyTorch 2.11's, on compiling
@pytest.mark.slow
@pytest.mark.parametrize("apart", [True, False])
def test_sizes_that_were_equal_at_first_need_no_second_compilation(monkeypatch, apart):
    """Six instances of five customers, with five starts: six nodes; then other sizes."""
    compile_, graphs = torch.compile, []

    def backend(graph, _):
        graphs.append(graph)
        return graph.forward

    def by_backend(function, *, dynamic, options):
        assert options == COMPILE_OPTIONS
        return compile_(function, dynamic=dynamic, backend=backend)

    monkeypatch.setattr(torch, "compile", by_backend)
    if not apart:
        monkeypatch.setattr(learner_module, "keep_sizes_apart", lambda: None)
    config = small_config(rollout="two_phase")
    config = replace(config, problem=ProblemConfig(num_customers=[5, 7, 8], capacity=20))
    torch.compiler.reset()
    with shapes.patch(use_duck_shape=True):
        found = build_learner(build_policy(SMALL, 1), config, True, "fp32", World())
        counts = []
        for size, starts in ((5, 5), (8, 4), (7, 6)):
            batch = random_batch(size, starts=starts)
            found.reinforce(batch, torch.arange(len(batch.coords)), Comparison())
            counts.append(len(graphs))
    torch.compiler.reset()
    assert (counts[0] == counts[2]) == apart


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's own
def test_pytorch_knows_the_options_of_compiling():
    torch.compile(abs, options=COMPILE_OPTIONS)
    with pytest.raises(RuntimeError, match="division_round"):
        torch.compile(abs, options={"eager_numerics.division_round": True})


def test_streams_by_hand():
    assert instance_streams(0, 0, 0, 3).tolist() == [0, 1, 2]
    assert instance_streams(0, 0, 2, 3).tolist() == [6, 7, 8]
    assert instance_streams(0, 2, 0, 2).tolist() == [16_382, 16_383]
    large = instance_streams(10**6, 10**6, 1, 2).tolist()
    assert large == [(place + (10**6 * 1_000_003 + 10**6) * 8191) % PRIME for place in (2, 3)]
