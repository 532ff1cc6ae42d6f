"""The compiled search by its results: breeding alone, without any annealing before it."""

import itertools

import numpy as np
import pytest

from tests.build import random_instance
from tests.vrpcore.search.cases import check, total
from vrpcore.cost.distance import distance_matrix
from vrpcore.cost.vehicle_bound import fewest_vehicles
from vrpcore.search import hgs_library
from vrpcore.search.hgs_library import Annealer, Breeding, Problem


def whole_matrix(seed, size, directed):
    """Whole lengths, so that the search counts in the instance's own unit."""
    matrix = np.random.default_rng(seed).integers(1, 100, (size + 1, size + 1)).astype(float)
    if not directed:
        matrix = np.maximum(matrix, matrix.T)
    np.fill_diagonal(matrix, 0.0)
    return matrix


def breeding(instance, vehicles=None, seed=0):
    problem = Problem(instance, distance_matrix(instance))
    return Breeding(problem, vehicles or instance.num_customers, 1, seed), problem


def bred_routes(instance, children, vehicles=None, seed=0):
    """The best routes after so many children; all customers are served."""
    bred, _ = breeding(instance, vehicles, seed)
    bred.breed(children)
    check(instance, bred.best())
    return bred.best()


def rank_of(bred, instance, vehicles):
    tour = np.empty(2 * instance.num_customers + vehicles + 2, np.int32)
    return hgs_library.load_library().vrp_best(bred.address, tour.ctypes.data)


def cheapest(instance):
    """By trying every order of the customers, each cut at its best."""
    matrix, size = instance.distances, instance.num_customers
    best = np.inf
    for order in itertools.permutations(range(1, size + 1)):
        cost = [0.0] + [np.inf] * size
        for first, last in itertools.combinations(range(size + 1), 2):
            route = order[first:last]
            if instance.load(route) <= instance.load_limit:
                length = matrix[[0, *route], [*route, 0]].sum()
                cost[last] = min(cost[last], cost[first] + length)
        best = min(best, cost[-1])
    return best


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_cheapest_routes_of_all(seed, directed):
    matrix = whole_matrix(seed, 6, directed)
    instance = random_instance(seed, 6, 12.0, coords=None, distances=matrix)
    found = Problem(instance, matrix).exact(matrix, 6)
    check(instance, found)
    assert total(instance, found) == cheapest(instance)
    least = len(found)
    while (fewer := Problem(instance, matrix).exact(matrix, least - 1)) is not None:
        check(instance, fewer)
        least -= 1
        assert len(fewer) == least
        assert total(instance, fewer) > total(instance, found)
    assert least == fewest_vehicles(instance)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_children_of_random_orders_reach_the_optimum(seed, directed):
    matrix = whole_matrix(seed, 6, directed)
    instance = random_instance(seed, 6, 15.0, distances=matrix, coords=None)
    assert total(instance, bred_routes(instance, 3000, seed=seed)) == cheapest(instance)


@pytest.mark.parametrize("directed", [False, True])
def test_the_cost_that_it_counts_is_the_cost(directed):
    matrix = whole_matrix(4, 40, directed)
    instance = random_instance(4, 40, distances=matrix, coords=None)
    bred, _ = breeding(instance)
    for _ in range(20):
        bred.breed(10)
        assert rank_of(bred, instance, 40) == total(instance, bred.best())
    check(instance, bred.best())


def test_same_seed_same_routes():
    instance = random_instance(5, 40)
    found = [bred_routes(instance, 30, seed=seed) for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


def test_children_never_make_it_worse():
    instance = random_instance(6, 60)
    bred, problem = breeding(instance)
    annealer = Annealer(problem, 60)
    annealer.begin(problem.savings(), 1)
    bred.admit(annealer)
    costs = [total(instance, bred.best())]
    for _ in range(20):
        assert bred.breed(10) == 10
        costs.append(total(instance, bred.best()))
        check(instance, bred.best())
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]


def test_a_fleet_filled_to_the_brim():
    instance = random_instance(7, 12, 20.0, max_vehicles=3)
    instance.demand[1:] = [10, 10, 7, 7, 6, 5, 5, 5, 2, 1, 1, 1]
    assert len(bred_routes(instance, 300, 3)) == 3


def test_one_vehicle():
    instance = random_instance(8, 20, 1000.0, max_vehicles=1)
    assert len(bred_routes(instance, 20, 1)) == 1


def test_a_fleet_too_small_has_no_solution():
    instance = random_instance(9, 4, 10.0)
    instance.demand[1:] = 6.0
    bred, _ = breeding(instance, 2)
    bred.breed(50)
    assert bred.best() == []


@pytest.mark.parametrize("size", [2, 3])
def test_hardly_any_customers(size):
    instance = random_instance(10, size)
    found = bred_routes(instance, 50)
    tours = [[order] for order in itertools.permutations(range(1, size + 1))]
    best = min(total(instance, tour) for tour in tours)
    assert total(instance, found) == pytest.approx(best, rel=1e-5)


def test_no_time_no_children():
    bred, _ = breeding(random_instance(11, 10))
    assert bred.breed(100, seconds=0.0) == 0
    assert bred.best() == []


def test_demands_of_many_digits():
    assert bred_routes(random_instance(12, 30, integer=False), 50)


def test_a_thread_that_fails_lets_the_others_end(monkeypatch):
    """Its child is never delivered, and no other may wait for it."""
    real, calls = hgs_library.load_library(), []

    class Failing:
        def __getattr__(self, name):
            return getattr(real, name)

        def vrp_educate(self, *given):
            calls.append(given)
            if len(calls) == 3:
                raise KeyboardInterrupt
            real.vrp_educate(*given)

    monkeypatch.setattr(hgs_library, "load_library", Failing)
    instance = random_instance(13, 120)
    problem = hgs_library.Problem(instance, distance_matrix(instance))
    bred = hgs_library.Breeding(problem, 20, 8, 1)
    with pytest.raises(KeyboardInterrupt):
        bred.breed(10**6, 10**6, cores=3)
