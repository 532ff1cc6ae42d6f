"""Reset, mask and step of a construction: pure functions, scriptable."""

import torch
from torch import Tensor

from vrpcore.env.state import State


def reset(capacity: Tensor, valid: Tensor, num_starts: int) -> State:
    """The state before the first choice: every vehicle full of room, at the depot.

    Args:
        capacity: [B] float32.
        valid: [B, M] bool.
        num_starts: S.
    """
    batch_size, num_nodes = valid.shape
    is_customer = valid.clone()
    is_customer[:, 0] = False
    visit_time = is_customer.to(torch.int32) - 1
    shape = [batch_size, num_starts]
    return State(
        torch.zeros([], dtype=torch.int64, device=valid.device),
        visit_time.unsqueeze(1).expand(batch_size, num_starts, num_nodes),
        torch.zeros(shape, dtype=torch.int64, device=valid.device),
        capacity.unsqueeze(1).expand(shape),
        is_customer.sum(1, keepdim=True).expand(shape),
    )


def choice_mask(state: State, demand: Tensor) -> Tensor:
    """Which nodes may be chosen next.

    A customer that is open and fits; the depot unless the vehicle is there while
    customers are left.

    Args:
        state: S constructions of B instances.
        demand: [B, M] float32.

    Returns:
        [B, S, M] bool, True = may be chosen; at least one of each row is True.
    """
    fits = demand.unsqueeze(1) <= state.remaining.unsqueeze(2)
    customers = (state.visit_time == 0) & fits
    depot = (state.last != 0) | (state.num_open == 0)
    is_depot = torch.arange(demand.shape[1], device=demand.device) == 0
    return customers | (depot.unsqueeze(2) & is_depot)


def take_step(state: State, choice: Tensor, demand: Tensor, capacity: Tensor) -> State:
    """The state after each construction visited its choice.

    Args:
        state: Before.
        choice: [B, S] int64, nodes that `choice_mask` allows.
        demand: [B, M] float32.
        capacity: [B] float32.
    """
    step = state.step + 1
    is_customer = choice != 0
    node = torch.arange(demand.shape[1], device=demand.device)
    chosen = (node == choice.unsqueeze(2)) & is_customer.unsqueeze(2)
    load = torch.gather(demand, 1, choice)
    return State(
        step,
        torch.where(chosen, step.to(torch.int32), state.visit_time),
        choice,
        torch.where(is_customer, state.remaining - load, capacity.unsqueeze(1)),
        state.num_open - is_customer.to(torch.int64),
    )


def state_tour(state: State) -> Tensor:
    """The choices so far as tours.

    Returns:
        [B, S, 2M] int64, 0 = depot and padding.
    """
    batch_size, num_starts, num_nodes = state.visit_time.shape
    length = 2 * num_nodes
    # What was never visited goes to one extra place, which is cut off.
    time = state.visit_time.to(torch.int64)
    place = torch.where(time > 0, time - 1, length)
    node = torch.arange(num_nodes, device=place.device).expand(place.shape)
    empty = torch.zeros(
        [batch_size, num_starts, length + 1], dtype=torch.int64, device=place.device
    )
    return torch.scatter(empty, 2, place, node)[:, :, :length]
