"""The memory of the compiled training step."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Attention heads that it computes with at once, and numbers of nodes.
LANES, NODES = 8, 16
# Steps whose gradient by features is held back, to be added at once.
STEPS = 16

Float32 = NDArray[np.float32]


class Arrays(NamedTuple):
    """The decoder's tables (`tables`), or their gradient, flat; K heads, D features.

    Attributes:
        near: [B * M * M * K], score of a node from a node, without the rooms.
        room: [B * 2 * M * K], what each whole room adds to it.
        value: [B * M * D].
        pointer: [B * M * D].
        distance: [B * M * M].
    """

    near: Float32
    room: Float32
    value: Float32
    pointer: Float32
    distance: Float32


class Cases(NamedTuple):
    """B instances and S constructions of each.

    Attributes:
        need: [B, M] float64, demands, infinite where there is no node.
        capacity: [B] float64.
        start: [B, S] int64, first customers; -1: all choices are given.
        stream: [B, S] int64, random streams.
    """

    need: NDArray[np.float64]
    capacity: NDArray[np.float64]
    start: NDArray[np.int64]
    stream: NDArray[np.int64]


class Record(NamedTuple):
    """What the gradient needs of each choice, of b instances.

    Attributes:
        choice: [b, S, T] int64.
        glimpse: [b * S * T * D].
        squash: [b * S * T * count], (1 - tanh) / 2 of the pointer's scores; count is M
            rounded up to `NODES`, the nodes that may be chosen stand first.
        probability: the same of the probabilities.
    """

    choice: NDArray[np.int64]
    glimpse: Float32
    squash: Float32
    probability: Float32


class Scratch(NamedTuple):
    """What one thread works in.

    Attributes:
        node: [count] int64, the nodes that may be chosen.
        need: [M] float64, demands, infinite where a node was visited or is not there.
        weight: [K / LANES * count * LANES], attention weights of those nodes.
        inverse: [K], one over their sums.
        logit: [count], of those nodes, or its gradient.
        slope: [STEPS * D], the glimpses' gradients.
        times: [M] int64, how many of these steps a node was listed in.
        time: [M * STEPS] int64, which ones.
        score: [M * STEPS], the gradient by its pointer's score in each.
        held: [M * STEPS * K], its attention weights in each.
    """

    node: NDArray[np.int64]
    need: NDArray[np.float64]
    weight: Float32
    inverse: Float32
    logit: Float32
    slope: Float32
    times: NDArray[np.int64]
    time: NDArray[np.int64]
    score: Float32
    held: Float32


class StepShape(NamedTuple):
    """How large the instances and the decoder are."""

    num_nodes: int
    num_heads: int
    features: int


class Memory(NamedTuple):
    """All that the compiled step reads and writes."""

    tables: Arrays
    gradient: Arrays
    cases: Cases
    record: Record
    scratch: Scratch
    shape: StepShape


def padded(count: int) -> int:
    """`count` rounded up to `NODES`."""
    return -(-count // NODES) * NODES


def make_scratch(shape: StepShape) -> Scratch:
    """For instances and a decoder of this size."""
    num_nodes, heads, features = shape
    count = padded(num_nodes)
    entries = num_nodes * STEPS
    return Scratch(
        np.zeros(count, np.int64),
        np.zeros(num_nodes),
        np.zeros(count * heads, np.float32),
        np.zeros(heads, np.float32),
        np.zeros(count, np.float32),
        np.zeros(STEPS * features, np.float32),
        np.zeros(num_nodes, np.int64),
        np.zeros(entries, np.int64),
        np.zeros(entries, np.float32),
        np.zeros(entries * heads, np.float32),
    )


def make_record(choice: NDArray[np.int64], shape: StepShape) -> Record:
    """For these choices, 0 where they are still to be made."""
    squash = choice.size * padded(shape.num_nodes)
    sizes = (choice.size * shape.features, squash, squash)
    return Record(choice, *(np.empty(size, np.float32) for size in sizes))
