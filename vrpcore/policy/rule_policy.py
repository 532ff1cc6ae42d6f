"""The attention policy of the field's variants."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from vrpcore.arrays.features import VARIANTS
from vrpcore.arrays.rules import FAR
from vrpcore.config.sections import PolicyConfig
from vrpcore.env.rule_inputs import RuleInputs, are_depots
from vrpcore.env.rules import Outlook
from vrpcore.policy.decoder import Cache
from vrpcore.policy.policy import Policy, fleet_features, scaled_distance, size_scale

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


class RulePolicy(Policy):
    """Maps instances of all variants to the logits of every next choice.

    The layers of a plain policy, with more features and more that a vehicle tells of itself.
    Beside the way to a node, waiting there, the slack before it closes and the way back from it
    are taken from its score, each with a learned factor. In the encoder, a node attends less to
    those that no vehicle can visit next to it without waiting; each head has a slope for that.

    Args:
        config: Sizes of the network.

    Source:
        Features and their absence as 0: Liu et al. 2024, arXiv:2402.16891; Berto et al. 2024,
        arXiv:2406.15007 (depot and instance features).
    """

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__(config, VARIANTS)
        self.way_factors = nn.Parameter(torch.zeros(len(VARIANTS.ways)))
        self.apart_slope = nn.Parameter(torch.zeros(config.num_heads))
        self.far, self.time_scale = FAR, TIME_SCALE  # scripted code cannot read globals

    def encode(self, inputs: RuleInputs) -> Cache:  # type: ignore[override]
        """Everything that the steps of a solve share."""
        nodes, bias, distance = self.enter(inputs)
        return self.decoder.cache(self.encoder.mix(nodes, bias), distance)

    def enter(  # type: ignore[override]
        self, inputs: RuleInputs
    ) -> tuple[Tensor, Tensor, Tensor]:
        """What the encoder's layers are given; see `Policy.enter`."""
        distance = scaled_distance(inputs.coords, inputs.valid)
        if torch.jit.is_scripting():  # type: ignore[attr-defined]
            nodes = self.embed(inputs)
        else:  # bfloat16 would know a place to 1/256 only
            with torch.autocast(inputs.coords.device.type, enabled=False):
                nodes = self.embed(inputs)
        apart = self.apart(inputs, distance).unsqueeze(1) * self.apart_slope.view(1, -1, 1, 1)
        return nodes, self.encoder.bias_of(inputs.valid, distance) - apart, distance

    def apart(self, inputs: RuleInputs, distance: Tensor) -> Tensor:
        """How long one has to wait between two nodes, in whichever order one visits them.

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

    def embed(self, inputs: RuleInputs) -> Tensor:
        """[B, M, D] float32: each node by itself, in the order of `VARIANTS`."""
        capacity = inputs.capacity.unsqueeze(1)
        opening = inputs.opening * self.time_scale
        closing = self.if_near(inputs.closing) * self.time_scale
        columns = [
            inputs.coords[:, :, 0],
            inputs.coords[:, :, 1],
            inputs.demand / capacity,
            inputs.pickup / capacity,
            opening,
            closing,
            inputs.service,
        ]
        place = torch.stack([columns[0], columns[1], opening, closing], dim=2)
        customers = self.encoder.customer(torch.stack(columns, dim=2))
        is_depot = are_depots(inputs).unsqueeze(2)
        nodes = torch.where(is_depot, self.encoder.depot(place), customers)
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
        fleet = torch.cat([fleet_features(inputs.demand, inputs.capacity), whole], dim=1)
        result: Tensor = nodes + self.encoder.fleet(fleet).unsqueeze(1)
        return result

    def if_near(self, bound: Tensor) -> Tensor:
        """Bounds, 0 where they do not bind."""
        return torch.where(bound < 0.5 * self.far, bound, 0.0)

    def way_weights(self, valid: Tensor) -> Tensor:
        """[W, B, 1, 1] float32: what a unit of each way takes from a score.

        Args:
            valid: [B, M] bool.
        """
        scale = size_scale(valid, self.way_factors).view(-1, 1, 1)
        return self.way_factors.view(-1, 1, 1, 1) * scale

    def ways(self, outlook: Outlook, weight: Tensor) -> Tensor:
        """[B, S, M] float32: what the outlook takes from scores, by `way_weights`."""
        taken = outlook.waiting * weight[0] + outlook.slack * weight[1]
        return taken + outlook.back * weight[2]

    def forward(  # type: ignore[override]
        self, cache: Cache, last: Tensor, numbers: Tensor, outlook: Outlook, valid: Tensor
    ) -> Tensor:
        """Logits of the next node.

        Args:
            cache: From `encode`.
            last: [B, S] int64, where each vehicle is.
            numbers: [B, S, K] float32, from `vehicle_numbers`.
            outlook: From `look_ahead`.
            valid: [B, M] bool.

        Returns:
            [B, S, M] float32, `LOGIT_MASK` where the mask is False.
        """
        logits = self.decoder(cache, last, numbers, outlook.mask)
        ways = self.ways(outlook, self.way_weights(valid))
        return torch.where(outlook.mask, logits - ways, self.decoder.logit_mask)


def make_policy(config: PolicyConfig) -> Policy:
    """A policy that knows what the configuration says, with random weights."""
    return RulePolicy(config) if config.variants else Policy(config)


def build_rule_policy(config: PolicyConfig, seed: int) -> RulePolicy:
    """A policy of the variants with weights drawn from `seed`."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return RulePolicy(config)


def widened(state: Mapping[str, Tensor], policy: RulePolicy) -> dict[str, Tensor]:
    """Weights of a plain policy for one that knows the variants: what is new begins at zero.

    Args:
        state: Of a `Policy` with as many layers of the same width, or of a `RulePolicy`.
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
