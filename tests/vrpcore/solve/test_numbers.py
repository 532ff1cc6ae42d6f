"""Hundreds of random instances of every metric: answers against plain arithmetic."""

import dataclasses
import itertools
import math

import numpy as np
import pytest

from tests.build import plain
from vrpcore.referee.referee import check_solution

COUNT = 400
EARTH_M = 6_371_008.8
KINDS = ("euclidean", "euc_2d", "ceil_2d", "haversine", "matrix")
pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def policy_for_all_sizes():
    """Not here: these instances are solved as users solve them."""


def drawn(kind, rng, count=COUNT, scale=1.0, offset=0.0, aspect=1.0):
    """Instances of 1 to 12 customers."""
    found = []
    for number in range(count):
        size = int(rng.integers(1, 13))
        coords = rng.random((size + 1, 2)) * [1.0, aspect]
        coords = coords * (100.0 if kind in ("euc_2d", "ceil_2d") else 1.0) * scale + offset
        if kind == "haversine":
            coords = rng.uniform((-180, -90), (180, 90), (size + 1, 2))
        demand, capacity = rng.integers(0, 10, size), rng.integers(9, 30)
        given = {"metric": kind}
        if kind == "matrix":
            given = {"distances": asymmetric(rng, size)}
        found.append(plain(coords, demand, capacity, name=f"{kind}-{number}", **given))
    return found


def asymmetric(rng, size):
    matrix = rng.random((size + 1, size + 1))
    np.fill_diagonal(matrix, 0.0)
    return matrix


def length(instance, first, second):
    """One leg, as a person would write it down."""
    if instance.distances is not None:
        return float(instance.distances[first, second])
    (x, y), (u, v) = instance.coords[first].tolist(), instance.coords[second].tolist()
    if instance.metric == "haversine":
        dy, dx = math.radians(v - y), math.radians(u - x)
        part = math.sin(dy / 2) ** 2
        part += math.cos(math.radians(y)) * math.cos(math.radians(v)) * math.sin(dx / 2) ** 2
        return 2 * EARTH_M * math.asin(min(1.0, math.sqrt(part)))
    plain = math.sqrt((x - u) ** 2 + (y - v) ** 2)
    if instance.metric == "euc_2d":
        return math.floor(plain + 0.5)
    return math.ceil(plain) if instance.metric == "ceil_2d" else plain


def naive_cost(instance, solution):
    place = {name: node for node, name in enumerate(instance.ids, start=1)}
    total = 0.0
    for route in solution.routes:
        nodes = [0, *(place[name] for name in route.customers), 0]
        for first, second in itertools.pairwise(nodes):
            total += length(instance, first, second)
    return total


def assert_right(instances, solutions):
    for instance, solution in zip(instances, solutions, strict=True):
        assert solution.status == "solved", solution
        assert check_solution(instance, solution).ok
        served = sorted(name for route in solution.routes for name in route.customers)
        assert served == sorted(instance.ids)
        for route in solution.routes:
            load = math.fsum(
                instance.demand[instance.ids.index(name) + 1] for name in route.customers
            )
            assert load <= instance.capacity * (1 + 1e-9)
        assert solution.cost == pytest.approx(naive_cost(instance, solution), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("improve", ["none", "fast"])
def test_costs_and_loads(solver, kind, improve):
    instances = drawn(kind, np.random.default_rng([1, KINDS.index(kind)]))
    assert_right(instances, solver.solve(instances, improve=improve))


@pytest.mark.parametrize(
    ("scale", "offset", "aspect"),
    [(1e-9, 0, 1), (1e9, 0, 1), (1, 1e7, 1), (1, 0, 1e7), (1e-9, 0, 1e7), (1e9, 1e9, 1e-7)],
)
def test_very_small_large_far_and_narrow_coordinates(solver, scale, offset, aspect):
    rng = np.random.default_rng(2)
    for kind in ("euclidean", "euc_2d", "ceil_2d"):
        instances = drawn(kind, rng, 100, scale, offset, aspect)
        assert_right(instances, solver.solve(instances))


def turned(coords):
    return coords[:, ::-1] * [-1.0, 1.0]


@pytest.mark.parametrize(
    ("change", "factor"),
    [
        (turned, 1.0),
        (lambda coords: coords + np.array((1000.0, -5000.0)), 1.0),
        (lambda coords: coords * 1e6, 1e6),
        (lambda coords: coords * 2.0**-20, 2.0**-20),
    ],
    ids=["turned", "moved", "enlarged", "reduced"],
)
def test_the_answer_costs_the_same_wherever_it_lies(solver, change, factor):
    instances = drawn("euclidean", np.random.default_rng(3))
    changed = [
        dataclasses.replace(instance, coords=np.ascontiguousarray(change(instance.coords)))
        for instance in instances
    ]
    before, after = solver.solve(instances), solver.solve(changed)
    for instance, one, other in zip(changed, before, after, strict=True):
        moved = naive_cost(instance, one)  # the same routes
        assert moved == pytest.approx(one.cost * factor, rel=1e-8)
        assert other.cost == pytest.approx(moved, rel=1e-8)  # the answer of the solver


def test_other_names_change_nothing(solver):
    instances = drawn("euclidean", np.random.default_rng(4))
    renamed = [
        dataclasses.replace(one, ids=tuple(f"order {name}" for name in one.ids))
        for one in instances
    ]
    for one, other in zip(solver.solve(instances), solver.solve(renamed), strict=True):
        assert one.cost == other.cost
        assert [len(route.customers) for route in one.routes] == [
            len(route.customers) for route in other.routes
        ]
