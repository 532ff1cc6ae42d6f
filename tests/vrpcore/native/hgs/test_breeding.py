"""Children of a population: by their results."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import random_instance
from tests.vrpcore.native.hgs.instances import KINDS, draw, starts
from vrpcore.cost.distance import distance_matrix
from vrpcore.search.hgs_library import Annealer, Breeding, Problem


def whole_cost(instance, routes):
    matrix = distance_matrix(instance)
    return sum(matrix[[0, *route], [*route, 0]].sum() for route in routes)


def bred(instance, vehicles, seed, children, width=1, cores=1):
    """The best start, and the best solution after some children."""
    problem = Problem(instance, distance_matrix(instance))
    annealer, breeding = Annealer(problem, vehicles), Breeding(problem, vehicles, width, seed)
    for run in range(2):
        annealer.begin(starts(problem, run), seed + run)
        breeding.admit(annealer)
    before = breeding.best()
    assert breeding.breed(children, cores=cores) == children
    return before, breeding.best()


def check(instance, routes, vehicles):
    """Nobody twice, nothing over the limit, not too many vehicles."""
    visits = [customer for route in routes for customer in route]
    assert len(visits) == len(set(visits)) and set(visits) <= set(
        range(1, instance.num_customers + 1)
    )
    assert all(route and instance.load(tuple(route)) <= instance.load_limit for route in routes)
    assert len(routes) <= vehicles


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), size=st.integers(2, 30))
def test_all_kinds(kind, seed, size):
    instance, vehicles = draw(kind, seed, size)
    before, after = bred(instance, vehicles, seed, 12)
    check(instance, after, vehicles)
    served = [sum(map(len, routes)) for routes in (before, after)]
    assert served[0] <= served[1]
    if served[0] == served[1]:
        # Whole numbers decide, so a millionth of a median length per edge is a tie.
        slack = 1e-6 * distance_matrix(instance).max() * (size + vehicles)
        assert whole_cost(instance, after) <= whole_cost(instance, before) + slack


@pytest.mark.parametrize("one_way", [False, True])
def test_children_pay_and_are_the_same_each_time(one_way):
    matrix = np.random.default_rng(6).random((51, 51)) + 0.5
    np.fill_diagonal(matrix, 0.0)
    instance = random_instance(6, 50, distances=matrix if one_way else None)
    runs = [bred(instance, 20, seed, 60) for seed in (1, 1, 2)]
    assert runs[0] == runs[1]
    assert runs[0][1] != runs[2][1] or not one_way
    before, after = runs[0]
    check(instance, after, 20)
    assert whole_cost(instance, after) < 0.99 * whole_cost(instance, before)


@pytest.mark.parametrize("kind", KINDS)
def test_threads_share_the_children_of_one_answer(kind):
    instance, vehicles = draw(kind, 5, 40)
    alone = bred(instance, vehicles, 3, 200, width=6)
    check(instance, alone[1], vehicles)
    for cores in (2, 3, 6, 9):
        assert bred(instance, vehicles, 3, 200, width=6, cores=cores) == alone


@pytest.mark.parametrize("width, cores", [(1, 1), (4, 1), (4, 3)])
def test_the_clock_ends_the_children(width, cores):
    instance, vehicles = draw("plain", 2, 30)
    problem = Problem(instance, distance_matrix(instance))
    breeding = Breeding(problem, vehicles, width, 0)
    annealer = Annealer(problem, vehicles)
    annealer.begin(starts(problem, 1), 0)
    breeding.admit(annealer)
    assert breeding.breed(5, 0, 0.0, cores) == 0
    assert breeding.breed(5, 3, 1e6, cores) == 5
    assert 0 < breeding.breed(10**6, 3, 0.05, cores) < 10**6
