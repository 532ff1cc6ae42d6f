"""Training steps on a CPU: every decoder step is computed once, and recorded."""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from vrpcore.cost.cost import tour_cost
from vrpcore.decode.likelihood import forced_states
from vrpcore.decode.select import start_streams, uniform
from vrpcore.env.batch import DeviceBatch
from vrpcore.env.step import rooms
from vrpcore.policy.decoder import Cache
from vrpcore.policy.policy import Policy
from vrpcore.train.baseline import Comparison
from vrpcore.train.data import TrainBatch
from vrpcore.train.loss import StepResult, cache_leaf, diverged, leaf_gradients, num_choices
from vrpcore.train.recorded_gradient import recorded_gradient
from vrpcore.train.recorder import Recorder, Workspace
from vrpcore.train.tables import Tables, decoder_tables

# Attention weights of one step of a chunk: few enough for the cache, enough that an
# operation's own cost does not count.
CHUNK_ELEMENTS = 320 * 1024

Learn = Callable[[slice, Tables, DeviceBatch], tuple[Tables, float]]


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
        workspace: Memory to work in, and the precision and company to work with.

    Source:
        Williams 1992.
    """
    coords, num_starts = batch.coords.numpy(), batch.starts.shape[1]
    costs, gains = [], []

    def learn(rows: slice, tables: Tables, inputs: DeviceBatch) -> tuple[Tables, float]:
        size = (num_starts, 2 * batch.valid.shape[1])
        recorder = Recorder(tables, inputs.capacity, size, workspace)
        steps = record_rollout(recorder, inputs, batch.starts[rows], seed[rows])
        tours = recorder.choice[:, :steps].transpose(1, 2)
        costs.append(tour_cost(coords[rows], tours.numpy()))
        gains.append(comparison.rows(rows).advantage(costs[-1]))
        weight = torch.from_numpy(gains[-1]).float().unsqueeze(1) * _counted(tours, inputs.valid)
        depot = tours.new_zeros(len(tours), 1, num_starts)
        last = torch.cat((depot, recorder.choice[:, : steps - 1]), 1)
        return recorded_gradient(recorder, steps, last, weight)

    def scale() -> float:
        deviation, count = workspace.world.spread(np.concatenate(gains))
        return 1.0 / (deviation * count)

    loss = _backward(policy, batch, num_starts, workspace, (learn, scale))
    return StepResult(loss, float(np.concatenate(costs).mean()))


def imitate_loop(policy: Policy, batch: TrainBatch, workspace: Workspace) -> StepResult:
    """Adds the gradient of the mean negative log-likelihood per choice of given tours.

    Args:
        policy: The policy that learns, on the CPU.
        batch: The step's instances with routes in several writings.
        workspace: Memory to work in, and the precision and company to work with.
    """
    num_rows = batch.tours.shape[1] * batch.tours.shape[2]

    def learn(rows: slice, tables: Tables, inputs: DeviceBatch) -> tuple[Tables, float]:
        tours = batch.tours[rows]
        states = forced_states(tours, inputs.demand, inputs.capacity, inputs.valid)
        recorder = Recorder(tables, inputs.capacity, (num_rows, 1), workspace)
        flat = (len(tours), 1, num_rows)
        recorder.room.copy_(states.room.view(*flat, 2).movedim(3, 0))
        recorder.choice.copy_(tours.reshape(flat))
        last = states.last.view(flat)
        recorder.step(0, last[:, 0], states.mask.view(len(tours), num_rows, -1).float())
        return recorded_gradient(recorder, 1, last, states.active.view(flat).float())

    def scale() -> float:
        (count,) = workspace.world.total([num_choices(batch.tours)])
        return 1.0 / count

    loss = _backward(policy, batch, num_rows, workspace, (learn, scale))
    cost = tour_cost(batch.coords.numpy(), batch.tours[:, :1].numpy())
    return StepResult(loss, float(cost.mean()))


def record_rollout(recorder: Recorder, inputs: DeviceBatch, starts: Tensor, seed: Tensor) -> int:
    """Samples whole tours from given first customers.

    The same choices as `Rollout.construct` at temperature 1, but for rounding.

    Args:
        recorder: Of these instances; gets the steps.
        inputs: b instances.
        starts: [b, S] int64, first customers.
        seed: [b] int64.

    Returns:
        T, the number of steps; the choices stand in `recorder.choice[:, :T]`.
    """
    num_steps = recorder.choice.shape[1]
    capacity = inputs.capacity.unsqueeze(1)
    # What a node needs: its demand, or infinity where it was visited or is not there.
    need = torch.where(inputs.valid, inputs.demand, math.inf).unsqueeze(1)
    need = need.repeat(1, starts.shape[1], 1)
    depot = need[:, :, 0]
    depot.fill_(math.inf)
    num_open = (inputs.valid.sum(1, keepdim=True) - 1).repeat(1, starts.shape[1])
    time = torch.arange(num_steps).view(-1, 1, 1)
    draws = uniform(start_streams(seed, starts.shape[1]), time).unsqueeze(3)
    never, always = torch.full([], math.inf), torch.full([], -math.inf)
    mask, cumulative = torch.empty_like(need), torch.empty_like(need)
    choices = recorder.choice.unsqueeze(3).unbind(1)
    remaining, unused = (part.unbind(1) for part in recorder.room)
    remaining[0].copy_(capacity.expand_as(remaining[0]))
    open_demand = inputs.demand.sum(1, keepdim=True).repeat(1, starts.shape[1])
    last, least = torch.zeros_like(starts), int(num_open.max())
    for step in range(num_steps):
        unused[step].copy_(rooms(remaining[step], open_demand, capacity)[..., 1])
        torch.le(need, remaining[step].unsqueeze(2), out=mask)
        probability = recorder.step(step, last, mask)
        if step == 0:
            choices[0].copy_(starts.unsqueeze(2))
        else:
            torch.cumsum(probability, 2, out=cumulative)
            threshold = draws[step] * cumulative[:, :, -1:]
            torch.searchsorted(cumulative, threshold, right=True, out=choices[step])
        last = choices[step].squeeze(2)
        served = last != 0
        num_open.add_(served, alpha=-1)
        if step + 1 >= least and not bool((num_open > 0).any()):
            return step + 1
        load = inputs.demand.gather(1, last)
        open_demand.sub_(load)
        torch.where(served, remaining[step] - load, capacity, out=remaining[step + 1])
        need.scatter_(2, choices[step], math.inf)
        torch.where(served | (num_open <= 0), always, never, out=depot)
    return num_steps


def _counted(tours: Tensor, valid: Tensor) -> Tensor:
    """[b, T, S] float32: 1 for choices made while customers were left, else 0."""
    served = (tours != 0).long()
    before = served.cumsum(2) - served
    left = before < (valid.sum(1) - 1).view(-1, 1, 1)
    return left.transpose(1, 2).float()


def _backward(
    policy: Policy,
    batch: TrainBatch,
    num_rows: int,
    workspace: Workspace,
    how: tuple[Learn, Callable[[], float]],
) -> float:
    """Encodes once, learns from chunks that fit the cache, and passes the encoder once.

    Args:
        policy: The policy; gradients accumulate in its parameters.
        batch: The instances.
        num_rows: Constructions of an instance that take a step together.
        workspace: Memory and precision.
        how: From the rows of a chunk, its tables and its instances to the gradient of
            those tables and the chunk's loss, called without gradients; and the factor
            of it all, asked for when all chunks are done.

    Returns:
        The loss.

    Raises:
        VrpError: The weights have left the finite numbers.
    """
    learn, scale = how
    inputs = batch.to_device(torch.device("cpu"))
    with torch.autocast("cpu", torch.bfloat16, enabled=workspace.dtype == torch.bfloat16):
        encoded = policy.encode(*inputs)
    cache = Cache(*(part.float() if part.is_floating_point() else part for part in encoded))
    room = policy.decoder.room.detach().requires_grad_()
    if not all(bool(torch.isfinite(part).all()) for part in (cache.pointer, cache.key, room)):
        raise diverged("the policy's numbers are not finite")
    batch_size, num_nodes = inputs.valid.shape
    chunk_size = max(1, CHUNK_ELEMENTS // (policy.decoder.num_heads * num_rows * num_nodes))
    leaves, loss = [], 0.0
    for first in range(0, batch_size, chunk_size):
        rows = slice(first, min(first + chunk_size, batch_size))
        leaf = cache_leaf(cache, rows, num_nodes)
        tables = decoder_tables(leaf, room)
        with torch.no_grad():
            chunk = DeviceBatch(*(tensor[rows] for tensor in inputs))
            gradient, part = learn(rows, tables.detach(), chunk)
        torch.autograd.backward(list(tables), list(gradient))
        leaves.append(leaf)
        loss += part
    factor = scale()
    outputs, gradients = leaf_gradients(cache, leaves)
    # The rooms' vectors alone meet the tables without passing the cache.
    outputs.append(policy.decoder.room)
    gradients.append(torch.zeros_like(room) if room.grad is None else room.grad)
    torch.autograd.backward(outputs, [part * factor for part in gradients])
    return loss * factor
