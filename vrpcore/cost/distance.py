"""Lengths between points in float64, for every metric that instances may use."""

import numpy as np
from numpy.typing import NDArray

from vrpcore.errors import ShapeError
from vrpcore.instance.instance import EARTH_RADIUS_M, Float64, Instance, Metric

Complex128 = NDArray[np.complex128]
Int64 = NDArray[np.int64]
_ROWS = 512  # of a matrix that are made in one go


def as_points(coords: Float64) -> Complex128:
    """Coordinates as complex numbers: one gather fetches both axes.

    Args:
        coords: [..., 2] float64.

    Returns:
        [...] complex128, x + iy; a view where the memory allows it.
    """
    return np.ascontiguousarray(coords).view(np.complex128)[..., 0]


def lengths(start: Complex128, end: Complex128, metric: Metric) -> Float64:
    """Length from each start to each end.

    Args:
        start: [...] complex128, x + iy (haversine: longitude + i latitude, degrees).
        end: Points of a shape that broadcasts against `start`.
        metric: How coordinates become lengths.

    Returns:
        [...] float64 in the coordinates' unit; metres for `haversine`; whole numbers
        for `euc_2d` (nearest) and `ceil_2d` (next).

    Source:
        Rounding: Reinelt 1995, TSPLIB 95, sections 2.1 and 2.4. Haversine: Sinnott 1984,
        "Virtues of the Haversine", with the Earth's mean radius.
    """
    if metric == "haversine":
        return _haversine(start, end)
    delta = start - end
    if metric == "euclidean":
        return np.abs(delta)
    # Not abs(): hypot may miss a perfect square by one ulp, which ceil would turn into 1.
    exact = np.sqrt(delta.real**2 + delta.imag**2)
    return np.floor(exact + 0.5) if metric == "euc_2d" else np.ceil(exact)


def _haversine(start: Complex128, end: Complex128) -> Float64:
    longitude, latitude = np.radians(start.real - end.real), np.radians(start.imag - end.imag)
    cosines = np.cos(np.radians(start.imag)) * np.cos(np.radians(end.imag))
    half = np.sin(latitude / 2) ** 2 + cosines * np.sin(longitude / 2) ** 2
    arc: Float64 = 2 * EARTH_RADIUS_M * np.arcsin(np.sqrt(np.clip(half, 0.0, 1.0)))
    return arc


def instance_points(instance: Instance) -> Complex128:
    """An instance's coordinates as complex numbers, [M] complex128, depots first.

    Raises:
        ShapeError: The instance has a distance matrix instead of coordinates.
    """
    if instance.coords is None:
        raise ShapeError(f"{instance.name}: has distances but no coords; use the distances")
    return as_points(instance.coords)


def distance_matrix(instance: Instance, out: Float64 | None = None) -> Float64:
    """All lengths of an instance.

    Args:
        instance: The instance.
        out: [M, M] float64, filled where lengths have to be computed; None: a new array.

    Returns:
        [M, M] float64, row = from, column = to, in the instance's unit; M: depots and customers.
    """
    if instance.distances is not None:
        return instance.distances
    points = instance_points(instance)
    matrix = np.empty((len(points), len(points))) if out is None else out
    for first in range(0, len(points), _ROWS):  # else its differences take twice its memory
        rows = slice(first, first + _ROWS)
        matrix[rows] = lengths(points[rows, None], points[None, :], instance.metric)
    np.fill_diagonal(matrix, 0.0)
    return matrix


def path_lengths(instance: Instance, nodes: Int64) -> Float64:
    """Lengths of the legs along a path.

    Args:
        instance: The instance.
        nodes: [S] int64, depots and customers in visiting order.

    Returns:
        [S - 1] float64 in the instance's unit.
    """
    if instance.distances is not None:
        return instance.distances[nodes[:-1], nodes[1:]]
    points = instance_points(instance)[nodes]
    return lengths(points[:-1], points[1:], instance.metric)
