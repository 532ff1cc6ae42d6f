"""Instances on a device, as the policy reads them."""

from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor

from vrpcore.arrays.batch import PLAIN_COLUMNS, Batch
from vrpcore.learn.env.transfer import send, tensors_on


class Inputs(NamedTuple):
    """Inputs of the policy, on its device; see `Batch`. Distances are not among them.

    Of plain instances, the columns from `pickup` on are empty.

    Attributes:
        coords: [B, M, 2] float32.
        demand: [B, M] float32.
        capacity: [B] float32.
        valid: [B, M] bool.
        pickup: [B, M] float32.
        opening: [B, M] float32.
        closing: [B, M] float32.
        service: [B, M] float32.
        limit: [B] float32.
        limit_has_service: [B] bool.
        open_end: [B] bool.
        backhauls_last: [B] bool.
        pickup_only: [B] bool.
        num_depots: [B] int64.
    """

    coords: Tensor
    demand: Tensor
    capacity: Tensor
    valid: Tensor
    pickup: Tensor
    opening: Tensor
    closing: Tensor
    service: Tensor
    limit: Tensor
    limit_has_service: Tensor
    open_end: Tensor
    backhauls_last: Tensor
    pickup_only: Tensor
    num_depots: Tensor

    @property
    def plain(self) -> bool:
        """Return whether the columns of constraints are empty."""
        return len(self.num_depots) == 0

    @property
    def columns(self) -> tuple[Tensor, ...]:
        """The tensors that are there, in this order."""
        return self[: len(PLAIN_COLUMNS)] if self.plain else self

    def take(self, rows: slice) -> "Inputs":
        """Selects some of the instances."""
        return inputs_of(tensor[rows] for tensor in self.columns)

    def to_device(self, device: torch.device) -> "Inputs":
        """Moves them: see `send`."""
        return inputs_of(send(self.columns, device))


def plain_inputs(coords: Tensor, demand: Tensor, capacity: Tensor, valid: Tensor) -> Inputs:
    """Inputs without constraints."""
    none = torch.empty([0], dtype=coords.dtype, device=coords.device)
    return Inputs(
        coords, demand, capacity, valid, none, none, none, none, none, none, none, none, none, none
    )


def inputs_of(columns: Iterable[Tensor]) -> Inputs:
    """Inputs from the tensors of `Inputs.columns`."""
    tensors = tuple(columns)
    return plain_inputs(*tensors) if len(tensors) == len(PLAIN_COLUMNS) else Inputs(*tensors)


def to_device(batch: Batch, device: torch.device) -> Inputs:
    """Moves a host batch to the device: see `tensors_on`."""
    return inputs_of(tensors_on(batch.columns, device))


def are_depots(inputs: Inputs) -> Tensor:
    """[B, M] bool."""
    node = torch.arange(inputs.valid.shape[1], device=inputs.valid.device)
    return node.unsqueeze(0) < inputs.num_depots.unsqueeze(1)


def are_customers(inputs: Inputs) -> Tensor:
    """[B, M] bool."""
    return inputs.valid & ~are_depots(inputs)
