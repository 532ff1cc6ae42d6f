"""An instance in whole numbers, as the compiled search wants it."""

import numpy as np
from numpy.typing import NDArray

from vrpcore.instance.instance import Float64, Instance

Int32 = NDArray[np.int32]

# The median length in whole numbers: a rounding error of 5e-7 of it. LARGEST is below 2^31.
MEDIAN = 1_000_000
LARGEST = 10**9
MEDIAN_SAMPLE = 10_000
# Bits of the capacity where demands are not whole numbers.
DEMAND_BITS = 40


def whole_distances(matrix: Float64) -> Int32:
    """Lengths as whole numbers: exact where they are whole, else scaled and rounded.

    The scale follows the median, not the largest length: one entry of 1e9 for a forbidden
    road must not round all real roads to zero. Lengths beyond 1000 medians are cut.

    Args:
        matrix: [M, M] float64, finite, >= 0.

    Returns:
        [M, M] int32.
    """
    largest = float(matrix.max(initial=0.0))
    if largest <= LARGEST and np.array_equal(matrix, np.rint(matrix)):
        return matrix.astype(np.int32)
    sample = matrix.ravel()[:: max(1, matrix.size // MEDIAN_SAMPLE)]
    positive = sample[sample > 0]
    median = float(np.median(positive)) if len(positive) else largest
    return np.rint(np.minimum(matrix * (MEDIAN / median), LARGEST)).astype(np.int32)


def whole_demand(instance: Instance) -> tuple[list[int], int]:
    """Demands and load limit as whole numbers that never let an infeasible route pass.

    Whole numbers stay as they are. Others are multiplied by a power of two (exact in
    float64), then demands are rounded up and the limit down: a load that fits here fits
    exactly, and the limit's allowance covers the rounding of about 1000 customers a route.

    Returns:
        Demands of all nodes, depot first, and the largest load that fits.
    """
    # Twice the capacity never fits, however much more it is, and cannot overflow.
    demand = np.minimum(instance.demand, np.ceil(2 * instance.capacity))
    if np.array_equal(demand, np.rint(demand)) and instance.load_limit < 2**DEMAND_BITS:
        return demand.astype(np.int64).tolist(), int(instance.load_limit)
    scale = 2.0 ** (DEMAND_BITS - np.frexp(instance.capacity)[1])
    scaled = np.ceil(demand * scale).astype(np.int64)
    return scaled.tolist(), int(instance.load_limit * scale)
