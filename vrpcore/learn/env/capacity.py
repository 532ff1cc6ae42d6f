"""Constructions of plain instances: one capacity, one depot."""

from typing import Final, NamedTuple

import torch
from torch import Tensor, nn

from vrpcore.learn.env.environment import STAMP_STEP, VISITED, Forced, Outlook, rooms
from vrpcore.learn.env.inputs import Inputs


class Loads(NamedTuple):
    """Inputs that the steps read and do not change.

    Attributes:
        demand: [B, M] float32.
        capacity: [B] float32.
        none: Empty, in place of what plain instances do not have.
    """

    demand: Tensor
    capacity: Tensor
    none: Tensor


class State(NamedTuple):
    """The state of S constructions of each of B instances: fixed shapes, nothing that grows.

    One tensor is what is still open, what it needs, and the tour.

    Attributes:
        stamp: [] float32, what the next choice leaves at its node: the t-th leaves
            `VISITED` + `STAMP_STEP` * t.
        need: [B, S, M] float32, what a node asks for: an open customer its demand, one
            that was visited its stamp, which no vehicle can load; padding `VISITED`, the
            depot 0.
        last: [B, S] int64, the node where the vehicle is.
        remaining: [B, S] float32, what it can still load.
        num_open: [B, S] int64, customers not yet visited.
        open_demand: [B, S] float32, what these ask for together.
    """

    stamp: Tensor
    need: Tensor
    last: Tensor
    remaining: Tensor
    num_open: Tensor
    open_demand: Tensor


class Capacity(nn.Module):
    """See `Environment`; the numbers of a vehicle are its `rooms`. Scriptable, without weights."""

    visited: Final[float]
    stamp_step: Final[float]

    def __init__(self) -> None:
        super().__init__()
        self.started = 1
        self.visited, self.stamp_step = VISITED, STAMP_STEP  # scripted code cannot read globals

    def unit(self, inputs: Inputs) -> Tensor:
        """[B], what `context` is measured in."""
        return inputs.capacity

    def prepare(self, inputs: Inputs) -> Loads:
        """See `Loads`."""
        return Loads(inputs.demand, inputs.capacity, inputs.pickup)

    def reset(self, inputs: Inputs, num_starts: int) -> State:
        """The state before the first choice: every vehicle full of room, at the depot."""
        demand, valid = inputs.demand, inputs.valid
        batch_size, num_nodes = valid.shape
        is_depot = torch.arange(num_nodes, device=valid.device) == 0
        need = torch.where(is_depot, 0.0, torch.where(valid, demand, self.visited))
        num_customers = (valid & ~is_depot).sum(1, keepdim=True)
        shape = [batch_size, num_starts]
        first_stamp = self.visited + self.stamp_step
        return State(
            torch.full([], first_stamp, dtype=demand.dtype, device=demand.device),
            need.unsqueeze(1).expand(batch_size, num_starts, num_nodes),
            torch.zeros(shape, dtype=torch.int64, device=valid.device),
            inputs.capacity.unsqueeze(1).expand(shape),
            num_customers.expand(shape),
            demand.sum(1, keepdim=True).expand(shape),
        )

    def begin(self, inputs: Inputs, fixed: Loads, starts: Tensor) -> State:
        """The state behind the first choices, [B, S] int64; 0: the vehicle stays at the depot."""
        return self.step(fixed, self.reset(inputs, starts.shape[1]), starts)

    def fits(self, state: State) -> Tensor:
        """[B, S, M] bool: open customers that fit, and the depot."""
        return state.need <= state.remaining.unsqueeze(2)

    def mask(self, state: State) -> Tensor:
        """[B, S, M] bool: what `fits`, and the depot unless the vehicle is there with work left."""
        stays = (state.last == 0) & (state.num_open > 0)
        is_depot = torch.arange(state.need.shape[2], device=state.need.device) == 0
        return self.fits(state) & ~(stays.unsqueeze(2) & is_depot)

    def outlook(self, fixed: Loads, state: State) -> Outlook:
        """Permitted moves of each vehicle: `mask`."""
        return Outlook(self.mask(state), fixed.none, fixed.none, fixed.none)

    def loose(self, fixed: Loads, state: State) -> Outlook:
        """Moves of each vehicle that its load permits: `fits`."""
        return Outlook(self.fits(state), fixed.none, fixed.none, fixed.none)

    def context(self, fixed: Loads, state: State) -> Tensor:
        """[B, S, 2] float32, the rooms."""
        return rooms(state.remaining, state.open_demand, fixed.capacity.unsqueeze(1))

    def shares(self, fixed: Loads, state: State) -> Tensor:
        """[B, S, 2] float32, the rooms as shares of the capacity."""
        return self.context(fixed, state) / fixed.capacity.view(-1, 1, 1)

    def step(self, fixed: Loads, state: State, choice: Tensor) -> State:
        """The state after each construction visited its choice.

        Args:
            fixed: From `prepare`.
            state: Before.
            choice: [B, S] int64, nodes that `mask` allows.
        """
        is_customer = choice > 0
        left = torch.where(is_customer, state.stamp, 0.0)  # the depot stays open
        load = torch.gather(fixed.demand, 1, choice)
        remaining = state.remaining - load
        return State(
            state.stamp + self.stamp_step,
            torch.scatter(state.need, 2, choice.unsqueeze(2), left.unsqueeze(2)),
            choice,
            torch.where(is_customer, remaining, fixed.capacity.unsqueeze(1)),
            state.num_open - is_customer.to(torch.int64),
            state.open_demand - load,
        )

    def last(self, state: State) -> Tensor:
        """[B, S] int64, where each vehicle is."""
        return state.last

    def num_open(self, state: State) -> Tensor:
        """[B, S] int64, customers not yet visited."""
        return state.num_open

    def unfinished(self, fixed: Loads, state: State) -> Tensor:  # noqa: ARG002
        """[] bool: customers are left, and fewer than 2M choices were made."""
        last_stamp = self.visited + self.stamp_step * 2 * state.need.shape[2]
        return (state.num_open.amax() > 0) & (state.stamp <= last_stamp)

    def num_choices(self, fixed: Loads, state: State) -> Tensor:  # noqa: ARG002
        """[] int64, the number of choices made so far."""
        return ((state.stamp - self.visited) / self.stamp_step).to(torch.int64) - 1

    def tour(self, fixed: Loads, state: State) -> Tensor:  # noqa: ARG002
        """The choices so far as tours.

        Returns:
            [B, S, 2M] int64, 0 = depot and padding.
        """
        batch_size, num_starts, num_nodes = state.need.shape
        length = 2 * num_nodes
        # What was never visited goes to one extra position, which is cut off.
        time = ((state.need - self.visited) / self.stamp_step).to(torch.int64)
        position = torch.where(time > 0, time - 1, length)
        node = torch.arange(num_nodes, device=position.device).expand(position.shape)
        empty = torch.zeros(
            [batch_size, num_starts, length + 1], dtype=torch.int64, device=position.device
        )
        return torch.scatter(empty, 2, position, node)[:, :, :length]

    def forced(self, inputs: Inputs, tours: Tensor) -> Forced:
        """Every state of every tour at once.

        Args:
            inputs: B instances.
            tours: [B, S, T] int64, 0 = depot and padding; feasible, each customer once.
        """
        demand, capacity, valid = inputs.demand, inputs.capacity, inputs.valid
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
        numbers = (room / capacity.view(-1, 1, 1, 1)).flatten(1, 2)
        none = inputs.pickup
        outlook = Outlook(mask.flatten(1, 2), none, none, none)
        return Forced(tours, last.flatten(1), numbers, outlook, active)
