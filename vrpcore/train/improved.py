"""Sampled tours that the search has improved: what a policy shall prefer to its own."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vrpcore.cost.distance import distance_matrix
from vrpcore.cost.routes import routes_to_tour, tour_to_routes
from vrpcore.improve.evolution import Evolution
from vrpcore.improve.native import Problem
from vrpcore.instance.instance import Float64, Instance
from vrpcore.threads import side_by_side
from vrpcore.train.data import TrainBatch

Tour = NDArray[np.int64]


def improved_tours(
    batch: TrainBatch, tours: Tour, cost: Float64, cores: int, *, iterations: int
) -> Tour:
    """The cheapest tour of each instance, improved.

    Its routes come in the order of the sampled tour, each in the direction that visits most
    of its customers in that tour's order: of all writings, one that the policy finds likely.

    Args:
        batch: B instances.
        tours: [B, S, T] int64.
        cost: [B, S] float64, theirs.
        cores: On which instances are improved side by side.
        iterations: Of the search, for each customer; the same number gives the same tours.

    Returns:
        [B, 1, T] int64; never dearer than the cheapest, which stands where nothing was found.

    Raises:
        MissingLibraryError: The search was not built.
    """
    best = cost.argmin(axis=1)
    coords, valid = batch.coords.numpy(), batch.valid.numpy()
    demand, capacity = batch.demand.numpy(), batch.capacity.numpy()

    def improve(row: int) -> Tour:
        size = int(valid[row].sum())
        return _improved(
            Instance(
                name=str(row),
                capacity=float(capacity[row]),
                coords=coords[row, :size],
                demand=demand[row, :size].astype(np.float64),
                ids=tuple(range(1, size)),
            ),
            tours[row, best[row]],
            iterations,
        )

    found = side_by_side([partial(improve, row) for row in range(len(tours))], cores)
    return np.stack(found)[:, None]


def _improved(instance: Instance, tour: Tour, iterations: int) -> Tour:
    """One instance's tour, improved."""
    if instance.num_customers < 2:
        return tour
    problem = Problem(instance, distance_matrix(instance))
    evolution = Evolution(instance, problem, [tour_to_routes(tour)], 0)
    evolution.run(iterations * instance.num_customers)
    routes = evolution.best()
    # The search allows for rounding, a policy does not.
    if routes is None or any(instance.demand[route].sum() > instance.capacity for route in routes):
        return tour
    return routes_to_tour(_like(tour, routes), len(tour))


def _like(tour: Tour, routes: Sequence[Sequence[int]]) -> list[list[int]]:
    """Routes in the order and the direction in which a tour visits their customers."""
    place = np.zeros(tour.max() + 1)
    place[tour] = np.arange(len(tour))
    written = []
    for route in routes:
        at = place[list(route)]
        ahead = np.sign(np.diff(at)).sum() or at[-1] - at[0]
        written.append((at.mean(), list(route if ahead >= 0 else reversed(route))))
    return [route for _, route in sorted(written)]
