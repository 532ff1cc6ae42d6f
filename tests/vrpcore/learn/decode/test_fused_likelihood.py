"""Likelihoods in one launch are those of PyTorch, as are their gradients."""

import pytest

from vrpcore.config.sections import PolicyConfig
from vrpcore.learn.policy.policy import build_policy

pytest.importorskip("triton")

from tests.vrpcore.learn.decode.offline import lines_of
from tests.vrpcore.learn.policy.cases import farthest_policy
from vrpcore.learn.decode import fused_likelihood

CASES = "tests.vrpcore.learn.decode.likelihood_cases"


def run(*arguments, **environment):
    """The numbers of each case."""
    lines = lines_of(CASES, *arguments, **environment)
    return [[float(number) for number in line.split()[-3:]] for line in lines]


def assert_near(lines, number, most):
    assert len(lines) == number
    for largest, cosine, off in lines:
        assert largest < most
        assert cosine > 0.999
        assert off < most


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cases", "most"),
    [(("4:1",), 1e-4), (("20:2", "40:1"), 1e-3)],
)
def test_interpreted_likelihoods_and_gradients_are_those_of_pytorch(cases, most):
    """Of plain instances and of variants."""
    assert_near(run("cpu", *cases, TRITON_INTERPRET="1"), 2 * len(cases), most)


def test_what_would_spill_or_is_too_narrow_is_left_to_pytorch():
    policy = build_policy(PolicyConfig(), 0)
    assert fused_likelihood.knows(policy, fused_likelihood.MOST_NODES)
    assert not fused_likelihood.knows(policy, fused_likelihood.MOST_NODES + 1)
    narrow = build_policy(PolicyConfig(embed_dim=64, num_heads=8, num_layers=1), 0)
    assert not fused_likelihood.knows(narrow, 20)
    uneven = build_policy(PolicyConfig(embed_dim=48, num_heads=2, num_layers=1), 0)
    assert not fused_likelihood.knows(uneven, 20)
    assert not fused_likelihood.knows(farthest_policy(), 20)


@pytest.mark.gpu
def test_likelihoods_on_the_device_are_those_of_pytorch():
    assert_near(run("cuda", "20:64", "100:16"), 4, 1e-2)
