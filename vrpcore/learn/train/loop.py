"""Training steps on a CPU: constructions and their gradient by the compiled step."""

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.learn.decode.select import start_streams
from vrpcore.learn.device import threads_for
from vrpcore.learn.env.inputs import Inputs
from vrpcore.learn.policy.policy import Policy
from vrpcore.learn.train.arrays import Arrays, Cases, Memory, make_memory, problem_arrays
from vrpcore.learn.train.compare import Comparison, Improve
from vrpcore.learn.train.data import TrainBatch
from vrpcore.learn.train.distributed import World
from vrpcore.learn.train.layers import encode
from vrpcore.learn.train.loss import StepResult, num_choices
from vrpcore.learn.train.tables import decoder_tables
from vrpcore.learn.train.training_library import Step

# Numbers recorded of a part of a batch: few enough for the cache.
PART_NUMBERS = 2 * 1024 * 1024

# Of the rows of a part, their choices (where there are targets: these alone) and the
# log-likelihoods of all, what each construction counts: [b, S] float64.
Factors = Callable[[slice, NDArray[np.int64], Tensor], Tensor]


class Task(NamedTuple):
    """The input of a step.

    Attributes:
        inputs: The instances.
        cases: Their constructions.
        choice: [B, S, T] int64, given choices, or 0 where they are to be made.
        factors: See `Factors`; called for each part, in any order.
        scale: What the gradient is to be multiplied by, asked for when all parts are done.
        targets: Of the rows of a part and their choices, [b, R, T] int64 choices to learn from
            as well; they follow them in `factors`. None: no more.
    """

    inputs: Inputs
    cases: Cases
    choice: Tensor
    factors: Factors
    scale: Callable[[], float]
    targets: Callable[[slice, NDArray[np.int64]], NDArray[np.int64]] | None = None


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
        """One step from sampled tours; see `Learner`."""
        inputs, starts = batch.inputs, batch.starts.contiguous()
        count, sampled = starts.shape
        improve = comparison.improve
        compared = (count, sampled) if improve is None else (count, sampled + 1)
        costs, gains = np.full(compared, np.nan), np.zeros(compared)

        def factors(rows: slice, choice: NDArray[np.int64], likelihood: Tensor) -> Tensor:
            costs[rows, compared[1] - choice.shape[1] :] = batch.take(rows).costs(choice)
            gains[rows] = comparison.rows(rows).advantage(costs[rows])
            return comparison.weight(gains[rows], costs[rows], likelihood)

        def targets(improve: Improve, rows: slice, choice: NDArray[np.int64]) -> NDArray[np.int64]:
            costs[rows, :sampled] = batch.take(rows).costs(choice)
            return improve(batch.take(rows), choice, costs[rows, :sampled])

        def scale() -> float:
            deviation, total = self.world.spread(gains)
            return 1.0 / (deviation * total)

        cases = Cases(starts, start_streams(seed, sampled))
        length = 2 * inputs.valid.shape[1] + 1 - self.policy.env.begun
        choice = torch.zeros(*starts.shape, length, dtype=torch.int64)
        more = None if improve is None else partial(targets, improve)
        loss = self._backward(Task(inputs, cases, choice, factors, scale, more))
        return StepResult(loss, float(costs[:, :sampled].mean()))

    def imitate(self, batch: TrainBatch) -> StepResult:
        """One step towards given tours; see `Learner`."""
        tours, own = batch.tours, num_choices(batch.tours, batch.depots)

        def factors(_: slice, __: NDArray[np.int64], likelihood: Tensor) -> Tensor:
            return torch.ones_like(likelihood)

        def scale() -> float:
            (count,) = self.world.total([own])
            return 1.0 / count

        cases = known_choices(*tours.shape[:2])
        task = Task(batch.inputs, cases, tours.contiguous(), factors, scale)
        loss = self._backward(task)
        cost = batch.costs(tours[:, :1].numpy())
        return StepResult(loss, float(cost.mean()))

    def shrink(self) -> int:
        """Parts are small already."""
        return 0

    def _backward(self, task: Task) -> float:
        """Encodes, learns from parts that fit the cache, and passes the encoder back.

        Returns:
            The loss; NaN, and no gradient, where the policy's numbers are not finite.
        """
        policy, inputs = self.policy, task.inputs
        with threads_for(inputs.valid.numel()):
            cache = encode(policy, inputs, self.step, self._bf16)
            cache = cache._replace(
                query=cache.query.float(),
                key=cache.key.float(),
                value=cache.value.float(),
                pointer=cache.pointer.float(),
            )
            way = policy.way_weights(inputs).flatten(1).t() if policy.knows_variants else None
            tables = decoder_tables(cache, policy.decoder.room, way)
            if not all(bool(torch.isfinite(table).all()) for table in tables):
                return self._nothing(task)
            gradient = Arrays(*map(torch.zeros_like, tables))
            loss = self._learn(Arrays(*(table.detach() for table in tables)), gradient, task)
            factor = task.scale()
            learned = [slope.mul_(factor) for slope in gradient]
            roots = [index for index, table in enumerate(tables) if table.requires_grad]
            torch.autograd.backward([tables[at] for at in roots], [learned[at] for at in roots])
            return loss * factor

    def _nothing(self, task: Task) -> float:
        """Meets other processes where a step would have, and leaves a gradient of zero."""
        task.scale()
        for part in self.policy.parameters():
            part.grad = torch.zeros_like(part) if part.grad is None else part.grad
        return math.nan

    def _learn(self, tables: Arrays, gradient: Arrays, task: Task) -> float:
        """Adds the gradient by the tables to `gradient`; returns the loss."""
        losses: list[float] = []
        problem = problem_arrays(task.inputs)
        count, num_rows, length = task.choice.shape
        num_nodes, features = tables.value.shape[1:]
        size = max(1, PART_NUMBERS // (num_rows * length * (features + 2 * num_nodes)))

        def learn(rows: slice) -> None:
            def construct(cases: Cases, choice: Tensor) -> Memory:
                memory = make_memory(problem, tables, gradient, cases, choice)
                self.step.construct(memory, rows)
                return memory

            made = [construct(task.cases, task.choice[rows])]
            if task.targets is not None:
                more = torch.from_numpy(task.targets(rows, made[0].record.choice.numpy()))
                made.append(construct(known_choices(count, more.shape[1]), more))
            choice = made[-1].record.choice.numpy()
            likelihood = torch.cat([memory.record.likelihood for memory in made], 1)
            factors = task.factors(rows, choice, likelihood)
            parts = factors.tensor_split([num_rows], 1)
            for memory, part in zip(made, parts, strict=False):
                self.step.gradient(memory, rows, part.contiguous())
            losses.append(-float((factors * likelihood).sum()))

        self.step.each(
            learn, [slice(first, min(first + size, count)) for first in range(0, count, size)]
        )
        return math.fsum(losses)  # the same in any order


def known_choices(count: int, num_rows: int) -> Cases:
    """The cases of tours that are given: no start is to be tried, nothing to be drawn."""
    known = torch.full((count, num_rows), -1)
    return Cases(known, known)
