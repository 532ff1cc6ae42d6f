"""The encoder in the form that exported files compute fastest: same numbers."""

import copy
from typing import TypeVar

import torch
from torch import Tensor, nn

from vrpcore.learn.policy.attention import SelfAttention
from vrpcore.learn.policy.encoder import EncoderLayer
from vrpcore.learn.policy.policy import Policy

P = TypeVar("P", bound=Policy)


class SplitHeads(nn.Module):
    """`SelfAttention` as one product per head.

    Queries, keys and values come out with the head as first axis, as the attention
    needs them. ONNX Runtime computes these narrow products as fast as one wide product,
    whose result it would have to split and to transpose.

    Args:
        attention: Where the weights come from.
    """

    def __init__(self, attention: SelfAttention) -> None:
        super().__init__()
        self.num_heads, self.head_dim = attention.num_heads, attention.head_dim
        weight = attention.inward.weight.detach()
        by_head = weight.view(3, self.num_heads, self.head_dim, -1).transpose(2, 3)
        self.query = nn.Parameter((by_head[0] * attention.scale).contiguous())
        self.key = nn.Parameter(by_head[1].contiguous())
        self.value = nn.Parameter(by_head[2].contiguous())
        self.outward = attention.outward

    def forward(self, nodes: Tensor, bias: Tensor) -> Tensor:
        """Attends; see `SelfAttention.forward`."""
        batch_size, num_nodes, embed_dim = nodes.shape
        rows = nodes.view(1, batch_size * num_nodes, embed_dim)
        shape = [self.num_heads, batch_size, num_nodes, self.head_dim]
        query = torch.matmul(rows, self.query).view(shape)
        key = torch.matmul(rows, self.key).view(shape)
        value = torch.matmul(rows, self.value).view(shape)
        # The same in all layers: ONNX Runtime transposes it once.
        score = torch.matmul(query, key.transpose(2, 3)) + bias.transpose(0, 1)
        mixed = torch.matmul(torch.softmax(score, dim=-1), value).permute(1, 2, 0, 3)
        result: Tensor = self.outward(mixed.reshape(batch_size, num_nodes, embed_dim))
        return result


class Rows(nn.Module):
    """Layers applied to all rows as one matrix, whose bias a product can add itself."""

    def __init__(self, layers: nn.Module) -> None:
        super().__init__()
        self.layers = layers

    def forward(self, nodes: Tensor) -> Tensor:
        """[B, M, D] -> [B, M, D]."""
        result: Tensor = self.layers(nodes.view(-1, nodes.shape[2])).view(nodes.shape)
        return result


def split_heads(policy: P) -> P:
    """A copy of a policy, the package's layers in its encoder made of `SplitHeads` and `Rows`."""
    policy = copy.deepcopy(policy)
    for layer in policy.encoder.modules():
        if type(layer) is EncoderLayer and type(layer.attention) is SelfAttention:
            layer.register_module("attention", SplitHeads(layer.attention))
            layer.register_module("feedforward", Rows(layer.feedforward))
    return policy
