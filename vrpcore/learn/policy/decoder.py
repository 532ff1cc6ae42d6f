"""The pointer decoder: all that does not change within a solve is cached."""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from vrpcore.arrays.features import PLAIN, Features
from vrpcore.learn.policy.attention import ATTENTION_MASK

LOGIT_BOUND = 10.0
LOGIT_MASK = -1.0e9


class Cache(NamedTuple):
    """Products of the node embeddings that every step reads.

    Attributes:
        query: [B*M, D], the query of a vehicle at each node, without its rooms.
        key: [B, H, D/H, M], scaled by 1 / sqrt(D/H).
        value: [B, H, M, D/H].
        pointer: [B, D, M], scaled by 1 / sqrt(D).
        distance: [B*M, M], the distance bias of going from row to column.
        row: [B, 1] int64, offset of each instance in the flattened rows.
    """

    query: Tensor
    key: Tensor
    value: Tensor
    pointer: Tensor
    distance: Tensor
    row: Tensor

    def take(self, rows: slice) -> "Cache":
        """The products of some of the instances."""
        found = []
        for product in self:
            size = len(product) // len(self.row)  # rows of an instance
            found.append(product[rows.start * size : rows.stop * size])
        return Cache(*found)._replace(row=self.row[: rows.stop - rows.start])


class Decoder(nn.Module):
    """Scores the next node of each construction.

    One attention over the allowed nodes, then a pointer. The usual output projection
    of that attention is part of the pointer's keys, and the vehicle's query is looked
    up by its node: a step is three products and two look-ups. In addition to the capacity that
    is left in the vehicle, the query holds the capacity that may stay unused in all: without it,
    the policy could not know when loads have to be packed tightly.

    Args:
        embed_dim: D.
        num_heads: H.
        features: The features of vehicles that it sees.

    Source:
        Kool et al. 2019, arXiv:1803.08475. Distance outside the tanh: after Wang et
        al. 2024 (distance-aware pointer), with a learned factor and log2(N + 1).
    """

    def __init__(self, embed_dim: int, num_heads: int, features: Features = PLAIN) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        # Scripted code cannot read globals.
        self.attention_mask, self.logit_mask = ATTENTION_MASK, LOGIT_MASK
        self.logit_bound = LOGIT_BOUND
        self.query = nn.Linear(embed_dim, embed_dim, bias=False)
        self.room = nn.Parameter(
            torch.randn(len(features.vehicle), embed_dim) / math.sqrt(embed_dim)
        )
        self.key_value = nn.Linear(embed_dim, 2 * embed_dim, bias=False)
        self.pointer = nn.Linear(embed_dim, embed_dim, bias=False)
        self.distance_factor = nn.Parameter(torch.ones([]))

    def cache(self, nodes: Tensor, distance: Tensor) -> Cache:
        """Computes what all steps share.

        Args:
            nodes: [B, M, D] float32, from the encoder.
            distance: [B, M, M] float32, from `scaled_distance`.
        """
        batch_size, num_nodes, embed_dim = nodes.shape
        heads = self.key_value(nodes).view(batch_size, num_nodes, 2, self.num_heads, self.head_dim)
        key, value = heads.permute(2, 0, 3, 1, 4).unbind(0)
        return Cache(
            self.query(nodes).reshape(batch_size * num_nodes, embed_dim),
            (key / math.sqrt(self.head_dim)).transpose(2, 3).contiguous(),
            value.contiguous(),
            (self.pointer(nodes) / math.sqrt(embed_dim)).transpose(1, 2).contiguous(),
            (distance * self.distance_factor).view(batch_size * num_nodes, num_nodes),
            torch.arange(batch_size, device=nodes.device).unsqueeze(1) * num_nodes,
        )

    def forward(self, cache: Cache, last: Tensor, room_share: Tensor, mask: Tensor) -> Tensor:
        """Logits of the next node.

        Args:
            cache: From `cache`.
            last: [B, S] int64, where each vehicle is.
            room_share: [B, S, K] float32, the vehicle's numbers, from `Environment.shares`.
            mask: [B, S, M] bool, True = may be chosen.

        Returns:
            [B, S, M] float32, 10 tanh(pointer) - a log2(N + 1) distance where allowed,
            `LOGIT_MASK` elsewhere.
        """
        batch_size, num_starts, num_nodes = mask.shape
        here = (last + cache.row).reshape(-1)
        query = cache.query.index_select(0, here).view(batch_size, num_starts, -1)
        # Not a matrix product, which autocast would do in bfloat16: rooms rounded to 1/256.
        room = room_share.unsqueeze(3) * self.room
        query = query + room.sum(2)
        query = query.view(batch_size, num_starts, self.num_heads, self.head_dim).transpose(1, 2)
        bias = (1.0 - mask.to(query.dtype)) * self.attention_mask
        weight = torch.softmax(torch.matmul(query, cache.key) + bias.unsqueeze(1), dim=-1)
        glimpse = torch.matmul(weight, cache.value).transpose(1, 2)
        pointer = torch.matmul(glimpse.reshape(batch_size, num_starts, -1), cache.pointer)
        distance = cache.distance.index_select(0, here).view(batch_size, num_starts, num_nodes)
        logits = self.logit_bound * torch.tanh(pointer) - distance
        return torch.where(mask, logits, self.logit_mask)
