"""Training steps on a CPU: constructions and their gradient by the compiled step."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.cost.cost import tour_cost
from vrpcore.decode.select import start_streams
from vrpcore.device import threads_for
from vrpcore.policy.policy import Policy
from vrpcore.train.arrays import Arrays, Cases, Loads, Memory, RuleArrays, make_memory
from vrpcore.train.compare import Comparison, Improve
from vrpcore.train.data import TrainBatch
from vrpcore.train.distributed import World
from vrpcore.train.layers import encode
from vrpcore.train.loss import StepResult, diverged, num_choices
from vrpcore.train.native import Step
from vrpcore.train.tables import decoder_tables
from vrpcore.train.variant_data import VariantBatch

Batch = TypeVar("Batch", TrainBatch, VariantBatch)

# Numbers recorded of a part of a batch: few enough for the cache.
PART_NUMBERS = 2 * 1024 * 1024

# Of the rows of a part, their choices (where there are targets: these alone) and the
# log-likelihoods of all, what each construction counts: [b, S] float64.
Factors = Callable[[slice, NDArray[np.int64], Tensor], Tensor]


class Given(NamedTuple):
    """B instances, and how long their tours may get.

    Attributes:
        inputs: What the policy's `encode` takes.
        way: See `Arrays`; None for plain instances.
        problem: The same for the compiled step.
        length: T.
    """

    inputs: tuple[Any, ...]
    way: Tensor | None
    problem: Loads | RuleArrays
    length: int


class Task(NamedTuple):
    """What a step learns from.

    Attributes:
        given: The instances.
        cases: Their constructions.
        choice: [B, S, T] int64, given choices, or 0 where they are to be made.
        factors: See `Factors`; called for each part, in any order.
        scale: What the gradient is to be multiplied by, asked for when all parts are done.
        targets: Of the rows of a part and their choices, [b, R, T] int64 choices to learn from
            beside them; they follow them in `factors`. None: no more.
    """

    given: Given
    cases: Cases
    choice: Tensor
    factors: Factors
    scale: Callable[[], float]
    targets: Callable[[slice, NDArray[np.int64]], NDArray[np.int64]] | None = None


class Loop(ABC, Generic[Batch]):
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

    @abstractmethod
    def given(self, batch: Batch) -> Given:
        """The instances of a batch."""

    @abstractmethod
    def costs(self, batch: Batch, rows: slice, choice: NDArray[np.int64]) -> NDArray[np.float64]:
        """Costs of tours of some instances, [b, S] float64."""

    @abstractmethod
    def given_choices(self, batch: Batch) -> tuple[Tensor, int]:
        """The tours of a batch, [B, K, T] int64, and how many choices are in them."""

    def reinforce(self, batch: Batch, seed: Tensor, comparison: Comparison) -> StepResult:
        """One step from sampled tours; see `Learner`."""
        given, starts = self.given(batch), batch.starts.contiguous()
        count, sampled = starts.shape
        improve = comparison.improve
        compared = (count, sampled) if improve is None else (count, sampled + 1)
        costs, gains = np.empty(compared), np.empty(compared)

        def factors(rows: slice, choice: NDArray[np.int64], likelihood: Tensor) -> Tensor:
            costs[rows, compared[1] - choice.shape[1] :] = self.costs(batch, rows, choice)
            gains[rows] = comparison.rows(rows).advantage(costs[rows])
            return comparison.weight(gains[rows], costs[rows], likelihood)

        def targets(improve: Improve, rows: slice, choice: NDArray[np.int64]) -> NDArray[np.int64]:
            costs[rows, :sampled] = self.costs(batch, rows, choice)
            return improve(batch.take(rows), choice, costs[rows, :sampled], 1)

        def scale() -> float:
            deviation, total = self.world.spread(gains)
            return 1.0 / (deviation * total)

        cases = Cases(starts, start_streams(seed, sampled))
        choice = torch.zeros(*starts.shape, given.length, dtype=torch.int64)
        more = None if improve is None else partial(targets, improve)
        loss = self._backward(Task(given, cases, choice, factors, scale, more))
        return StepResult(loss, float(costs[:, :sampled].mean()))

    def imitate(self, batch: Batch) -> StepResult:
        """One step towards given tours; see `Learner`."""
        tours, own = self.given_choices(batch)

        def factors(_: slice, __: NDArray[np.int64], likelihood: Tensor) -> Tensor:
            return torch.ones_like(likelihood)

        def scale() -> float:
            (count,) = self.world.total([own])
            return 1.0 / count

        cases = known_choices(*tours.shape[:2])
        task = Task(self.given(batch), cases, tours.contiguous(), factors, scale)
        loss = self._backward(task)
        cost = self.costs(batch, slice(None), tours[:, :1].numpy())
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
        given = task.given
        needs = given.problem.need if isinstance(given.problem, Loads) else given.problem.demand
        with threads_for(needs.numel()):
            cache = encode(self.policy, given.inputs, self.step, self._bf16)
            cache = cache._replace(
                query=cache.query.float(),
                key=cache.key.float(),
                value=cache.value.float(),
                pointer=cache.pointer.float(),
            )
            tables = decoder_tables(cache, self.policy.decoder.room, given.way)
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

        count, num_rows, length = task.choice.shape
        num_nodes, features = tables.value.shape[1:]
        size = max(1, PART_NUMBERS // (num_rows * length * (features + 2 * num_nodes)))

        def learn(rows: slice) -> None:
            def construct(cases: Cases, choice: Tensor) -> Memory:
                memory = make_memory(task.given.problem, tables, gradient, cases, choice)
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


class LoopLearner(Loop[TrainBatch]):
    """Learns from plain instances; arguments and errors of `Loop`."""

    def given(self, batch: TrainBatch) -> Given:
        """See `Loop`."""
        inputs = batch.to_device(torch.device("cpu"))
        need = torch.where(inputs.valid, inputs.demand, math.inf)
        loads = Loads(need.double().contiguous(), inputs.capacity.double().contiguous())
        return Given(tuple(inputs), None, loads, 2 * batch.valid.shape[1])

    def costs(
        self, batch: TrainBatch, rows: slice, choice: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """See `Loop`."""
        return tour_cost(batch.coords.numpy()[rows], choice)

    def given_choices(self, batch: TrainBatch) -> tuple[Tensor, int]:
        """See `Loop`."""
        return batch.tours, num_choices(batch.tours)
