"""Instances that the tests of the page solve."""

from typing import NamedTuple

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


def covered_document(seed: int) -> dict[str, object]:
    """A random instance whose constraints a model knows, in all their forms."""
    draw = np.random.default_rng(seed)
    metric = str(draw.choice(["euclidean", "euc_2d", "ceil_2d", "haversine"]))
    side = 1.0 if metric == "haversine" else float(draw.choice([1.0, 10.0, 1000.0]))
    unit = side * (1.2e5 if metric == "haversine" else 1.0)
    depots = [
        _place(draw, side) | _maybe(draw, "id", f"d{number}")
        for number in range(draw.integers(1, 4))
    ]
    speed, backhauls = float(draw.choice([1.0, 0.5, 3.0])), str(draw.choice(["mixed", "last"]))
    times = _Times(float(draw.choice([0.0, 0.0, 1.7e9])), unit / speed, draw.random() < 0.6)
    return {
        "name": f"covered-{seed}", "metric": metric, "speed": speed, "depots": depots,
        "backhauls": backhauls, "pickup_only_routes": bool(draw.random() < 0.7),
        "vehicles": _covered_vehicles(draw, depots, unit, times),
        "customers": [
            _place(draw, side) | _covered_customer(draw, times, backhauls)
            for _ in range(draw.integers(2, 10))
        ],
    }  # fmt: skip


class _Times(NamedTuple):
    """When the clock begins, how long a vehicle takes for a side, whether there are windows."""

    begin: float
    side: float
    windows: bool


def _covered_vehicles(
    draw: np.random.Generator, depots: list[dict[str, object]], unit: float, times: _Times
) -> list[dict[str, object]]:
    """Types that are alike but for their depots, which may be fewer than there are."""
    vehicle: dict[str, object] = {"capacity": float(draw.choice([4, 7.5, 20]))}
    vehicle |= _maybe(draw, "count", int(draw.integers(3, 9)))
    vehicle |= _maybe(draw, "fixed_cost", 3.5) | _maybe(draw, "distance_cost", 0.25)
    if times.windows:
        vehicle |= _maybe(draw, "window", [times.begin, times.begin + 4 * times.side])
    limit = str(draw.choice(["max_distance", "none" if times.windows else "max_duration", "none"]))
    if limit != "none":
        side = unit if limit == "max_distance" else times.side
        vehicle[limit] = float(draw.uniform(1.5, 4)) * side
    if draw.random() < 0.4:
        vehicle["end"] = None
    ids = [str(row.get("id", place)) for place, row in enumerate(depots)]
    used = draw.permutation(ids)[: draw.integers(1, len(depots) + 1)].tolist()
    return [{"start": start, **vehicle} for start in used]


def _covered_customer(
    draw: np.random.Generator, times: _Times, backhauls: str
) -> dict[str, object]:
    amounts = [float(draw.integers(0, 8)) / 2 for _ in range(2)]
    if backhauls == "last":
        amounts[draw.integers(2)] = 0.0
    row = {"demand": amounts[0]} | _maybe(draw, "pickup", amounts[1])
    if times.windows:
        opens = times.begin + float(draw.uniform(0, 1.5)) * times.side
        closes = opens + float(draw.uniform(0.3, 2)) * times.side
        row["window"] = [None if draw.random() < 0.1 else opens, closes]
        row |= _maybe(draw, "service", float(draw.uniform(0, 0.4)) * times.side)
    return row


def _place(draw: np.random.Generator, side: float) -> dict[str, object]:
    x, y = (round(float(value), 4) for value in draw.random(2) * side)
    return {"x": x, "y": y}


def _maybe(draw: np.random.Generator, key: str, value: object) -> dict[str, object]:
    return {key: value} if draw.random() < 0.5 else {}
