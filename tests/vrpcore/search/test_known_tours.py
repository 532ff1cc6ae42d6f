import numpy as np
import pytest

from tests.build import plain
from tests.vrpcore.search.cases import known_problems
from vrpcore.cost.cost import tour_cost
from vrpcore.cost.distance import distance_matrix
from vrpcore.cost.tour_routes import tour_to_routes
from vrpcore.search.evolution import Evolution
from vrpcore.search.hgs_library import Problem
from vrpcore.search.known_tours import improve_tours, written_like


def by_evolution(given, coords, tours, row, iterations):
    """The routes that the search of one instance finds."""
    nodes = 1 + int(given.num_customers[row])
    instance = plain(
        demand=given.demand[row, 1:nodes],
        coords=coords[row, :nodes],
        capacity=float(given.capacity[row]),
    )
    problem = Problem(instance, distance_matrix(instance))
    evolution = Evolution(instance, problem, [tour_to_routes(tours[row])], 0)
    evolution.run(iterations * instance.num_customers)
    return evolution.best()


@pytest.mark.parametrize(
    ("sizes", "iterations"),
    [((2, 3, 15, 16, 40), 1), ((12, 7, 15), 30), ((20, 50, 21, 5), 8), ((99, 100, 101), 3)],
    ids=str,
)
def test_tours_are_those_that_the_search_of_one_instance_finds(sizes, iterations):
    given, coords, tours = known_problems(sizes)
    found = improve_tours(given, coords, tours, iterations)
    for row, tour in enumerate(found):
        expected = by_evolution(given, coords, tours, row, iterations)
        assert tour_to_routes(tour) == written_like(tours[row], expected, turn=True)
    assert (tour_cost(coords, found[:, None]) <= tour_cost(coords, tours[:, None])).all()
    assert (found != tours).any(axis=1).sum() >= len(sizes) - 1


def test_what_else_is_in_a_call_changes_nothing():
    given, coords, tours = known_problems((30, 12, 60, 12, 3))
    whole = improve_tours(given, coords, tours, 5)
    rows = (slice(0, 2), slice(2, 5), slice(4, 5))
    for part in rows:
        assert (improve_tours(given.take(part), coords[part], tours[part], 5) == whole[part]).all()
    backwards = slice(None, None, -1)
    assert (
        improve_tours(given.take(backwards), coords[backwards], tours[backwards], 5) == whole[::-1]
    ).all()


def test_a_single_customer_needs_no_search():
    given, coords, tours = known_problems((1, 9))
    found = improve_tours(given, coords, tours, 5)
    assert (found[0] == tours[0]).all()
    assert (found[1] != tours[1]).any()


def test_where_somebody_cannot_be_served_a_tour_stands():
    given, coords, tours = known_problems((9, 9))
    given.demand[0, 4] = 21
    tours[0, tours[0] == 4] = 0
    found = improve_tours(given, coords, tours, 5)
    assert (found[0] == tours[0]).all()
    assert (found[1] != tours[1]).any()


def test_routes_that_a_tour_has_no_room_for_are_not_taken():
    """Now and then it takes one route more to drive less."""
    given, coords, tours = known_problems((7,) * 200)
    found = improve_tours(given, coords, tours, 10)
    before, after = (
        np.array([len(tour_to_routes(tour)) for tour in some]) for some in (tours, found)
    )
    (first, *_) = np.flatnonzero(after > before)
    one, needed = slice(first, first + 1), 6 + after[first]  # a depot between routes
    assert (
        improve_tours(given.take(one), coords[one], tours[one, :needed], 10) == found[one, :needed]
    ).all()
    short = tours[one, : needed - 1]
    assert (improve_tours(given.take(one), coords[one], short, 10) == short).all()


def test_routes_keep_the_order_and_the_direction_of_a_tour():
    tour = np.array([4, 3, 0, 2, 1, 0, 0, 0, 0, 0])
    routes = [[1, 2], [3, 4]]
    assert written_like(tour, routes, turn=True) == [[4, 3], [2, 1]]
    assert written_like(tour, routes, turn=False) == [[3, 4], [1, 2]]
    mixed = np.array([5, 1, 2, 0, 3, 4, 0, 0, 0, 0])
    assert written_like(mixed, [[4, 3, 2], [5, 1]], turn=True) == [[5, 1], [2, 3, 4]]


def test_of_equal_places_the_lower_first_customer_comes_first():
    tour = np.array([4, 2, 3, 1])
    assert written_like(tour, [[2, 3], [1, 4]], turn=False) == [[1, 4], [2, 3]]
    assert written_like(tour, [[2, 3], [1, 4]], turn=True) == [[2, 3], [4, 1]]


def test_a_route_that_agrees_as_often_as_not_goes_where_it_ends_later():
    tour = np.array([1, 2, 3])
    assert written_like(tour, [[3, 1, 2]], turn=True) == [[2, 1, 3]]
    assert written_like(tour, [[2, 1, 3]], turn=True) == [[2, 1, 3]]
