"""Coordinates for the policy: any instance into the unit square.

Only what the policy sees; costs always come from the numbers as read.
"""

import math

import numpy as np
from numpy.typing import NDArray

from vrpcore.arrays.symmetry import unit_box
from vrpcore.errors import ShapeError
from vrpcore.instance.instance import EARTH_RADIUS_M, Float64, Instance, Metric

NUM_LANDMARKS = 200  # nodes whose distances to all others place an instance without coords
_SMALL_EIGENVALUE = 1e-12  # of the largest; below it an axis is rounding noise


def project(instance: Instance) -> Float64:
    """Places all nodes in the unit square.

    The longer side of the bounding box fills [0, 1], the shorter one is centred, so
    that all 8 symmetries of the square map the picture into the square again.

    Args:
        instance: With coordinates (haversine: a local map is drawn first) or with a
            distance matrix and no coordinates (the nodes are placed so that straight lines resemble
            the mean of both directions).

    Returns:
        [N+1, 2] float64 in [0, 1], depot first; all 0.5 where the nodes coincide.

    Raises:
        ShapeError: The instance has neither coordinates nor distances.
    """
    if instance.coords is not None:
        return unit_box(on_plane(instance.coords, instance.metric))
    if instance.distances is None:
        raise ShapeError(f"{instance.name}: neither coords nor distances; nothing to project")
    return unit_box(_embed(instance.distances))


def place_in_square(instance: Instance, nodes: NDArray[np.int64]) -> tuple[Float64, float]:
    """Places some nodes in the unit square, each node as often as it is named.

    Args:
        instance: With coordinates.
        nodes: [M] int64, what is placed.

    Returns:
        [M, 2] float64 in [0, 1], all 0.5 where they coincide; the length of the square's side in
        the instance's unit, 1 where they coincide.

    Raises:
        ShapeError: The instance has no coordinates.
    """
    if instance.coords is None:
        raise ShapeError(f"{instance.name}: no coords")
    coords = on_plane(instance.coords[nodes], instance.metric)
    side = float(np.ptp(coords, axis=0).max())
    return unit_box(coords), side or 1.0


def on_plane(coords: Float64, metric: Metric) -> Float64:
    """Places on a plane, where straight lines are about as long as lengths are.

    Args:
        coords: [M, 2] float64; of `haversine` longitudes and latitudes in degrees.
        metric: How lengths are taken.

    Returns:
        [M, 2] float64 in the unit of lengths: a local map in metres of `haversine`, else `coords`.
    """
    if metric != "haversine":
        return coords
    return _local_map(coords) * (math.radians(1.0) * EARTH_RADIUS_M)


def _local_map(degrees: Float64) -> Float64:
    """Longitude and latitude as a plane in degrees of latitude, equirectangular.

    The plane is cut open in the middle of the widest gap between longitudes, so places
    on both sides of the date line stay neighbours.
    """
    longitude = np.mod(degrees[:, 0], 360.0)
    ordered = np.sort(longitude)
    gaps = np.diff(ordered, append=ordered[0] + 360.0)
    west = ordered[(int(gaps.argmax()) + 1) % len(ordered)]  # the first one east of the gap
    east = np.mod(longitude - west, 360.0)
    latitude = degrees[:, 1]
    shrink = max(float(np.cos(np.radians(latitude.mean()))), 0.0)
    return np.stack((east * shrink, latitude), axis=1)


def _embed(distances: Float64) -> Float64:
    """Classical multidimensional scaling by landmarks.

    With no more nodes than landmarks this is the full method; beyond that it takes
    time in M rather than M^3.

    Args:
        distances: [M, M] float64 >= 0, perhaps asymmetric.

    Returns:
        [M, 2] float64, some unit.

    Source:
        Torgerson 1952; de Silva and Tenenbaum 2004, "Sparse multidimensional scaling
        using landmark points", section 2.
    """
    largest = float(distances.max(initial=0.0))
    if largest == 0:
        return np.zeros((len(distances), 2))
    landmarks = _landmarks(distances, min(len(distances), NUM_LANDMARKS))
    squares = (_mean_rows(distances, landmarks) / largest) ** 2
    between = squares[:, landmarks]
    mean = between.mean(axis=1)
    centred = -(between - mean[:, None] - mean[None, :] + mean.mean()) / 2
    values, vectors = np.linalg.eigh(centred)
    values, vectors = values[::-1][:2], vectors[:, ::-1][:, :2]
    points = np.zeros((len(distances), 2))
    for axis, value in enumerate(values.tolist()):
        if value > _SMALL_EIGENVALUE * values[0]:
            vector = vectors[:, axis]
            vector = vector * np.sign(vector[np.abs(vector).argmax()])  # either sign is right
            points[:, axis] = -(vector @ (squares - mean[:, None])) / (2 * np.sqrt(value))
    return points


def _landmarks(distances: Float64, count: int) -> NDArray[np.intp]:
    """The depot, then always the node farthest from those chosen so far."""
    chosen = [0]
    nearest = _mean_rows(distances, np.array([0]))[0]
    while len(chosen) < count:
        nearest[chosen[-1]] = -1.0
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, _mean_rows(distances, np.array(chosen[-1:]))[0])
    return np.array(chosen)


def _mean_rows(distances: Float64, rows: NDArray[np.intp]) -> Float64:
    """Mean of both directions from some nodes to all, [len(rows), M] float64."""
    mean: Float64 = (distances[rows] + distances[:, rows].T) / 2
    return mean
