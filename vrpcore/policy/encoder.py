"""The encoder: from coordinates and demands to node embeddings."""

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from vrpcore.policy.attention import ATTENTION_MASK, InstanceNorm, SelfAttention


class EncoderLayer(nn.Module):
    """Attention and feed-forward, each with a residual and a norm behind it.

    Args:
        embed_dim: D.
        num_heads: H.
        feedforward_dim: Width between the two feed-forward products.
    """

    def __init__(self, embed_dim: int, num_heads: int, feedforward_dim: int) -> None:
        super().__init__()
        self.attention = SelfAttention(embed_dim, num_heads)
        self.attention_norm = InstanceNorm(embed_dim)
        self.feedforward = nn.Sequential(
            nn.Linear(embed_dim, feedforward_dim),
            nn.ReLU(),
            nn.Linear(feedforward_dim, embed_dim),
        )
        self.feedforward_norm = InstanceNorm(embed_dim)

    def forward(self, nodes: Tensor, mask_bias: Tensor, share: Tensor) -> Tensor:
        """[B, M, D] -> [B, M, D]; the masks as in `SelfAttention` and `InstanceNorm`."""
        nodes = self.attention_norm(nodes + self.attention(nodes, mask_bias), share)
        result: Tensor = self.feedforward_norm(nodes + self.feedforward(nodes), share)
        return result


class Encoder(nn.Module):
    """Embeds depot and customers and lets them attend to each other.

    Args:
        embed_dim: D.
        num_heads: H.
        num_layers: Number of layers.
        feedforward_dim: Feed-forward width.

    Source:
        Kool et al. 2019, arXiv:1803.08475; Kwon et al. 2020, arXiv:2010.16011.
    """

    def __init__(
        self, embed_dim: int, num_heads: int, num_layers: int, feedforward_dim: int
    ) -> None:
        super().__init__()
        self.attention_mask = ATTENTION_MASK  # scripted code cannot read globals
        self.recompute = False  # layers are computed again in the backward pass, not kept
        self.depot = nn.Linear(2, embed_dim)
        self.customer = nn.Linear(3, embed_dim)
        self.layers = nn.ModuleList(
            EncoderLayer(embed_dim, num_heads, feedforward_dim) for _ in range(num_layers)
        )

    def forward(self, coords: Tensor, demand_share: Tensor, valid: Tensor) -> Tensor:
        """Encodes a batch once.

        Args:
            coords: [B, M, 2] float32, unit square, depot first.
            demand_share: [B, M] float32, demand / capacity.
            valid: [B, M] bool.

        Returns:
            [B, M, D] float32; the rows of padding are meaningless.
        """
        if torch.jit.is_scripting():  # type: ignore[attr-defined]
            nodes = self.embed(coords, demand_share)
        else:  # bfloat16 would know a place to 1/256 only
            with torch.autocast(coords.device.type, enabled=False):
                nodes = self.embed(coords, demand_share)
        real = valid.to(nodes.dtype)
        share = (real / real.sum(1, keepdim=True)).unsqueeze(1)
        mask_bias = ((1.0 - real) * self.attention_mask).unsqueeze(1).unsqueeze(1)
        for layer in self.layers:
            if self.recompute and self.training and not torch.jit.is_scripting():  # type: ignore[attr-defined]
                nodes = checkpoint(layer, nodes, mask_bias, share, use_reentrant=False)
            else:
                nodes = layer(nodes, mask_bias, share)
        return nodes

    def embed(self, coords: Tensor, demand_share: Tensor) -> Tensor:
        """[B, M, D] float32: each node by itself; arguments as in `forward`."""
        features = torch.cat((coords, demand_share.unsqueeze(2)), dim=2)
        return torch.cat((self.depot(coords[:, :1]), self.customer(features[:, 1:])), dim=1)
