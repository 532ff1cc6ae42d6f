"""Training steps on a CPU: constructions and their gradient by the compiled step."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.cost.cost import tour_cost
from vrpcore.decode.select import start_streams
from vrpcore.device import threads_for
from vrpcore.policy.policy import Policy
from vrpcore.train.arrays import Arrays, Cases, Loads, RuleArrays, make_memory
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
        inputs: What the policy's `encode` takes: B instances.
        way: See `Arrays`; None for plain instances.
        problem: The instances for the compiled step.
        cases: Their constructions.
        choice: [B, S, T] int64, given choices, or 0 where they are to be made.
        factors: See `Factors`; called for each part, in any order.
        scale: What the gradient is to be multiplied by, asked for when all parts are done.
    """

    inputs: tuple[Any, ...]
    way: Tensor | None
    problem: Loads | RuleArrays
    cases: Cases
    choice: Tensor
    factors: Factors
    scale: Callable[[], float]


class Loop:
    """Constructs and learns by compiled loops.

    Args:
        policy: The policy that learns, on the CPU; gradients are added to its parameters'.
        precision: `fp32` or `bf16`, of the encoder's products.

    Raises:
        MissingLibraryError: The compiled step was not built.
    """

    def __init__(self, policy: Policy, precision: str) -> None:
        self.policy, self._bf16 = policy, precision == "bf16"
        self.step = Step()

    def backward(self, task: Task) -> float:
        """Encodes, learns from parts that fit the cache, and passes the encoder back.

        Returns:
            The loss.

        Raises:
            VrpError: The weights have left the finite numbers.
        """
        problem = task.problem
        needs = problem.need if isinstance(problem, Loads) else problem.demand
        with threads_for(needs.numel()):
            cache = encode(self.policy, task.inputs, self.step, self._bf16)
            cache = cache._replace(
                query=cache.query.float(),
                key=cache.key.float(),
                value=cache.value.float(),
                pointer=cache.pointer.float(),
            )
            tables = decoder_tables(cache, self.policy.decoder.room, task.way)
            if not all(bool(torch.isfinite(table).all()) for table in tables):
                raise diverged("the policy's numbers are not finite")
            gradient = Arrays(*map(torch.zeros_like, tables))
            loss = self._learn(Arrays(*(table.detach() for table in tables)), gradient, task)
            factor = task.scale()
            learned = [slope.mul_(factor) for slope in gradient]
            roots = [index for index, table in enumerate(tables) if table.requires_grad]
            torch.autograd.backward([tables[at] for at in roots], [learned[at] for at in roots])
            return loss * factor

    def _learn(self, tables: Arrays, gradient: Arrays, task: Task) -> float:
        """Adds the gradient by the tables to `gradient`; returns the loss."""
        losses: list[float] = []

        def learn(rows: slice) -> None:
            memory = make_memory(task.problem, tables, gradient, task.cases, task.choice[rows])
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


class LoopLearner:
    """Learns from plain instances; arguments and errors of `Loop`.

    Args:
        policy: The policy that learns.
        precision: Of the encoder's products.
        world: The processes that learn as one.
    """

    def __init__(self, policy: Policy, precision: str, world: World) -> None:
        self.loop, self.world = Loop(policy, precision), world

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

        cases = Cases(batch.starts.contiguous(), start_streams(seed, num_starts))
        choice = torch.zeros(count, num_starts, 2 * batch.valid.shape[1], dtype=torch.int64)
        loss = self._backward(batch, cases, choice, factors, scale)
        return StepResult(loss, float(costs.mean()))

    def imitate(self, batch: TrainBatch) -> StepResult:
        """One step towards given tours; see `Learner`."""

        def scale() -> float:
            (count,) = self.world.total([num_choices(batch.tours)])
            return 1.0 / count

        given = torch.full(batch.tours.shape[:2], -1)
        choice = batch.tours.contiguous()
        loss = self._backward(batch, Cases(given, given), choice, alike, scale)
        cost = tour_cost(batch.coords.numpy(), batch.tours[:, :1].numpy())
        return StepResult(loss, float(cost.mean()))

    def shrink(self) -> int:
        """Parts are small already."""
        return 0

    def _backward(
        self,
        batch: TrainBatch,
        cases: Cases,
        choice: Tensor,
        factors: Factors,
        scale: Callable[[], float],
    ) -> float:
        inputs = batch.to_device(torch.device("cpu"))
        need = torch.where(inputs.valid, inputs.demand, math.inf)
        loads = Loads(need.double().contiguous(), inputs.capacity.double().contiguous())
        task = Task(tuple(inputs), None, loads, cases, choice, factors, scale)
        return self.loop.backward(task)


def alike(_: slice, choice: NDArray[np.int64]) -> NDArray[np.float64]:
    """Factors of 1."""
    return np.ones(choice.shape[:2])
