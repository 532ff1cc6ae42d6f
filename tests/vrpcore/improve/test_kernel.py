import hashlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vrpcore.improve.cases import random_instance
from vrpcore.cost.distance import distance_matrix
from vrpcore.improve import kernel, ruin
from vrpcore.improve.arrays import (
    BEST,
    COST,
    NUM_ABSENT,
    make_line,
    make_population,
    make_problem,
    make_scratch,
    read_tour,
    write_tour,
)


def alone(size):
    return [[customer] for customer in range(1, size + 1)]


def begun(instance, vehicles, seed=0, routes=None):
    problem = make_problem(instance, distance_matrix(instance))
    line = make_line(problem, vehicles, seed)
    scratch = make_scratch(line)
    write_tour(line, routes or alone(instance.num_customers))
    kernel.begin(problem, line, scratch)
    return problem, line, scratch


def laid_out(line):
    return [line.route[v, : line.length[v]].tolist() for v in range(len(line.length))]


def whole_cost(problem, routes):
    stops = [(0, *route, 0) for route in routes if route]
    return sum(int(problem.distance[stop[:-1], stop[1:]].sum()) for stop in map(list, stops))


def assert_consistent(problem, line):
    """Every array of a line says the same, and the cost is that of a plain loop."""
    routes = laid_out(line)
    for vehicle, route in enumerate(routes):
        assert line.load[vehicle] == problem.demand[route].sum() <= problem.limit[0]
        for place, customer in enumerate(route):
            assert (line.where[customer], line.place[customer]) == (vehicle, place)
    absent = line.absent[: line.status[NUM_ABSENT]].tolist()
    assert all(line.where[customer] == -1 for customer in absent)
    visits = sorted([*absent, *(customer for route in routes for customer in route)])
    assert visits == list(range(1, len(problem.demand)))
    assert line.status[COST] == whole_cost(problem, routes) + problem.price[absent].sum()
    best = read_tour(line.best)
    if sum(map(len, best)) == len(problem.demand) - 1:
        assert line.status[BEST] == whole_cost(problem, best)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    size=st.integers(2, 40),
    vehicles=st.integers(1, 12),
    one_way=st.booleans(),
)
def test_a_line_stays_consistent(seed, size, vehicles, one_way):
    matrix = np.random.default_rng(seed).random((size + 1, size + 1))
    np.fill_diagonal(matrix, 0.0)
    instance = random_instance(seed, size, distances=matrix if one_way else None)
    problem, line, scratch = begun(instance, min(vehicles, size), seed)
    assert_consistent(problem, line)
    best = line.status[BEST]
    for warmth in (1e6, 1e4, 1.0):
        kernel.anneal(problem, line, scratch, np.array([20.0, warmth, warmth / 2]))
        assert_consistent(problem, line)
        assert line.status[BEST] <= min(best, line.status[COST])
        best = line.status[BEST]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), size=st.integers(2, 40), vehicles=st.integers(1, 12))
def test_children_are_whole_solutions(seed, size, vehicles):
    instance = random_instance(seed, size)
    population = None
    for start in range(4):
        problem, line, scratch = begun(instance, min(vehicles, size), seed + start)
        kernel.anneal(problem, line, scratch, np.array([10.0, 1e6, 1e5]))
        population = population or make_population(3, line)
        kernel.admit(population, line)
    count = population.size[0]
    before = population.cost[:count].min()
    if count > 1:
        kernel.breed(problem, line, scratch, population, np.array([5.0, 3.0, 10.0, 1.0]))
        assert_consistent(problem, line)
    count = population.size[0]
    costs = population.cost[:count].tolist()
    assert min(costs) <= before
    assert len(set(costs)) == count
    for tour, cost in zip(population.tour[:count], costs, strict=True):
        routes = read_tour(tour)
        served = {customer for route in routes for customer in route}
        absent = sorted(set(range(1, size + 1)) - served)
        assert cost == whole_cost(problem, routes) + problem.price[absent].sum()


def test_many_nodes_take_the_near_places():
    instance = random_instance(1, ruin.MANY_NODES + 20, 200.0)
    problem, line, scratch = begun(instance, 60)
    kernel.anneal(problem, line, scratch, np.array([300.0, 1e5, 1e4]))
    assert_consistent(problem, line)


def test_a_population_keeps_the_cheapest_different_ones():
    instance = random_instance(2, 6)
    _, line, _ = begun(instance, 6)
    population = make_population(2, line)
    for cost in (50, 50, 30, 40, 60):
        line.status[BEST] = cost
        kernel.admit(population, line)
    assert sorted(population.cost.tolist()) == [30, 40]


def test_customers_that_fit_nowhere_are_absent_at_their_price():
    instance = random_instance(3, 4, 10.0)
    instance.demand[1:] = 6.0
    problem, line, _ = begun(instance, 2)
    assert line.status[NUM_ABSENT] == 2
    assert_consistent(problem, line)


def test_what_numba_compiled_is_dropped_when_its_parts_change():
    digest = hashlib.sha256(Path(ruin.__file__).read_bytes()).hexdigest()
    assert digest[:8] == kernel.RUIN, "set RUIN in kernel.py"


def test_prices_exceed_every_detour():
    problem = make_problem(*(lambda i: (i, distance_matrix(i)))(random_instance(4, 30)))
    assert problem.price[1:].min() >= problem.distance.max()
    assert problem.near.shape == (31, 29)
    with pytest.raises(ValueError, match="not in list"):
        read_tour(np.zeros(3, np.int32))
