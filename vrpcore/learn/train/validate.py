"""Greedy multi-start cost on fixed validation sets."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.cost.cost import Tours
from vrpcore.errors import ConfigError
from vrpcore.learn.decode.fixed_shape import construct_once
from vrpcore.learn.decode.likelihood import log_likelihood
from vrpcore.learn.env.transfer import TourCopy, send
from vrpcore.learn.policy.policy import Policy
from vrpcore.learn.train.data import TrainBatch
from vrpcore.learn.train.distributed import World

# Instances x starts x nodes^2 of a chunk: few stay in a CPU's cache, a GPU wants large launches.
_CHUNK_ELEMENTS_CPU, _CHUNK_ELEMENTS_CUDA = 1_000_000, 256_000_000


class Validation(NamedTuple):
    """Means over the instances of one set.

    Attributes:
        cost: Cost of the best of the tours from the `starts` and from a customer that the policy
            chose, in the instances' unit.
        gap: (cost - reference) / reference, NaN where references are unknown.
        single_cost: Cost of one greedy construction whose first customer the policy chose.
    """

    cost: float
    gap: float
    single_cost: float


def validate(policy: Policy, batch: TrainBatch, world: World | None = None) -> Validation:
    """Decodes a set greedily, from its `starts` and from one that the policy chooses.

    Args:
        policy: On any device.
        batch: The set.
        world: Processes that each decode a share of it, and all get the figures of the whole.
    """
    cost = greedy_costs(policy, batch, torch.nn.functional.pad(batch.starts, (1, 0)), world)
    best = cost.min(axis=1)
    gap = best / batch.reference.numpy() - 1
    return Validation(float(best.mean()), float(gap.mean()), float(cost[:, 0].mean()))


def validation_line(results: Mapping[str, Validation]) -> dict[str, float]:
    """Means over the sets, and each set's figure, as a line of metrics.

    Of costs the geometric mean, in which sets of all sizes and units weigh alike. Gaps are there
    where references are known, `validation_gap` is the mean of those.
    """
    line = {
        "validation_cost": geometric_mean([result.cost for result in results.values()]),
        "validation_single_cost": geometric_mean(
            [result.single_cost for result in results.values()]
        ),
    }
    gaps = [result.gap for result in results.values() if not math.isnan(result.gap)]
    if gaps:
        line["validation_gap"] = math.fsum(gaps) / len(gaps)
    for name, result in results.items():
        if math.isnan(result.gap):
            line[f"validation_cost/{name}"] = result.cost
        else:
            line[f"validation_gap/{name}"] = result.gap
    return line


def figures(
    policy: Policy, sets: Mapping[str, TrainBatch], world: World | None = None
) -> dict[str, float]:
    """The `validation_line` of a policy on fixed sets; nothing is compiled for their shapes."""
    with torch.compiler.set_stance("force_eager"):
        found = {name: validate(policy, batch, world) for name, batch in sets.items()}
    return validation_line(found)


def validation_figure(line: Mapping[str, float]) -> float:
    """The figure that decides which weights are better.

    The mean gap where each set has one; else the geometric mean of costs, or of 1 + gap of a set
    that has one: ten percent count the same in each set.
    """
    costs = [value for name, value in line.items() if name.startswith("validation_cost/")]
    if not costs:
        return line["validation_gap"]
    gaps = [value for name, value in line.items() if name.startswith("validation_gap/")]
    return geometric_mean([*costs, *(1 + gap for gap in gaps)])


def geometric_mean(values: Sequence[float]) -> float:
    """The root of the product of numbers that are not negative."""
    return math.prod(math.pow(value, 1 / len(values)) for value in values)


def all_known(sets: Mapping[str, TrainBatch]) -> bool:
    """Tells whether all instances have references, so that the `validation_figure` is a gap."""
    return not any(bool(batch.reference.isnan().any()) for batch in sets.values())


def better(lines: Mapping[str, dict[str, float]]) -> tuple[str, dict[str, Any]]:
    """Chooses among policies by their figures.

    Args:
        lines: From `validation_line`, by the policies' names; the first of equal ones is chosen.

    Returns:
        The name and its line; where there are several, with the figure of each,
        `validation/NAME`, and the chosen name, `kept`.
    """
    figures = {name: validation_figure(line) for name, line in lines.items()}
    kept = min(figures, key=lambda name: (math.isnan(figures[name]), figures[name]))
    line: dict[str, Any] = dict(lines[kept])
    if len(lines) > 1:
        line |= {f"validation/{name}": figure for name, figure in figures.items()}
        line["kept"] = kept
    return kept, line


def gives_numbers(policy: Policy, batch: TrainBatch) -> bool:
    """Tells whether a policy's products, and the likelihoods of its greedy tours, are finite.

    Nothing is compiled for these shapes.

    Args:
        policy: On any device.
        batch: A few instances.
    """
    device = next(policy.parameters()).device
    with torch.no_grad(), torch.compiler.set_stance("force_eager"), _evaluated(policy):
        inputs = batch.inputs.to_device(device)
        cache = policy.encode(inputs)
        if not all(bool(torch.isfinite(product).all()) for product in cache):
            return False
        tours = greedy_tours(policy, batch, batch.starts.new_zeros(len(batch.starts), 1))
        (sent,) = send([torch.from_numpy(tours)], device)
        return bool(torch.isfinite(log_likelihood(policy, cache, inputs, sent.long())).all())


def check_environment(policy: Policy, batch: TrainBatch) -> None:
    """Checks that an environment says the same of the states of tours at once and step by step.

    Nothing is compiled for these shapes.

    Args:
        policy: Whose environment.
        batch: A few instances.

    Raises:
        ConfigError: Its `forced` differs from its `outlook` or `shares`; the gradient would be that
            of other choices than those that were made.
    """
    env, inputs = policy.env, batch.inputs.to_device(next(policy.parameters()).device)
    with torch.compiler.set_stance("force_eager"):
        tours = greedy_tours(policy, batch, batch.starts.new_zeros(len(batch.starts), 1))
    forced = env.forced(inputs, torch.from_numpy(tours).long().to(inputs.coords.device))
    shape = forced.choice.shape
    masks, numbers = (each.view(*shape, -1) for each in (forced.outlook.mask, forced.numbers))
    fixed = env.prepare(inputs)
    state = env.begin(inputs, fixed, forced.choice[:, :, 0] * env.started)
    for step in range(env.started, shape[2]):
        over = ~forced.active[:, :, step]
        found = {
            "outlook": (env.outlook(fixed, state).mask == masks[:, :, step]),
            "shares": torch.isclose(env.shares(fixed, state), numbers[:, :, step], atol=1e-4),
        }
        for name, same in found.items():
            if not bool((same.all(2) | over).all()):
                raise ConfigError(
                    f"problem.environment: {type(env).__name__}.forced says something else of "
                    f"choice {step} than its {name}"
                )
        state = env.step(fixed, state, forced.choice[:, :, step])


def greedy_cost(
    policy: Policy, batch: TrainBatch, world: World | None = None
) -> NDArray[np.float64]:
    """[B, 1] float64: cost of one greedy construction of each instance; see `greedy_costs`."""
    return greedy_costs(policy, batch, batch.starts.new_zeros(len(batch.starts), 1), world)


def greedy_tours(policy: Policy, batch: TrainBatch, starts: Tensor) -> Tours:
    """[B, S, T] integers: greedy constructions from given first customers, on the host.

    Args:
        policy: On any device.
        batch: B instances, decoded at once.
        starts: [B, S] int64; 0 lets the policy choose.
    """
    device = next(policy.parameters()).device
    seed = torch.zeros(len(starts), dtype=torch.int64, device=device)
    inputs, (first,) = batch.inputs.to_device(device), send([starts], device)
    with _evaluated(policy):
        return TourCopy(construct_once(policy, inputs, first, 0.0, seed)).wait()


@contextmanager
def _evaluated(policy: Policy) -> Iterator[None]:
    """Within it a policy is as it solves: layers of the user's own may differ in training."""
    trains = policy.training
    policy.eval()
    try:
        yield
    finally:
        policy.train(trains)


def chunk_size(policy: Policy, num_nodes: int, num_starts: int) -> int:
    """Return the number of instances to decode at once."""
    on_cuda = next(policy.parameters()).is_cuda
    budget = _CHUNK_ELEMENTS_CUDA if on_cuda else _CHUNK_ELEMENTS_CPU
    return max(1, budget // (num_nodes * num_nodes * num_starts))


def greedy_costs(
    policy: Policy, batch: TrainBatch, starts: Tensor, world: World | None = None
) -> NDArray[np.float64]:
    """[B, S] float64: costs of the `greedy_tours` from given first customers, in chunks.

    With a `world` each of its processes constructs a share of the tours.
    """
    chunk = chunk_size(policy, batch.inputs.valid.shape[1], starts.shape[1])

    def work(rows: slice) -> NDArray[np.float64]:
        own, first = batch.take(rows), starts[rows]
        parts = [slice(begin, begin + chunk) for begin in range(0, len(first), chunk)]
        taken = [(own.take(part), first[part]) for part in parts]
        return np.concatenate([part.costs(greedy_tours(policy, part, at)) for part, at in taken])

    return (world or World()).gathered(len(starts), work)
