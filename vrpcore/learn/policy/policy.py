"""The attention policy: encoder and decoder under one roof."""

from collections.abc import Mapping
from typing import Any, Final

import torch
from torch import Tensor, nn

from vrpcore.arrays.batch import FAR
from vrpcore.arrays.features import PLAIN, VARIANTS
from vrpcore.config.sections import PolicyConfig
from vrpcore.learn.env.capacity import Capacity
from vrpcore.learn.env.environment import Environment, Outlook
from vrpcore.learn.env.inputs import Inputs, are_depots
from vrpcore.learn.env.legs import legs_between
from vrpcore.learn.env.variants import Variants
from vrpcore.learn.policy.decoder import LOGIT_BOUND, Cache, Decoder
from vrpcore.learn.policy.encoder import Encoder
from vrpcore.learn.policy.own_code import own_class

# Times in units of legs, as the layers read them: horizons are a few units.
TIME_SCALE = 0.25
# Weights that read more features than those of a plain policy.
_WIDENED = (
    "encoder.depot.weight",
    "encoder.customer.weight",
    "encoder.fleet.weight",
    "decoder.room",
    "way_factors",
    "apart_slope",
)


class Policy(nn.Module):
    """Maps instances to the logits of every next choice.

    A policy that knows the variants reads more features, also of a vehicle. The leg to a node,
    waiting there, the slack before it closes and the leg back from it are subtracted from its
    score, each with a learned factor. In the encoder, a node attends less to those that
    no vehicle can visit next to it without waiting; each head has a slope for that. A policy of
    plain instances has none of this, and computes none of it.

    Args:
        config: Sizes of the network, and what it knows; classes that it names are imported.
        environment: The name of an environment of the user's own; None: one of the package's.

    Raises:
        ConfigError: A class that is named cannot be imported.

    Source:
        Features and their absence as 0: Liu et al. 2024, arXiv:2402.16891; Berto et al. 2024,
        arXiv:2406.15007 (depot and instance features).
    """

    knows_variants: Final[bool]

    def __init__(self, config: PolicyConfig, environment: str | None = None) -> None:
        super().__init__()
        features = VARIANTS if config.variants else PLAIN
        encoder, decoder, env = _classes(config, environment)
        self.encoder: Encoder = encoder(
            config.embed_dim,
            config.num_heads,
            config.num_layers,
            config.feedforward_dim,
            features,
        )
        self.decoder: Decoder = decoder(config.embed_dim, config.num_heads, features)
        self.knows_variants = config.variants
        self.env: Environment = env()
        if config.variants:
            self.way_factors = nn.Parameter(torch.zeros(len(features.ways)))
            self.apart_slope = nn.Parameter(torch.zeros(config.num_heads))
        self.far, self.time_scale = FAR, TIME_SCALE  # scripted code cannot read globals

    def encode(self, inputs: Inputs) -> Cache:
        """Computes everything that the steps of a solve share."""
        nodes, bias, distance = self.enter(inputs)
        return self.decoder.cache(self.encoder.mix(nodes, bias), distance)

    def enter(self, inputs: Inputs) -> tuple[Tensor, Tensor, Tensor]:
        """Computes what the encoder's layers are given.

        Returns:
            The nodes, [B, M, D], the bias of all layers, [B, H, M, M], and from
            `scaled_distance`, [B, M, M], all float32.
        """
        distance = scaled_distance(inputs.coords, inputs.valid)
        if torch.jit.is_scripting():  # type: ignore[attr-defined]
            nodes = self.embed(inputs)
        else:  # bfloat16 would know a place to 1/256 only
            with torch.autocast(inputs.coords.device.type, enabled=False):
                nodes = self.embed(inputs)
        bias = self.encoder.bias_of(inputs.valid, distance)
        if self.knows_variants:
            apart = self.apart(inputs, distance).unsqueeze(1)
            bias = bias - apart * self.apart_slope.view(1, -1, 1, 1)
        return nodes, bias, distance

    def embed(self, inputs: Inputs) -> Tensor:
        """[B, M, D] float32: each node by itself."""
        share = inputs.demand / inputs.capacity.unsqueeze(1)
        fleet = fleet_features(inputs.demand, inputs.capacity)
        if self.knows_variants:
            return self.embed_variants(inputs, share, fleet)
        return self.encoder.embed(inputs.coords, share, fleet)

    def embed_variants(self, inputs: Inputs, share: Tensor, fleet: Tensor) -> Tensor:
        """[B, M, D] float32: each node by itself, in the order of `VARIANTS`.

        Args:
            inputs: B instances.
            share: [B, M] float32, demand / capacity.
            fleet: [B, 3] float32, from `fleet_features`.
        """
        opening = inputs.opening * self.time_scale
        closing = self.if_near(inputs.closing) * self.time_scale
        x, y = inputs.coords[:, :, 0], inputs.coords[:, :, 1]
        pickup = inputs.pickup / inputs.capacity.unsqueeze(1)
        customer = torch.stack([x, y, share, pickup, opening, closing, inputs.service], dim=2)
        depot = torch.stack([x, y, opening, closing], dim=2)
        is_depot = are_depots(inputs).unsqueeze(2)
        nodes = torch.where(is_depot, self.encoder.depot(depot), self.encoder.customer(customer))
        limit = self.if_near(inputs.limit)
        whole = torch.stack(
            [
                inputs.open_end.to(limit.dtype),
                limit * self.time_scale,
                closing[:, 0],
                inputs.backhauls_last.to(limit.dtype),
                (inputs.num_depots > 1).to(limit.dtype),
            ],
            dim=1,
        )
        result: Tensor = nodes + self.encoder.fleet(torch.cat([fleet, whole], dim=1)).unsqueeze(1)
        return result

    def apart(self, inputs: Inputs, distance: Tensor) -> Tensor:
        """Waiting time between two nodes, in whichever order one visits them.

        Args:
            inputs: B instances.
            distance: From `scaled_distance`.

        Returns:
            [B, M, M] float32, scaled as `distance`; 0 where windows lie near enough together.
        """
        scale = size_scale(inputs.valid, distance).unsqueeze(1)
        leaves = (inputs.closing + inputs.service) * scale
        waits = (inputs.opening * scale).unsqueeze(1) - leaves.unsqueeze(2) - distance
        return torch.clamp(torch.maximum(waits, waits.transpose(1, 2)), min=0.0)

    def if_near(self, bound: Tensor) -> Tensor:
        """Bounds, 0 where they do not bind."""
        return torch.where(bound < 0.5 * self.far, bound, 0.0)

    def way_weights(self, inputs: Inputs) -> Tensor:
        """[W, B, 1, 1] float32: what a unit of each way takes from a score; else empty."""
        if self.knows_variants:
            scale = size_scale(inputs.valid, self.way_factors).view(-1, 1, 1)
            return self.way_factors.view(-1, 1, 1, 1) * scale
        return inputs.pickup

    def less_ways(self, scores: Tensor, outlook: Outlook, weight: Tensor) -> Tensor:
        """[B, S, M] scores without what the ways take; see `taken`."""
        if self.knows_variants:
            return scores - self.taken(outlook, weight)
        return scores

    def taken(self, outlook: Outlook, weight: Tensor) -> Tensor:
        """[B, S, M] float32: what waiting, slack and the leg back take, by `way_weights`."""
        if self.knows_variants:
            taken = outlook.waiting * weight[0] + outlook.slack * weight[1]
            return taken + outlook.back * weight[2]
        return outlook.waiting

    def forward(
        self, cache: Cache, last: Tensor, numbers: Tensor, outlook: Outlook, weight: Tensor
    ) -> Tensor:
        """Logits of the next node.

        Args:
            cache: From `encode`.
            last: [B, S] int64, where each vehicle is.
            numbers: [B, S, V] float32, from `Environment.shares`.
            outlook: From `Environment.outlook`.
            weight: From `way_weights`.

        Returns:
            [B, S, M] float32, `LOGIT_MASK` where the mask is False.
        """
        logits: Tensor = self.decoder(cache, last, numbers, outlook.mask)
        if self.knows_variants:
            logits = self.less_ways(logits, outlook, weight)
            logits = torch.where(outlook.mask, logits, self.decoder.logit_mask)
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
    """Tightness of the loads, which no average over nodes can tell.

    Args:
        demand: [B, M] float32, whole numbers, whose sum is exact up to 2^24.
        capacity: [B] float32.

    Returns:
        [B, 3] float32: of the fewest vehicles k that hold all demands the free part in
        vehicles, that part of each vehicle, and 1 / k.
    """
    vehicles = demand.sum(1) / capacity
    fewest = torch.clamp(torch.ceil(vehicles), min=1.0)
    free = fewest - vehicles
    return torch.stack((free, free / fewest, 1.0 / fewest), dim=1)


