"""Instances and routes that the tests of costs share."""

import math

import numpy as np

from tests.build import constrained
from vrpcore.cost.itinerary import Itinerary
from vrpcore.instance.plan import Reload, Route
from vrpcore.instance.vehicle_types import ALWAYS


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


def late_route(seed, rests=False):
    """An instance on a line where lateness, overtime and loading count, and a route of all stops.

    All its times are whole.

    Args:
        seed: Equal seeds give equal instances.
        rests: Whether the vehicle takes a break.
    """
    draw = np.random.default_rng(seed)
    number = int(draw.integers(1, 6))

    def whole(low, high):
        return int(draw.integers(low, high + 1))

    customers = [_late_customer(draw, whole) for _ in range(number)]
    depots = [{"x": 0, "y": 0, "service": whole(0, 4)}, {"x": 9, "y": 0, "service": whole(0, 3)}]
    depots[1]["window"] = [whole(0, 9), whole(60, 160)]
    vehicle = {"window": [whole(0, 8), whole(60, 160)], "duration_cost": whole(0, 2)}
    vehicle |= {"start": [None, "0", "1"][whole(0, 2)], "end": [None, "0"][whole(0, 1)]}
    vehicle |= {"reloads": ["0", "1"], "initial_load": whole(0, 3), "latest_start": whole(10, 60)}
    if draw.random() < 0.5:
        vehicle |= {"late_cost": whole(0, 3), "max_late": whole(1, 40)}
    if draw.random() < 0.5:
        vehicle |= {"max_duration": whole(20, 90), "max_overtime": whole(1, 60)}
        vehicle["overtime_cost"] = whole(0, 3)
    if rests:
        vehicle["breaks"] = [{"window": [whole(0, 30), whole(30, 90)], "duration": whole(1, 9)}]
    instance = constrained(depots=depots, customers=customers, vehicles=[vehicle])
    reloads = tuple(Reload(whole(0, 1), after) for after in range(1, number) if draw.random() < 0.3)
    return instance, Route(0, tuple(range(1, number + 1)), reloads)


def _late_customer(draw, whole):
    opens = whole(0, 50)
    found = {"x": whole(0, 15), "y": 0, "service": whole(0, 4), "demand": whole(0, 3)}
    found["pickup"], found["windows"] = whole(0, 3), [[opens, opens + whole(1, 20)]]
    if draw.random() < 0.3:
        found["windows"].append([opens + whole(22, 30), opens + whole(31, 50)])
    if draw.random() < 0.7:
        found |= {"late_cost": whole(0, 4), "max_late": whole(1, 60)}
    if draw.random() < 0.3:
        found["release"] = whole(0, 30)
    return found


def itinerary(*windows, **changes):
    """Stops 10 apart with these windows, served in 1, and 10 home."""
    size = len(windows)
    own = Itinerary(
        earliest=0.0, latest=math.inf, is_open=False, num_visits=size, legs=[10.0] * (size + 1),
        windows=[*windows, [ALWAYS]], services=[1.0] * size + [0.0], lengths=[10.0] * (size + 1),
    )  # fmt: skip
    return own._replace(**changes)
