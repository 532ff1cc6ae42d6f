import shutil

import pytest
import torch

from tests.vrpcore.learn.decode.cases import SMALL, make_inputs, solve
from tests.vrpcore.variants import NAMES, drawn, inputs_of, random_policy, starts_of
from vrpcore.learn.decode import fixed_shape
from vrpcore.learn.decode.fixed_shape import FixedShapeRollout
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.learn.decode.step_graph import STEPS_BETWEEN_TESTS
from vrpcore.learn.env.inputs import plain_inputs
from vrpcore.learn.policy.policy import build_policy


def construct(rollout, inputs, temperature=0.0):
    """Tours of test inputs, their random streams as `solve` has them."""
    *batch, starts = (part.to(rollout.device) for part in inputs)
    seed = torch.arange(len(starts), device=rollout.device)
    with torch.no_grad():
        batch = plain_inputs(*batch)
        cache = rollout.policy.encode(batch)
        return rollout.construct(cache, batch, starts, seed, temperature).cpu()


def share_of_equal(tours, inputs, temperature, policy):
    """Of tours that are those of the loop that asks at every step."""
    expected = solve(build_rollout(policy), inputs, temperature)
    assert not expected[:, :, tours.shape[2] :].any()
    return float((tours == expected[:, :, : tours.shape[2]]).all(2).double().mean())


@pytest.fixture(scope="module")
def policy():
    return build_policy(SMALL, 3).eval()


@pytest.mark.parametrize("temperature", [0.0, 1.0, 0.3])
@pytest.mark.parametrize("sizes", [[1], [9, 5, 7], [30, 30]])
def test_tours_are_those_of_the_plain_loop(policy, temperature, sizes):
    inputs = make_inputs(7, sizes, max(sizes) + 3, starts=6)
    tours = construct(FixedShapeRollout(policy), inputs, temperature)
    assert tours.shape[2] <= 2 * (max(sizes) + 3)
    assert share_of_equal(tours, inputs, temperature, policy) == 1.0


def test_the_policy_may_choose_the_first_customer(policy):
    inputs = make_inputs(8, [12, 12], 13, starts=2)
    inputs[4][:, 1] = 0
    tours = construct(FixedShapeRollout(policy), inputs)
    assert share_of_equal(tours, inputs, 0.0, policy) == 1.0


def test_it_ends_soon_behind_the_last_customer(policy):
    inputs = make_inputs(9, [40], 141, starts=4)
    tours = construct(FixedShapeRollout(policy), inputs)
    longest = int(tours.any(1).nonzero()[:, 1].max()) + 1
    # Asked for the first time when that many steps could have been enough.
    assert tours.shape[2] <= max(longest, 141) + 3 * STEPS_BETWEEN_TESTS


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's own, on first compiling
@pytest.mark.parametrize("one_size", [True, False])
def test_the_compiled_step_gives_the_same_tours(policy, one_size):
    if shutil.which("c++") is None and shutil.which("g++") is None:
        pytest.skip("no C++ compiler")
    rollout = FixedShapeRollout(policy, compiled=True, one_size=one_size, graphed=True)
    for temperature in (0.0, 1.0):
        inputs = make_inputs(10, [20] * 4, 21, starts=8)
        tours = construct(rollout, inputs, temperature)
        # Near-ties may fall the other way in the last bits.
        assert share_of_equal(tours, inputs, temperature, policy) > 0.9


def test_a_recorded_shape_gives_way_only_to_one_met_twice_as_often(policy, monkeypatch):
    class Graph:
        def load(self, fixed, state):
            pass

    rollout = FixedShapeRollout(policy)
    monkeypatch.setattr(rollout, "_graph_pool", object())
    monkeypatch.setattr(rollout, "_record", lambda *_: Graph())
    monkeypatch.setattr(fixed_shape, "_MOST_GRAPHS", 2)
    monkeypatch.setattr(fixed_shape, "shapes", lambda fixed, state: fixed)

    def replayed(shapes):
        return [rollout._graph(shape, None, 0.0) is not None for shape in shapes]

    assert replayed("aabb") == [False, True, False, True]
    assert replayed("cccc") == [False, False, False, True]  # in place of the first
    assert replayed("abc") == [False, True, True]


@pytest.mark.gpu
def test_recorded_steps_give_the_same_tours_batch_after_batch():
    policy = build_policy(SMALL, 3).eval()
    rollout = FixedShapeRollout(build_policy(SMALL, 3).eval().cuda(), graphed=True)
    for seed in range(6):
        sizes = [20 + 5 * (seed % 2)] * 4
        inputs = make_inputs(seed, sizes, sizes[0] + 1, starts=8)
        for temperature in (0.0, 1.0):
            tours = construct(rollout, inputs, temperature)
            assert share_of_equal(tours, inputs, temperature, policy) > 0.9
    rollout.forget()


def both(policy, inputs, starts, temperature):
    """Tours of both loops."""
    seed = torch.arange(len(starts))
    with torch.no_grad():
        plain = build_rollout(policy)(*inputs, starts, torch.tensor(temperature), seed)
        cache = policy.encode(inputs)
        fixed = FixedShapeRollout(policy).construct(cache, inputs, starts, seed, temperature)
    return plain, fixed


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("name", NAMES[::7])
def test_tours_of_variants_are_those_of_the_plain_loop(name, temperature):
    inputs = inputs_of(drawn(name, 6, 13), more_nodes=2)
    plain, fixed = both(random_policy(2), inputs, starts_of(inputs, 5), temperature)
    assert not (plain[:, :, fixed.shape[2] :] >= inputs.num_depots[:, None, None]).any()
    same = (plain[:, :, : fixed.shape[2]] == fixed).all(2).double().mean()
    assert same > 0.9  # near-ties may fall the other way