def _classes(config: PolicyConfig, environment: str | None) -> tuple[Any, Any, Any]:
    """The classes of encoder, decoder and environment."""
    encoder: Any = Encoder
    decoder: Any = Decoder
    env: Any = Variants if config.variants else Capacity
    if config.encoder is not None:
        encoder = own_class("policy.encoder", config.encoder, Encoder)
    if config.decoder is not None:
        decoder = own_class("policy.decoder", config.decoder, Decoder)
    if environment is not None:
        env = own_class("problem.environment", environment, env)
    return encoder, decoder, env


def is_ours(policy: Policy) -> bool:
    """Return whether its classes are the package's: compiled code knows no others."""
    env = Variants if policy.knows_variants else Capacity
    kinds = (type(policy.encoder), type(policy.decoder), type(policy.env))
    return kinds == (Encoder, Decoder, env)


def has_tables(policy: Policy) -> bool:
    """Return whether the tables of `learn/decode/lookup.py` give the scores of its steps.

    They read more of an environment than its `outlook` and `shares`, and only know the package's.
    """
    decoder = policy.decoder
    scores = type(decoder).forward is Decoder.forward and decoder.logit_bound == LOGIT_BOUND
    return scores and type(policy.env) in (Capacity, Variants)


def build_policy(config: PolicyConfig, seed: int, environment: str | None = None) -> Policy:
    """A policy with weights drawn from `seed`, the same on every device."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Policy(config, environment)


def widened(state: Mapping[str, Tensor], policy: Policy) -> dict[str, Tensor]:
    """Weights of a plain policy for one that knows the variants: what is new begins at zero.

    Args:
        state: Of a policy with as many layers of the same width.
        policy: Tells the shapes.

    Returns:
        The weights; whatever else does not fit stays as it is.
    """
    found = dict(state)
    for name, wanted in policy.state_dict().items():
        if name not in _WIDENED:
            continue
        given = state.get(name, wanted.new_zeros([0] * wanted.ndim))
        if all(mine <= wide for mine, wide in zip(given.shape, wanted.shape, strict=False)):
            found[name] = torch.zeros_like(wanted)
            found[name][tuple(slice(size) for size in given.shape)] = given
    return found
