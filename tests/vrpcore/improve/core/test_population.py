"""population.hpp against the model, and whole searches."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vrpcore.improve.cases import random_instance
from tests.vrpcore.improve.core import pairs
from tests.vrpcore.improve.core.instances import KINDS, draw, starts
from tests.vrpcore.improve.core.model.anneal import Annealer as ModelAnnealer
from tests.vrpcore.improve.core.model.population import Population as ModelPopulation
from tests.vrpcore.improve.core.model.problem import Problem as ModelProblem
from tests.vrpcore.improve.core.pairs import Pair
from vrpcore.cost.distance import distance_matrix
from vrpcore.improve import evolution, native


@pytest.fixture(autouse=True)
def library(inside):
    return inside


def breed(pair, seed, children=(8, 15)):
    """Runs until the population is more than full, then children."""
    size = 0
    for run in range(pairs.CAPACITY + 2):
        pair.begin(starts(pair.problems[0], run), seed + run)
        pair.admit()
        pair.anneal(10 + 5 * run, (pair.unit(), pair.unit() / 10))
        size = pair.admit()
    if size > 1:
        pair.breed(children, (0.1 * pair.unit(), 0.02 * pair.unit()))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), size=st.integers(2, 30))
def test_all_kinds(windows, kind, seed, size):
    breed(Pair(windows, *draw(kind, seed, size)), seed)


@pytest.mark.parametrize("seed", range(4))
def test_many_short_routes(windows, seed):
    """Most of the vehicles are used; regions of many routes change hands."""
    instance = random_instance(seed, 30, 12.0)
    breed(Pair(windows, instance, 20), seed, (25, 5))


def test_many_long_routes(inside):
    """Shares of the father's routes that are missing differ by little."""
    pair = Pair(inside, random_instance(5, 200, 60.0), 25)
    for seed in range(3):
        pair.begin(starts(pair.problems[0], 1), seed)
        pair.anneal(150, (0.1 * pair.unit(), 0.01 * pair.unit()))
        pair.admit()
    pair.breed((60, 1), (pair.unit(), pair.unit()))


def test_fleets_that_leave_somebody_unserved(windows):
    breed(Pair(windows, *draw("tight", 3, 20)), 0, (20, 10))


def test_more_nodes_than_near_ones(windows):
    """Of a far seed's neighbours some have lost their routes already."""
    pair = Pair(windows, *draw("plain", 4, 120))
    for seed in (0, 1):
        pair.begin(starts(pair.problems[0], seed), seed)
        size = pair.admit()
    assert size == 2
    pair.breed((6, 2), (pair.unit(), pair.unit()))


@pytest.mark.parametrize("kind", ["plain", "one way", "huge", "tight"])
@pytest.mark.parametrize("per_customer", [100, 250])
def test_whole_searches(inside, monkeypatch, kind, per_customer):
    """The plan of a search, carried out by the compiled objects and by the model's."""
    instance, vehicles = draw(kind, 1, 7)
    instance = dataclasses.replace(instance, max_vehicles=vehicles)
    matrix = distance_matrix(instance)
    problem = native.Problem(instance, matrix)
    found = []
    for whole in (problem, ModelProblem(instance, matrix)):
        search = evolution.Evolution(instance, whole, [problem.savings()], 3)
        search.run(per_customer * 7)
        found.append(search.best())
        monkeypatch.setattr(evolution, "Annealer", ModelAnnealer)
        monkeypatch.setattr(evolution, "Population", ModelPopulation)
    assert found[0] == found[1]
    assert found[0] is not None or kind == "tight"


def test_the_clock_ends_the_children(inside):
    pair = Pair(inside, *draw("plain", 2, 30))
    breed(pair, 0, (1, 1))
    compiled, (population, _) = pair.annealers[0], pair.populations
    assert compiled.breed(population, (5, 10), (1.0, 0.5), 0.0) == 0
    assert compiled.breed(population, (5, 10), (1.0, 0.5), 1e6) == 5
    assert 0 < compiled.breed(population, (10**6, 100), (1.0, 0.5), 0.05) < 10**6
