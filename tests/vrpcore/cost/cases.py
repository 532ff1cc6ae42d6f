"""Instances that the tests of costs share."""

import numpy as np

from tests.build import constrained


def random_times(seed):
    """Two to four customers with several windows, a depot with one, and a shift."""
    draw = np.random.default_rng(seed)
    number = int(draw.integers(1, 5))
    customers = []
    for _ in range(number):
        edges = np.sort(draw.choice(60, size=2 * int(draw.integers(1, 4)), replace=False))
        windows = edges.reshape(-1, 2).tolist()
        place = draw.integers(0, 8, 2).tolist()
        customers.append(
            {"x": place[0], "y": place[1], "windows": windows, "service": int(draw.integers(0, 4))}
        )
    opens = int(draw.integers(0, 10))
    vehicle = {"window": [int(draw.integers(0, 8)), 70], "duration_cost": 1}
    vehicle["start"] = None if draw.random() < 0.3 else "0"
    vehicle["end"] = None if draw.random() < 0.3 else "0"
    if draw.random() < 0.3:
        customers[0]["release"] = int(draw.integers(0, 20))
    matrix = draw.integers(0, 9, (number + 1, number + 1)).tolist()
    return constrained(
        depots=[{"x": 0, "y": 0, "window": [opens, opens + 65]}],
        customers=customers,
        vehicles=[vehicle],
        distances=matrix,
    )
