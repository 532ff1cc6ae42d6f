"""Batches of the field's variants: drawn, or labelled by a search."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import Dataset

from vrpcore.arrays.rules import RuleBatch, make_rule_batch
from vrpcore.arrays.symmetry import NUM_SYMMETRIES, symmetric
from vrpcore.config.sections import Config, DataConfig, ProblemConfig, TrainConfig
from vrpcore.env.rule_inputs import RuleInputs
from vrpcore.errors import ConfigError
from vrpcore.instance.generator import random_problems
from vrpcore.instance.variants import Variant, find_variant, instances_of, mixed_variants
from vrpcore.train.data import (
    batch_size,
    draw_distribution,
    draw_size,
    num_starts,
    size_choices,
    split_sets,
    step_generators,
)
from vrpcore.train.variant_labels import VariantLabels, read_variant_labels, shuffled_tours

_TRAINING, _VALIDATION = 11, 12  # random streams


class VariantBatch(NamedTuple):
    """One step's instances, on the host.

    Attributes:
        inputs: What the policy sees.
        starts: [B, S] int64, nodes of the rollouts' first customers.
        tours: [B, K, T] int64, tours to imitate; K = 0 without labels.
        reference: [B] float64, known good length in sides of the square, NaN where unknown.
    """

    inputs: RuleInputs
    starts: Tensor
    tours: Tensor
    reference: Tensor

    @property
    def coords(self) -> Tensor:
        """[B, M, 2] float32."""
        return self.inputs.coords

    def take(self, rows: slice) -> "VariantBatch":
        """Some of its problems."""
        inputs = RuleInputs(*(tensor[rows] for tensor in self.inputs))
        return VariantBatch(inputs, *(tensor[rows] for tensor in self[1:]))


class VariantBatches(Dataset[VariantBatch]):
    """The batch of each step, from (seed, step) and nothing else.

    Args:
        config: The whole configuration.
        labels: Labelled sets without their holdout; may be empty.
        rank: Of several processes that learn as one.
    """

    def __init__(self, config: Config, labels: list[VariantLabels], rank: int = 0) -> None:
        self.problem, self.train, self.data = config.problem, config.train, config.data
        self.labels, self.rank = labels, rank

    def __getitem__(self, index: int) -> VariantBatch:
        """The batch with this number; a step takes `accumulate` of them."""
        common, own = step_generators((self.train.seed, _TRAINING, index), self.rank)
        if self.labels and common.random() < self.data.mix:
            labels = self.labels[common.integers(len(self.labels))]
            count = min(batch_size(self.train, labels.num_customers), len(labels))
            chosen = labels.take(own.choice(len(labels), count, replace=False))
            return arrange(chosen, self.train, own, symmetric_copies=True)
        size = draw_size(self.problem, index // self.train.accumulate, common)
        return self._draw(batch_size(self.train, size), size, own)

    def _draw(self, count: int, size: int, rng: np.random.Generator) -> VariantBatch:
        variants = choose_variants(self.problem, count, rng)
        return arrange(draw_variants(self.problem, variants, size, rng), self.train, rng)


def choose_variants(problem: ProblemConfig, count: int, rng: np.random.Generator) -> list[Variant]:
    """Variants of a batch: of all attributes, or of the configured list."""
    if problem.variants == "all":
        return mixed_variants(count, rng)
    known = []
    for name in problem.variants or []:
        variant = find_variant(name)
        if variant is None or not variant.covered:
            raise ConfigError(
                f"problem.variants: no variant {name} that policies know, expected all or names "
                "of [MD][O]VRP[B|MB][L][TW]"
            )
        known.append(variant)
    return [known[index] for index in rng.integers(len(known), size=count).tolist()]


def draw_variants(
    problem: ProblemConfig, variants: list[Variant], size: int, rng: np.random.Generator
) -> VariantLabels:
    """One random problem of each variant, without tours.

    Args:
        problem: How places and demands are drawn.
        variants: B of them.
        size: N.
        rng: Source of all randomness.
    """
    capacity = problem.capacity
    if isinstance(capacity, list):
        capacity = capacity[size_choices(problem).index(size)]
    name = draw_distribution(problem, rng)
    problems = random_problems(name, (len(variants), size), capacity, rng, problem.max_demand)
    instances = instances_of(variants, problems, name, rng)
    most = max(len(each.rules.depots) for each in instances)
    return VariantLabels(
        name=name,
        batch=make_rule_batch(instances, most + size),
        tour=np.zeros((len(variants), 0), np.int64),
        length=np.full(len(variants), np.nan),
    )


def split_variant_labels(data: DataConfig) -> tuple[list[VariantLabels], list[VariantLabels]]:
    """The configured files as (training, held-out) sets."""
    return split_sets(data, read_variant_labels)


def variant_sizes(config: Config, labels: list[VariantLabels]) -> tuple[int, int]:
    """Smallest and largest number of customers that training may draw."""
    sizes = [part.num_customers for part in labels]
    if not labels or config.data.mix < 1:
        sizes += size_choices(config.problem)
    return min(sizes), max(sizes)


def validation_sets(config: Config, holdouts: list[VariantLabels]) -> dict[str, VariantBatch]:
    """Fixed sets: the held-out labelled ones, else random ones of each size."""
    count = config.train.validation_size
    rng = np.random.default_rng([config.train.seed, _VALIDATION])
    if holdouts:
        return {
            labels.name: arrange(labels.take(np.arange(min(count, len(labels)))), config.train, rng)
            for labels in holdouts
        }
    found = {}
    for size in size_choices(config.problem):
        variants = choose_variants(config.problem, count, rng)
        drawn = draw_variants(config.problem, variants, size, rng)
        found[f"n{size}"] = arrange(drawn, config.train, rng)
    return found


def arrange(
    labels: VariantLabels,
    train: TrainConfig,
    rng: np.random.Generator,
    *,
    symmetric_copies: bool = False,
) -> VariantBatch:
    """Problems as a step reads them, each perhaps in another symmetry of the square."""
    batch = labels.batch
    coords = batch.coords_unit.copy()
    if symmetric_copies:
        symmetry = rng.integers(NUM_SYMMETRIES, size=len(labels))
        for index in range(1, NUM_SYMMETRIES):
            coords[symmetry == index] = symmetric(coords[symmetry == index], index)
    batch = batch._replace(coords_unit=coords)
    tours = np.zeros((len(labels), 0, 0), np.int64)
    if labels.tour.shape[1]:
        tours = shuffled_tours(batch, labels.tour, train.orders, rng)
    size = batch.valid.sum(axis=1) - batch.num_depots
    starts = _starts(batch, size, num_starts(train, int(size.max())), rng)
    return VariantBatch(
        RuleInputs(*(torch.from_numpy(array) for array in batch)),
        torch.from_numpy(starts),
        torch.from_numpy(tours),
        torch.from_numpy(labels.length),
    )


def _starts(
    batch: RuleBatch, size: NDArray[np.int64], count: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """`count` different first customers of each instance, repeated where it has fewer."""
    order = rng.random((len(size), int(size.max())))
    order[np.arange(order.shape[1]) >= size[:, None]] = 2.0
    picks = np.arange(count)[None, :] % size[:, None]
    chosen = np.take_along_axis(np.argsort(order, axis=1), picks, axis=1)
    starts: NDArray[np.int64] = chosen + batch.num_depots[:, None]
    return starts
