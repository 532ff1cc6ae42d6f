"""The encoder: from coordinates and demands to node embeddings."""

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from vrpcore.arrays.features import PLAIN, Features
from vrpcore.learn.policy.attention import ATTENTION_MASK, SelfAttention


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
        self.attention_norm = nn.LayerNorm(embed_dim)
        self.feedforward = nn.Sequential(
            nn.Linear(embed_dim, feedforward_dim),
            nn.ReLU(),
            nn.Linear(feedforward_dim, embed_dim),
        )
        self.feedforward_norm = nn.LayerNorm(embed_dim)

    def forward(self, nodes: Tensor, bias: Tensor) -> Tensor:
        """[B, M, D] -> [B, M, D]; `bias` as in `SelfAttention`."""
        nodes = self.attention_norm(nodes + self.attention(nodes, bias))
        result: Tensor = self.feedforward_norm(nodes + self.feedforward(nodes))
        return result


class Encoder(nn.Module):
    """Embeds depot and customers and lets them attend to each other, the near ones more.

    Each head has a slope, learned and the same in all layers, by which distance lowers
    its scores.

    Args:
        embed_dim: D.
        num_heads: H.
        num_layers: Number of layers.
        feedforward_dim: Feed-forward width.
        features: What it reads.

    Source:
        Kool et al. 2019, arXiv:1803.08475; Kwon et al. 2020, arXiv:2010.16011. Distance in
        the scores: after Zhou et al. 2024, arXiv:2405.01906, and Press et al. 2022,
        arXiv:2108.12409 (one slope per head).
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        num_layers: int,
        feedforward_dim: int,
        features: Features = PLAIN,
    ) -> None:
        super().__init__()
        self.attention_mask = ATTENTION_MASK  # scripted code cannot read globals
        self.recompute = False  # layers are computed again in the backward pass, not kept
        self.depot = nn.Linear(len(features.depot), embed_dim)
        self.customer = nn.Linear(len(features.customer), embed_dim)
        self.fleet = nn.Linear(len(features.instance), embed_dim, bias=False)
        self.slope = nn.Parameter(torch.linspace(0.0, 1.0, num_heads))
        self.layers = nn.ModuleList(
            EncoderLayer(embed_dim, num_heads, feedforward_dim) for _ in range(num_layers)
        )

    def mix(self, nodes: Tensor, bias: Tensor) -> Tensor:
        """All layers: [B, M, D] float32; `bias` as `bias_of` returns it."""
        for layer in self.layers:
            if self.recompute and self.training and not torch.jit.is_scripting():  # type: ignore[attr-defined]
                nodes = checkpoint(layer, nodes, bias, use_reentrant=False)
            else:
                nodes = layer(nodes, bias)
        return nodes

    def bias_of(self, valid: Tensor, distance: Tensor) -> Tensor:
        """[B, H, M, M] float32, the bias of all layers.

        Args:
            valid: [B, M] bool.
            distance: [B, M, M] float32, from `scaled_distance`.
        """
        padding = (1.0 - valid.to(distance.dtype)) * self.attention_mask
        near = distance.unsqueeze(1) * self.slope.view(1, -1, 1, 1)
        return padding.unsqueeze(1).unsqueeze(1) - near

    def embed(self, coords: Tensor, demand_share: Tensor, fleet: Tensor) -> Tensor:
        """[B, M, D] float32: each node of plain instances by itself.

        Args:
            coords: [B, M, 2] float32, unit square, depot first.
            demand_share: [B, M] float32, demand / capacity.
            fleet: [B, 3] float32, from `fleet_features`.
        """
        features = torch.cat((coords, demand_share.unsqueeze(2)), dim=2)
        # Not by slices: of one customer, they would be a case of their own to `torch.export`.
        is_depot = (torch.arange(coords.shape[1], device=coords.device) == 0).unsqueeze(1)
        nodes = torch.where(is_depot, self.depot(coords), self.customer(features))
        result: Tensor = nodes + self.fleet(fleet).unsqueeze(1)
        return result
