"""Precomputed decoder tables of the CPU's training loop."""

import torch
from torch import Tensor
from torch.nn import functional as F

from vrpcore.learn.policy.decoder import Cache
from vrpcore.learn.train.arrays import LANES, Arrays

# Features of a head are filled up to multiples of this.
_BLOCK = 8


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
