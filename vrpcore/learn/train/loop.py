"""Training steps on a CPU: constructions and their gradient by the compiled step."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.learn.decode.select import start_streams
from vrpcore.learn.device import threads_for
from vrpcore.learn.env.inputs import Inputs
from vrpcore.learn.policy.decoder import Cache
from vrpcore.learn.policy.policy import Policy
from vrpcore.learn.train.arrays import (
    Arrays,
    Cases,
    StepMemory,
    decoder_tables,
    make_memory,
    problem_arrays,
)
from vrpcore.learn.train.compare import Comparison, Weights, with_improved
from vrpcore.learn.train.data import TrainBatch
from vrpcore.learn.train.distributed import World
from vrpcore.learn.train.layers import encode
from vrpcore.learn.train.loss import Even, StepResult, Weigh, num_choices
from vrpcore.learn.train.training_library import Step

# Numbers recorded of a part of a batch: few enough for the cache.
PART_NUMBERS = 2 * 1024 * 1024

# Takes note of the rows of a part and their choices, [b, S, T]. Returns further tours of these, to
# learn from as well, [b, R, T]; where they are weighed, they come last.
Notice = Callable[[slice, NDArray[np.int64]], NDArray[np.int64] | None]


class StepTask(NamedTuple):
    """The input of a step.

    Attributes:
        inputs: The instances.
        cases: Their constructions.
        choice: [B, S, T] int64, given choices, or 0 where they are to be made.
        weigh: What each construction counts; called for each part, in any order.
        notice: See `Notice`; called for each part before it is weighed.
    """

    inputs: Inputs
    cases: Cases
    choice: Tensor
    weigh: Weigh
    notice: Notice


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
        (count, sampled), improve = starts.shape, comparison.improve
        costs = np.empty((count, sampled if improve is None else sampled + 1))
        weigh = Weights(comparison, costs.shape, costs.__getitem__, self.world)

        def notice(rows: slice, choice: NDArray[np.int64]) -> NDArray[np.int64] | None:
            if improve is None:
                better, costs[rows] = None, batch.take(rows).costs(choice)
            else:
                better, costs[rows] = with_improved(improve, batch.take(rows), choice)
            return better

        cases = Cases(starts, start_streams(seed, sampled))
        length = 2 * inputs.valid.shape[1] + 1 - self.policy.env.started
        choice = torch.zeros(*starts.shape, length, dtype=torch.int64)
        loss = self._backward(StepTask(inputs, cases, choice, weigh, notice))
        return StepResult(loss, float(weigh.cost[:, :sampled].mean()))

    def imitate(self, batch: TrainBatch) -> StepResult:
        """One step towards given tours; see `Learner`."""
        tours = batch.tours
        (count,) = self.world.total([num_choices(tours, batch.depots)])
        cases = known_choices(*tours.shape[:2])
        task = StepTask(batch.inputs, cases, tours.contiguous(), Even(count), lambda *_: None)
        loss = self._backward(task)
        return StepResult(loss, float(batch.costs(tours[:, :1].numpy()).mean()))

    def shrink(self) -> int:
        """Parts are small already."""
        return 0

    def _backward(self, task: StepTask) -> float:
        """Encodes, learns from parts that fit the cache, and passes the encoder back.

        Returns:
            The loss; NaN, and no gradient, where the policy's numbers are not finite.
        """
        policy, inputs = self.policy, task.inputs
        with threads_for(inputs.valid.numel()):
            cache = encode(policy, inputs, self.step, self._bf16)
            exact = (part.float() if part.is_floating_point() else part for part in cache)
            way = policy.way_weights(inputs).flatten(1).t() if policy.knows_variants else None
            tables = decoder_tables(Cache(*exact), policy.decoder.room, way)
            if not all(bool(torch.isfinite(table).all()) for table in tables):
                return self._nothing(task)
            gradient = Arrays(*map(torch.zeros_like, tables))
            loss = self._learn(Arrays(*(table.detach() for table in tables)), gradient, task)
            factor = task.weigh.scale()
            learned = [slope.mul_(factor) for slope in gradient]
            roots = [index for index, table in enumerate(tables) if table.requires_grad]
            torch.autograd.backward([tables[at] for at in roots], [learned[at] for at in roots])
            return loss * factor

    def _nothing(self, task: StepTask) -> float:
        """Meets other processes where a step would have, and leaves a gradient of zero."""
        task.weigh.scale()
        for part in self.policy.parameters():
            part.grad = torch.zeros_like(part) if part.grad is None else part.grad
        return math.nan

    def _learn(self, tables: Arrays, gradient: Arrays, task: StepTask) -> float:
        """Adds the gradient by the tables to `gradient`; returns the loss."""
        losses: list[float] = []
        problem = problem_arrays(task.inputs)
        count, num_rows, length = task.choice.shape
        num_nodes, features = tables.value.shape[1:]
        size = max(1, PART_NUMBERS // (num_rows * length * (features + 2 * num_nodes)))

        def learn(rows: slice) -> None:
            def construct(cases: Cases, choice: Tensor) -> StepMemory:
                memory = make_memory(problem, tables, gradient, cases, choice)
                self.step.construct(memory, rows)
                return memory

            made = [construct(task.cases, task.choice[rows])]
            more = task.notice(rows, made[0].record.choice.numpy())
            if more is not None:
                cases = known_choices(count, more.shape[1])
                made.append(construct(cases, torch.from_numpy(more)))
            likelihood = torch.cat([memory.record.likelihood for memory in made], 1)
            weight = task.weigh(rows, likelihood)
            for memory, part in zip(made, weight.tensor_split([num_rows], 1), strict=False):
                self.step.gradient(memory, rows, part.contiguous())
            losses.append(-float((weight * likelihood).sum()))

        self.step.each(
            learn, [slice(first, min(first + size, count)) for first in range(0, count, size)]
        )
        return math.fsum(losses)  # the same in any order


def known_choices(count: int, num_rows: int) -> Cases:
    """The cases of tours that are given: no start is to be tried, nothing to be drawn."""
    known = torch.full((count, num_rows), -1)
    return Cases(known, known)
