"""The accelerator's loop of the field's variants beside the plain one."""

import pytest
import torch

from tests.vrpcore.fake_device import fake_cuda, on_device
from tests.vrpcore.variants import NAMES, drawn, inputs_of, random_policy, starts_of
from vrpcore.decode.fixed_shape import STEPS_BETWEEN_TESTS
from vrpcore.decode.rule_fixed_shape import FixedShapeRuleRollout
from vrpcore.decode.rule_rollout import RuleRollout
from vrpcore.env.rule_inputs import RuleInputs


def both(policy, inputs, starts, temperature):
    """Tours of both loops."""
    seed = torch.arange(len(starts))
    with torch.no_grad():
        plain = RuleRollout(policy)(*inputs, starts, torch.tensor(temperature), seed)
        cache = policy.encode(inputs)
        fixed = FixedShapeRuleRollout(policy).construct(cache, inputs, starts, seed, temperature)
    return plain, fixed


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("name", NAMES[::7])
def test_tours_are_those_of_the_plain_loop(name, temperature):
    inputs = inputs_of(drawn(name, 6, 13), more_nodes=2)
    plain, fixed = both(random_policy(2), inputs, starts_of(inputs, 5), temperature)
    assert not (plain[:, :, fixed.shape[2] :] >= inputs.num_depots[:, None, None]).any()
    same = (plain[:, :, : fixed.shape[2]] == fixed).all(2).double().mean()
    assert same > 0.9  # near-ties may fall the other way


def test_it_ends_soon_behind_the_last_customer():
    inputs = inputs_of(drawn("vrptw", 3, 10), more_nodes=40)
    plain, fixed = both(random_policy(2), inputs, starts_of(inputs, 4), 0.0)
    longest = int((plain > 0).any(1).nonzero()[:, 1].max()) + 1
    nodes = inputs.valid.shape[1]
    assert fixed.shape[2] <= max(longest, nodes) + 3 * STEPS_BETWEEN_TESTS


def test_whom_nobody_can_serve_is_missing():
    inputs = inputs_of(drawn("cvrp", 2, 6))
    heavy = inputs.demand.clone()
    heavy[:, 3] = 10 * inputs.capacity
    inputs = inputs._replace(demand=heavy)
    plain, fixed = both(random_policy(2), inputs, starts_of(inputs, 3), 0.0)
    assert not (fixed == 3).any()
    assert not (plain == 3).any()
    assert all((fixed == node).any(2).all() for node in (1, 2, 4, 5, 6))


def test_the_host_never_waits_but_for_a_late_answer(monkeypatch):
    inputs = inputs_of(drawn("mdovrptw", 3, 9))
    starts, seed, policy = starts_of(inputs, 4), torch.arange(3), random_policy(2)
    with fake_cuda(monkeypatch) as device:
        policy, inputs = policy.to("cuda"), RuleInputs(*on_device(inputs))
        starts, seed = on_device((starts, seed))
        device.copies.clear()
        with torch.no_grad():
            cache = policy.encode(inputs)
            tours = FixedShapeRuleRollout(policy).construct(cache, inputs, starts, seed, 1.0)
    nodes = inputs.valid.shape[1]
    assert (tours.device.type, tours.dtype) == ("cuda", torch.int64)
    assert device.to_device() == []
    # The first flag is asked for after at least M steps, and read four steps later.
    assert [(copy.num_bytes, copy.waits) for copy in device.to_host()] == [(1, False)]
    assert device.host_waits == 1
    assert tours.shape == (3, 4, 1 + -(-nodes // 4) * 4 + 4)
