"""Training steps for an accelerator: construct without gradients, then one forced pass."""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.cost.cost import tour_cost
from vrpcore.decode.fixed_shape import FixedShapeRollout
from vrpcore.env.batch import TourCopy, send
from vrpcore.instance.instance import Float64
from vrpcore.policy.decoder import Cache
from vrpcore.threads import num_cores
from vrpcore.train.compare import Comparison, Weights, costs_in_blocks
from vrpcore.train.data import TrainBatch
from vrpcore.train.distributed import World
from vrpcore.train.loss import (
    StepResult,
    backward,
    in_pieces,
    num_bytes,
    num_choices,
    plain_logs,
)


class TwoPhaseLearner:
    """Constructs without gradients, then passes all choices at once.

    Args:
        rollout: Around the policy that learns, on any device.
        precision: As `set_precision` resolved it.
        world: The processes that learn as one.
    """

    def __init__(self, rollout: FixedShapeRollout, precision: str, world: World) -> None:
        self.rollout, self.policy, self.world = rollout, rollout.policy, world
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
        one pass without a loop; one number a tour comes back. Where tours are to be improved,
        the device waits for the host, and one tour an instance comes back, too.
        """
        device = self.rollout.device
        inputs = batch.to_device(device)
        starts, streams = send((batch.starts, seed), device)
        cache = self.policy.encode(*inputs)
        with torch.no_grad():
            fixed = Cache(*(product.detach() for product in cache))
            tours = self.rollout.construct(fixed, inputs, starts, streams, 1.0)
        copy = TourCopy(tours)
        sampled, to_device = tours.shape[1], num_bytes(*inputs, starts, streams)
        coords = batch.coords.numpy()

        def costs_of(found: NDArray[np.int64]) -> Float64:
            return costs_in_blocks(found, lambda rows: tour_cost(coords[rows], found[rows]))

        better = np.zeros((len(coords), 0, tours.shape[2]), np.int64)
        if comparison.improve is not None:
            found = copy.wait()
            better = comparison.improve(batch, found, costs_of(found), num_cores())
            (sent,) = send([torch.from_numpy(better)], device)
            tours = torch.cat([tours, sent], 1)
            to_device += num_bytes(sent)

        def costs() -> Float64:
            return costs_of(np.concatenate([copy.wait(), better], 1))

        weigh = Weights(comparison, costs, self.world, device)
        heads = self.policy.decoder.num_heads
        loss = backward(heads, cache, tours, plain_logs(self.policy, inputs, tours), weigh)
        to_device += weigh.cost.size * 4 if tours.is_cuda else 0
        cost = float(weigh.cost[:, :sampled].mean())
        return StepResult(loss, cost, copy.num_bytes, to_device)

    def _imitate(self, batch: TrainBatch) -> StepResult:
        device = self.rollout.device
        inputs = batch.to_device(device)
        (tours,) = send([batch.tours], device)
        cache = self.policy.encode(*inputs)
        cost = tour_cost(batch.coords.numpy(), batch.tours[:, :1].numpy())
        (count,) = self.world.total([num_choices(batch.tours)])
        loss = backward(
            self.policy.decoder.num_heads,
            cache,
            tours,
            plain_logs(self.policy, inputs, tours),
            lambda _, likelihood: torch.full_like(likelihood, 1.0 / count),
        )
        return StepResult(loss, float(cost.mean()), 0, num_bytes(*inputs, tours))
