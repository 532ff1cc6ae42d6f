import time
import zlib

import numpy as np
import pytest

from tests.build import random_instance
from tests.vrpcore.search.cases import check, total
from vrpcore.cost.distance import distance_matrix
from vrpcore.search.evolution import (
    CHILD_ITERATIONS,
    ORDERS,
    RUN_ITERATIONS,
    RUN_SHARE,
    RUNS,
    SMALL,
    Allocation,
    Evolution,
    allocate,
    seed_of,
)
from vrpcore.search.hgs_library import Breeding, Problem
from vrpcore.search.savings import savings_routes


def evolution(instance, seed=0, starts=None):
    problem = Problem(instance, distance_matrix(instance))
    return Evolution(instance, problem, starts or [savings_routes(instance)], seed)


def evolved(instance, iterations, *seed_and_starts):
    """The best routes after so many iterations."""
    search = evolution(instance, *seed_and_starts)
    search.run(iterations)
    return search.best()


def test_plans():
    each = 100 * RUN_ITERATIONS
    children = int((100 * 400 - RUNS * each) / (100 * CHILD_ITERATIONS))
    assert allocate(100, 11, 100 * 400) == Allocation(RUNS, each, children, 0)
    children = int((100 * 400 - each) / (100 * CHILD_ITERATIONS))
    assert allocate(100, 1, 100 * 400) == Allocation(1, each, children, ORDERS)
    few = allocate(100, 1, 100)
    assert few.iterations == RUN_SHARE * 100
    assert few.orders == 0
    assert allocate(SMALL, 1, 400).runs == RUNS


@pytest.mark.parametrize(
    ("given", "plan"),
    [
        ((100, 1, 40_000), (1, 1000, 390, 8)),
        ((100, 2, 40_000), (2, 1000, 380, 0)),
        ((100, 9, 40_000), (2, 1000, 380, 0)),
        ((100, 1, 100), (1, 40, 0, 0)),
        ((100, 1, 1000), (1, 400, 6, 1)),
        ((100, 3, 700), (2, 140, 4, 0)),
        ((15, 1, 400), (2, 100, 13, 8)),
        ((16, 1, 400), (1, 160, 15, 8)),
    ],
)
def test_plans_by_hand(given, plan):
    assert allocate(*given) == plan


@pytest.mark.parametrize(
    "size, iterations", [(2, 100), (20, 10), (20, 100), (20, 100_000), (100, 30_000)]
)
def test_plans_spend_what_they_are_given(size, iterations):
    plan = allocate(size, 1, iterations)
    child = CHILD_ITERATIONS * size
    spent = plan.runs * plan.iterations + plan.children * child
    assert iterations - child < spent <= iterations


@pytest.mark.parametrize("per_customer", [20, 200])
def test_search_pays(per_customer):
    instance = random_instance(7, 60)
    found = evolved(instance, per_customer * 60)
    check(instance, found)
    assert total(instance, found) < total(instance, savings_routes(instance))


@pytest.fixture
def bred(monkeypatch):
    """How many children, and how many of them from random orders, were asked for."""
    asked, breed = [], Breeding.breed

    def noted(breeding, children, orders, *rest, **named):
        asked.append((children, orders))
        return breed(breeding, children, orders, *rest, **named)

    monkeypatch.setattr(Breeding, "breed", noted)
    return asked


def test_children_are_made_as_planned(bred):
    evolution(random_instance(7, 60)).run(200 * 60)
    plan = allocate(60, 1, 200 * 60)
    assert bred == [(plan.children, plan.orders)]
    assert plan.children > 100


def test_children_are_made_until_the_clock_ends_it(bred):
    evolution(random_instance(7, 60)).run_until(time.perf_counter() + 0.05)
    ((children, _),) = bred
    assert children > 10**9


def test_same_seed_same_routes_and_another_seed_others():
    instance = random_instance(8, 40)
    found = [evolved(instance, 400, seed) for seed in (3, 3, 4)]
    assert found[0] == found[1] != found[2]


def test_the_clock_may_be_over_at_once():
    instance = random_instance(9, 30)
    search = evolution(instance)
    search.run_until(0.0)
    check(instance, search.best())
    assert total(instance, search.best()) <= total(instance, savings_routes(instance))


def test_one_solution_has_no_children():
    instance = random_instance(10, 2)
    search = evolution(instance)
    search.run(10_000)
    assert sorted(search.best()[0]) == [1, 2]
    search.run_until(time.perf_counter() + 0.01)
    assert list(map(sorted, search.best())) == [[1, 2]]


def test_no_solution_within_the_fleet():
    instance = random_instance(11, 4, 10.0, max_vehicles=2)
    instance.demand[1:] = 6.0
    assert evolved(instance, 400) is None


def test_all_demands_zero_and_all_points_equal():
    instance = random_instance(12, 6)
    instance.demand[:] = 0.0
    instance.coords[:] = 0.0
    found = evolved(instance, 2000, 0, [[[1, 2, 3], [4, 5, 6]]])
    check(instance, found)
    assert total(instance, found) == 0.0


def test_randomness_belongs_to_instance_and_seed():
    first, second = random_instance(1, 30), random_instance(2, 30)
    seeds = [seed_of(*pair) for pair in ((first, 0), (first, 0), (second, 0), (first, 1))]
    assert seeds[0] == seeds[1]
    assert len(set(seeds)) == 3


@pytest.mark.parametrize("size", [4, 8])
def test_seeds_by_hand(size):
    """Checksums of demands, then of coordinates or of the matrix's first row."""
    instance = random_instance(3, size)
    digest = zlib.crc32(instance.coords.tobytes(), zlib.crc32(instance.demand.tobytes()))
    assert seed_of(instance, 0) == digest
    assert seed_of(instance, 5) == 5 * 2**32 + digest
    matrix = np.asfortranarray(distance_matrix(instance))
    instance = random_instance(3, size, coords=None, distances=matrix)
    row = matrix[0].copy().tobytes()
    assert seed_of(instance, 0) == zlib.crc32(row, zlib.crc32(instance.demand.tobytes()))


def test_temperatures_by_hand():
    """In mean edges of the start: 0.37 sqrt(iterations) / N, from 0.1 to 1.2; a quarter at
    the end, from 0.05 to 0.1.
    """
    matrix = np.full((11, 11), 7.0)
    np.fill_diagonal(matrix, 0.0)
    search = evolution(random_instance(1, 10, 200.0, coords=None, distances=matrix))
    for iterations, warmest, coolest in ((1, 0.1, 0.05), (49, 0.259, 0.06475), (10**6, 1.2, 0.1)):
        found = search.temperatures(iterations)
        assert found == pytest.approx((7.0 * warmest, 7.0 * coolest))
