"""Likelihood of finished tours in one teacher-forced pass, without a loop."""

from typing import NamedTuple

import torch
from torch import Tensor

from vrpcore.env.step import rooms
from vrpcore.policy.decoder import Cache
from vrpcore.policy.policy import Policy


class ForcedStates(NamedTuple):
    """The states before each choice of given tours.

    Attributes:
        last: [B, S, T] int64, where the vehicle is.
        room: [B, S, T, 2] float32, from `vrpcore.env.step.rooms`.
        mask: [B, S, T, M] bool, True = may be chosen.
        active: [B, S, T] bool, False once all customers are served.
    """

    last: Tensor
    room: Tensor
    mask: Tensor
    active: Tensor


def forced_states(tours: Tensor, demand: Tensor, capacity: Tensor, valid: Tensor) -> ForcedStates:
    """Every state of every tour at once.

    Args:
        tours: [B, S, T] int64, 0 = depot and padding; feasible, each customer once.
        demand: [B, M] float32, whole numbers.
        capacity: [B] float32, whole numbers.
        valid: [B, M] bool.
    """
    batch_size, num_starts, length = tours.shape
    num_nodes = demand.shape[1]
    last = torch.cat((tours.new_zeros(batch_size, num_starts, 1), tours[:, :, :-1]), dim=2)
    # float64: the running sum of a whole tour may leave float32's exact integers.
    load = demand.double().unsqueeze(1).expand(-1, num_starts, -1).gather(2, last)
    total = load.cumsum(2)
    at_return = torch.where(last == 0, total, 0.0).cummax(2).values
    remaining = (capacity.double().view(-1, 1, 1) - (total - at_return)).float()
    time = torch.arange(length, device=tours.device).expand(tours.shape)
    visit_time = tours.new_zeros(batch_size, num_starts, num_nodes).scatter(2, tours, time)
    is_open = visit_time.unsqueeze(2) >= time.unsqueeze(3)
    fits = demand.view(batch_size, 1, 1, num_nodes) <= remaining.unsqueeze(3)
    mask = is_open & fits & valid.view(batch_size, 1, 1, num_nodes)
    num_served = (tours != 0).cumsum(2)
    num_customers = valid.sum(1).view(-1, 1, 1) - 1
    active = (num_served < num_customers) | ((tours != 0) & (num_served == num_customers))
    mask[..., 0] = (last != 0) | ~active
    open_demand = (demand.double().sum(1).view(-1, 1, 1) - total).float()
    room = rooms(remaining, open_demand, capacity.view(-1, 1, 1))
    return ForcedStates(last, room, mask, active)


def forced_logits(policy: Policy, cache: Cache, states: ForcedStates, capacity: Tensor) -> Tensor:
    """[B, S, T, M] logits of the choices from all states; arguments as in `log_likelihood`."""
    shape = states.last.shape
    room_share = (states.room / capacity.view(-1, 1, 1, 1)).flatten(1, 2)
    logits: Tensor = policy(cache, states.last.flatten(1), room_share, states.mask.flatten(1, 2))
    return logits.view(*shape, -1)


def log_likelihood(
    policy: Policy, cache: Cache, states: ForcedStates, tours: Tensor, capacity: Tensor
) -> Tensor:
    """Log-probability of each choice of each tour.

    Args:
        policy: The policy.
        cache: Its cached products for these instances.
        states: From `forced_states` for the same tours.
        tours: [B, S, T] int64.
        capacity: [B] float32.

    Returns:
        [B, S, T] float32, 0 where nothing is chosen any more.
    """
    logits = forced_logits(policy, cache, states, capacity).float()
    chosen = torch.log_softmax(logits, dim=3).gather(3, tours.unsqueeze(3)).squeeze(3)
    return torch.where(states.active, chosen, 0.0)
