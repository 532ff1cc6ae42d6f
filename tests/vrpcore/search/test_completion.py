from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import plain, random_instance
from tests.vrpcore.search.cases import check, total
from vrpcore.search import completion
from vrpcore.search.completion import complete_routes
from vrpcore.search.savings import savings_routes


def line(places, demand=None, capacity=3.0, **changes):
    """Customers on a line, the depot at 0."""
    return plain([[0, 0], *([x, 0] for x in places)], demand, capacity, **changes)


def test_what_solves_the_instance_stays():
    assert complete_routes(line([1, 2, 3]), [[3, 1], [], [2]]) == [[3, 1], [2]]
    assert complete_routes(line([]), []) == []
    tenths = line([1, 2, 3], [0.1, 0.2, 0.3], 0.6)  # their sum in floats is beyond 0.6
    assert complete_routes(tenths, [[1, 2, 3]]) == [[1, 2, 3]]
    assert complete_routes(tenths, [[1, 2]]) == [[1, 3, 2]]


def test_the_first_of_two_counts():
    assert complete_routes(line([1, 2, 3]), [[1, 2, 1], [2, 3]]) == [[1, 2], [3]]


def test_routes_that_are_too_full_are_split():
    assert complete_routes(line([1, 2, 3, 4, 5, 6, 7]), [[1, 2, 3, 4, 5, 6, 7]]) == [
        [1, 2, 3], [4, 5, 6], [7],
    ]  # fmt: skip
    mixed = line([1, 2, 3, 4], [2.0, 2.0, 1.0, 3.0])
    assert complete_routes(mixed, [[1, 2, 3, 4]]) == [[1], [2, 3], [4]]


def test_who_is_missing_is_inserted_where_it_costs_least():
    assert complete_routes(line([1, 2, 5]), [[1, 2]]) in ([[1, 2, 3]], [[1, 3, 2]])
    corner = replace(line([1, 1, 0]), coords=np.array([[0.0, 0], [4, 0], [4, 4], [0, 4]]))
    assert complete_routes(corner, [[1, 3]]) == [[1, 2, 3]]
    full = line([1, 2, 3, 2.5])
    assert complete_routes(full, [[1, 2, 3]]) == [[1, 2, 3], [4]]


def test_one_way_lengths_count_as_they_are():
    distances = np.full((4, 4), 9.0)
    distances[0, 1] = distances[1, 2] = distances[2, 3] = distances[3, 0] = 1.0
    assert complete_routes(plain(capacity=3, distances=distances), [[1, 3]]) == [[1, 2, 3]]


def test_no_more_routes_than_vehicles_where_they_suffice():
    two = line([1, 2, 3, 4, 5], max_vehicles=2)
    assert complete_routes(two, [[1], [2, 3], [4, 5]]) == [[1, 2, 3], [4, 5]]
    # Nothing fits into one of two vehicles: a third route, which the search has to remove.
    split = line([1, 2, 3], [2.0, 2.0, 2.0], max_vehicles=2)
    assert len(complete_routes(split, [[1], [2]])) == 3


@given(st.data())
def test_any_routes_become_a_solution(data):
    demand = data.draw(st.lists(st.floats(0, 1), min_size=1, max_size=12))
    size = len(demand)
    customers = st.lists(st.integers(1, size), max_size=2 * size)
    routes = data.draw(st.lists(customers, max_size=4))
    problem = line(range(size), demand, capacity=1.0)
    found = complete_routes(problem, routes)
    assert sorted(each for route in found for each in route) == list(range(1, size + 1))
    assert all(problem.load(tuple(route)) <= problem.load_limit for route in found)


def test_many_who_are_missing_get_routes_of_their_own(monkeypatch):
    monkeypatch.setattr(completion, "MOST_LOOKS", 6)  # of six customers: one is inserted
    known = line([1, 2, -4, -5, -6, 1.5], [1, 1, 1, 1, 1, 1.5], 4.0)
    found = complete_routes(known, [[1, 2]])
    assert found == [[1, 6, 2], [3, 4, 5]] or found == [[1, 6, 2], [5, 4, 3]]


@pytest.mark.parametrize("size", [40, 600])  # savings in Python, and compiled
def test_hardly_any_known_route_is_completed_by_savings(monkeypatch, size):
    monkeypatch.setattr(completion, "MOST_LOOKS", 0)
    instance = random_instance(1, size)
    found = complete_routes(instance, [[2, 1]])
    check(instance, found)
    assert found[0] == [2, 1]
    assert total(instance, found) < 1.2 * total(instance, savings_routes(instance))
