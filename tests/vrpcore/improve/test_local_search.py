import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vrpcore.improve.cases import check, random_instance, total
from vrpcore.errors import MissingExtraError
from vrpcore.improve import local_search
from vrpcore.improve.local_search import LocalSearch
from vrpcore.improve.savings import savings_routes
from vrpcore.instance.instance import METRICS


def first_fit(instance):
    """Poor but feasible: customers in input order."""
    routes = [[]]
    for customer in range(1, instance.num_customers + 1):
        if instance.load((*routes[-1], customer)) > instance.load_limit:
            routes.append([])
        routes[-1].append(customer)
    return routes


def test_finds_the_square():
    # 1..4 on a line in the order 1, 3, 2, 4: the local optimum visits them in order.
    instance = random_instance(0, 4)
    instance.coords[:] = [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0)]
    instance.demand[1:] = 1
    search = LocalSearch(instance)
    routes = search.improve([[1, 3, 2, 4]])
    assert search.cost(routes) == pytest.approx(8.0)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    size=st.integers(1, 30),
    metric=st.sampled_from(METRICS),
    integer=st.booleans(),
)
def test_feasible_complete_and_never_dearer(seed, size, metric, integer):
    instance = random_instance(seed, size, integer=integer, metric=metric)
    given_routes = first_fit(instance)
    search = LocalSearch(instance)
    improved = search.improve(given_routes)
    iterated = search.iterate(improved, 12)
    check(instance, improved)
    check(instance, iterated)
    costs = [total(instance, routes) for routes in (iterated, improved, given_routes)]
    assert all(better <= worse * (1 + 1e-12) for better, worse in itertools.pairwise(costs))


def test_float64_decides_where_whole_numbers_tie():
    # The two directions differ by 1e-9 of the median: equal as whole numbers, not in float64.
    matrix = np.ones((3, 3)) - np.eye(3)
    matrix[1, 2] += 1e-9
    instance = random_instance(0, 2, coords=None, distances=matrix)
    search = LocalSearch(instance)
    cheap, dear = [[2, 1]], [[1, 2]]
    chains = {}
    for name, routes in (("cheap", cheap), ("dear", dear)):
        solution = local_search.pyvrp.Solution(search._data, [[v - 1 for v in routes[0]]])
        chains[name] = local_search.Chain(solution, solution, solution.distance())
    assert chains["cheap"].cost == chains["dear"].cost
    assert search.cheaper(cheap, chains["dear"]) == cheap
    assert search.cheaper(dear, chains["cheap"]) == cheap


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), size=st.integers(1, 25))
def test_one_way_matrices(seed, size):
    matrix = np.random.default_rng(seed).random((size + 1, size + 1))
    np.fill_diagonal(matrix, 0.0)
    instance = random_instance(seed, size, coords=None, distances=matrix)
    given_routes = first_fit(instance)
    found = LocalSearch(instance).iterate(given_routes, 10)
    check(instance, found)
    assert total(instance, found) <= total(instance, given_routes) * (1 + 1e-12)


def test_search_pays():
    instance = random_instance(7, 60)
    routes = savings_routes(instance)
    search = LocalSearch(instance)
    assert search.cost(search.iterate(routes, 100)) < 0.99 * search.cost(routes)


def test_same_seed_same_routes():
    instance = random_instance(8, 40)
    routes = first_fit(instance)
    first, second = (LocalSearch(instance, 3).iterate(routes, 30) for _ in range(2))
    assert first == second


def test_more_routes_than_vehicles_are_repaired():
    instance = random_instance(9, 20, capacity=60.0, max_vehicles=2)
    instance.demand[1:] = 5.0
    routes = [[customer] for customer in range(1, 21)]
    search = LocalSearch(instance)
    assert search.surplus(routes) == 18
    found = search.iterate(routes, 60)
    check(instance, found)
    assert len(found) == 2


def test_deadline_stops_the_search():
    instance = random_instance(10, 30)
    asked = []

    def is_over():
        asked.append(True)
        return True

    check(instance, LocalSearch(instance).iterate(first_fit(instance), 10_000, is_over))
    assert len(asked) == 1


def test_all_demands_zero_and_all_points_equal():
    instance = random_instance(11, 6)
    instance.demand[:] = 0.0
    instance.coords[:] = 0.0
    check(instance, LocalSearch(instance).iterate([[1, 2, 3], [4, 5, 6]], 5))


def test_says_which_extra_is_missing(monkeypatch):
    monkeypatch.setattr(local_search, "INSTALLED", False)
    with pytest.raises(MissingExtraError, match=r"local search needs the extra 'improve'"):
        LocalSearch(random_instance(0, 3))
