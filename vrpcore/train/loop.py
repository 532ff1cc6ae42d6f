"""Training steps on a CPU: constructions and their gradient by the compiled step."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.cost.cost import tour_cost
from vrpcore.decode.select import start_streams
from vrpcore.device import threads_for
from vrpcore.env.batch import DeviceBatch
from vrpcore.policy.policy import Policy
from vrpcore.train.arrays import Arrays, Cases, make_memory
from vrpcore.train.baseline import Comparison
from vrpcore.train.data import TrainBatch
from vrpcore.train.distributed import World
from vrpcore.train.layers import encode
from vrpcore.train.loss import StepResult, diverged, num_choices
from vrpcore.train.native import Step
from vrpcore.train.tables import decoder_tables

# Numbers recorded of a part of a batch: few enough for the cache.
PART_NUMBERS = 2 * 1024 * 1024

# Of the rows of a part and their choices, what each construction counts: [b, S] float64.
Factors = Callable[[slice, NDArray[np.int64]], NDArray[np.float64]]


class Task(NamedTuple):
    """What a step learns from.

    Attributes:
        inputs: B instances.
        cases: The same for the compiled step.
        choice: [B, S, T] int64, given choices, or 0 where they are to be made.
        factors: See `Factors`; called for each part, in any order.
        scale: What the gradient is to be multiplied by, asked for when all parts are done.
    """

    inputs: DeviceBatch
    cases: Cases
    choice: Tensor
    factors: Factors
    scale: Callable[[], float]


class LoopLearner:
    """Constructs and learns by compiled loops.

    Args:
        policy: The policy that learns, on the CPU; gradients are added to its parameters'.
        precision: `fp32` or `bf16`, of the encoder's products.
        world: The processes that learn as one.

    Raises:
        MissingLibraryError: The compiled step was not built.
    """

    def __init__(self, policy: Policy, precision: str, world: World) -> None:
        self.policy, self.world, self._bf16 = policy, world, precision == "bf16"
        self.step = Step()

    def reinforce(self, batch: TrainBatch, seed: Tensor, comparison: Comparison) -> StepResult:
        """One REINFORCE step; see `Learner`."""
        coords, (count, num_starts) = batch.coords.numpy(), batch.starts.shape
        costs, gains = np.empty((count, num_starts)), np.empty((count, num_starts))

        def factors(rows: slice, choice: NDArray[np.int64]) -> NDArray[np.float64]:
            costs[rows] = tour_cost(coords[rows], choice)
            gains[rows] = comparison.rows(rows).advantage(costs[rows])
            return gains[rows]

        def scale() -> float:
            deviation, total = self.world.spread(gains)
            return 1.0 / (deviation * total)

        inputs = batch.to_device(torch.device("cpu"))
        cases = _cases(inputs, batch.starts, start_streams(seed, num_starts))
        choice = torch.zeros(count, num_starts, 2 * batch.valid.shape[1], dtype=torch.int64)
        loss = self._backward(Task(inputs, cases, choice, factors, scale))
        return StepResult(loss, float(costs.mean()))

    def imitate(self, batch: TrainBatch) -> StepResult:
        """One step towards given tours; see `Learner`."""

        def factors(_: slice, choice: NDArray[np.int64]) -> NDArray[np.float64]:
            return np.ones(choice.shape[:2])

        def scale() -> float:
            (count,) = self.world.total([num_choices(batch.tours)])
            return 1.0 / count

        inputs = batch.to_device(torch.device("cpu"))
        given = torch.full(batch.tours.shape[:2], -1)
        choice = batch.tours.contiguous()
        loss = self._backward(Task(inputs, _cases(inputs, given, given), choice, factors, scale))
        cost = tour_cost(batch.coords.numpy(), batch.tours[:, :1].numpy())
        return StepResult(loss, float(cost.mean()))

    def shrink(self) -> int:
        """Parts are small already."""
        return 0

    def _backward(self, task: Task) -> float:
        """Encodes, learns from parts that fit the cache, and passes the encoder back.

        Returns:
            The loss.

        Raises:
            VrpError: The weights have left the finite numbers.
        """
        with threads_for(task.inputs.valid.numel()):
            cache = encode(self.policy, task.inputs, self.step, self._bf16)
            cache = cache._replace(
                query=cache.query.float(),
                key=cache.key.float(),
                value=cache.value.float(),
                pointer=cache.pointer.float(),
            )
            tables = decoder_tables(cache, self.policy.decoder.room)
            if not all(bool(torch.isfinite(table).all()) for table in tables):
                raise diverged("the policy's numbers are not finite")
            gradient = Arrays(*map(torch.zeros_like, tables))
            loss = self._learn(Arrays(*(table.detach() for table in tables)), gradient, task)
            factor = task.scale()
            torch.autograd.backward(list(tables), [slope.mul_(factor) for slope in gradient])
            return loss * factor

    def _learn(self, tables: Arrays, gradient: Arrays, task: Task) -> float:
        """Adds the gradient by the tables to `gradient`; returns the loss."""
        losses: list[float] = []

        def learn(rows: slice) -> None:
            memory = make_memory(tables, gradient, task.cases, task.choice[rows])
            self.step.construct(memory, rows)
            factors = task.factors(rows, memory.record.choice.numpy())
            losses.append(self.step.gradient(memory, rows, torch.from_numpy(factors)))

        count, num_rows, length = task.choice.shape
        num_nodes, features = tables.value.shape[1:]
        size = max(1, PART_NUMBERS // (num_rows * length * (features + 2 * num_nodes)))
        self.step.each(
            learn, [slice(first, min(first + size, count)) for first in range(0, count, size)]
        )
        return math.fsum(losses)  # the same in any order


def _cases(inputs: DeviceBatch, starts: Tensor, streams: Tensor) -> Cases:
    need = torch.where(inputs.valid, inputs.demand, math.inf)
    values = (need.double(), inputs.capacity.double(), starts, streams)
    return Cases(*(value.contiguous() for value in values))
