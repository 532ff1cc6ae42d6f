"""When likelihoods are computed in one launch."""

from functools import partial

import pytest
import torch

from tests.vrpcore.learn.decode.cases import SMALL, make_inputs, solve
from tests.vrpcore.learn.train.worlds import together
from tests.vrpcore.variants import drawn, inputs_of, random_policy, starts_of
from vrpcore.learn.decode.likelihood import log_likelihood
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.learn.env.inputs import plain_inputs
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train import fused_pass
from vrpcore.learn.train.distributed import World
from vrpcore.learn.train.fused_pass import FUSED_NUMBERS, FusedPass


@pytest.fixture
def batch():
    policy = build_policy(SMALL, 3)
    arrays = make_inputs(7, [8, 5, 8], 9)
    tours = solve(build_rollout(build_policy(SMALL, 3).eval()), arrays, 2.0)
    inputs = plain_inputs(*arrays[:4])
    return policy, policy.encode(inputs), inputs, tours


@pytest.fixture
def seconds(monkeypatch):
    """A clock that makes each attempt as long as it is told."""
    lengths = {}
    now = [0.0]

    def perf_counter():
        now[0] += lengths.get("next", 0.0)
        return now[0]

    monkeypatch.setattr(fused_pass.time, "perf_counter", perf_counter)
    return lengths


def attempt(batch, fused, knows=lambda *_: True):
    policy, *given = batch
    return FusedPass(policy, fused, knows, World()).way(*given)


def timed(seconds, logs_of, length):
    def timed_logs(*given):
        seconds["next"] = length
        return logs_of(*given)

    return timed_logs


def test_the_faster_way_is_taken(batch, seconds, monkeypatch):
    for length, faster in ((1.0, True), (3.0, False)):
        other = timed(seconds, log_likelihood, 2.0)
        monkeypatch.setattr(fused_pass, "log_likelihood", other)
        fused = timed(seconds, log_likelihood, length)
        found = attempt(batch, fused)
        assert found == ((fused, FUSED_NUMBERS) if faster else (other, SMALL.num_heads))


def test_each_kind_is_tried_once_and_leaves_no_gradient(batch, seconds, monkeypatch):
    calls = []
    monkeypatch.setattr(fused_pass, "log_likelihood", timed(seconds, log_likelihood, 2.0))

    def fused(*given):
        calls.append(1)
        seconds["next"] = 1.0
        return log_likelihood(*given)

    policy, *given = batch
    chosen = FusedPass(policy, fused, lambda *_: True, World())
    for _ in range(3):
        assert chosen.way(*given)[0] is fused
    assert len(calls) == 2  # to compile, then to measure
    assert all(part.grad is None for part in policy.parameters())


@pytest.mark.parametrize("slow", [None, 0, 1])
def test_all_processes_take_the_same_way(batch, monkeypatch, slow):
    """Each kind is that of the largest instances of all, and one process may refuse."""
    policy, cache, inputs, tours = batch
    tried = []

    def measured(likelihood, *_):
        tried.append(likelihood)
        return 1.0, [torch.ones(1)], 2.0 if likelihood is log_likelihood else 1.0

    monkeypatch.setattr(fused_pass, "_measured", measured)

    def ways(world):
        fused = partial(log_likelihood)
        chosen = FusedPass(policy, fused, lambda *_: True, world)
        if world.rank == slow:
            monkeypatch.setattr(chosen, "_tried", lambda *_: False)
        small = inputs.take(slice(0, 1)), tours[:1], cache.take(slice(0, 1))
        for nodes in (9, 9 + 8 * world.rank):  # the second time they differ
            wide = inputs._replace(valid=torch.ones(1, nodes, dtype=torch.bool))
            likelihood, _ = chosen.way(small[2], wide, small[1])
        return likelihood is fused

    assert together(ways) == [slow is None] * 2
    assert len(tried) == 2 * 2 * (2 if slow is None else 1)  # two kinds, both ways


def failing(_):
    raise RuntimeError("no such instruction")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda logs: 2 * logs, ": their sum is off by 100.0%"),
        (lambda logs: 2 * logs.detach() - logs, "gradients is -1.000, the least of a part -1.000"),
        (lambda logs: logs.detach() + (logs - logs.detach()) * torch.inf, ": their sum is"),
        (failing, ": no such instruction"),
    ],
)
def test_what_is_wrong_is_noticed_and_pytorch_goes_on(batch, change, words):
    with pytest.warns(UserWarning, match=f"going on without.*{words}"):
        assert attempt(batch, lambda *given: change(log_likelihood(*given)))[0] is log_likelihood


def test_what_the_program_does_not_know_is_left_to_pytorch(batch):
    assert attempt(batch, None, lambda *_: False) == (log_likelihood, SMALL.num_heads)


def test_factors_of_ways_are_compared_too():
    policy = random_policy(1)
    inputs = inputs_of(drawn("ovrptw", 3, 6))
    tours = build_rollout(policy).construct(
        inputs, starts_of(inputs, 3), torch.tensor(1.0), torch.arange(3)
    )

    def fused(own, cache, given, chosen):
        logs = log_likelihood(own, cache, given, chosen)
        return logs + (own.way_factors.detach() - own.way_factors).sum() * 1e3

    with pytest.warns(UserWarning, match="the cosine of the gradients is"):
        found = attempt((policy, policy.encode(inputs), inputs, tours), fused)
    assert found[0] is log_likelihood


def test_a_cpu_has_no_such_launch():
    assert fused_pass.fused_pass(build_policy(SMALL, 3), World()) is None
