"""Attention over the real nodes of padded instances."""

import math

import torch
from torch import Tensor, nn

# Far enough to weigh nothing (4e-18), near enough that no softmax meets denormal
# numbers, which cost a CPU ten times the time.
ATTENTION_MASK = -40.0


class SelfAttention(nn.Module):
    """Multi-head self-attention over nodes.

    Written as products and a softmax, which beats masked fused kernels at this size.

    Args:
        embed_dim: D.
        num_heads: H, a divisor of D.

    Source:
        Vaswani et al. 2017, arXiv:1706.03762.
    """

    def __init__(self, embed_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.scale = 1.0 / math.sqrt(self.head_dim)
        self.inward = nn.Linear(embed_dim, 3 * embed_dim, bias=False)
        self.outward = nn.Linear(embed_dim, embed_dim, bias=False)

    def forward(self, nodes: Tensor, bias: Tensor) -> Tensor:
        """Attends.

        Args:
            nodes: [B, M, D] float32.
            bias: [B, H, M, M] float32, added to the scores: from row to column.

        Returns:
            [B, M, D] float32.
        """
        batch_size, num_nodes, embed_dim = nodes.shape
        heads = self.inward(nodes).view(batch_size, num_nodes, 3, self.num_heads, self.head_dim)
        query, key, value = heads.permute(2, 0, 3, 1, 4).unbind(0)  # each [B, H, M, D/H]
        score = torch.matmul(query * self.scale, key.transpose(2, 3)) + bias
        if not torch.jit.is_scripting():  # type: ignore[attr-defined]
            # Products may be in bfloat16, whose softmax is slow on a CPU and coarse anywhere.
            score = score.to(nodes.dtype)
        weight = torch.softmax(score, dim=-1)
        mixed = torch.matmul(weight, value).transpose(1, 2)
        result: Tensor = self.outward(mixed.reshape(batch_size, num_nodes, embed_dim))
        return result
