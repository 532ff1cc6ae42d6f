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
    # At most as many thresholds as there are different small demands.
    thresholds = np.unique(np.append(demand[demand <= limit / 2], 0.0))
    best = 1
    for threshold in thresholds.tolist():
        alone = int(np.count_nonzero(demand > limit - threshold))
        halves = demand[(demand > limit / 2) & (demand <= limit - threshold)]
        medium = demand[(demand >= threshold) & (demand <= limit / 2)]
        room = len(halves) * limit - math.fsum(halves)
        rest = (math.fsum(medium) - room) / limit
        best = max(best, alone + len(halves) + max(0, math.ceil(rest - _SLACK)))
    return best
