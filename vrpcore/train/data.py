"""Batches for training and validation, each determined by its step alone."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from vrpcore.arrays.symmetry import NUM_SYMMETRIES, symmetric, unit_box
from vrpcore.config.sections import Config, DataConfig, ProblemConfig, SizeRange, TrainConfig
from vrpcore.env.batch import DeviceBatch, send
from vrpcore.instance.generator import Capacity, Distribution, random_problems
from vrpcore.train.labels import Labels, read_labels, shuffle_routes
from vrpcore.train.variant_labels import VariantLabels

L = TypeVar("L", Labels, VariantLabels)

_TRAINING, VALIDATION, CHALLENGE = 1, 2, 3  # random streams
ALL_STARTS_UP_TO = 20


class TrainBatch(NamedTuple):
    """One step's instances, on the host.

    Attributes:
        coords: [B, M, 2] float64 as drawn or read: what costs are computed from.
        coords_unit: [B, M, 2] float32, what the policy sees.
        demand: [B, M] float32.
        capacity: [B] float32.
        valid: [B, M] bool.
        starts: [B, S] int64, first customers of the rollouts.
        tours: [B, K, T] int64, routes to imitate; K = 0 without labels.
        reference: [B] float64, known good cost, NaN where unknown.
    """

    coords: Tensor
    coords_unit: Tensor
    demand: Tensor
    capacity: Tensor
    valid: Tensor
    starts: Tensor
    tours: Tensor
    reference: Tensor

    def take(self, rows: slice) -> "TrainBatch":
        """Some of its problems."""
        return TrainBatch(*(tensor[rows] for tensor in self))

    def to_device(self, device: torch.device) -> DeviceBatch:
        """What the policy reads; the coordinates for costs stay on the host."""
        inputs = (self.coords_unit, self.demand, self.capacity, self.valid)
        return DeviceBatch(*send(inputs, device))


class StepBatches(Dataset[TrainBatch]):
    """The batch of each step, from (seed, step) and nothing else.

    So workers, prefetching and resuming cannot change the data.

    Args:
        config: The whole configuration.
        labels: Labelled sets without their holdout; may be empty.
        rank: Of several processes that learn as one: all draw instances of the same
            size from the same set, each its own.
    """

    def __init__(self, config: Config, labels: list[Labels], rank: int = 0) -> None:
        self.problem, self.train, self.data = config.problem, config.train, config.data
        self.labels, self.rank = labels, rank

    def __getitem__(self, index: int) -> TrainBatch:
        """The batch with this number; a step takes `accumulate` of them."""
        common, own = step_generators((self.train.seed, _TRAINING, index), self.rank)
        if self.labels and common.random() < self.data.mix:
            labels = self.labels[common.integers(len(self.labels))]
            anchor = int(common.integers(len(labels)))
            return _labelled_batch(labels, anchor, self.train, own)
        step = index // self.train.accumulate
        size = draw_size(self.problem, step, common)
        name = draw_distribution(self.problem, common)
        count = batch_size(self.train, size)
        return _arrange(_draw(self.problem, (count, size), name, own), self.train, own)


def step_generators(
    stream: tuple[int, int, int], rank: int
) -> tuple[np.random.Generator, np.random.Generator]:
    """What all processes draw from alike, and a process's own; one generator for the first.

    Args:
        stream: Seed, kind of data, number of the batch.
        rank: Of the process.
    """
    common = np.random.default_rng(stream)
    return common, np.random.default_rng([*stream, rank]) if rank else common


def training_batches(
    dataset: Dataset[Any], steps: range, accumulate: int, data: DataConfig, device: torch.device
) -> Iterator[Any]:
    """The batches of the steps, prepared in advance by workers when training on an accelerator.

    A step's `accumulate` batches follow each other.
    """
    on_device = device.type != "cpu"
    num_workers = data.num_workers if on_device else 0
    loader: DataLoader[Any] = DataLoader(
        dataset,
        batch_size=None,
        sampler=range(steps.start * accumulate, steps.stop * accumulate),
        num_workers=num_workers,
        prefetch_factor=data.prefetch if num_workers else None,
        persistent_workers=num_workers > 0,
        pin_memory=data.pin_memory and on_device,
    )
    return iter(loader)


def fixed_batches(
    config: Config, holdouts: list[Labels], stream: int = VALIDATION
) -> dict[str, TrainBatch]:
    """Fixed sets: the held-out labelled ones, else random ones of each size."""
    count = config.train.validation_size
    rng = np.random.default_rng([config.train.seed, stream])
    if holdouts:
        return {
            labels.name: _arrange(
                labels.take(np.arange(min(count, len(labels)))), config.train, rng
            )
            for labels in holdouts
        }
    batches = {}
    sizes = size_choices(config.problem)
    if isinstance(config.problem.num_customers, SizeRange):
        sizes.append(sum(sizes) // 2)
    for size in sorted(set(sizes)):
        name = draw_distribution(config.problem, rng)
        labels = _draw(config.problem, (count, size), name, rng)
        batches[f"n{size}"] = _arrange(labels, config.train, rng)
    return batches


def split_labels(data: DataConfig, needs_routes: bool) -> tuple[list[Labels], list[Labels]]:
    """The configured files as (training, held-out) sets."""
    return split_sets(data, lambda file: read_labels(file, needs_routes))


def split_sets(data: DataConfig, read: Callable[[str], L]) -> tuple[list[L], list[L]]:
    """The same, each file as `read` reads it."""
    files = [data.file] if isinstance(data.file, str) else data.file or []
    training, holdouts = [], []
    for file in files:
        labels = read(file)
        rows = np.random.default_rng(len(labels)).permutation(len(labels))
        cut = min(data.holdout, len(labels) // 2)
        training.append(labels.take(np.sort(rows[cut:])))
        if cut:
            holdouts.append(labels.take(np.sort(rows[:cut])))
    return training, holdouts


def train_sizes(config: Config, labels: list[Labels]) -> tuple[int, int]:
    """Smallest and largest number of customers that training may draw."""
    sizes = [int(size) for part in labels for size in (part.size.min(), part.size.max())]
    if not labels or config.data.mix < 1:
        sizes += size_choices(config.problem)
    return min(sizes), max(sizes)


def num_starts(train: TrainConfig, num_customers: int) -> int:
    """Starts of an instance: as configured, or all up to 20 customers and 20 beyond."""
    if train.starts == "auto":
        return max(2, min(num_customers, ALL_STARTS_UP_TO))
    return train.starts


def size_choices(problem: ProblemConfig) -> list[int]:
    """The sizes that are configured; of a range the smallest and the largest."""
    sizes = problem.num_customers
    if isinstance(sizes, SizeRange):
        return [sizes.min, sizes.max]
    return [sizes] if isinstance(sizes, int) else list(sizes)


def draw_size(problem: ProblemConfig, step: int, rng: np.random.Generator) -> int:
    """N of a step's instances."""
    choices = size_choices(problem)
    grown = min(1.0, (step + 1) / problem.curriculum_steps) if problem.curriculum_steps else 1.0
    most = min(choices) + grown * (max(choices) - min(choices))
    if isinstance(problem.num_customers, SizeRange):
        # Evenly by ratio: small sizes would else be a few steps in a hundred.
        drawn = int(np.exp(rng.uniform(np.log(choices[0]), np.log(int(most) + 1))))
        return min(max(choices[0], drawn), int(most))
    choices = [size for size in choices if size <= most]
    return choices[rng.integers(len(choices))]


