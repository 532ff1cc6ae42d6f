"""Distances between nodes."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from vrpcore.learn.env.inputs import Inputs


class LegTensors(NamedTuple):
    """Distances and durations between nodes, the same in every step of a solve.

    Attributes:
        away: [B*M, M] float32, the leg from row to column.
        back: [B*M, M] float32, the same of routes' ends: 0 with open ends.
        row: [B, 1] int64, offset of each instance in these rows.
        counted: [B, M] float32, services that count towards the limit.
    """

    away: Tensor
    back: Tensor
    row: Tensor
    counted: Tensor


def legs_between(coords: Tensor) -> Tensor:
    """[B, M, M] float32, lengths between the nodes of [B, M, 2] coordinates."""
    x, y = coords[:, :, 0], coords[:, :, 1]
    right, up = x.unsqueeze(2) - x.unsqueeze(1), y.unsqueeze(2) - y.unsqueeze(1)
    return torch.sqrt(right * right + up * up)


def legs_of(inputs: Inputs) -> LegTensors:
    """See `LegTensors`; of instances with the columns of constraints."""
    batch_size, num_nodes = inputs.valid.shape
    legs = legs_between(inputs.coords)
    back = torch.where(inputs.open_end.view(-1, 1, 1), 0.0, legs)
    return LegTensors(
        legs.reshape(-1, num_nodes),
        back.reshape(-1, num_nodes),
        torch.arange(batch_size, device=legs.device).unsqueeze(1) * num_nodes,
        torch.where(inputs.limit_has_service.unsqueeze(1), inputs.service, 0.0),
    )


def rows_of(table: Tensor, row: Tensor, nodes: Tensor) -> Tensor:
    """[B, S, M]: of a table of `LegTensors` the rows of [B, S] nodes; `row` as there."""
    return F.embedding(nodes + row, table)
