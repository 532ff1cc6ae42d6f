"""What the steps of the CPU's training loop look up instead of computing."""

from typing import NamedTuple

import torch
from torch import Tensor

from vrpcore.policy.decoder import Cache

# Factors of attention weights below these count as these: their product stays above the
# denormal numbers, which cost a CPU ten times the time.
LEAST_LOG_WEIGHT, LEAST_LOG_ROOM = -40.0, -20.0


class Tables(NamedTuple):
    """Products of the decoder's cache, H first so that heads are whole blocks.

    Attributes:
        attention: [H, B*M, M], score of each node from each node, without the rooms.
        room: [H, B, 2, M], what each whole room adds to each node's score.
        value: [H, B, M, D/H].
        pointer: [B, D, M].
        distance: [B*M, M], the distance bias.
    """

    attention: Tensor
    room: Tensor
    value: Tensor
    pointer: Tensor
    distance: Tensor

    def detach(self) -> "Tables":
        """The same without gradients."""
        return Tables(*(table.detach() for table in self))


def decoder_tables(cache: Cache, room: Tensor) -> Tables:
    """Multiplies out all that a step's scores can be made of.

    A vehicle's query is that of its node plus each of its rooms times a vector, so its scores
    are a row of a node-by-node table plus its rooms times two other rows: a step looks
    them up, and one small product an instance replaces one a step.

    Args:
        cache: From `Decoder.cache`; gradients flow through.
        room: [2, D], the decoder's vectors.
    """
    batch_size, num_heads, head_dim, num_nodes = cache.key.shape
    query = cache.query.view(batch_size, num_nodes, num_heads, head_dim).permute(2, 0, 1, 3)
    key = cache.key.transpose(0, 1)
    return Tables(
        torch.matmul(query, key).view(num_heads, batch_size * num_nodes, num_nodes),
        torch.matmul(room.view(2, num_heads, head_dim).transpose(0, 1).unsqueeze(1), key),
        cache.value.transpose(0, 1).contiguous(),
        cache.pointer,
        cache.distance,
    )


def weight_table(scores: Tensor, least: float = LEAST_LOG_WEIGHT) -> Tensor:
    """Unnormalised attention weights of whole rows of scores.

    Args:
        scores: [..., M].
        least: Of the logarithms.

    Returns:
        [..., M], e^(score - largest of the row), at least e^`least`. The product of
        rows' weights is, but for its norm, the softmax of their sum.
    """
    return (scores - scores.amax(-1, keepdim=True)).clamp_min_(least).exp_()
