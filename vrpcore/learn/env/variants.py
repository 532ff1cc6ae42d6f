"""Constructions of the 48 variants: time windows, backhauls, limits, open ends, several depots."""

from typing import Final, NamedTuple

import torch
from torch import Tensor, nn

from vrpcore.learn.env.environment import STAMP_STEP, VISITED, Forced, Outlook
from vrpcore.learn.env.inputs import Inputs
from vrpcore.learn.env.legs import LegTensors, legs_of
from vrpcore.learn.env.vehicle import (
    Vehicle,
    advance,
    forced_vehicles,
    leave,
    look_ahead,
    nearest_depots,
    reach_of,
    servable_from,
    vehicle_numbers,
)


class Ground(NamedTuple):
    """Inputs that the steps read and do not change.

    Attributes:
        inputs: The B instances.
        legs: From `legs_of`.
        reach: From `reach_of`.
        customers: [B, M] bool, those that can be served at all.
        between: [] float32, how far stamps of two choices are apart: depots' numbers lie between.
        last_stamp: [] float32, of the last choice that may be made.
    """

    inputs: Inputs
    legs: LegTensors
    reach: Tensor
    customers: Tensor
    between: Tensor
    last_stamp: Tensor


class VariantState(NamedTuple):
    """The state of S constructions of each of B instances: the fields of `Vehicle`, and the tours.

    Flat, because PyTorch's converter to ONNX knows no tuples in what a loop carries on.

    Attributes:
        need: [B, S, M] float32, each visited customer's stamp: `VISITED` + `STAMP_STEP` *
            (D * t + its depot), D the most depots, t > 0 its position in the tour; 0 where it is
            open; `VISITED` elsewhere.
        stamp: [] float32, what the next choice leaves at its node, without its depot's number.
        first: [B, S] int64, a customer that must come next; 0: none.
    """

    last: Tensor
    home: Tensor
    peak: Tensor
    picked: Tensor
    delivered: Tensor
    time: Tensor
    length: Tensor
    num_open: Tensor
    open_demand: Tensor
    need: Tensor
    stamp: Tensor
    first: Tensor


def vehicle_of(state: VariantState) -> Vehicle:
    """The vehicles of a state."""
    return Vehicle(*state[:9])


class Variants(nn.Module):
    """See `Environment`; the numbers of a vehicle are `vehicle_numbers`. Scriptable, no weights."""

    visited: Final[float]
    stamp_step: Final[float]

    def __init__(self) -> None:
        super().__init__()
        self.started = 0
        self.visited, self.stamp_step = VISITED, STAMP_STEP  # scripted code cannot read globals

    def unit(self, inputs: Inputs) -> Tensor:
        """[B], what `context` is measured in: shares already."""
        return torch.ones_like(inputs.capacity)

    def prepare(self, inputs: Inputs) -> Ground:
        """See `Ground`."""
        legs = legs_of(inputs)
        servable = servable_from(inputs, legs)
        between = inputs.num_depots.amax().to(inputs.demand.dtype) * self.stamp_step
        return Ground(
            inputs,
            legs,
            reach_of(servable, legs),
            servable.any(1),
            between,
            self.visited + between * (2 * inputs.valid.shape[1]),
        )

    def begin(self, inputs: Inputs, fixed: Ground, starts: Tensor) -> VariantState:
        """Vehicles at the depots nearest to their first customers, before any choice."""
        home = nearest_depots(inputs, fixed.legs, starts)
        need = torch.where(fixed.customers, 0.0, self.visited).unsqueeze(1)
        known = torch.gather(fixed.customers, 1, starts)
        demand = inputs.demand
        start = torch.full([], self.visited, dtype=demand.dtype, device=demand.device)
        return VariantState(
            *leave(inputs, home, fixed.customers),
            need.expand(-1, starts.shape[1], -1),
            start + fixed.between,
            torch.where(known, starts, 0),
        )

    def outlook(self, fixed: Ground, state: VariantState) -> Outlook:
        """See `look_ahead`."""
        is_open = state.need < self.visited
        return look_ahead(fixed.inputs, fixed.legs, fixed.reach, vehicle_of(state), is_open)

    def loose(self, fixed: Ground, state: VariantState) -> Outlook:
        """See `look_ahead`."""
        return self.outlook(fixed, state)

    def context(self, fixed: Ground, state: VariantState) -> Tensor:
        """See `vehicle_numbers`."""
        return vehicle_numbers(fixed.inputs, vehicle_of(state))

    def shares(self, fixed: Ground, state: VariantState) -> Tensor:
        """See `vehicle_numbers`."""
        return self.context(fixed, state)

    def step(self, fixed: Ground, state: VariantState, choice: Tensor) -> VariantState:
        """The state after each construction visited its choice, or the customer that must be first.

        Args:
            fixed: From `prepare`.
            state: Before.
            choice: [B, S] int64, nodes that the outlook's mask allows.
        """
        choice = torch.where(state.first > 0, state.first, choice)
        vehicle = advance(fixed.inputs, fixed.legs, vehicle_of(state), choice)
        left = state.stamp + vehicle.home.to(state.stamp.dtype) * self.stamp_step
        is_customer = choice >= fixed.inputs.num_depots.unsqueeze(1)
        left = torch.where(is_customer, left, self.visited)  # depots get no stamp
        return VariantState(
            *vehicle,
            torch.scatter(state.need, 2, choice.unsqueeze(2), left.unsqueeze(2)),
            state.stamp + fixed.between,
            torch.zeros_like(state.first),
        )

    def last(self, state: VariantState) -> Tensor:
        """[B, S] int64, where each vehicle is."""
        return state.last

    def num_open(self, state: VariantState) -> Tensor:
        """[B, S] int64, customers not yet visited."""
        return state.num_open

    def unfinished(self, fixed: Ground, state: VariantState) -> Tensor:
        """[] bool: customers are left, and fewer than 2M choices were made."""
        return (state.num_open.amax() > 0) & (state.stamp <= fixed.last_stamp)

    def num_choices(self, fixed: Ground, state: VariantState) -> Tensor:
        """[] int64, the number of choices made so far."""
        return ((state.stamp - self.visited) / fixed.between).to(torch.int64) - 1

    def tour(self, fixed: Ground, state: VariantState) -> Tensor:
        """The choices so far as tours.

        Returns:
            [B, S, 2M + 1] int64, nodes; routes begin with their depot.
        """
        batch_size, num_starts, num_nodes = state.need.shape
        device, length = state.need.device, 2 * num_nodes + 1
        depots = fixed.inputs.num_depots.amax()
        code = ((state.need - self.visited) / self.stamp_step).to(torch.int64)
        time = torch.div(code, depots, rounding_mode="floor")
        position = torch.where(time > 0, time, length)
        node = torch.arange(num_nodes, device=device).expand(position.shape)
        tour = torch.zeros([batch_size, num_starts, length + 1], dtype=torch.int64, device=device)
        before = torch.where(time > 0, time - 1, length)
        tour = torch.scatter(tour, 2, before, code - time * depots)
        return torch.scatter(tour, 2, position, node)[:, :, :length]

    def forced(self, inputs: Inputs, tours: Tensor) -> Forced:
        """All states of given tours: vehicles step by step, the rest at once.

        The first node of a tour is its depot, which was not chosen.

        Args:
            inputs: B instances.
            tours: [B, K, T + 1] int64.
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
        numbers = vehicle_numbers(inputs, vehicle)
        return Forced(tours[:, :, 1:], vehicle.last, numbers, outlook, follows[:, :, 1:])
