"""Any instance as points in the unit square, for the policy; costs never use these."""

import numpy as np

from vrpcore.errors import ShapeError
from vrpcore.instance.instance import Float64, Instance
from vrpcore.instance.symmetry import unit_box

_LANDMARKS = 300


def project(instance: Instance) -> Float64:
    """Where the policy sees the depot and the customers.

    Planar coordinates are boxed as they are. Longitude and latitude are projected
    locally first (an equirectangular map around the middle, longitudes unwrapped at
    their widest gap, so that the date line cuts nothing). Matrices without coordinates
    are embedded by multidimensional scaling.

    Args:
        instance: With coordinates, distances, or both.

    Returns:
        [N+1, 2] float64 in the unit square, depot first.

    Raises:
        ShapeError: Neither coordinates nor distances.
    """
    if instance.coords is not None:
        coords = instance.coords
        if instance.metric == "haversine" and instance.distances is None:
            coords = _equirectangular(coords)
        return unit_box(coords)
    if instance.distances is None:
        raise ShapeError(f"{instance.name}: has neither coords nor distances")
    return unit_box(_embed(instance.distances))


def _equirectangular(coords: Float64) -> Float64:
    """Longitude and latitude in degrees as a flat map of the neighbourhood."""
    longitude = np.mod(coords[:, 0], 360.0)
    order = np.sort(longitude)
    gaps = np.append(np.diff(order), order[0] + 360.0 - order[-1])
    west = order[(int(np.argmax(gaps)) + 1) % len(order)]
    unwrapped = np.mod(longitude - west, 360.0)
    latitude = coords[:, 1]
    middle = np.radians((latitude.min() + latitude.max()) / 2)
    return np.stack((unwrapped * np.cos(middle), latitude), axis=1)


def _embed(distances: Float64) -> Float64:
    """Points in the plane whose distances resemble a matrix.

    Classical scaling of up to 300 landmarks, the others placed by triangulation: exact
    classical scaling for small matrices, and cheap for large ones. Asymmetric matrices
    are represented by the mean of both directions, in this picture alone.

    Source:
        Torgerson 1952; landmarks: de Silva & Tenenbaum 2004.
    """
    size = len(distances)
    landmarks = np.unique(np.linspace(0, size - 1, min(size, _LANDMARKS)).astype(np.int64))
    rows = (distances[landmarks] + distances[:, landmarks].T) / 2
    largest = rows.max()
    if largest == 0:
        return np.zeros((size, 2))
    squared = (rows / largest) ** 2
    among = squared[:, landmarks]
    mean = among.mean(axis=1)
    centred = -0.5 * (among - mean[:, None] - mean[None, :] + among.mean())
    values, vectors = np.linalg.eigh(centred)
    values, vectors = values[-2:][::-1], vectors[:, -2:][:, ::-1]
    values, vectors = values[: len(landmarks)], vectors[:, : len(landmarks)]
    spread = np.maximum(values, 1e-12)
    points = np.zeros((size, 2))
    axes = vectors / np.sqrt(spread)
    points[:, : len(values)] = -0.5 * (squared.T - mean) @ np.where(values > 1e-12, axes, 0.0)
    return points
