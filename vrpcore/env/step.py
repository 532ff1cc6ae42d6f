"""Reset, mask and step of a construction: pure functions, scriptable."""

import torch
from torch import Tensor

from vrpcore.env.state import STAMP_STEP, VISITED, State

# Constants are default arguments because scripted code cannot read globals.


def reset(
    demand: Tensor, capacity: Tensor, valid: Tensor, num_starts: int, visited: float = VISITED
) -> State:
    """The state before the first choice: every vehicle full of room, at the depot.

    Args:
        demand: [B, M] float32, below 2^24.
        capacity: [B] float32.
        valid: [B, M] bool.
        num_starts: S.
        visited: `VISITED`.
    """
    batch_size, num_nodes = valid.shape
    is_depot = torch.arange(num_nodes, device=valid.device) == 0
    need = torch.where(is_depot, 0.0, torch.where(valid, demand, visited))
    num_customers = (valid & ~is_depot).sum(1, keepdim=True)
    shape = [batch_size, num_starts]
    return State(
        first_stamp(demand),
        need.unsqueeze(1).expand(batch_size, num_starts, num_nodes),
        torch.zeros(shape, dtype=torch.int64, device=valid.device),
        capacity.unsqueeze(1).expand(shape),
        num_customers.expand(shape),
        demand.sum(1, keepdim=True).expand(shape),
    )


def first_stamp(like: Tensor, visited: float = VISITED, step: float = STAMP_STEP) -> Tensor:
    """[] of the first choice, in the dtype and on the device of `like`."""
    return torch.full([], visited + step, dtype=like.dtype, device=like.device)


def num_choices(state: State, visited: float = VISITED, step: float = STAMP_STEP) -> Tensor:
    """[] int64, the number of choices made so far."""
    return ((state.stamp - visited) / step).to(torch.int64) - 1


def fits(state: State) -> Tensor:
    """Where each vehicle could go by its load: open customers that fit, and the depot.

    Returns:
        [B, S, M] bool; at least one of each row is True.
    """
    return state.need <= state.remaining.unsqueeze(2)


def legs_between(coords: Tensor) -> Tensor:
    """[B, M, M] float32, lengths between the nodes of [B, M, 2] coordinates."""
    x, y = coords[:, :, 0], coords[:, :, 1]
    right, up = x.unsqueeze(2) - x.unsqueeze(1), y.unsqueeze(2) - y.unsqueeze(1)
    return torch.sqrt(right * right + up * up)


def rooms(remaining: Tensor, open_demand: Tensor, capacity: Tensor) -> Tensor:
    """What may still be loaded, and what may be left unused.

    Args:
        remaining: [B, ...] float32, what each vehicle can still load.
        open_demand: [B, ...] float32, of the customers not yet visited.
        capacity: [B, 1, ...] float32.

    Returns:
        [B, ..., 2] float32, `remaining`, and the room that is left when these customers are
        served by this vehicle and as few further ones as can hold them; 0 to `capacity`.
    """
    further = torch.ceil(torch.clamp(open_demand - remaining, min=0.0) / capacity)
    unused = torch.clamp(further * capacity + remaining - open_demand, min=0.0)
    return torch.stack([remaining, torch.minimum(unused, capacity)], dim=-1)


def choice_mask(state: State) -> Tensor:
    """Which nodes may be chosen next.

    What `fits`, and the depot unless the vehicle is there while customers are left.

    Returns:
        [B, S, M] bool, True = may be chosen; at least one of each row is True.
    """
    stays = (state.last == 0) & (state.num_open > 0)
    is_depot = torch.arange(state.need.shape[2], device=state.need.device) == 0
    return fits(state) & ~(stays.unsqueeze(2) & is_depot)


def unfinished(state: State, visited: float = VISITED, step: float = STAMP_STEP) -> Tensor:
    """[] bool: customers are left, and fewer than 2M choices were made."""
    last_stamp = visited + step * 2 * state.need.shape[2]
    return (state.num_open.amax() > 0) & (state.stamp <= last_stamp)


def take_step(
    state: State, choice: Tensor, demand: Tensor, capacity: Tensor, step: float = STAMP_STEP
) -> State:
    """The state after each construction visited its choice.

    Args:
        state: Before.
        choice: [B, S] int64, nodes that `choice_mask` allows.
        demand: [B, M] float32.
        capacity: [B] float32.
        step: `STAMP_STEP`.
    """
    is_customer = choice > 0
    left = torch.where(is_customer, state.stamp, 0.0)  # the depot stays open
    load = torch.gather(demand, 1, choice)
    remaining = state.remaining - load
    return State(
        state.stamp + step,
        torch.scatter(state.need, 2, choice.unsqueeze(2), left.unsqueeze(2)),
        choice,
        torch.where(is_customer, remaining, capacity.unsqueeze(1)),
        state.num_open - is_customer.to(torch.int64),
        state.open_demand - load,
    )


def state_tour(state: State, visited: float = VISITED, step: float = STAMP_STEP) -> Tensor:
    """The choices so far as tours.

    Returns:
        [B, S, 2M] int64, 0 = depot and padding.
    """
    batch_size, num_starts, num_nodes = state.need.shape
    length = 2 * num_nodes
    # What was never visited goes to one extra place, which is cut off.
    time = ((state.need - visited) / step).to(torch.int64)
    place = torch.where(time > 0, time - 1, length)
    node = torch.arange(num_nodes, device=place.device).expand(place.shape)
    empty = torch.zeros(
        [batch_size, num_starts, length + 1], dtype=torch.int64, device=place.device
    )
    return torch.scatter(empty, 2, place, node)[:, :, :length]
