"""Instances that the tests of costs share."""

import json

import numpy as np

from vrpcore.formats.json.jsonio import read_instances
from vrpcore.instance.instance import Instance


def instance(coords, metric="euclidean", distances=None):
    size = len(coords if coords is not None else distances) - 1
    return Instance(
        name="t",
        capacity=10.0,
        coords=None if coords is None else np.array(coords, float),
        demand=np.array([0.0] + [1.0] * size),
        ids=tuple(range(1, size + 1)),
        metric=metric,
        distances=None if distances is None else np.array(distances, float),
    )


def constrained(**keys):
    """An instance with constraints, as read; its places lie on a line unless it has coords."""
    found = keys if {"depots", "distances"} & keys.keys() else {"depot": [0, 0], **keys}
    (read,) = read_instances(json.dumps(found).encode())
    assert getattr(read, "error", None) is None, read
    assert read.constraints is not None
    return read


def on_a_line(*places, **each):
    """Customers 1, 2, ... at [x, 0] with keys of their own."""
    return [
        {"x": x, "y": 0, **{key: values[index] for key, values in each.items()}}
        for index, x in enumerate(places)
    ]


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
