import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vrpcore.decode.cases import SMALL, make_inputs, solve
from vrpcore.decode.rollout import Rollout
from vrpcore.policy.policy import build_policy


@pytest.fixture(scope="module")
def rollout():
    return Rollout(build_policy(SMALL, 1).eval())


def assert_feasible(tours, inputs):
    _, demand, capacity, valid, starts = inputs
    for row, start in np.ndindex(*starts.shape):
        tour = tours[row, start].tolist()
        assert sorted(node for node in tour if node) == list(range(1, int(valid[row].sum())))
        assert tour[0] == starts[row, start]
        load = 0.0
        for node in tour:
            load = load + float(demand[row, node]) if node else 0.0
            assert load <= capacity[row]


@settings(max_examples=25)
@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
    st.sampled_from([0.0, 1.0, 5.0]),
)
def test_every_tour_is_feasible(seed, sizes, temperature):
    rollout = Rollout(build_policy(SMALL, 1).eval())
    inputs = make_inputs(seed, sizes, max(sizes) + 2)
    assert_feasible(solve(rollout, inputs, temperature), inputs)


def test_start_zero_lets_the_policy_choose(rollout):
    inputs = make_inputs(3, [6, 6], 7)
    free = solve(rollout, (*inputs[:4], torch.zeros(2, 1, dtype=torch.int64)))
    assert (free[:, 0, 0] == 0).all()
    assert (free[:, 0, 1] != 0).all()
    assert sorted(free[0, 0].tolist())[-6:] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_place_and_padding_do_not_matter(rollout, temperature):
    inputs = make_inputs(5, [7] * 12, 8)
    seed = torch.arange(12) * 77
    together = solve(rollout, inputs, temperature, seed)
    order = torch.from_numpy(np.random.default_rng(0).permutation(12))
    shuffled = solve(rollout, tuple(part[order] for part in inputs), temperature, seed[order])
    assert torch.equal(shuffled, together[order])
    padded = [
        torch.nn.functional.pad(inputs[0], (0, 0, 0, 5)),
        torch.nn.functional.pad(inputs[1], (0, 5)),
        inputs[2],
        torch.nn.functional.pad(inputs[3], (0, 5)),
        inputs[4],
    ]
    assert torch.equal(solve(rollout, padded, temperature, seed)[:, :, :16], together)
    alone = [
        solve(
            rollout, tuple(part[row : row + 1] for part in inputs), temperature, seed[row : row + 1]
        )
        for row in range(12)
    ]
    assert torch.equal(torch.cat(alone), together)


def test_samples_differ_by_seed_and_start(rollout):
    inputs = make_inputs(5, [9], 10)[:4]
    starts = torch.zeros(1, 16, dtype=torch.int64)
    first = solve(rollout, (*inputs, starts), 3.0, torch.tensor([1]))
    assert len({tuple(tour) for tour in first[0].tolist()}) > 8
    assert torch.equal(first, solve(rollout, (*inputs, starts), 3.0, torch.tensor([1])))
    assert not torch.equal(first, solve(rollout, (*inputs, starts), 3.0, torch.tensor([2])))
