"""The memory of the compiled training step."""

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from vrpcore.learn.env.inputs import Inputs
from vrpcore.learn.env.legs import legs_of
from vrpcore.learn.env.vehicle import servable_from
from vrpcore.learn.policy.decoder import Cache

# Attention heads that it computes with at once, and numbers of nodes.
LANES, NODES = 8, 16
# Steps whose gradient by features is held back, to be added at once.
STEPS = 16
# Features of a head are filled up to multiples of this.
_BLOCK = 8
# Columns of `Inputs` that are read as they are.
_OF_NODES = ("demand", "pickup", "opening", "closing", "service")
_OF_INSTANCES = ("capacity", "limit", "open_end", "backhauls_last", "pickup_only", "num_depots")


class Arrays(NamedTuple):
    """The decoder's tables or their gradient, contiguous float32; K heads, D features.

    K is H rounded up to `LANES`. Features stand in groups of `LANES`, one of each head:
    [K / LANES, D / H, LANES].

    Attributes:
        near: [B, M, M, K], score of each node from each node, without the vehicle's numbers.
        room: [B, V, M, K], what each whole number of a vehicle adds to each node's score.
        value: [B, M, D].
        pointer: [B, M, D].
        distance: [B, M, M], the distance bias.
        way: [B, W], what each unit of waiting, slack and the leg back takes from a score; W = 0 for
            plain instances.
    """

    near: Tensor
    room: Tensor
    value: Tensor
    pointer: Tensor
    distance: Tensor
    way: Tensor


class Cases(NamedTuple):
    """S constructions of each of B instances.

    Attributes:
        start: [B, S] int64, nodes of the first customers; -1: all choices are given.
        stream: [B, S] int64, random streams.
    """

    start: Tensor
    stream: Tensor


class ChoiceRecord(NamedTuple):
    """Values of each choice that the gradient needs, of b instances.

    Attributes:
        choice: [b, S, T] int64.
        glimpse: [b * S * T * D] float32.
        squash: [b * S * T * count] float32, (1 - tanh) / 2 of the pointer's scores; count is
            M rounded up to `NODES`, the nodes that may be chosen stand first.
        probability: the same of the probabilities.
        likelihood: [b, S] float64, log-likelihood of each tour, up to its last customer; minus
            infinity where a given one cannot be.
    """

    choice: Tensor
    glimpse: Tensor
    squash: Tensor
    probability: Tensor
    likelihood: Tensor


class StepShape(NamedTuple):
    """Sizes of the instances and the decoder, with the number of rooms and ways it knows."""

    num_nodes: int
    num_heads: int
    features: int
    num_rooms: int
    num_ways: int


class StepMemory(NamedTuple):
    """All arrays that the compiled step reads and writes; `scratch` belongs to one thread."""

    problem: dict[str, Tensor]
    tables: Arrays
    gradient: Arrays
    cases: Cases
    record: ChoiceRecord
    scratch: list[Tensor]
    shape: StepShape


def problem_arrays(inputs: Inputs) -> dict[str, Tensor]:
    """B instances as the compiled step reads them, contiguous.

    In the order of `Loads` (native/training/construction.hpp), with infinite needs where there is
    no node, or of `VariantArrays` (native/training/variant_construction.hpp).
    """
    if inputs.plain:
        need = torch.where(inputs.valid, inputs.demand, math.inf)
        arrays = {"need": need.double(), "capacity": inputs.capacity.double()}
    else:
        legs = legs_of(inputs)
        arrays = {"legs": legs.away, "servable": servable_from(inputs, legs)}
        arrays |= {name: getattr(inputs, name) for name in _OF_NODES}
        arrays["counted"] = legs.counted
        arrays |= {name: getattr(inputs, name) for name in _OF_INSTANCES}
    return {name: array.contiguous() for name, array in arrays.items()}