def draw_distribution(problem: ProblemConfig, rng: np.random.Generator) -> Distribution:
    """Where a step's places lie."""
    names = problem.distribution
    return names if isinstance(names, str) else names[rng.integers(len(names))]


def _draw(
    problem: ProblemConfig, shape: tuple[int, int], name: Distribution, rng: np.random.Generator
) -> Labels:
    count, size = shape
    capacity: Capacity | list[int] = problem.capacity
    if isinstance(capacity, list):
        capacity = capacity[size_choices(problem).index(size)]
    problems = random_problems(name, shape, capacity, rng, problem.max_demand)
    coords = problems.coords
    if problem.grid is not None:
        coords = np.rint(coords * problem.grid) / problem.grid
    return Labels(
        name=name,
        coords=coords,
        demand=problems.demand,
        capacity=problems.capacity,
        size=np.full(count, size),
        tour=np.zeros((count, 0), np.int64),
        cost=np.full(count, np.nan),
    )


def _labelled_batch(
    labels: Labels, anchor: int, train: TrainConfig, rng: np.random.Generator
) -> TrainBatch:
    """A batch of about the anchor's size, so that little is padding."""
    count = min(batch_size(train, int(labels.size[anchor])), len(labels))
    window = min(8 * count, len(labels)) if labels.ragged else len(labels)
    first = min(max(0, anchor - window // 2), len(labels) - window)
    rows = first + rng.choice(window, count, replace=False)
    chosen = labels.take(rows)
    symmetry = rng.integers(NUM_SYMMETRIES, size=count)
    return _arrange(chosen, train, rng, symmetry)


def batch_size(train: TrainConfig, size: int) -> int:
    """How many instances of a size make a batch."""
    if train.batch_at_size is None:
        return train.batch_size
    return max(1, round(train.batch_size * train.batch_at_size / size))


def _arrange(
    labels: Labels,
    train: TrainConfig,
    rng: np.random.Generator,
    symmetry: NDArray[np.int64] | None = None,
) -> TrainBatch:
    num_nodes = int(labels.size.max()) + 1
    coords = labels.coords[:, :num_nodes].astype(np.float64)
    valid = np.arange(num_nodes) <= labels.size[:, None]
    unit = unit_box(coords, valid).astype(np.float32)
    if symmetry is not None:
        for index in range(1, NUM_SYMMETRIES):
            unit[symmetry == index] = symmetric(unit[symmetry == index], index)
    tours = np.zeros((len(coords), 0, 0), np.int64)
    if labels.tour.shape[1]:
        tours = shuffle_routes(labels.tour, train.orders, rng)
    return TrainBatch(
        coords=torch.from_numpy(coords),
        coords_unit=torch.from_numpy(unit),
        demand=torch.from_numpy(labels.demand[:, :num_nodes].astype(np.float32)),
        capacity=torch.from_numpy(labels.capacity.astype(np.float32)),
        valid=torch.from_numpy(valid),
        starts=torch.from_numpy(_starts(labels.size, num_starts(train, num_nodes - 1), rng)),
        tours=torch.from_numpy(tours),
        reference=torch.from_numpy(labels.cost.astype(np.float64)),
    )


def _starts(size: NDArray[np.int64], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """`count` different first customers of each instance, repeated where it has fewer."""
    order = rng.random((len(size), int(size.max())))
    order[np.arange(order.shape[1]) >= size[:, None]] = 2.0
    customers = np.argsort(order, axis=1) + 1
    picks = np.arange(count)[None, :] % size[:, None]
    return np.take_along_axis(customers, picks, axis=1)
