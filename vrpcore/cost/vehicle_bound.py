"""How many vehicles an instance needs at least."""

import math

import numpy as np

from vrpcore.instance.instance import Instance

# Loads that fit only by rounding must not be counted as proofs.
_SLACK = 1e-9


def fewest_vehicles(instance: Instance) -> int:
    """A lower bound on the number of routes, never above the least possible number.

    For each threshold: demands that leave less room than it need a vehicle each; so do
    those above half of the capacity; what their vehicles have no room for of the medium
    demands needs vehicles of its own.

    Args:
        instance: Any instance.

    Returns:
        At least 1 where there are customers, else 0.

    Source:
        Martello and Toth 1990, "Knapsack Problems", section 8.3 (the bound L2).
    """
    limit = instance.load_limit * (1 + _SLACK)
    demand = np.sort(instance.demand[1:])[::-1]
    if not len(demand):
        return 0
    # At most as many thresholds as there are different small demands. The sums of all of them are
    # looked up, to find the best one; its own sums are exact.
    thresholds = np.unique(np.append(demand[demand <= limit / 2], 0.0))
    rising = demand[::-1]
    sums = np.concatenate(([0.0], np.cumsum(rising)))
    half = int(np.searchsorted(rising, limit / 2, "right"))
    low = np.searchsorted(rising, thresholds, "left")
    top = np.maximum(half, np.searchsorted(rising, limit - thresholds, "right"))
    room = (top - half) * limit - (sums[top] - sums[half])
    rest = (sums[half] - sums[np.minimum(low, half)] - room) / limit
    bounds = len(demand) - half + np.maximum(0.0, rest)
    threshold = float(thresholds[np.argmax(bounds)])
    alone = int(np.count_nonzero(demand > limit - threshold))
    halves = demand[(demand > limit / 2) & (demand <= limit - threshold)]
    medium = demand[(demand >= threshold) & (demand <= limit / 2)]
    left = (math.fsum(medium) - len(halves) * limit + math.fsum(halves)) / limit
    return max(1, alone + len(halves) + max(0, math.ceil(left - _SLACK)))
