"""Training steps on a CPU: constructions and their gradient by a compiled step."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.cost.cost import tour_cost
from vrpcore.decode.select import start_streams
from vrpcore.env.batch import DeviceBatch
from vrpcore.policy.policy import Policy
from vrpcore.train.arrays import Arrays, Cases, Memory, StepShape, make_record, make_scratch
from vrpcore.train.baseline import Comparison
from vrpcore.train.data import TrainBatch
from vrpcore.train.layers import encode
from vrpcore.train.loss import StepResult, diverged, num_choices
from vrpcore.train.tables import Tables, decoder_tables
from vrpcore.train.workspace import Workspace

# Numbers recorded of a part of a batch: few enough for the cache.
PART_NUMBERS = 2 * 1024 * 1024

# Of the rows of a part and their choices, what each construction counts: [b, S] float64.
Factors = Callable[[slice, NDArray[np.int64]], NDArray[np.float64]]


class Task(NamedTuple):
    """What a step learns from.

    Attributes:
        inputs: B instances.
        cases: The same for the compiled loops.
        choice: [B, S, T] int64, given choices, or 0 where they are to be made.
        factors: See `Factors`; called for each part, in any order.
        scale: What the gradient is to be multiplied by, asked for when all parts are done.
    """

    inputs: DeviceBatch
    cases: Cases
    choice: NDArray[np.int64]
    factors: Factors
    scale: Callable[[], float]


def reinforce_loop(
    policy: Policy,
    batch: TrainBatch,
    seed: Tensor,
    comparison: Comparison,
    workspace: Workspace,
) -> StepResult:
    """Adds the gradient of one REINFORCE step.

    Args:
        policy: The policy that learns, on the CPU.
        batch: The step's instances.
        seed: [B] int64, random stream of each instance.
        comparison: How the tours' costs become advantages.
        workspace: The precision and company to work with.

    Source:
        Williams 1992.
    """
    coords, (count, num_starts) = batch.coords.numpy(), batch.starts.shape
    costs, gains = np.empty((count, num_starts)), np.empty((count, num_starts))

    def factors(rows: slice, choice: NDArray[np.int64]) -> NDArray[np.float64]:
        costs[rows] = tour_cost(coords[rows], choice)
        gains[rows] = comparison.rows(rows).advantage(costs[rows])
        return gains[rows]

    def scale() -> float:
        deviation, total = workspace.world.spread(gains)
        return 1.0 / (deviation * total)

    inputs = batch.to_device(torch.device("cpu"))
    cases = _cases(inputs, batch.starts, start_streams(seed, num_starts))
    choice = np.zeros((count, num_starts, 2 * batch.valid.shape[1]), np.int64)
    task = Task(inputs, cases, choice, factors, scale)
    return StepResult(_backward(policy, task, workspace), float(costs.mean()))


def imitate_loop(policy: Policy, batch: TrainBatch, workspace: Workspace) -> StepResult:
    """Adds the gradient of the mean negative log-likelihood per choice of given tours.

    Args:
        policy: The policy that learns, on the CPU.
        batch: The step's instances with routes in several writings.
        workspace: The precision and company to work with.
    """

    def factors(_: slice, choice: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.ones(choice.shape[:2])

    def scale() -> float:
        (count,) = workspace.world.total([num_choices(batch.tours)])
        return 1.0 / count

    inputs = batch.to_device(torch.device("cpu"))
    given = torch.full(batch.tours.shape[:2], -1)
    choice = batch.tours.contiguous().numpy()
    task = Task(inputs, _cases(inputs, given, given), choice, factors, scale)
    loss = _backward(policy, task, workspace)
    cost = tour_cost(batch.coords.numpy(), batch.tours[:, :1].numpy())
    return StepResult(loss, float(cost.mean()))


def _cases(inputs: DeviceBatch, starts: Tensor, streams: Tensor) -> Cases:
    need = torch.where(inputs.valid, inputs.demand, math.inf)
    values = (need.double(), inputs.capacity.double(), starts, streams)
    return Cases(*(value.contiguous().numpy() for value in values))


def _backward(policy: Policy, task: Task, workspace: Workspace) -> float:
    """Encodes, learns from parts that fit the cache, and passes the encoder back.

    Args:
        policy: The policy; gradients accumulate in its parameters.
        task: What to learn from.
        workspace: Precision and threads.

    Returns:
        The loss.

    Raises:
        VrpError: The weights have left the finite numbers.
    """
    encoded = encode(policy, task.inputs, workspace)
    cache = encoded._replace(
        query=encoded.query.float(),
        key=encoded.key.float(),
        value=encoded.value.float(),
        pointer=encoded.pointer.float(),
    )
    tables = decoder_tables(cache, policy.decoder.room)
    if not all(bool(torch.isfinite(table).all()) for table in tables):
        raise diverged("the policy's numbers are not finite")
    slopes = Tables(*(torch.zeros_like(table) for table in tables))
    loss = _learn(tables, slopes, task, workspace)
    factor = task.scale()
    torch.autograd.backward(list(tables), [slope.mul_(factor) for slope in slopes])
    return loss * factor


def _learn(tables: Tables, slopes: Tables, task: Task, workspace: Workspace) -> float:
    """Adds the gradient by the tables to `slopes`; returns the loss."""
    arrays, gradient = _flat(tables), _flat(slopes)
    shape = StepShape(tables.near.shape[1], tables.near.shape[3], tables.value.shape[2])
    step, losses = workspace.step, []

    def learn(rows: slice) -> None:
        record, scratch = make_record(task.choice[rows], shape), make_scratch(shape)
        memory = Memory(arrays, gradient, task.cases, record, scratch, shape)
        span = (rows.start, rows.stop)
        step.construct(memory, span)
        factors = task.factors(rows, record.choice)
        losses.append(step.gradient(memory, span, factors))

    count, num_rows, length = task.choice.shape
    size = max(1, PART_NUMBERS // (num_rows * length * (shape.features + 2 * shape.num_nodes)))
    parts = [slice(first, min(first + size, count)) for first in range(0, count, size)]
    workspace.each(learn, parts)
    return math.fsum(losses)  # the same in any order


def _flat(tables: Tables) -> Arrays:
    return Arrays(*(table.detach().view(-1).numpy() for table in tables))
