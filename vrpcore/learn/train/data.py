"""Batches for training and validation, each determined only by its step."""

import hashlib
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from vrpcore.arrays.symmetry import NUM_SYMMETRIES, symmetric
from vrpcore.config.sections import Config, DataConfig, SizeRange, TrainConfig
from vrpcore.cost.cost import Tours, tour_cost
from vrpcore.cost.variant_cost import variant_tour_cost
from vrpcore.errors import ConfigError, ShapeError
from vrpcore.instance.instance import Float64
from vrpcore.learn.env.inputs import Inputs, inputs_of
from vrpcore.learn.policy.own_code import own_class
from vrpcore.learn.train.label_files import read_labels, read_variant_labels
from vrpcore.learn.train.labels import Labels, lots, writings
from vrpcore.learn.train.recipe import draw, draw_size, recipes, size_choices

_TRAINING, VALIDATION, CHALLENGE = 1, 2, 3  # random streams
_VARIANTS = 10  # added to them where a policy knows the variants
ALL_STARTS_UP_TO = 20
# An accelerator's products read rows of 16 bytes; other lengths take a slower path.
ALIGNED_NODES = 8


class TrainBatch(NamedTuple):
    """One step's instances, on the host.

    Attributes:
        inputs: What the policy reads.
        coords: [B, M, 2] float64, what costs are computed from: of plain instances as drawn or
            read, else those that the policy reads.
        starts: [B, S] int64, nodes of the rollouts' first customers.
        tours: [B, K, T] int64, tours to imitate; K = 0 without labels.
        reference: [B] float64, known good cost, NaN where unknown.
        name: Of the set that they come from.
        objective: The user's own objective; None: tours cost their lengths.
    """

    inputs: Inputs
    coords: Tensor
    starts: Tensor
    tours: Tensor
    reference: Tensor
    name: str = ""
    objective: "Objective | None" = None

    @property
    def depots(self) -> Tensor:
        """[B] int64, how many of the nodes are depots."""
        inputs = self.inputs
        if inputs.plain:
            return torch.ones(len(self.coords), dtype=torch.int64)
        return inputs.num_depots

    def padded(self, multiple: int) -> "TrainBatch":
        """Fills up with nodes that are none, to a multiple of so many."""
        more = -self.coords.shape[1] % multiple

        def longer(tensor: Tensor) -> Tensor:
            ends = [0, 0] * (tensor.ndim - 2) + [0, more]
            return nn.functional.pad(tensor, ends) if tensor.ndim > 1 else tensor

        inputs = inputs_of(map(longer, self.inputs.columns))
        return self._replace(inputs=inputs, coords=longer(self.coords))

    def take(self, rows: slice) -> "TrainBatch":
        """Selects some of the instances."""
        coords, starts, tours, reference = (part[rows] for part in self[1:5])
        return self._replace(
            inputs=self.inputs.take(rows),
            coords=coords,
            starts=starts,
            tours=tours,
            reference=reference,
        )

    def costs(self, tours: Tours) -> Float64:
        """Computes the costs of tours on the host.

        Args:
            tours: [B, S, T] integers, as `Rollout` returns them.

        Returns:
            [B, S] float64, see `tour_cost`; with the columns of constraints `variant_tour_cost`.
            Where there is an objective of the user's own, what it gives.
        """
        if self.objective is not None:
            return self.objective.checked(self, tours)
        inputs, coords = self.inputs, self.coords.numpy()
        if inputs.plain:
            return tour_cost(coords, tours)
        depots = inputs.num_depots.numpy()
        customers = inputs.valid.sum(1).numpy() - depots
        return variant_tour_cost(coords, tours, depots, inputs.open_end.numpy(), customers)


class Objective:
    """Base of the user's own objectives: a number of each tour, which training makes small.

    A subclass takes no arguments, and defines `costs`. Worker processes get copies of it.
    """

    def costs(self, batch: TrainBatch, tours: Tours) -> Float64:
        """Computes what the tours of instances cost, [B, S] float64, positive.

        Args:
            batch: B instances.
            tours: [B, S, T] integers, nodes in visiting order; 0 = depot and padding.
        """
        raise NotImplementedError

    def checked(self, batch: TrainBatch, tours: Tours) -> Float64:
        """Compute the costs.

        Raises:
            ShapeError: They are not one number for each tour.
            ConfigError: One is not positive.
        """
        found = np.asarray(self.costs(batch, tours), np.float64)
        if found.shape != tours.shape[:2]:
            raise ShapeError(
                f"train.objective: {type(self).__name__}.costs gave an array "
                f"{list(found.shape)}, expected {list(tours.shape[:2])}: one for each tour"
            )
        if not ((found > 0) & (found < np.inf)).all():  # relative differences are learned from
            raise ConfigError(
                f"train.objective: {type(self).__name__}.costs gave {found.min():g} and other "
                "costs of tours; each is a positive number"
            )
        return found


