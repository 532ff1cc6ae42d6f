"""Constructions of variants: looked-up scores, given tours, depots."""

import pytest
import torch

from tests.vrpcore.variants import (
    NAMES,
    drawn,
    forced_logits,
    inputs_of,
    random_policy,
    routes_of,
    starts_of,
)
from vrpcore.decode.rule_rollout import RuleRollout
from vrpcore.env.step import legs_between

GREEDY = torch.tensor(0.0)


@pytest.mark.parametrize("name", NAMES[::5])
@pytest.mark.parametrize("size", [6, 30])
def test_greedy_tours_follow_the_largest_logit(name, size):
    """Merged tables and others; choices differ only where two logits are almost equal."""
    policy, instances = random_policy(2), drawn(name, 5, size)
    inputs = inputs_of(instances, more_nodes=1)
    with torch.no_grad():
        tours = RuleRollout(policy)(*inputs, starts_of(inputs, 5), GREEDY, torch.zeros(5).long())
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
    rollout, one = RuleRollout(policy), torch.tensor(1.0)
    whole = rollout(*inputs, starts, one, seeds)
    alone = rollout(*(part[2:3] for part in inputs), starts[2:3], one, seeds[2:3])
    assert torch.equal(whole[2:3], alone)
    assert not torch.equal(whole, rollout(*inputs, starts, one, seeds + 9))


def test_starts_and_their_nearest_depots():
    policy, instances = random_policy(2), drawn("mdcvrp", 4, 12)
    inputs = inputs_of(instances)
    starts = starts_of(inputs, 6)
    tours = RuleRollout(policy)(*inputs, starts, GREEDY, torch.zeros(4).long())
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
    tours = RuleRollout(policy)(*inputs, torch.zeros(1, 1).long(), GREEDY, torch.zeros(1).long())
    served = sorted(stop for route in routes_of(tours[0, 0], 1) for stop in route.stops)
    assert served == [1, 2, 3, 5, 6, 7, 8, 9]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # see vrpcore.export.torchscript
def test_it_can_be_scripted():
    policy, instances = random_policy(4), drawn("mdvrpmbltw", 3, 8)
    inputs = inputs_of(instances)
    rollout = RuleRollout(policy)
    arguments = (*inputs, starts_of(inputs, 4), GREEDY, torch.arange(3))
    assert torch.equal(torch.jit.script(rollout)(*arguments), rollout(*arguments))
