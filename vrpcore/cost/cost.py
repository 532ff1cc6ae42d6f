"""Cost of whole batches of tours in one pass on the host, float64."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vrpcore.cost.distance import Complex128, as_points, distance_matrix, instance_points, lengths
from vrpcore.errors import ShapeError
from vrpcore.instance.instance import Float64, Instance, Metric
from vrpcore.threads import num_cores, side_by_side

Tours = NDArray[np.integer[Any]]
# Of one instance's tours: so many are faster from a matrix that is made for them.
FEW_LEGS = 2000
# So many stay in a core's cache; another core is asked for so many, a few milliseconds of work.
CACHE_LEGS, CORE_LEGS = 2**17, 2**20


def tour_cost(coords: Float64, tours: Tours) -> Float64:
    """Euclidean length of every tour of every instance of a batch.

    Tours start and end at the depot whether or not they say so; padding with the
    depot adds nothing.

    Args:
        coords: [B, M, 2] float64, depot first, any unit.
        tours: [B, R, T] integers, nodes in visiting order, 0 = depot.

    Returns:
        [B, R] float64 in the coordinates' unit.

    Raises:
        ShapeError: The batch sizes differ or an axis is missing.
    """
    if coords.ndim != 3 or tours.ndim != 3 or len(coords) != len(tours):
        raise ShapeError(f"tour_cost: coords {coords.shape} and tours {tours.shape} do not fit")
    return _planar_cost(as_points(coords), tours, "euclidean")


def batch_cost(instances: Sequence[Instance], tours: Tours) -> Float64:
    """Cost of every tour, each instance by its own metric or matrix.

    Args:
        instances: B of them.
        tours: [B, R, T] integers, 0 = depot and padding.

    Returns:
        [B, R] float64, each row in its instance's own unit.

    Raises:
        ShapeError: B differs.
    """
    if tours.ndim != 3 or len(instances) != len(tours):
        raise ShapeError(f"batch_cost: {len(instances)} instances, tours {tours.shape}")
    cost = np.empty(tours.shape[:2])
    tabled: list[int] = []
    planar: dict[Metric, list[int]] = {}
    for row, instance in enumerate(instances):
        pairs = (instance.num_customers + 1) ** 2
        if instance.distances is not None or tours[0].size > max(pairs, FEW_LEGS):
            tabled.append(row)
        else:
            planar.setdefault(instance.metric, []).append(row)
    for metric, rows in planar.items():
        points = _stack_points([instances[row] for row in rows])
        cost[rows] = _planar_cost(points, tours[rows], metric)
    cores = min(num_cores(), 1 + tours.size // CORE_LEGS, len(tabled))

    def look_up(first: int) -> None:
        sums = _LegSums(tours.shape[1:])
        for row in tabled[first::cores]:
            sums.add_up(distance_matrix(instances[row]), tours[row], cost[row])

    side_by_side([partial(look_up, first) for first in range(cores)], cores)
    return cost


class _LegSums:
    """Costs of one instance's tours after the other, by their matrices.

    Places and legs stay where they are: new memory for each instance would take longer to get
    than what is computed in it.

    Args:
        shape: R and T.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._each = max(1, min(shape[0], CACHE_LEGS // (shape[1] + 1)))
        self._places = np.empty((self._each, shape[1] + 1), np.intp)
        self._legs = np.empty(self._places.shape)

    def add_up(self, distances: Float64, tours: Tours, cost: Float64) -> None:
        """Sums the legs of tours.

        Args:
            distances: [M, M] float64.
            tours: [R, T] integers, 0 = depot and padding.
            cost: [R] float64, filled.
        """
        table = distances.ravel()
        if distances[0, 0] != 0.0:  # a depot's own entry is padding here, not a leg
            table = table.copy()
            table[0] = 0.0
        for first in range(0, len(tours), self._each):
            part = tours[first : first + self._each]
            places, legs = self._places[: len(part)], self._legs[: len(part)]
            places[:, 0] = 0
            np.multiply(part, len(distances), out=places[:, 1:], dtype=np.intp)
            places[:, :-1] += part
            table.take(places, out=legs, mode="clip")  # another mode would copy
            legs.sum(axis=-1, out=cost[first : first + self._each])


def _stack_points(instances: Sequence[Instance]) -> Complex128:
    size = max(instance.num_customers for instance in instances) + 1
    points = np.zeros((len(instances), size), np.complex128)
    for row, instance in enumerate(instances):
        points[row, : instance.num_customers + 1] = instance_points(instance)
    return points


def _planar_cost(points: Complex128, tours: Tours, metric: Metric) -> Float64:
    size = points.shape[1]
    closed = np.zeros((*tours.shape[:-1], tours.shape[-1] + 2), np.int64)
    closed[..., 1:-1] = tours
    closed += (np.arange(len(points)) * size)[:, None, None]
    visited = points.ravel().take(closed)
    total: Float64 = lengths(visited[..., :-1], visited[..., 1:], metric).sum(axis=-1)
    return total
