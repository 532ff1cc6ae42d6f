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


def days(count: int) -> list[dict[str, object]]:
    return [random_instance(20, f"day-{index}", 30, seed=index) for index in range(count)]
