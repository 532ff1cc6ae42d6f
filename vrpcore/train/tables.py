"""What the steps of the CPU's training loop look up instead of computing."""

from typing import NamedTuple

import torch
from torch import Tensor

from vrpcore.policy.decoder import Cache

# Attention weights below e^-40 count as e^-40: two such factors stay above the
# denormal numbers, which cost a CPU ten times the time.
LEAST_LOG_WEIGHT = -40.0


class Tables(NamedTuple):
    """Products of the decoder's cache, H first so that heads are whole blocks.

    Attributes:
        attention: [H, B*M, M], score of each node from each node, without the load.
        load: [H, B, 1, M], what a full load adds to each node's score.
        value: [H, B, M, D/H].
        pointer: [B, D, M].
        distance: [B*M, M], the distance bias.
    """

    attention: Tensor
    load: Tensor
    value: Tensor
    pointer: Tensor
    distance: Tensor

    def detach(self) -> "Tables":
        """The same without gradients."""
        return Tables(*(table.detach() for table in self))


def decoder_tables(cache: Cache, load: Tensor) -> Tables:
    """Multiplies out all that a step's scores can be made of.

    A vehicle's query is that of its node plus its load times one vector, so its scores
    are a row of a node-by-node table plus its load times another row: a step looks
    them up, and one small product an instance replaces one a step.

    Args:
        cache: From `Decoder.cache`; gradients flow through.
        load: [D], the decoder's load vector.
    """
    batch_size, num_heads, head_dim, num_nodes = cache.key.shape
    query = cache.query.view(batch_size, num_nodes, num_heads, head_dim).permute(2, 0, 1, 3)
    key = cache.key.transpose(0, 1)
    return Tables(
        torch.matmul(query, key).view(num_heads, batch_size * num_nodes, num_nodes),
        torch.matmul(load.view(num_heads, 1, 1, head_dim), key),
        cache.value.transpose(0, 1).contiguous(),
        cache.pointer,
        cache.distance,
    )


def weight_table(scores: Tensor) -> Tensor:
    """Unnormalised attention weights of whole rows of scores.

    Args:
        scores: [..., M].

    Returns:
        [..., M], e^(score - largest of the row), at least e^`LEAST_LOG_WEIGHT`. The
        product of two rows' weights is, but for its norm, the softmax of their sum.
    """
    return (scores - scores.amax(-1, keepdim=True)).clamp_min_(LEAST_LOG_WEIGHT).exp_()
