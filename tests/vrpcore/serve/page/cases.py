"""Instances that the tests of the page solve."""

import numpy as np

from tests.vrpcore.serve.page.served import ROOT

EXAMPLE = ROOT / "examples" / "instances.json"
SMALL = {
    "name": "small", "capacity": 5, "depot": [0, 0],
    "coords": [[3, 4], [6, 8]], "demands": [2, 3],
}  # fmt: skip
BAD = {"name": "<b id=x>bad</b>", "capacity": -4, "depot": [0, 0], "coords": [], "demands": []}


def random_instance(size: int, name: str, capacity: int, seed: int = 0) -> dict[str, object]:
    draw = np.random.default_rng([seed, size])
    return {
        "name": name, "capacity": capacity, "depot": [500, 500], "metric": "euc_2d",
        "coords": draw.integers(0, 1000, (size, 2)).tolist(),
        "demands": draw.integers(1, 10, size).tolist(),
    }  # fmt: skip


def days(count: int, size: int = 20) -> list[dict[str, object]]:
    return [random_instance(size, f"day-{index}", 30, seed=index) for index in range(count)]


# Two depots, loads in two dimensions, a shipment, an open end; 9 can never be served, 8 need not.
FLEET = {
    "name": "fleet",
    "depots": [{"id": "north", "x": 0, "y": 0}, {"id": "south", "x": 10, "y": 0}],
    "vehicles": [
        {"id": "lorry", "count": 2, "capacity": [1, 1], "fixed_cost": 50},
        {"id": "van", "count": 3, "capacity": [5, 2], "start": "south", "end": None},
    ],
    "customers": [
        {"id": 7, "x": 3, "y": 4, "demand": [2, 0], "window": [0, 90], "service": 2},
        {"id": 8, "x": 60, "y": 80, "demand": [1, 1], "prize": 0.5},
        {"id": 9, "x": 9, "y": 9, "demand": [9, 0]},
        {"id": 10, "x": 4, "y": 4},
    ],
    "shipments": [
        {"id": "s", "amount": [1, 1], "pickup": {"x": 10, "y": 3}, "delivery": {"x": 10, "y": 6}}
    ],
}  # fmt: skip
SERVED = {
    **FLEET,
    "name": "served",
    "customers": [*FLEET["customers"][:2], {"id": 9, "x": 1, "y": 1}],
}
OPEN = {
    "name": "open", "capacity": 5, "depot": [0, 0], "return_to_depot": False,
    "coords": [[3, 4], [6, 8], [9, 1]], "demands": [2, 3, 1], "windows": [[4, 9], None, [0, 99]],
    "services": [2, 1, 0],
}  # fmt: skip
TIMED = {
    "name": "timed", "capacity": 5, "durations": [[0, 2, 3], [2, 0, 1], [3, 1, 0]],
    "customers": [{"id": "a", "demand": 1}, {"id": "b", "demand": 1, "window": [9, 12]}],
}  # fmt: skip
