"""Cost of whole batches of tours in one pass on the host, float64."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vrpcore.cost.distance import Complex128, as_points, instance_points, lengths
from vrpcore.errors import ShapeError
from vrpcore.instance.instance import Float64, Instance, Metric

Tours = NDArray[np.integer[Any]]


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
    planar: dict[Metric, list[int]] = {}
    for row, instance in enumerate(instances):
        if instance.distances is None:
            planar.setdefault(instance.metric, []).append(row)
        else:
            cost[row] = _matrix_cost(instance.distances, tours[row])
    for metric, rows in planar.items():
        points = _stack_points([instances[row] for row in rows])
        cost[rows] = _planar_cost(points, tours[rows], metric)
    return cost


def _stack_points(instances: Sequence[Instance]) -> Complex128:
    size = max(instance.num_customers for instance in instances) + 1
    points = np.zeros((len(instances), size), np.complex128)
    for row, instance in enumerate(instances):
        points[row, : instance.num_customers + 1] = instance_points(instance)
    return points


def _closed(tours: Tours) -> Tours:
    """The tours with the depot before and after them, [..., T + 2]."""
    closed = np.zeros((*tours.shape[:-1], tours.shape[-1] + 2), tours.dtype)
    closed[..., 1:-1] = tours
    return closed


def _planar_cost(points: Complex128, tours: Tours, metric: Metric) -> Float64:
    size = points.shape[1]
    offset = (np.arange(len(points)) * size)[:, None, None]
    visited = points.ravel().take(_closed(tours) + offset)
    total: Float64 = lengths(visited[..., :-1], visited[..., 1:], metric).sum(axis=-1)
    return total


def _matrix_cost(distances: Float64, tours: Tours) -> Float64:
    visited = _closed(tours).astype(np.int64)
    legs = distances.ravel().take(visited[..., :-1] * len(distances) + visited[..., 1:])
    # A depot's own entry is padding here, not a leg.
    legs[(visited[..., :-1] == 0) & (visited[..., 1:] == 0)] = 0.0
    total: Float64 = legs.sum(axis=-1)
    return total
