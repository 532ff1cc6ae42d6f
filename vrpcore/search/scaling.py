"""Demands in whole numbers, as the compiled search needs them."""

import numpy as np
from numpy.typing import NDArray

from vrpcore.instance.instance import Instance

# Bits of the capacity if demands are not whole numbers.
DEMAND_BITS = 40


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