def build_objective(train: TrainConfig) -> Objective | None:
    """The user's own objective.

    Raises:
        ConfigError: It cannot be imported.
    """
    name = train.own_objective
    return None if name is None else own_class("train.objective", name, Objective)()


class StepBatches(Dataset[TrainBatch]):
    """The batch of each step, from (seed, step) and nothing else.

    So workers, prefetching and resuming cannot change the data.

    Args:
        config: The whole configuration.
        labels: Labelled sets without their holdout; may be empty.
        rank: Of several processes that learn as one: all draw instances of the same
            size from the same set, each its own.
        multiple: The number of nodes is filled up to a multiple of it.
    """

    def __init__(
        self, config: Config, labels: list[Labels], rank: int = 0, multiple: int = 1
    ) -> None:
        self.config, self.labels, self.rank, self.multiple = config, labels, rank, multiple
        self.objective = build_objective(config.train)

    def __getitem__(self, index: int) -> TrainBatch:
        """The batch with this number; a step takes `accumulate` of them."""
        return self._batch(index).padded(self.multiple)._replace(objective=self.objective)

    def _batch(self, index: int) -> TrainBatch:
        config, train = self.config, self.config.train
        stream = (train.seed, _stream(config, _TRAINING), index)
        common, own = step_generators(stream, self.rank)
        if self.labels and common.random() < config.data.mix:
            labels = self.labels[common.integers(len(self.labels))]
            anchor = int(common.integers(len(labels)))
            return _labelled_batch(labels, anchor, train, own)
        size = draw_size(config.problem, index // train.accumulate, common)
        choices = recipes(config.problem, size)
        recipe = choices[common.integers(len(choices))]
        return arrange(draw(config, recipe, batch_size(train, size), own), train, own)


def _stream(config: Config, number: int) -> int:
    return number + _VARIANTS if config.policy.variants else number


def step_generators(
    stream: tuple[int, int, int], rank: int
) -> tuple[np.random.Generator, np.random.Generator]:
    """Make the generator shared by all processes and the process's own; one for the first.

    Args:
        stream: Seed, kind of data, number of the batch.
        rank: Of the process.
    """
    common = np.random.default_rng(stream)
    return common, np.random.default_rng([*stream, rank]) if rank else common


def training_batches(
    dataset: StepBatches, steps: range, accumulate: int, data: DataConfig, device: torch.device
) -> Iterator[TrainBatch]:
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
        generator=torch.Generator(),  # the global one may be drawn from by layers of one's own
    )
    return iter(loader)


def fixed_batches(
    config: Config, holdouts: list[Labels], stream: int = VALIDATION
) -> dict[str, TrainBatch]:
    """Fixed sets by their names: of what is held out, and of what training draws at random.

    Of each labelled set `validation_size` instances of all its sizes; of each random size as many
    or, above `batch_at_size`, proportionally fewer, divided among its recipes, whose costs differ
    as their units and capacities do. There are random ones where nothing is held out, or where some
    steps do not read files.
    """
    train = config.train
    rng = np.random.default_rng([train.seed, _stream(config, stream)])
    found = [_spread(labels, train.validation_size) for labels in holdouts]
    if not holdouts or config.data.mix < 1:
        found += _drawn_sets(config, rng)
    sets: dict[str, TrainBatch] = {}
    for labels in found:
        name, number = labels.name, 2
        while name in sets:
            name, number = f"{labels.name}-{number}", number + 1
        sets[name] = arrange(labels, train, rng)
    objective = build_objective(train)
    if objective is not None:  # lengths are known, its costs are not
        for name, batch in sets.items():
            unknown = torch.full_like(batch.reference, torch.nan)
            sets[name] = batch._replace(objective=objective, reference=unknown)
    return sets


def fingerprint(sets: Mapping[str, TrainBatch]) -> str:
    """SHA-256 of fixed sets: figures of equal ones can be compared."""
    digest = hashlib.sha256()
    for batch in sets.values():
        if batch.objective is not None:
            digest.update(type(batch.objective).__qualname__.encode())
        own = (batch.coords, batch.starts, batch.tours, batch.reference)
        for tensor in (*batch.inputs.columns, *own):
            digest.update(f"{tensor.dtype} {tuple(tensor.shape)}".encode())
            digest.update(tensor.numpy().tobytes())
    return digest.hexdigest()


