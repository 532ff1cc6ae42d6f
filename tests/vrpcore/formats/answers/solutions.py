"""Instances and answers that tests of written solutions share."""

import json

from tests.build import plain
from vrpcore.formats.read import read_instances
from vrpcore.instance.solution import RouteReport, Solution


def make(ids=("a", 7), **changes):
    places = [[0, 0], [3, 4], [0.1, -2.5], [1, 1]][: len(ids) + 1]
    fields = {"coords": places, "demand": [2, 0.5, 1][: len(ids)], "capacity": 9, "ids": ids}
    return plain(**fields | changes)


def solved(*routes, **changes):
    found = tuple(RouteReport(tuple(ids), load, cost) for ids, load, cost in routes)
    cost = sum(route.cost for route in found)
    return Solution(**{"name": "t", "status": "solved", "cost": cost, "routes": found, **changes})


TWO = solved((("a",), 2.0, 10.0), ((7,), 0.5, 5.125), gap=0.25, warnings=("W1", "W2"))
UNSOLVED = Solution(name="u", status="infeasible", code="TOO_FEW_VEHICLES", error="max, too many")
DEPOTS = {
    "depots": [{"id": "n", "x": 0, "y": 0}, {"id": "=s", "x": 9, "y": 9}],
    "customers": [
        {"id": 7, "x": 3, "y": 4, "demand": [2, 0]},
        {"id": 8, "x": 6, "y": 8, "demand": [1, 0.5], "prize": 2},
    ],
    "shipments": [
        {"id": "s", "amount": [1, 0], "pickup": {"x": 1, "y": 2}, "delivery": {"x": 2, "y": 2}}
    ],
    "vehicles": [{"id": "van", "count": 2}, {"id": "bike", "count": 1, "start": "=s", "end": None}],
}
(MANY,) = read_instances(json.dumps(DEPOTS).encode())
