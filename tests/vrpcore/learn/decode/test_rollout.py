import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vrpcore.learn.decode.cases import SMALL, make_inputs, solve
from tests.vrpcore.learn.policy.cases import farthest_policy
from tests.vrpcore.variants import (
    NAMES,
    drawn,
    forced_logits,
    inputs_of,
    random_policy,
    routes_of,
    starts_of,
)
from vrpcore.learn.decode.fixed_shape import FixedShapeRollout
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.learn.env.inputs import plain_inputs
from vrpcore.learn.env.legs import legs_between
from vrpcore.learn.policy.policy import build_policy


@pytest.fixture(scope="module")
def rollout():
    return build_rollout(build_policy(SMALL, 1).eval())


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
    rollout = build_rollout(build_policy(SMALL, 1).eval())
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


GREEDY = torch.tensor(0.0)


@pytest.mark.parametrize("name", NAMES[::5])
@pytest.mark.parametrize("size", [6, 30])
def test_greedy_tours_follow_the_largest_logit(name, size):
    """Merged tables and others; choices differ only where two logits are almost equal."""
    policy, instances = random_policy(2), drawn(name, 5, size)
    inputs = inputs_of(instances, more_nodes=1)
    with torch.no_grad():
        tours = build_rollout(policy)(*inputs, starts_of(inputs, 5), GREEDY, torch.zeros(5).long())
        logits, active = forced_logits(policy, inputs, tours)
    chosen = logits.gather(2, tours[:, :, 1:].flatten(1)[..., None])[..., 0]
    behind = logits.amax(2) - chosen
    forced = torch.zeros(tours[:, :, 1:].shape, dtype=torch.bool)
    forced[:, 1:, 0] = True
    counts = (active & ~forced).flatten(1)
    assert float(behind[counts].max()) < 1e-3


def test_sampling_depends_on_the_seed_and_not_on_the_batch():
    policy, instances = random_policy(2), drawn("mdovrptw", 4, 12)
    inputs = inputs_of(instances)
    starts, seeds = starts_of(inputs, 3), torch.arange(4)
    rollout, one = build_rollout(policy), torch.tensor(1.0)
    whole = rollout(*inputs, starts, one, seeds)
    alone = rollout(*(part[2:3] for part in inputs), starts[2:3], one, seeds[2:3])
    assert torch.equal(whole[2:3], alone)
    assert not torch.equal(whole, rollout(*inputs, starts, one, seeds + 9))


def test_starts_and_their_nearest_depots():
    policy, instances = random_policy(2), drawn("mdcvrp", 4, 12)
    inputs = inputs_of(instances)
    starts = starts_of(inputs, 6)
    tours = build_rollout(policy)(*inputs, starts, GREEDY, torch.zeros(4).long())
    assert torch.equal(tours[:, 1:, 1], starts[:, 1:])
    legs = legs_between(inputs.coords)
    for row in range(4):
        for tour in tours[row, 1:]:
            assert int(tour[0]) == int(legs[row, tour[1], :3].argmin())


def test_a_customer_nobody_can_serve_is_missing_alone():
    policy, (instance,) = random_policy(2), drawn("vrptw", 1, 9)
    inputs = inputs_of([instance])
    closing = inputs.closing.clone()
    closing[0, 4] = 0.0
    inputs = inputs._replace(closing=closing)
    tours = build_rollout(policy)(*inputs, torch.zeros(1, 1).long(), GREEDY, torch.zeros(1).long())
    served = sorted(stop for route in routes_of(tours[0, 0], 1) for stop in route.stops)
    assert served == [1, 2, 3, 5, 6, 7, 8, 9]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # see vrpcore.export.torchscript
def test_it_can_be_scripted():
    policy, instances = random_policy(4), drawn("mdvrpmbltw", 3, 8)
    inputs = inputs_of(instances)
    rollout = build_rollout(policy)
    arguments = (*inputs, starts_of(inputs, 4), GREEDY, torch.arange(3))
    assert torch.equal(torch.jit.script(rollout)(*arguments), rollout(*arguments))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_decoder_without_tables_is_asked_and_not_replaced_by_another(temperature):
    policy, inputs = farthest_policy().eval(), make_inputs(3, [9, 5, 7], 10, starts=4)
    rollout = build_rollout(policy)
    found = solve(rollout, inputs, temperature)
    given = plain_inputs(*inputs[:4])
    with torch.no_grad():
        loop, cache = FixedShapeRollout(policy), policy.encode(given)
        steps = loop.construct(cache, given, inputs[4], torch.arange(3), temperature)
    assert torch.equal(found[:, :, : steps.shape[2]], steps[:, :, : found.shape[2]])
    assert not torch.equal(found, solve(build_rollout(build_policy(SMALL, 1)), inputs, temperature))