def _spread(labels: Labels, count: int) -> Labels:
    """At most so many, of all sizes: labels come in the order of these."""
    count = min(count, len(labels))
    return labels.take(np.arange(count) * len(labels) // count)


def _drawn_sets(config: Config, rng: np.random.Generator) -> list[Labels]:
    """Random instances of each size, divided among its recipes."""
    problem, train = config.problem, config.train
    sizes = size_choices(problem)
    if isinstance(problem.num_customers, SizeRange):
        sizes.append(sum(sizes) // 2)
    found = []
    for size in sorted(set(sizes)):
        count = round(train.validation_size * min(1.0, (train.batch_at_size or size) / size))
        choices = list(dict.fromkeys(recipes(problem, size)))
        ends = [count * number // len(choices) for number in range(len(choices) + 1)]
        for recipe, (begin, end) in zip(choices, pairwise(ends), strict=True):
            found.append(draw(config, recipe, max(1, end - begin), rng))
    return found


def split_labels(config: Config) -> tuple[list[Labels], list[Labels]]:
    """The configured files as (training, held-out) sets."""
    data = config.data
    read = partial(read_labels, needs_routes=config.train.objective == "imitate")
    files = [data.file] if isinstance(data.file, str) else data.file or []
    training, holdouts = [], []
    for file in files:
        labels = read_variant_labels(file) if config.policy.variants else read(file)
        rows = np.argsort(lots(labels), kind="stable")
        cut = min(data.holdout, len(labels) // 2)
        training.append(labels.take(np.sort(rows[cut:])))
        if cut:
            holdouts.append(labels.take(np.sort(rows[:cut])))
    return training, holdouts


def train_sizes(config: Config, labels: list[Labels]) -> tuple[int, int]:
    """Smallest and largest number of customers that training may draw."""
    read = labels if config.data.mix > 0 else []
    sizes = [int(size) for part in read for size in (part.size.min(), part.size.max())]
    if not labels or config.data.mix < 1:
        sizes += size_choices(config.problem)
    return min(sizes), max(sizes)


def num_starts(train: TrainConfig, num_customers: int) -> int:
    """Starts of an instance: as configured, or all up to 20 customers and 20 beyond."""
    if train.starts == "auto":
        return max(2, min(num_customers, ALL_STARTS_UP_TO))
    return train.starts


def _labelled_batch(
    labels: Labels, anchor: int, train: TrainConfig, rng: np.random.Generator
) -> TrainBatch:
    """A batch of about the anchor's size, so that little is padding."""
    count = min(batch_size(train, int(labels.size[anchor])), len(labels))
    ragged = labels.size.min() < labels.size.max()
    window = min(8 * count, len(labels)) if ragged else len(labels)
    first = min(max(0, anchor - window // 2), len(labels) - window)
    rows = first + rng.choice(window, count, replace=False)
    return arrange(labels.take(rows), train, rng, symmetric_copies=True)


def batch_size(train: TrainConfig, size: int) -> int:
    """Return the number of instances of a size in a batch."""
    if train.batch_at_size is None:
        return train.batch_size
    return max(1, round(train.batch_size * train.batch_at_size / size))


def arrange(
    labels: Labels,
    train: TrainConfig,
    rng: np.random.Generator,
    *,
    symmetric_copies: bool = False,
) -> TrainBatch:
    """Instances as a step reads them, each perhaps in another symmetry of the square."""
    batch, size = labels.batch, labels.size
    num_nodes = int((size + batch.depots).max())
    batch = batch.cut(num_nodes)
    if symmetric_copies:
        unit = batch.coords_unit.copy()
        symmetry = rng.integers(NUM_SYMMETRIES, size=len(labels))
        for index in range(1, NUM_SYMMETRIES):
            unit[symmetry == index] = symmetric(unit[symmetry == index], index)
        batch = batch._replace(coords_unit=unit)
    tours = np.zeros((len(labels), 0, 0), np.int64)
    if labels.tour.shape[1]:
        tours = writings(labels, train.orders, rng)
    starts = _starts(size, num_starts(train, int(size.max())), rng) + batch.depots[:, None]
    coords = labels.coords[:, :num_nodes] if batch.plain else batch.coords_unit
    return TrainBatch(
        inputs=inputs_of(map(torch.from_numpy, batch.columns)),
        coords=torch.from_numpy(coords.astype(np.float64)),
        starts=torch.from_numpy(starts),
        tours=torch.from_numpy(tours),
        reference=torch.from_numpy(labels.cost.astype(np.float64)),
        name=labels.name,
    )


def _starts(size: NDArray[np.int64], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """[B, count], different customers of each instance from 0, repeated where it has fewer."""
    order = rng.random((len(size), int(size.max())))
    order[np.arange(order.shape[1]) >= size[:, None]] = 2.0
    picks = np.arange(count)[None, :] % size[:, None]
    return np.take_along_axis(np.argsort(order, axis=1), picks, axis=1)
