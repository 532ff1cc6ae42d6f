"""What a tour's cost is compared with."""

import numpy as np
from numpy.typing import NDArray

from vrpcore.errors import ShapeError

Float64 = NDArray[np.float64]


def multistart_advantage(cost: Float64) -> Float64:
    """How much each start beat the other starts on its own instance.

    Comparing starts of one instance needs no critic, and a hard instance cannot drown
    out an easy one. Dividing by the batch's deviation makes the step size independent
    of the problem's size and unit.

    Args:
        cost: [B, S] float64, any unit.

    Returns:
        [B, S] float64, (mean cost of the instance - own cost) / deviation over the
        batch; positive is better; all 0 where every cost is equal.

    Raises:
        ShapeError: Fewer than two starts, which cannot be compared.

    Source:
        Kwon et al. 2020, arXiv:2010.16011 (shared baseline).
    """
    if cost.ndim != 2 or cost.shape[1] < 2:
        raise ShapeError(f"multistart_advantage: cost {cost.shape} needs two starts or more")
    advantage: Float64 = cost.mean(axis=1, keepdims=True) - cost
    deviation = float(advantage.std())
    return advantage / deviation if deviation > 0 else advantage
