"""Instances of the field's variants on a device, and what lies between their nodes."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from vrpcore.arrays.rules import RuleBatch
from vrpcore.env.batch import tensors_on
from vrpcore.env.step import legs_between


class RuleInputs(NamedTuple):
    """What the policy reads, on its device; see `RuleBatch`.

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


class Legs(NamedTuple):
    """What lies between nodes: the same in every step of a solve.

    Attributes:
        away: [B*M, M] float32, the way from row to column.
        back: [B*M, M] float32, the same of routes' ends: 0 with open ends.
        row: [B, 1] int64, offset of each instance in these rows.
        counted: [B, M] float32, services that count towards the limit.
    """

    away: Tensor
    back: Tensor
    row: Tensor
    counted: Tensor


def to_rule_inputs(batch: RuleBatch, device: torch.device) -> RuleInputs:
    """Moves a host batch to the device: see `tensors_on`."""
    return RuleInputs(*tensors_on(batch, device))


def are_depots(inputs: RuleInputs) -> Tensor:
    """[B, M] bool."""
    place = torch.arange(inputs.valid.shape[1], device=inputs.valid.device)
    return place.unsqueeze(0) < inputs.num_depots.unsqueeze(1)


def are_customers(inputs: RuleInputs) -> Tensor:
    """[B, M] bool."""
    return inputs.valid & ~are_depots(inputs)


def legs_of(inputs: RuleInputs) -> Legs:
    """See `Legs`."""
    batch_size, num_nodes = inputs.valid.shape
    legs = legs_between(inputs.coords)
    back = torch.where(inputs.open_end.view(-1, 1, 1), 0.0, legs)
    return Legs(
        legs.reshape(-1, num_nodes),
        back.reshape(-1, num_nodes),
        torch.arange(batch_size, device=legs.device).unsqueeze(1) * num_nodes,
        torch.where(inputs.limit_has_service.unsqueeze(1), inputs.service, 0.0),
    )


def rows_of(table: Tensor, row: Tensor, nodes: Tensor) -> Tensor:
    """[B, S, M]: of a table of `Legs` the rows of [B, S] nodes; `row` as there."""
    return F.embedding(nodes + row, table)
