import dataclasses
import math

from tests.build import constrained, on_a_line
from vrpcore.formats.text.cvrplib import read_vrp
from vrpcore.formats.text.write_pyvrp import instance_to_vrp

VANS = [
    {"id": "a", "count": 2, "capacity": 5, "window": [0, 90], "max_distance": 70},
    {"id": "b", "capacity": 8, "window": [0, 90], "fixed_cost": 3, "distance_cost": 2},
]


def again(instance):
    return read_vrp(instance_to_vrp(instance), "")


def test_depots_and_vehicles_one_by_one():
    instance = constrained(
        depots=[{"x": 0, "y": 0}, {"x": 9, "y": 0, "window": [5, 80]}],
        vehicles=[VANS[0], {**VANS[1], "start": "1", "end": "1", "skills": ["ice"]}],
        customers=on_a_line(1, 2, demand=[1, 2], skills=[["ice"], []], window=[[3, 20], [0, 70]]),
    )
    found = again(instance).own_constraints
    assert [
        (each.count, each.capacity, each.start, each.end, each.fixed_cost, each.distance_cost)
        for each in found.vehicles
    ] == [(2, (5,), 0, 0, 0, 1), (2, (8,), 1, 1, 3, 2)]
    assert found.vehicles[0].max_distance == 70
    assert [each.window for each in found.depots] == [(0, 90), (5, 80)]
    assert [found.may_serve(0, 1), found.may_serve(1, 1), found.may_serve(0, 2)] == [0, 1, 1]
    assert found.windows[:, 0].tolist() == [[3, 20], [0, 70]]


def test_reloads_without_a_limit_among_some_with_one():
    instance = constrained(
        vehicles=[{"id": "a", "count": 1, "capacity": 5}, {"id": "b", "count": 1, "capacity": 5}],
        customers=on_a_line(1, 2, 3),
    )
    types = [
        dataclasses.replace(each, reloads=(0,), max_reloads=most)
        for each, most in zip(instance.own_constraints.vehicles, (1, math.inf), strict=True)
    ]
    constraints = dataclasses.replace(instance.own_constraints, vehicles=tuple(types))
    found = again(dataclasses.replace(instance, constraints=constraints)).own_constraints
    assert [each.max_reloads for each in found.vehicles] == [1, 3]