def decoder_tables(cache: Cache, room: Tensor, way: Tensor | None = None) -> Arrays:
    """Multiplies out all that a step's scores can be made of.

    A vehicle's query is that of its node plus each of its rooms times a vector, so its scores
    are a row of a node-by-node table plus its rooms times other rows: a step looks
    them up, and one small product per instance replaces one per step. Rows are moved to a
    largest score of 0, which a softmax does not notice.

    Args:
        cache: From `Decoder.cache`; gradients flow through.
        room: [V, D], the decoder's vectors.
        way: See `Arrays`; None: W = 0.
    """
    batch_size, num_heads, head_dim, num_nodes = cache.key.shape
    num_rooms = len(room)
    query = cache.query.view(batch_size, num_nodes, num_heads, head_dim).transpose(1, 2)
    near = torch.matmul(query, cache.key)
    rooms = torch.matmul(room.view(num_rooms, num_heads, head_dim).transpose(0, 1), cache.key)
    pointer = cache.pointer.view(batch_size, num_heads, head_dim, num_nodes)
    return Arrays(
        _heads_last(_below_zero(near)),
        _heads_last(_below_zero(rooms)),
        _grouped(cache.value.permute(0, 2, 3, 1)),
        _grouped(pointer.permute(0, 3, 2, 1)),
        cache.distance.view(batch_size, num_nodes, num_nodes).contiguous(),
        cache.distance.new_zeros(batch_size, 0) if way is None else way.contiguous(),
    )


def _below_zero(scores: Tensor) -> Tensor:
    return scores - scores.detach().amax(-1, keepdim=True)


def _heads_last(scores: Tensor) -> Tensor:
    """[B, H, X, M] -> [B, X, M, K]."""
    last = scores.permute(0, 2, 3, 1)
    return F.pad(last, (0, -scores.shape[1] % LANES)).contiguous()


def _grouped(features: Tensor) -> Tensor:
    """[B, M, D/H, H] -> [B, M, D] in groups of heads."""
    batch_size, num_nodes, head_dim, num_heads = features.shape
    full = F.pad(features, (0, -num_heads % LANES, 0, -head_dim % _BLOCK))
    width = full.shape[2]
    grouped = full.view(batch_size, num_nodes, width, -1, LANES).transpose(2, 3)
    return grouped.reshape(batch_size, num_nodes, -1)


def make_memory(
    problem: dict[str, Tensor], tables: Arrays, gradient: Arrays, cases: Cases, choice: Tensor
) -> StepMemory:
    """Memory for constructions of some or all of the instances.

    Args:
        problem: All B instances, from `problem_arrays`.
        tables: Of all B instances.
        gradient: Of the same shapes; what is learned is added to it.
        cases: Of all B instances.
        choice: [b, S, T] int64, 0 where choices are still to be made.
    """
    num_nodes, num_heads = tables.near.shape[2:]
    sizes = (tables.value.shape[2], tables.room.shape[1], tables.way.shape[1])
    shape = StepShape(num_nodes, num_heads, *sizes)
    squash = choice.numel() * padded(num_nodes)
    record = ChoiceRecord(
        choice,
        torch.empty(choice.numel() * shape.features),
        torch.empty(squash),
        torch.empty(squash),
        torch.empty(choice.shape[:2], dtype=torch.float64),
    )
    return StepMemory(problem, tables, gradient, cases, record, _scratch(shape), shape)


def padded(count: int) -> int:
    """`count` rounded up to `NODES`."""
    return -(-count // NODES) * NODES


def _scratch(shape: StepShape) -> list[Tensor]:
    """The arrays from `node` to `held` in `Memory` of native/training/memory.hpp."""
    num_nodes, heads, features, _, num_ways = shape
    count, entries = padded(num_nodes), num_nodes * STEPS
    return [
        torch.zeros(count, dtype=torch.int64),  # the nodes that may be chosen
        torch.zeros(num_nodes, dtype=torch.float64),  # demands, infinite where none is open
        torch.zeros(num_nodes, dtype=torch.int64),  # open customers
        torch.zeros(num_ways * count),  # what the ways of the listed nodes count
        torch.zeros(count * heads),  # [K / LANES, count, LANES], their attention weights
        torch.zeros(heads),  # one over the sums of these
        torch.zeros(count),  # their logits, or the gradient
        torch.zeros(STEPS * features),  # the glimpses' gradients
        torch.zeros(num_nodes, dtype=torch.int64),  # in how many steps a node was listed
        torch.zeros(entries, dtype=torch.int64),  # in which ones
        torch.zeros(entries),  # the gradient by its pointer's score in each
        torch.zeros(entries * heads),  # its attention weights in each
    ]
