"""Training steps for an accelerator: construct without gradients, then one forced pass."""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import Tensor

from vrpcore.learn.decode.fixed_shape import FixedShapeRollout
from vrpcore.learn.decode.likelihood import LogLikelihood, log_likelihood
from vrpcore.learn.env.inputs import Inputs
from vrpcore.learn.env.transfer import send
from vrpcore.learn.policy.decoder import Cache
from vrpcore.learn.train.compare import Compared, Comparison, Weights
from vrpcore.learn.train.data import TrainBatch
from vrpcore.learn.train.distributed import World, own_cores
from vrpcore.learn.train.fused_pass import fused_pass
from vrpcore.learn.train.loss import (
    Even,
    StepResult,
    backward,
    chunk_rows,
    in_pieces,
    num_bytes,
    num_choices,
)

# Passes with improved tours, at least: all but the first overlap with the search.
PARTS = 4


class TwoPhaseLearner:
    """Constructs without gradients, then passes all choices at once.

    Args:
        rollout: Around the policy that learns, on any device.
        precision: As `set_precision` resolved it.
        world: The processes that learn as one.
    """

    def __init__(self, rollout: FixedShapeRollout, precision: str, world: World) -> None:
        self.rollout, self.policy, self.world = rollout, rollout.policy, world
        self.fused = fused_pass(self.policy, world)
        self._bf16, self._pieces = precision == "bf16", 1

    def reinforce(self, batch: TrainBatch, seed: Tensor, comparison: Comparison) -> StepResult:
        """One step from sampled tours; see `Learner`."""
        return self._in_pieces(
            len(batch.coords),
            lambda rows: self._reinforce(batch.take(rows), seed[rows], comparison.rows(rows)),
        )

    def imitate(self, batch: TrainBatch) -> StepResult:
        """One step towards given tours; see `Learner`."""
        return self._in_pieces(len(batch.coords), lambda rows: self._imitate(batch.take(rows)))

    def shrink(self) -> int:
        """Processes later batches in twice as many pieces."""
        if self.rollout.device.type == "cuda":
            self.rollout.forget()
            torch.cuda.empty_cache()
        self._pieces *= 2
        return self._pieces

    def _in_pieces(self, count: int, learn: Callable[[slice], StepResult]) -> StepResult:
        device = self.rollout.device.type
        with torch.autocast(device, torch.bfloat16, enabled=self._bf16):
            return in_pieces(self.policy, count, self._pieces, learn)

    def _reinforce(self, batch: TrainBatch, seed: Tensor, comparison: Comparison) -> StepResult:
        """Samples tours without gradients and sends them to the host.

        While the host costs them, the device computes the likelihood of the same choices in
        passes without a loop; one number a tour comes back. Where tours are to be improved, one
        tour an instance comes back, too, and the device waits for the host with the first of
        `PARTS` passes: during each of the others the host is at work on those behind it.
        """
        device = self.rollout.device
        inputs = batch.inputs.to_device(device)
        starts, streams = send((batch.starts, seed), device)
        cache = self.policy.encode(inputs)
        with torch.no_grad():
            fixed = Cache(*(product.detach() for product in cache))
            tours = self.rollout.construct(fixed, inputs, starts, streams, 1.0)
        likelihood, chunk = self._way(cache, inputs, tours)
        num_tours = tours.shape[1]
        if comparison.improve is not None:
            num_tours += 1
            chunk = min(chunk, math.ceil(len(tours) / PARTS))

        def logs_of(leaf: Cache, rows: slice) -> Tensor:
            return likelihood(self.policy, leaf, inputs.take(rows), compared.tours(rows))

        with ThreadPoolExecutor(own_cores(), "improve") as pool:
            compared = Compared(comparison, batch, tours, pool)
            weigh = Weights(comparison, (len(tours), num_tours), compared.costs, self.world)
            loss = backward(self.policy, cache, chunk, logs_of, weigh)
        cost = float(weigh.cost[:, : tours.shape[1]].mean())
        numbers = weigh.cost.size * 4 if tours.is_cuda else 0
        to_device = num_bytes(*inputs.columns, starts, streams) + compared.to_device + numbers
        return StepResult(loss, cost, compared.to_host, to_device)

    def _imitate(self, batch: TrainBatch) -> StepResult:
        device = self.rollout.device
        inputs = batch.inputs.to_device(device)
        (tours,) = send([batch.tours], device)
        cache = self.policy.encode(inputs)
        cost = batch.costs(batch.tours[:, :1].numpy())
        (count,) = self.world.total([num_choices(batch.tours, batch.depots)])
        likelihood, chunk = self._way(cache, inputs, tours)

        def logs_of(leaf: Cache, rows: slice) -> Tensor:
            return likelihood(self.policy, leaf, inputs.take(rows), tours[rows])

        loss = backward(self.policy, cache, chunk, logs_of, Even(count))
        return StepResult(loss, float(cost.mean()), 0, num_bytes(*inputs.columns, tours))

    def _way(self, cache: Cache, inputs: Inputs, tours: Tensor) -> tuple[LogLikelihood, int]:
        """Choose the computation of likelihoods, and the number of instances at a time."""
        likelihood: LogLikelihood = log_likelihood
        numbers_each = self.policy.decoder.num_heads
        if self.fused is not None:
            likelihood, numbers_each = self.fused.way(cache, inputs, tours)
        return likelihood, chunk_rows(numbers_each, tours, cache.distance.shape[1])
