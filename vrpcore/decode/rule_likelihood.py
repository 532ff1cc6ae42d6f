"""Likelihood of finished tours of the field's variants: vehicles step by step, scores at once."""

from typing import NamedTuple

import torch
from torch import Tensor

from vrpcore.env.rule_inputs import Legs, RuleInputs, legs_of
from vrpcore.env.rules import (
    Outlook,
    Vehicle,
    advance,
    leave,
    look_ahead,
    reach_of,
    servable_from,
    vehicle_numbers,
)
from vrpcore.policy.decoder import Cache
from vrpcore.policy.rule_policy import RulePolicy


def forced_vehicles(inputs: RuleInputs, legs: Legs, tours: Tensor, customers: Tensor) -> Vehicle:
    """The vehicles before each choice of given tours but the first, which is their depot.

    Args:
        inputs: B instances.
        legs: From `legs_of`.
        tours: [B, K, T] int64, as `RuleRollout` returns them.
        customers: [B, M] bool, who can be served.

    Returns:
        Its fields are [B, K * (T - 1)].
    """
    vehicle = leave(inputs, tours[:, :, 0], customers)
    states = []
    for choice in tours[:, :, 1:].unbind(2):
        states.append(vehicle)
        vehicle = advance(inputs, legs, vehicle, choice)
    return Vehicle(*(torch.stack(parts, 2).flatten(1) for parts in zip(*states, strict=True)))


class Forced(NamedTuple):
    """The states before each choice of given tours but the first, which is their depot.

    Attributes:
        vehicle: Its fields are [B, K * (T - 1)].
        numbers: [B, K * (T - 1), F] float32, from `vehicle_numbers`.
        outlook: From `look_ahead`.
        active: [B, K, T - 1] bool: a customer follows in the tour.
    """

    vehicle: Vehicle
    numbers: Tensor
    outlook: Outlook
    active: Tensor


def forced_choices(inputs: RuleInputs, tours: Tensor) -> Forced:
    """See `Forced`.

    Args:
        inputs: B instances.
        tours: [B, K, T] int64, as `RuleRollout` returns them.
    """
    batch_size, num_tours, length = tours.shape
    num_nodes = inputs.valid.shape[1]
    legs = legs_of(inputs)
    servable = servable_from(inputs, legs)
    customers = servable.any(1)
    vehicle = forced_vehicles(inputs, legs, tours, customers)
    time = torch.arange(length, device=tours.device)
    never = torch.full((batch_size, num_tours, num_nodes), length, device=tours.device)
    visit = never.scatter(2, tours, time.expand(tours.shape))
    is_open = visit.unsqueeze(2) >= time[1:].view(1, 1, -1, 1)
    is_open = is_open & customers.view(batch_size, 1, 1, num_nodes)
    outlook = look_ahead(inputs, legs, reach_of(servable, legs), vehicle, is_open.flatten(1, 2))
    served = (tours >= inputs.num_depots.view(-1, 1, 1)).to(torch.int64)
    follows = served.flip(2).cumsum(2).flip(2) > 0
    return Forced(vehicle, vehicle_numbers(inputs, vehicle), outlook, follows[:, :, 1:])


def rule_logits(
    policy: RulePolicy, cache: Cache, inputs: RuleInputs, tours: Tensor
) -> tuple[Tensor, Tensor]:
    """Logits of the choices of given tours but the first, which is their depot.

    Given choices count as allowed, as rounding may forbid one of theirs.

    Args:
        policy: The policy.
        cache: Its cached products for these instances.
        inputs: The B instances.
        tours: [B, K, T] int64, as `RuleRollout` returns them.

    Returns:
        [B, K * (T - 1), M] float32, and [B, K, T - 1] bool: a customer follows in the tour.
    """
    with torch.no_grad():
        forced = forced_choices(inputs, tours)
        chosen = tours[:, :, 1:].flatten(1).unsqueeze(2)
        mask = forced.outlook.mask.scatter(2, chosen, value=True)
    logits: Tensor = policy(
        cache,
        forced.vehicle.last,
        forced.numbers,
        forced.outlook._replace(mask=mask),
        inputs.valid,
    )
    return logits, forced.active


def rule_log_likelihood(
    policy: RulePolicy, cache: Cache, inputs: RuleInputs, tours: Tensor
) -> Tensor:
    """Log-probability of each choice of each tour but the first; arguments of `rule_logits`.

    Returns:
        [B, K, T - 1] float32, 0 where nothing is chosen any more.
    """
    logits, active = rule_logits(policy, cache, inputs, tours)
    chosen = tours[:, :, 1:].flatten(1).unsqueeze(2)
    logs = torch.log_softmax(logits.float(), dim=2).gather(2, chosen)
    return torch.where(active, logs.view(active.shape), 0.0)
