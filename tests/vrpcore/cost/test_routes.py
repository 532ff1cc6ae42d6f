import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vrpcore.cost.routes import routes_to_tour, tour_to_routes


def test_by_hand():
    assert tour_to_routes(np.array([0, 2, 1, 0, 0, 3, 0])) == [[2, 1], [3]]
    assert tour_to_routes(np.array([1, 2])) == [[1, 2]]
    assert tour_to_routes(np.array([0, 0])) == []


@given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=4), max_size=5))
def test_there_and_back(routes):
    size = sum(map(len, routes)) + len(routes) + 2
    assert tour_to_routes(routes_to_tour(routes, size)) == routes
