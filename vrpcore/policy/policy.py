"""The attention policy: encoder and decoder under one roof."""

import torch
from torch import Tensor, nn

from vrpcore.arrays.features import PLAIN, Features
from vrpcore.config.sections import PolicyConfig
from vrpcore.env.step import legs_between
from vrpcore.policy.decoder import Cache, Decoder
from vrpcore.policy.encoder import Encoder


class Policy(nn.Module):
    """Maps instances to the logits of every next choice.

    Args:
        config: Sizes of the network.
        features: What it knows.
    """

    def __init__(self, config: PolicyConfig, features: Features = PLAIN) -> None:
        super().__init__()
        self.encoder = Encoder(
            config.embed_dim,
            config.num_heads,
            config.num_layers,
            config.feedforward_dim,
            features,
        )
        self.decoder = Decoder(config.embed_dim, config.num_heads, features)

    def encode(self, coords: Tensor, demand: Tensor, capacity: Tensor, valid: Tensor) -> Cache:
        """Everything that the steps of a solve share.

        Args:
            coords: [B, M, 2] float32, unit square, depot first.
            demand: [B, M] float32, whole numbers.
            capacity: [B] float32.
            valid: [B, M] bool.
        """
        nodes, bias, distance = self.enter(coords, demand, capacity, valid)
        return self.decoder.cache(self.encoder.mix(nodes, bias), distance)

    def enter(
        self, coords: Tensor, demand: Tensor, capacity: Tensor, valid: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """What the encoder's layers are given; arguments as in `encode`.

        Returns:
            The nodes, [B, M, D], the bias of all layers, [B, H, M, M], and from
            `scaled_distance`, [B, M, M], all float32.
        """
        distance = scaled_distance(coords, valid)
        share, fleet = demand / capacity.unsqueeze(1), fleet_features(demand, capacity)
        nodes, bias = self.encoder.enter(coords, share, valid, distance, fleet)
        return nodes, bias, distance

    def forward(self, cache: Cache, last: Tensor, room_share: Tensor, mask: Tensor) -> Tensor:
        """Logits of the next node, [B, S, M]; see `Decoder.forward`."""
        logits: Tensor = self.decoder(cache, last, room_share, mask)
        return logits


def scaled_distance(coords: Tensor, valid: Tensor) -> Tensor:
    """Distances times log2(N + 1): the more customers, the nearer the next one is.

    Args:
        coords: [B, M, 2] float32, unit square.
        valid: [B, M] bool.

    Returns:
        [B, M, M] float32.

    Source:
        Wang et al. 2024 (distance-aware pointer).
    """
    return legs_between(coords) * size_scale(valid, coords).view(-1, 1, 1)


def size_scale(valid: Tensor, like: Tensor) -> Tensor:
    """[B], log2 of the number of nodes, in the type of `like`: what lengths are multiplied by."""
    return torch.log2(valid.sum(1).to(like.dtype))


def fleet_features(demand: Tensor, capacity: Tensor) -> Tensor:
    """How tightly the loads have to be packed, which no average over nodes can tell.

    Args:
        demand: [B, M] float32, whole numbers, so that their sum is exact.
        capacity: [B] float32.

    Returns:
        [B, 3] float32: of the fewest vehicles k that hold all demands the free part in
        vehicles, that part of each vehicle, and 1 / k.
    """
    vehicles = demand.sum(1) / capacity
    fewest = torch.clamp(torch.ceil(vehicles), min=1.0)
    free = fewest - vehicles
    return torch.stack((free, free / fewest, 1.0 / fewest), dim=1)


def build_policy(config: PolicyConfig, seed: int) -> Policy:
    """A policy with weights drawn from `seed`, the same on every device."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Policy(config)
