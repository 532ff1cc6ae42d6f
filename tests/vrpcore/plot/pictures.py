"""A small day with all that a picture of it shows, and an answer to it."""

import copy

from tests.vrpcore.formats.answers.written import answer_of
from vrpcore.api import read_instances

DAY = {
    "name": "day",
    "depots": [
        {"id": "north", "x": 0, "y": 0, "window": [1, 100]},
        {"id": "south", "x": 10, "y": 0},
    ],
    "vehicles": [
        {"id": "van", "count": 2, "capacity": 10, "window": [0, 18]},
        {"id": "bike", "start": "south", "end": None},
    ],
    "customers": [
        {"id": 7, "x": 3, "y": 4, "demand": 2, "window": [8, 12], "service": 2},
        {"id": 8, "x": 6, "y": 8, "prize": 5},
        {"id": 9, "x": 1, "y": 1},
    ],
    "shipments": [
        {"id": "s", "amount": 1, "pickup": {"x": 10, "y": 3}, "delivery": {"x": 10, "y": 6}},
    ],
}
ANSWER = {
    "name": "day",
    "status": "partial",
    "cost": 21,
    "code": "UNSERVED",
    "error": "required customers not served: 1",
    "routes": [
        {
            "customers": [7], "load": 2, "cost": 10, "vehicle": "van", "start": "north",
            "end": "north", "departure": 1, "return": 15, "arrivals": [6], "begins": [8],
        },
        {
            "customers": ["s:pickup", "s:delivery"], "load": 1, "cost": 6, "vehicle": "bike",
            "start": "south", "end": None, "departure": 0, "return": 6, "arrivals": [3, 6],
            "begins": [3, 6],
        },
    ],
    "unserved": [{"id": 8, "reason": "PRIZE"}, {"id": 9, "reason": "FLEET"}],
}  # fmt: skip


def day(**changes):
    """The day as an instance, with other values of some keys."""
    (instance,) = read_instances([{**DAY, **changes}])
    return instance


def answer(**changes):
    """The answer, with other values of some keys; a key of all routes where they have it."""
    value = copy.deepcopy(ANSWER)
    for key, new in changes.items():
        for route in value["routes"] if key in value["routes"][0] and key != "cost" else [value]:
            route[key] = new
    return answer_of(value)
