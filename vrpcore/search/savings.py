"""Routes by savings: start with one vehicle per customer, join where it saves most."""

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from vrpcore.cost.distance import distance_matrix, instance_points, lengths
from vrpcore.instance.instance import Float64, Instance

Int64 = NDArray[np.int64]
Routes = list[list[int]]

ALL_PAIRS_CUSTOMERS = 150
NUM_NEIGHBOURS = 60
CHUNK_CELLS = 1_000_000
# If not all pairs compete, this many of the lightest routes get a second chance with all pairs.
LEFTOVER_ROUTES = 150
# Running sums of loads are at least this exact; closer than that, fsum decides.
SUM_MARGIN = 1e-11


def savings_routes(instance: Instance, matrix: Float64 | None = None) -> Routes:
    """Routes by savings: one vehicle per customer, joined where that saves most.

    Up to 150 customers all pairs compete; beyond, each customer with its 60 nearest, found
    in chunks, so that memory grows with N, not N^2. The lightest routes left over then compete
    in all pairs, because many customers at one address have only each other as neighbours.
    With asymmetric lengths, routes are joined end to start and never reversed.

    Args:
        instance: Any instance whose demands fit the capacity one by one.
        matrix: Its `distance_matrix`, if the caller has it, [N+1, N+1] float64.

    Returns:
        Lists of customers 1..N, every customer once, loads within the limit; `[]` without
        customers.

    Source:
        Clarke and Wright 1964, "Scheduling of Vehicles from a Central Depot to a Number
        of Delivery Points" (parallel version).
    """
    if matrix is None:
        small = instance.num_customers <= ALL_PAIRS_CUSTOMERS
        matrix = distance_matrix(instance) if small else instance.distances
    directed = is_directed(instance)
    first, second = _pairs(instance, matrix, directed)
    through, between = _parts(instance, matrix, first, second)
    joiner = _Joiner(instance.demand.tolist(), instance.load_limit, directed)
    joiner.join(_ranked(first, second, through - between))
    if instance.num_customers > ALL_PAIRS_CUSTOMERS:
        first, second = joiner.light_ends()
        through, between = _parts(instance, matrix, first, second)
        joiner.join(_ranked(first, second, through - between))
    return [route for route in joiner.routes[1:] if route]


def is_directed(instance: Instance) -> bool:
    """Return whether any length differs by direction."""
    return instance.distances is not None and not is_symmetric(instance.distances)


def is_symmetric(matrix: Float64) -> bool:
    """Return whether each length is the same both ways; [M, M] float64, compared in chunks."""
    rows = max(1, CHUNK_CELLS // len(matrix))
    return all(
        np.array_equal(matrix[start : start + rows], matrix[:, start : start + rows].T)
        for start in range(0, len(matrix), rows)
    )


def _pairs(instance: Instance, matrix: Float64 | None, directed: bool) -> tuple[Int64, Int64]:
    """Customers worth joining, first before second, each [pairs] int64."""
    size = instance.num_customers
    if size <= ALL_PAIRS_CUSTOMERS:
        first, second = (
            np.nonzero(~np.eye(size, dtype=bool)) if directed else np.triu_indices(size, 1)
        )
        return first + 1, second + 1
    nearest = _nearest(instance, matrix)
    first = np.repeat(np.arange(1, size + 1), nearest.shape[1])
    second = nearest.ravel()
    if not directed:
        key = np.unique(np.minimum(first, second) * (size + 1) + np.maximum(first, second))
        first, second = np.divmod(key, size + 1)
    return first, second


def _nearest(instance: Instance, matrix: Float64 | None) -> Int64:
    """Each customer's nearest others, [N, NUM_NEIGHBOURS] int64, unordered."""
    size = instance.num_customers
    rows = max(1, CHUNK_CELLS // size)
    nearest = np.empty((size, NUM_NEIGHBOURS), np.int64)
    for start in range(0, size, rows):
        stop = min(start + rows, size)
        if matrix is not None:
            block = matrix[start + 1 : stop + 1, 1:].copy()
        else:
            points = instance_points(instance)[1:]
            block = lengths(points[start:stop, None], points[None, :], instance.metric)
        block[np.arange(stop - start), np.arange(start, stop)] = np.inf
        nearest[start:stop] = np.argpartition(block, NUM_NEIGHBOURS, 1)[:, :NUM_NEIGHBOURS] + 1
    return nearest


def _ranked(first: Int64, second: Int64, saving: Float64) -> Iterable[tuple[int, int]]:
    """Pairs whose join does not increase the cost, best first."""
    order = np.argsort(-saving, kind="stable")[: np.count_nonzero(saving >= 0)]
    return zip(first[order].tolist(), second[order].tolist(), strict=True)


def _parts(
    instance: Instance, matrix: Float64 | None, first: Int64, second: Int64
) -> tuple[Float64, Float64]:
    """Lengths saved (first - depot, depot - second) and spent (first - second) by a join."""
    if matrix is not None:
        return matrix[first, 0] + matrix[0, second], matrix[first, second]
    points = instance_points(instance)
    depot = lengths(points, points[:1], instance.metric)
    return depot[first] + depot[second], lengths(points[first], points[second], instance.metric)


class _Joiner:
    """Routes under construction; each end of a route knows its owner.

    Args:
        demand: Of every node, depot included.
        limit: Largest load that fits.
        directed: Lengths differ by direction: never reverse a route.
    """

    def __init__(self, demand: list[float], limit: float, directed: bool) -> None:
        self._demand, self._limit, self._directed = demand, limit, directed
        self._load = demand.copy()
        self._owner = list(range(len(demand)))  # right at the ends of a route, stale inside
        self._inside = [False] * len(demand)
        self.routes = [[node] for node in range(len(demand))]

    def join(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Join the routes that a pair's customers end, in the given order, if the load fits."""
        load, owner, routes, inside = self._load, self._owner, self.routes, self._inside
        low, high = self._limit * (1 - SUM_MARGIN), self._limit * (1 + SUM_MARGIN)
        for i, j in pairs:
            if inside[i] or inside[j]:
                continue
            a, b = owner[i], owner[j]
            total = load[a] + load[b]
            if a == b or total > high:
                continue
            head, tail = routes[a], routes[b]
            if self._directed and (head[-1] != i or tail[0] != j):
                continue
            if total > low and math.fsum(self._demand[v] for v in head + tail) > self._limit:
                continue
            if head[-1] != i:
                head.reverse()
            if tail[0] != j:
                tail.reverse()
            inside[i] = len(head) > 1
            inside[j] = len(tail) > 1
            head += tail
            load[a] = total
            routes[b] = []
            owner[tail[-1]] = a

    def light_ends(self) -> tuple[Int64, Int64]:
        """Pairs of ends of the `LEFTOVER_ROUTES` lightest routes, each [pairs] int64."""
        live = [route for route in range(1, len(self.routes)) if self.routes[route]]
        live = sorted(live, key=self._load.__getitem__)[:LEFTOVER_ROUTES]
        ends = sorted(
            {
                end
                for route in live
                for end in self.routes[route][:: len(self.routes[route]) - 1 or 1]
            }
        )
        order = np.array(ends, np.int64)
        first, second = np.nonzero(~np.eye(len(order), dtype=bool))
        return order[first], order[second]
