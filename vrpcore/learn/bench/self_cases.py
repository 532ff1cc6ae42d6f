"""Cases of the self-test: drawn instances, their tours and costs, and their comparison."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from vrpcore.arrays.batch import Batch, make_batch
from vrpcore.config.sections import Config, PolicyConfig, ProblemConfig, TrainConfig
from vrpcore.cost.cost import Tours, tour_cost
from vrpcore.cost.tour_routes import largest_load, visits_once
from vrpcore.cost.variant_cost import variant_tour_cost
from vrpcore.instance.generator import random_problems
from vrpcore.instance.instance import Float64
from vrpcore.instance.variant_generator import instances_of, mixed_variants
from vrpcore.learn.policy.checkpoint import load_checkpoint, policy_from_checkpoint
from vrpcore.learn.policy.policy import Policy
from vrpcore.solve.backend import Backend, Int64
from vrpcore.solve.construct import construct_rows
from vrpcore.solve.models import DEFAULT_MODEL, VARIANTS_MODEL, checkpoint_path

MOST_STARTS = 50


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SelfCase:
    """Instances to construct tours for, from several first customers each.

    Attributes:
        model: The shipped model that constructs them.
        batch: B instances.
        starts: [B, S] int64.
        customers: [B, M] bool, the nodes to be visited.
        costs: Maps [B, S, T] tours to [B, S] float64, in sides of the square.
    """

    model: str
    batch: Batch
    starts: Int64
    customers: NDArray[np.bool_]
    costs: Callable[[Tours], Float64]

    def construct(self, backend: Backend) -> Tours:
        """Greedy tours, [B, S, T] integers, T as long as the longest one."""
        seed = np.zeros(len(self.starts), np.int64)
        return construct_rows(backend, self.batch, self.starts, 0.0, seed)


def plain_case(size: int, count: int) -> SelfCase:
    """Uniform plain instances of N customers."""
    problems = random_problems("uniform", (count, size), "by_size", np.random.default_rng(size))
    batch = Batch(
        coords_unit=problems.coords.astype(np.float32),
        demand=problems.demand.astype(np.float32),
        capacity=problems.capacity.astype(np.float32),
        valid=np.ones((count, size + 1), np.bool_),
    )
    return _case(DEFAULT_MODEL, batch, size, lambda tours: tour_cost(problems.coords, tours))


def variants_case(size: int, count: int) -> SelfCase:
    """Instances of the literature's variants, mixed."""
    rng = np.random.default_rng(size)
    problems = random_problems("uniform", (count, size), "by_size", rng)
    instances = instances_of(mixed_variants(count, rng), problems, "drawn", rng)
    batch = make_batch(instances)
    coords = batch.coords_unit.astype(np.float64)

    def costs(tours: Tours) -> Float64:
        return variant_tour_cost(
            coords, tours, batch.num_depots, batch.open_end, batch.num_customers
        )

    return _case(VARIANTS_MODEL, batch, size, costs)


def _case(model: str, batch: Batch, size: int, costs: Callable[[Tours], Float64]) -> SelfCase:
    """Starts from the first customers of each instance."""
    depots = batch.depots[:, None]
    return SelfCase(
        model=model,
        batch=batch,
        starts=depots + np.arange(min(size, MOST_STARTS)),
        customers=batch.valid & (np.arange(batch.valid.shape[1]) >= depots),
        costs=costs,
    )


def num_wrong(case: SelfCase, tours: Tours) -> int:
    """Tours that do not visit each customer once, or load more than a vehicle holds.

    Args:
        case: Its capacity counts where it has no other limits.
        tours: [B, S, T] integers.

    Raises:
        IndexError: There is no such node.
    """
    flat, starts = tours.reshape(-1, tours.shape[2]), tours.shape[1]
    batch = case.batch
    wrong = ~visits_once(flat, case.customers.repeat(starts, 0), batch.depots.repeat(starts))
    if batch.plain:
        load = largest_load(flat, batch.demand.astype(np.float64).repeat(starts, 0))
        wrong |= load > batch.capacity.repeat(starts)
    return int(wrong.sum())


def compared(case: SelfCase, tours: Tours, reference: Tours) -> dict[str, float]:
    """Compare two constructions of a case.

    Returns:
        `identical`, the share of equal tours, and `cost_gap`, the relative difference of the
        mean costs of each instance's best tour.
    """
    length = max(tours.shape[2], reference.shape[2])
    one, other = (
        np.pad(each, ((0, 0), (0, 0), (0, length - each.shape[2]))) for each in (tours, reference)
    )
    own, known = (case.costs(each).min(axis=1).mean() for each in (tours, reference))
    return {
        "identical": round(float((one == other).all(axis=2).mean()), 4),
        "cost_gap": round(float(own / known - 1), 6),
    }


def shipped_policy(model: str, device: torch.device) -> Policy:
    """The weights of a shipped model on a device, in evaluation mode."""
    return policy_from_checkpoint(load_checkpoint(checkpoint_path(model)), model).to(device)


def learning_config(size: int, count: int, *, variants: bool) -> Config:
    """Steps on `count` instances of N customers, by a new policy of the usual size."""
    return Config(
        policy=PolicyConfig(variants=variants),
        problem=ProblemConfig(num_customers=size, variants="all" if variants else None),
        train=TrainConfig(batch_size=count),
    )
