"""Demands and places as the compiled search needs them, and whether lengths have a direction."""

import numpy as np
from numpy.typing import NDArray

from vrpcore.cost.distance import instance_points
from vrpcore.instance.instance import EARTH_RADIUS_M, Float64, Instance

# Bits of the capacity if demands are not whole numbers.
DEMAND_BITS = 40
# The largest length in whole numbers: sums of two fit into 32 bits, and whole plans count less
# than an unserved customer.
LARGEST_LENGTH = 2e8
CHUNK_CELLS = 1_000_000


def whole_demand(instance: Instance) -> tuple[NDArray[np.int64], int]:
    """Demands and load limit as whole numbers that never let an infeasible route pass.

    Whole numbers stay as they are. Others are multiplied by a power of two (exact in
    float64), then demands are rounded up and the limit down: a load that fits here fits
    exactly, and the limit's allowance covers the rounding of about 1000 customers per route.

    Returns:
        Demands of all nodes, [M] int64, depot first, and the largest load that fits.
    """
    # Larger demands become twice the capacity: they do not fit either, and cannot overflow.
    demand = np.minimum(instance.demand, np.ceil(2 * instance.capacity))
    if np.array_equal(demand, np.rint(demand)) and instance.load_limit < 2**DEMAND_BITS:
        return demand.astype(np.int64), int(instance.load_limit)
    scale = 2.0 ** (DEMAND_BITS - np.frexp(instance.capacity)[1])
    scaled = np.ceil(demand * scale).astype(np.int64)
    return scaled, int(instance.load_limit * scale)


def places_of(instance: Instance) -> tuple[Float64, float, float]:
    """Places from which the compiled search computes lengths in whole numbers.

    Args:
        instance: One with coordinates.

    Returns:
        [M, 3] float64, in the plane, or of `haversine` on the Earth; whole
        numbers for each of their units: 1 where lengths are whole, else so many that the longest
        line is `LARGEST_LENGTH`; and 1 / (2 * radius)^2 of the Earth, 0 in the plane.
    """
    points = instance_points(instance)
    if instance.metric == "haversine":
        longitude, latitude = np.radians(points.real), np.radians(points.imag)
        axes = (np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude))
        places = EARTH_RADIUS_M * np.stack((*axes, np.sin(latitude)), 1)
        curve = 1 / (2 * EARTH_RADIUS_M) ** 2
    else:
        places = np.stack((points.real, points.imag, np.zeros(len(points))), 1)
        curve = 0.0
    longest = float(np.linalg.norm(np.ptp(places, axis=0))) * (np.pi / 2 if curve else 1)
    whole = instance.metric in ("euc_2d", "ceil_2d") and longest <= LARGEST_LENGTH
    factor = 1.0 if whole or longest == 0 else LARGEST_LENGTH / longest
    return np.ascontiguousarray(places), factor, curve


def is_directed(instance: Instance) -> bool:
    """Return whether any length differs by direction; compared in chunks."""
    matrix = instance.distances
    if matrix is None:
        return False
    rows = max(1, CHUNK_CELLS // len(matrix))
    return not all(
        np.array_equal(matrix[start : start + rows], matrix[:, start : start + rows].T)
        for start in range(0, len(matrix), rows)
    )
