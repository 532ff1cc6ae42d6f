"""Tours of the field's variants on an accelerator without waiting for the host at every step."""

from typing import NamedTuple

import torch
from torch import Tensor

from vrpcore.decode.fixed_shape import STEPS_BETWEEN_TESTS
from vrpcore.decode.select import sample, start_streams, uniform
from vrpcore.env.batch import HostCopy
from vrpcore.env.rule_inputs import Legs, RuleInputs, legs_of
from vrpcore.env.rules import (
    Vehicle,
    advance,
    first_rule_stamp,
    leave,
    look_ahead,
    nearest_depots,
    reach_of,
    rule_tour,
    servable_from,
    stamp_step,
    stamp_visits,
    vehicle_numbers,
)
from vrpcore.env.state import VISITED
from vrpcore.policy.decoder import Cache
from vrpcore.policy.rule_policy import RulePolicy


class _Fixed(NamedTuple):
    """What the steps of a construction read and do not change."""

    cache: Cache
    inputs: RuleInputs
    legs: Legs
    reach: Tensor
    streams: Tensor


class FixedShapeRuleRollout:
    """Constructs tours by steps of fixed shape; see `FixedShapeRollout`.

    Args:
        policy: The policy to follow.
    """

    def __init__(self, policy: RulePolicy) -> None:
        self.policy = policy

    def construct(
        self, cache: Cache, inputs: RuleInputs, starts: Tensor, seed: Tensor, temperature: float
    ) -> Tensor:
        """Whole tours, the same as `RuleRollout` gives but for rounding.

        Args:
            cache: Of the instances, without gradients.
            inputs: B instances.
            starts: [B, S] int64, nodes of first customers; 0 lets the policy choose.
            seed: [B] int64, random stream of each instance.
            temperature: 0 = greedy, else samples from logits / temperature.

        Returns:
            [B, S, T] int64 as from `RuleRollout`; T is at least the longest tour.
        """
        legs = legs_of(inputs)
        servable = servable_from(inputs, legs)
        streams = start_streams(seed, starts.shape[1])
        fixed = _Fixed(cache, inputs, legs, reach_of(servable, legs), streams)
        customers = servable.any(1)  # nobody else could ever be served
        vehicle = leave(inputs, nearest_depots(inputs, legs, starts), customers)
        need = torch.where(customers, 0.0, VISITED).unsqueeze(1).expand(-1, starts.shape[1], -1)
        forced = (starts > 0) & torch.gather(customers, 1, starts)
        question: HostCopy | None = None
        num_nodes = inputs.valid.shape[1]
        taken, most = 0, 2 * num_nodes
        stamp, between = first_rule_stamp(inputs), stamp_step(inputs)
        index = torch.zeros([], dtype=torch.int64, device=starts.device)
        while taken < most:
            for _ in range(min(STEPS_BETWEEN_TESTS, most - taken)):
                choice = self._choose(fixed, vehicle, need, index, temperature)
                if taken == 0:
                    choice = torch.where(forced, starts, choice)
                vehicle = advance(inputs, legs, vehicle, choice)
                need = stamp_visits(inputs, need, stamp, vehicle.home, choice)
                stamp, index, taken = stamp + between, index + 1, taken + 1
            if taken >= num_nodes:
                if question is not None and not bool(question.wait()):
                    break
                question = HostCopy((vehicle.num_open > 0).any())
        return rule_tour(inputs, need)[:, :, : taken + 1].contiguous()

    def _choose(
        self, fixed: _Fixed, vehicle: Vehicle, need: Tensor, index: Tensor, temperature: float
    ) -> Tensor:
        cache, inputs, legs, reach, streams = fixed
        outlook = look_ahead(inputs, legs, reach, vehicle, need < VISITED)
        numbers = vehicle_numbers(inputs, vehicle)
        logits: Tensor = self.policy(cache, vehicle.last, numbers, outlook, inputs.valid)
        if temperature > 0:
            return sample(logits.float() / temperature, uniform(streams, index))
        return logits.argmax(2)
