"""The multi-start loop: whole tours from one encoder pass."""
# Not where it is needed: TorchScript reads comments of types.
# mypy: disable-error-code="override"

from typing import Final, NamedTuple

import torch
from torch import Tensor, nn

from vrpcore.learn.decode.lookup import Lookup, build_lookup, is_merged, lookup_scores
from vrpcore.learn.decode.select import sample, start_streams, uniform
from vrpcore.learn.env.environment import Outlook
from vrpcore.learn.env.inputs import Inputs, plain_inputs
from vrpcore.learn.policy.decoder import Cache
from vrpcore.learn.policy.policy import Policy, has_tables


class StepTables(NamedTuple):
    """Inputs of the scores of all steps of a solve.

    Attributes:
        lookup: From `build_lookup`.
        merged: Its form.
        weight: From `Policy.way_weights`, over the bound of the logits.
    """

    lookup: Lookup
    merged: bool
    weight: Tensor


class OwnTables(NamedTuple):
    """Inputs of the scores of all steps of a solve by a decoder with scores of its own.

    Attributes:
        cache: From `Policy.encode`.
        weight: From `Policy.way_weights`.
    """

    cache: Cache
    weight: Tensor


class Rollout(nn.Module):
    """Constructs S tours for each instance; what export turns into a file.

    The same code runs eagerly in training, as TorchScript and, traced through that,
    as ONNX: there is one construction to trust. `build_rollout` makes it callable. An exported
    program has a loop of its own around the same scores and the same environment.

    Args:
        policy: The policy to follow.

    Attributes:
        by_tables: Tables give the scores, in which the policy's numbers are multiplied out.

    Source:
        Kwon et al. 2020, arXiv:2010.16011 (multi-start).
    """

    by_tables: Final[bool]

    def __init__(self, policy: Policy) -> None:
        super().__init__()
        self.policy, self.by_tables = policy, has_tables(policy)

    def construct(
        self, inputs: Inputs, starts: Tensor, temperature: Tensor, seed: Tensor
    ) -> Tensor:
        """Solves whole instances.

        Args:
            inputs: B instances.
            starts: [B, S] int64, nodes of first customers; 0 lets the policy choose.
            temperature: [] float32, 0 = greedy, else samples from logits / temperature.
            seed: [B] int64, random stream of each instance; unused when greedy.

        Returns:
            [B, S, T] int64, nodes in visiting order.
        """
        env = self.policy.env
        cache = self.policy.encode(inputs)
        tables = self.tables(cache, inputs, is_merged(cache))
        sampling = bool(temperature > 0)
        sharpness = self.policy.decoder.logit_bound / temperature
        streams = start_streams(seed, starts.shape[1])
        fixed = env.prepare(inputs)
        state = env.begin(inputs, fixed, starts)
        while bool(env.unfinished(fixed, state)):
            if self.by_tables:
                outlook, numbers = env.loose(fixed, state), env.context(fixed, state)
            else:
                outlook, numbers = env.outlook(fixed, state), env.shares(fixed, state)
            scores = self.scores(tables, env.last(state), numbers, outlook)
            if sampling:
                choice = sample(scores * sharpness, uniform(streams, env.num_choices(fixed, state)))
            else:
                choice = scores.argmax(2)
            state = env.step(fixed, state, choice)
        return env.tour(fixed, state)

    def tables(self, cache: Cache, inputs: Inputs, merged: bool) -> StepTables:
        """Multiplies out what all steps share.

        Args:
            cache: From `Policy.encode`.
            inputs: B instances.
            merged: The form of `build_lookup`.
        """
        decoder = self.policy.decoder
        lookup = build_lookup(cache, merged, decoder.room, self.policy.env.unit(inputs))
        weight = self.policy.way_weights(inputs) / decoder.logit_bound
        return StepTables(lookup, merged, weight)

    def scores(self, tables: StepTables, last: Tensor, numbers: Tensor, outlook: Outlook) -> Tensor:
        """Scores the next node of each construction.

        Args:
            tables: From `tables`.
            last: [B, S] int64, where each vehicle is.
            numbers: [B, S, V] float32, from `Environment.context`.
            outlook: From `Environment.loose`.

        Returns:
            [B, S, M] float32, logits over their bound; `LOGIT_MASK` where the mask is False.
        """
        scores = lookup_scores(tables.lookup, tables.merged, last, numbers, outlook.mask)
        scores = self.policy.less_ways(scores, outlook, tables.weight)
        return torch.where(outlook.mask, scores, self.policy.decoder.logit_mask)


class OwnScores(Rollout):
    """A rollout by a decoder's own `forward`."""

    def tables(self, cache: Cache, inputs: Inputs, merged: bool) -> OwnTables:  # noqa: ARG002
        """See `Rollout.tables`."""
        return OwnTables(cache, self.policy.way_weights(inputs))

    def scores(self, tables: OwnTables, last: Tensor, numbers: Tensor, outlook: Outlook) -> Tensor:
        """See `Rollout.scores`; `numbers` from `Environment.shares`."""
        logits: Tensor = self.policy(tables.cache, last, numbers, outlook, tables.weight)
        return logits / self.policy.decoder.logit_bound


class PlainRollout(Rollout):
    """The signature of plain instances."""

    def forward(
        self,
        coords: Tensor,
        demand: Tensor,
        capacity: Tensor,
        valid: Tensor,
        starts: Tensor,
        temperature: Tensor,
        seed: Tensor,
    ) -> Tensor:
        """Solves whole instances: the columns of `Batch`, then as `Rollout.construct`.

        Returns:
            [B, S, 2M] int64, nodes in visiting order, 0 = depot and padding.
        """
        inputs = plain_inputs(coords, demand, capacity, valid)
        return self.construct(inputs, starts, temperature, seed)


class VariantsRollout(Rollout):
    """The signature of the variants."""

    def forward(
        self,
        coords: Tensor,
        demand: Tensor,
        capacity: Tensor,
        valid: Tensor,
        pickup: Tensor,
        opening: Tensor,
        closing: Tensor,
        service: Tensor,
        limit: Tensor,
        limit_has_service: Tensor,
        open_end: Tensor,
        backhauls_last: Tensor,
        pickup_only: Tensor,
        num_depots: Tensor,
        starts: Tensor,
        temperature: Tensor,
        seed: Tensor,
    ) -> Tensor:
        """Solves whole instances: the columns of `Batch`, then as `Rollout.construct`.

        Returns:
            [B, S, 2M + 1] int64, nodes in visiting order. A route begins with its depot; depots
            behind the last customer are padding. A customer that no vehicle can serve is missing.
        """
        inputs = Inputs(
            coords, demand, capacity, valid, pickup, opening, closing, service,
            limit, limit_has_service, open_end, backhauls_last, pickup_only, num_depots,
        )  # fmt: skip
        return self.construct(inputs, starts, temperature, seed)


class OwnPlainRollout(OwnScores, PlainRollout):
    """Plain instances by scores of one's own."""


class OwnVariantsRollout(OwnScores, VariantsRollout):
    """The variants by scores of one's own."""


def build_rollout(policy: Policy) -> PlainRollout | VariantsRollout:
    """The rollout with the signature of what the policy knows."""
    if has_tables(policy):
        return VariantsRollout(policy) if policy.knows_variants else PlainRollout(policy)
    return OwnVariantsRollout(policy) if policy.knows_variants else OwnPlainRollout(policy)
