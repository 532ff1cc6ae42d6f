"""The memory of the compiled training step."""

from typing import NamedTuple

import torch
from torch import Tensor

# Attention heads that it computes with at once, and numbers of nodes.
LANES, NODES = 8, 16
# Steps whose gradient by features is held back, to be added at once.
STEPS = 16


class Arrays(NamedTuple):
    """The decoder's tables or their gradient, contiguous float32; K heads, D features.

    K is H rounded up to `LANES`. Features stand in groups of `LANES`, one of each head:
    [K / LANES, D / H, LANES].

    Attributes:
        near: [B, M, M, K], score of each node from each node, without the rooms.
        room: [B, 2, M, K], what each whole room adds to each node's score.
        value: [B, M, D].
        pointer: [B, M, D].
        distance: [B, M, M], the distance bias.
    """

    near: Tensor
    room: Tensor
    value: Tensor
    pointer: Tensor
    distance: Tensor


class Cases(NamedTuple):
    """B instances and S constructions of each.

    Attributes:
        need: [B, M] float64, demands, infinite where there is no node.
        capacity: [B] float64.
        start: [B, S] int64, first customers; -1: all choices are given.
        stream: [B, S] int64, random streams.
    """

    need: Tensor
    capacity: Tensor
    start: Tensor
    stream: Tensor


class Record(NamedTuple):
    """What the gradient needs of each choice, of b instances.

    Attributes:
        choice: [b, S, T] int64.
        glimpse: [b * S * T * D] float32.
        squash: [b * S * T * count] float32, (1 - tanh) / 2 of the pointer's scores; count is
            M rounded up to `NODES`, the nodes that may be chosen stand first.
        probability: the same of the probabilities.
    """

    choice: Tensor
    glimpse: Tensor
    squash: Tensor
    probability: Tensor


class StepShape(NamedTuple):
    """How large the instances and the decoder are."""

    num_nodes: int
    num_heads: int
    features: int


class Memory(NamedTuple):
    """All that the compiled step reads and writes; `scratch` is one thread's alone."""

    tables: Arrays
    gradient: Arrays
    cases: Cases
    record: Record
    scratch: list[Tensor]
    shape: StepShape


def make_memory(tables: Arrays, gradient: Arrays, cases: Cases, choice: Tensor) -> Memory:
    """Memory for constructions of some or all of the instances.

    Args:
        tables: Of all B instances.
        gradient: Of the same shapes; what is learned is added to it.
        cases: All B instances.
        choice: [b, S, T] int64, 0 where choices are still to be made.
    """
    shape = StepShape(tables.near.shape[1], tables.near.shape[3], tables.value.shape[2])
    squash = choice.numel() * padded(shape.num_nodes)
    sizes = (choice.numel() * shape.features, squash, squash)
    record = Record(choice, *map(torch.empty, sizes))
    return Memory(tables, gradient, cases, record, _scratch(shape), shape)


def padded(count: int) -> int:
    """`count` rounded up to `NODES`."""
    return -(-count // NODES) * NODES


def _scratch(shape: StepShape) -> list[Tensor]:
    """From `node` to `held` in `Memory` of core/memory.hpp."""
    num_nodes, heads, features = shape
    count, entries = padded(num_nodes), num_nodes * STEPS
    return [
        torch.zeros(count, dtype=torch.int64),  # the nodes that may be chosen
        torch.zeros(num_nodes, dtype=torch.float64),  # demands, infinite where none is open
        torch.zeros(count * heads),  # [K / LANES, count, LANES], their attention weights
        torch.zeros(heads),  # one over the sums of these
        torch.zeros(count),  # their logits, or the gradient
        torch.zeros(STEPS * features),  # the glimpses' gradients
        torch.zeros(num_nodes, dtype=torch.int64),  # in how many steps a node was listed
        torch.zeros(entries, dtype=torch.int64),  # in which ones
        torch.zeros(entries),  # the gradient by its pointer's score in each
        torch.zeros(entries * heads),  # its attention weights in each
    ]
