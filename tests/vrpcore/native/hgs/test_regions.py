"""places.hpp, near_places.hpp, linked_plan.hpp and what changes regions of a plan."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import random_instance
from tests.vrpcore.native.hgs.instances import KINDS, draw
from vrpcore.cost.distance import distance_matrix
from vrpcore.instance.instance import METRICS
from vrpcore.search import regions
from vrpcore.search.evolution import most_routes
from vrpcore.search.hgs_library import Problem
from vrpcore.search.regions import RegionSearch


@pytest.fixture(autouse=True)
def library(inside):
    return inside


def coordinates(seed, size, kind):
    """[M, 2]: anywhere, in towns, on a line, at few places, or over half of the Earth."""
    draw = np.random.default_rng(seed)
    if kind == "towns":
        return draw.uniform(0, 90, (5, 2))[draw.integers(0, 5, size)] + draw.normal(
            0, 0.1, (size, 2)
        )
    if kind == "line":
        return np.stack((draw.uniform(0, 90, size), np.full(size, 7.0)), 1)
    if kind == "few":
        return draw.integers(0, 3, (size, 2)) * 10.0
    return draw.uniform((-80, -80), (80, 80), (size, 2))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", ["anywhere", "towns", "line", "few"])
@pytest.mark.parametrize("size", [3, 4, 12, 102, 300])
def test_lengths_and_near_customers_are_those_of_the_matrix(windows, metric, kind, size):
    coords = coordinates(size, size, kind)
    instance = random_instance(1, size - 1, coords=coords, metric=metric)
    matrix = distance_matrix(instance)
    length, near = windows.places(Problem(instance, None))
    if metric in ("euc_2d", "ceil_2d"):
        assert np.array_equal(length, matrix)
    else:
        unit = length.sum() / max(1e-9, matrix.sum())
        close = 1e-3 if metric == "haversine" else 1e-6
        assert np.allclose(length, unit * matrix, rtol=close, atol=1)
    for customer in range(1, size):
        row = matrix[customer]
        others = np.delete(np.arange(1, size), customer - 1)
        nearest = np.sort(row[others])[: near.shape[1]]
        assert len(set(near[customer])) == near.shape[1]
        assert customer not in near[customer] and 0 not in near[customer]
        assert np.allclose(row[near[customer]], nearest, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("metric", METRICS)
def test_equally_near_customers_come_by_their_numbers(windows, metric):
    coords = np.zeros((40, 2))
    coords[0] = 1.0
    _, near = windows.places(Problem(random_instance(1, 39, coords=coords, metric=metric), None))
    for customer in range(1, 40):
        assert near[customer].tolist() == [one for one in range(1, 40) if one != customer]


@settings(max_examples=40, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 10_000),
    size=st.integers(2, 60),
    spare=st.integers(-3, 5),
    temperature=st.sampled_from([0.01, 1.0, 100.0]),
)
def test_a_plan_agrees_with_itself(windows, kind, seed, size, spare, temperature):
    """After every few iterations, at all temperatures, with enough vehicles and with too few."""
    instance, _ = draw(kind, seed, size)
    problem = Problem(instance, instance.distances)
    start = problem.savings()
    search = RegionSearch(problem, start, max(1, len(start) + spare), seed)
    windows.check(search)
    for share in range(1, 12):
        search.anneal(temperature, 0.1 * share, float("inf"), 1)
        windows.check(search)


@pytest.mark.parametrize("spare", [-5, 0, 6])
def test_regions_side_by_side(windows, monkeypatch, spare):
    monkeypatch.setattr(regions, "REGION_SIZE", 100)
    monkeypatch.setattr(regions, "REGION_ROUTES", 2)
    instance = random_instance(2, 700, 25.0)
    problem = Problem(instance, None)
    start = problem.savings()
    vehicles = min(len(start) + spare, most_routes(instance, [start]))
    search = RegionSearch(problem, start, vehicles, 3)
    for _ in range(10):
        search.anneal(0.5, 2.0, float("inf"), 3)
        windows.check(search)
