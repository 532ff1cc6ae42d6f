"""Training steps on the field's variants: construct without gradients, then one forced pass."""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.cost.rule_cost import rule_tour_cost
from vrpcore.decode.rule_fixed_shape import FixedShapeRuleRollout
from vrpcore.decode.rule_likelihood import rule_log_likelihood
from vrpcore.env.batch import send
from vrpcore.env.rule_inputs import RuleInputs
from vrpcore.policy.decoder import Cache
from vrpcore.policy.rule_policy import RulePolicy
from vrpcore.train.compare import Comparison, Weights, compared_tours
from vrpcore.train.distributed import World
from vrpcore.train.loss import StepResult, backward, in_pieces, num_bytes, num_choices
from vrpcore.train.variant_data import VariantBatch


class VariantLearner:
    """Adds the gradients of batches of variants to a policy's.

    Args:
        policy: The policy that learns, on any device.
        precision: As `set_precision` resolved it.
        world: The processes that learn as one.
    """

    def __init__(self, policy: RulePolicy, precision: str, world: World) -> None:
        self.policy, self.world = policy, world
        self.rollout = FixedShapeRuleRollout(policy)
        self._bf16, self._pieces = precision == "bf16", 1

    def reinforce(self, batch: VariantBatch, seed: Tensor, comparison: Comparison) -> StepResult:
        """One step from sampled tours.

        Args:
            batch: B instances.
            seed: [B] int64, random stream of each.
            comparison: How tours are compared by their lengths.
        """
        with self._autocast():
            return in_pieces(
                self.policy,
                len(batch.starts),
                self._pieces,
                lambda rows: self._reinforce(batch.take(rows), seed[rows], comparison.rows(rows)),
            )

    def imitate(self, batch: VariantBatch) -> StepResult:
        """One step along the mean negative log-likelihood per choice of given tours."""
        with self._autocast():
            return in_pieces(
                self.policy,
                len(batch.starts),
                self._pieces,
                lambda rows: self._imitate(batch.take(rows)),
            )

    def shrink(self) -> int:
        """Processes later batches in twice as many pieces."""
        self._pieces *= 2
        return self._pieces

    @property
    def device(self) -> torch.device:
        """Where the policy is."""
        return self.policy.way_factors.device

    def _autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self._bf16)

    def _reinforce(self, batch: VariantBatch, seed: Tensor, comparison: Comparison) -> StepResult:
        inputs = to_device(batch.inputs, self.device)
        starts, streams = send((batch.starts, seed), self.device)
        cache = self.policy.encode(inputs)
        with torch.no_grad():
            fixed = Cache(*(product.detach() for product in cache))
            tours = self.rollout.construct(fixed, inputs, starts, streams, 1.0)
        compared = compared_tours(
            comparison, batch, tours, lambda rows, found: costs_of(batch.take(rows), found)
        )
        weigh = Weights(comparison, compared.costs, self.world, self.device)
        loss = self._backward(cache, inputs, compared.tours, weigh)
        cost = float(weigh.cost[:, : tours.shape[1]].mean())
        numbers = weigh.cost.size * 4 if tours.is_cuda else 0
        sent = num_bytes(*inputs, starts, streams) + compared.to_device + numbers
        return StepResult(loss, cost, compared.to_host, sent)

    def _imitate(self, batch: VariantBatch) -> StepResult:
        inputs = to_device(batch.inputs, self.device)
        (tours,) = send([batch.tours], self.device)
        cache = self.policy.encode(inputs)
        cost = costs_of(batch, batch.tours[:, :1].numpy())
        (count,) = self.world.total([num_choices(batch.tours, first_customers(batch))])
        loss = self._backward(
            cache,
            inputs,
            tours,
            lambda _, likelihood: torch.full_like(likelihood, 1.0 / count),
        )
        return StepResult(loss, float(cost.mean()), 0, num_bytes(*inputs, tours))

    def _backward(
        self,
        cache: Cache,
        inputs: RuleInputs,
        tours: Tensor,
        weigh: Callable[[slice, Tensor], Tensor],
    ) -> float:
        def logs_of(leaf: Cache, rows: slice) -> Tensor:
            part = RuleInputs(*(tensor[rows] for tensor in inputs))
            return rule_log_likelihood(self.policy, leaf, part, tours[rows])

        return backward(self.policy.decoder.num_heads, cache, tours, logs_of, weigh)


def to_device(inputs: RuleInputs, device: torch.device) -> RuleInputs:
    """The same on a device: see `send`."""
    return RuleInputs(*send(inputs, device))


def costs_of(batch: VariantBatch, tours: NDArray[np.int64]) -> NDArray[np.float64]:
    """[B, S] float64, see `rule_tour_cost`."""
    inputs = batch.inputs
    depots = inputs.num_depots.numpy()
    coords = inputs.coords.numpy().astype(np.float64)
    customers = inputs.valid.sum(1).numpy() - depots
    return rule_tour_cost(coords, tours, depots, inputs.open_end.numpy(), customers)


def first_customers(batch: VariantBatch) -> Tensor:
    """[B, 1, 1] int64, the node of each instance's first customer."""
    return batch.inputs.num_depots.view(-1, 1, 1)
