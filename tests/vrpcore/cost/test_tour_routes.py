import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import plain
from vrpcore.cost.tour_routes import (
    largest_load,
    route_costs,
    routes_to_tour,
    tour_to_routes,
    visits_once,
)

CORNERS = [[0, 0], [3, 0], [3, 4], [0, 4.5]]


def test_by_hand():
    assert tour_to_routes(np.array([0, 2, 1, 0, 0, 3, 0])) == [[2, 1], [3]]
    assert tour_to_routes(np.array([1, 2])) == [[1, 2]]
    assert tour_to_routes(np.array([0, 0])) == []
    assert routes_to_tour([[2, 1], [3]], 6).tolist() == [2, 1, 0, 3, 0, 0]
    assert routes_to_tour([[2, 1], [3]], 4).tolist() == [2, 1, 0, 3]
    assert routes_to_tour([], 2).tolist() == [0, 0]


@given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=4), max_size=5))
def test_there_and_back(routes):
    size = sum(map(len, routes)) + len(routes) + 2
    assert tour_to_routes(routes_to_tour(routes, size)) == routes


@pytest.mark.parametrize(
    ("route", "metric", "cost"),
    [
        ([], "euclidean", 0.0),
        ([1], "euclidean", 6.0),
        ([1, 2], "euclidean", 3.0 + 4.0 + 5.0),
        ([3, 2], "euclidean", 4.5 + math.sqrt(9.25) + 5.0),
        ([3, 2], "euc_2d", 5 + 3 + 5),  # 4.5 to 5, 3.04 to 3
        ([3, 2], "ceil_2d", 5 + 4 + 5),
    ],
)
def test_the_cost_of_a_route_by_hand(route, metric, cost):
    found = route_costs(plain(CORNERS, metric=metric), [route, [1], route])
    assert [found[0], found[2]] == pytest.approx([cost, cost], rel=1e-15)


def test_a_matrix_is_read_in_the_direction_of_the_route():
    matrix = np.array([[9, 1, 2, 3], [4, 9, 5, 6], [7, 8, 9, 10], [11, 12, 13, 9.0]])
    one_way = plain(CORNERS, distances=matrix)
    routes = [[1, 2], [], [2, 1], [3]]
    assert route_costs(one_way, routes) == [1 + 5 + 7, 0.0, 2 + 8 + 4, 3 + 11]
    assert route_costs(one_way, []) == []


def test_each_customer_once_and_nobody_else():
    tours = np.array([[1, 2, 0, 0], [1, 0, 2, 3], [1, 2, 1, 0], [2, 0, 0, 0], [0, 2, 3, 1]])
    customers = np.tile([False, True, True, False], (5, 1))
    one, two = np.ones(5, np.int64), np.full(5, 2)
    assert visits_once(tours, customers, one).tolist() == [True, False, False, False, False]
    customers[:, 1], customers[:, 3] = False, True  # 1 is a second depot
    assert visits_once(tours, customers, two).tolist() == [False, True, False, False, True]
    with pytest.raises(IndexError):
        visits_once(tours + 1, customers, two)


def test_the_largest_load_is_that_of_one_route():
    tours = np.array([[1, 2, 0, 3], [1, 0, 2, 3], [0, 3, 0, 0]])
    demand = np.tile([0.0, 1.0, 2.0, 4.0], (3, 1))
    assert largest_load(tours, demand).tolist() == [4.0, 6.0, 4.0]
