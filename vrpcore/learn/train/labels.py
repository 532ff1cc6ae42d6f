"""Sets of instances with known good tours, held as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vrpcore.arrays.batch import FAR, Batch, make_batch
from vrpcore.cost.variant_cost import route_nodes, variant_tour, variant_tour_length
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Route

Tours = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labels:
    """n instances, all plain or all with the columns of constraints, padded to the largest.

    Attributes:
        name: Where they come from.
        batch: What a policy reads of them.
        coords: [n, M, 2] float, what costs are computed from, in the instances' unit.
        tour: [n, T] integers, nodes; T = 0 without tours. Of plain instances 0 between routes and
            as padding; else a depot before each route, and 0 behind the last.
        cost: [n] float64 of those tours, NaN where unknown.
    """

    name: str
    batch: Batch
    coords: NDArray[np.floating[Any]]
    tour: Tours
    cost: NDArray[np.float64]

    def __len__(self) -> int:
        """The number of instances."""
        return len(self.coords)

    @property
    def size(self) -> NDArray[np.int64]:
        """[n] int64, customers of each."""
        return self.batch.num_customers

    def take(self, rows: NDArray[np.integer[Any]]) -> "Labels":
        """The chosen rows."""
        return Labels(
            name=self.name,
            batch=self.batch.take(rows),
            coords=self.coords[rows],
            tour=self.tour[rows],
            cost=self.cost[rows],
        )

    def by_size(self) -> "Labels":
        """Sorts them by their numbers of customers."""
        return self.take(np.argsort(self.size, kind="stable"))


def lots(labels: Labels) -> NDArray[np.uint64]:
    """Draws lots by which instances are held out, each from what its instance is.

    They do not depend on the file's other instances, nor on the order of the customers.

    Returns:
        [n] uint64; of equal instances equal.
    """
    coords = np.ascontiguousarray(labels.coords)
    bits = coords.view(f"u{coords.itemsize}")
    places = np.where(labels.batch.valid[..., None], bits, 0).sum(axis=1, dtype=np.uint64)
    demand = labels.batch.demand.sum(axis=1, dtype=np.float64).astype(np.uint64)
    parts = np.column_stack((places, demand, labels.size.astype(np.uint64)))
    factors = np.random.default_rng(0).integers(2**64, size=4, dtype=np.uint64)
    found: NDArray[np.uint64] = (parts * factors).sum(axis=1, dtype=np.uint64)
    return found


def label_arrays(
    instances: Sequence[Instance], routes: Sequence[Sequence[Route]], name: str
) -> Labels:
    """Labels from instances with constraints and their routes.

    Args:
        instances: n that a policy covers.
        routes: Of each; stops 1..N, all of them.
        name: Where they come from.
    """
    batch = make_batch(instances)
    tour = np.zeros((len(instances), 2 * batch.valid.shape[1] + 1), np.int64)
    for row, found in enumerate(routes):
        tour[row] = variant_tour(found, int(batch.num_depots[row]), tour.shape[1])
    return with_lengths(name, batch, tour)


def with_lengths(name: str, batch: Batch, tour: NDArray[np.int64]) -> Labels:
    """Labels of instances with constraints, whose tours are measured in sides of the square."""
    coords = batch.coords_unit.astype(np.float64)
    lengths = variant_tour_length(coords, tour[:, None], batch.num_depots, batch.open_end)[:, 0]
    return Labels(name=name, batch=batch, coords=batch.coords_unit, tour=tour, cost=lengths)


def writings(labels: Labels, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Writes the same routes in other orders, and in both directions where that is the same.

    A set of routes is the same solution in every order; an imitator should not learn one of these
    writings.

    Args:
        labels: B instances with tours.
        count: K writings of each.
        rng: Source of all randomness.

    Returns:
        [B, K, T] int64, cut behind the longest.
    """
    if labels.batch.plain:
        return shuffle_routes(labels.tour, count, rng)
    return shuffled_tours(labels.batch, labels.tour.astype(np.int64), count, rng)


def shuffle_routes(
    tour: NDArray[np.integer[Any]], count: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Writes routes of plain instances in other orders and directions.

    Args:
        tour: [B, T] integers, 0 between routes and as padding.
        count: K writings of each.
        rng: Source of all randomness.

    Returns:
        [B, K, T + 1] int64 (a closing depot visit is added), cut to the longest.
    """
    batch_size, length = tour.shape[0], tour.shape[1] + 1
    closed = np.zeros((batch_size, length), np.int64)
    closed[:, :-1] = tour
    separator = closed == 0
    route = np.cumsum(separator, axis=1) - separator  # a separator ends its own route
    position = np.arange(length)
    in_use = position < _used_length(closed)[:, None]
    num_routes = np.where(in_use, route, -1).max(axis=1, initial=-1) + 1
    draw = rng.random((batch_size, count, length))
    draw[np.broadcast_to(position >= num_routes[:, None, None], draw.shape)] = 2.0  # padding stays
    rank = np.argsort(np.argsort(draw, axis=2, kind="stable"), axis=2)
    direction = rng.choice((-1, 1), (batch_size, count, length))
    routes = np.broadcast_to(route[:, None, :], draw.shape)
    major = np.take_along_axis(rank, routes, axis=2)
    minor = np.take_along_axis(direction, routes, axis=2) * position
    minor = np.where(separator[:, None, :], length, minor)
    order = np.argsort(major * (4 * length) + minor, axis=2, kind="stable")
    shuffled = np.take_along_axis(np.broadcast_to(closed[:, None, :], draw.shape), order, axis=2)
    return np.ascontiguousarray(shuffled[:, :, : int(_used_length(closed).max())])


def _used_length(closed: NDArray[np.int64]) -> NDArray[np.int64]:
    """[B] int64: positions up to and including the depot visit after the last customer."""
    length = closed.shape[1]
    last = length - 1 - np.argmax(closed[:, ::-1] != 0, axis=1)
    used: NDArray[np.int64] = np.minimum(last + 2, length)
    return used


def shuffled_tours(
    batch: Batch, tour: NDArray[np.int64], count: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Writes routes of variants in other orders, and in both directions where that is the same.

    Args:
        batch: B instances with the columns of constraints.
        tour: [B, T] int64, a tour of each.
        count: K writings of each.
        rng: Source of all randomness.

    Returns:
        [B, K, T'] int64, cut behind the longest.
    """
    turns = turns_freely(batch)
    found = np.zeros((len(tour), count, tour.shape[1] + 1), np.int64)
    for row in range(len(tour)):
        routes = route_nodes(tour[row], int(batch.num_depots[row]))
        for number in range(count):
            order = rng.permutation(len(routes))
            flips = rng.random(len(routes)) < (0.5 if turns[row] else 0.0)
            nodes = np.concatenate([
                np.concatenate((routes[at][:1], routes[at][:0:-1])) if flips[at] else routes[at]
                for at in order.tolist()
            ])  # fmt: skip
            found[row, number, : len(nodes)] = nodes
    used = int(np.flatnonzero(found.any(axis=(0, 1))).max()) + 2
    return np.ascontiguousarray(found[:, :, :used])


def turns_freely(batch: Batch) -> NDArray[np.bool_]:
    """[B] bool: whether routes may be driven backwards, and cost the same."""
    free: NDArray[np.bool_] = ~batch.open_end & (batch.closing >= FAR / 2).all(axis=1)
    free &= (batch.pickup == 0).all(axis=1)
    return free
