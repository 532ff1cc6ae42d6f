import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import plain, random_instance
from tests.vrpcore.search.cases import check, total
from vrpcore.instance.instance import METRICS
from vrpcore.search import savings
from vrpcore.search.savings import savings_routes


def test_hand_computed_example():
    # s(1,2) = 1 + 1 - 0 would be 2 at one point; here s12 = 4+5-3 = 6, s34 = 4+5-3 = 6, and
    # the pairs across the depot save nothing. Two routes of 4 + 3 + 5 = 12 each.
    instance = plain([(0, 0), (4, 0), (4, 3), (-4, 0), (-4, -3)], [1, 1, 1, 1], 2)
    routes = savings_routes(instance)
    assert sorted(map(sorted, routes)) == [[1, 2], [3, 4]]
    assert total(instance, routes) == pytest.approx(24.0)


def test_capacity_stops_the_best_join():
    # 1 and 2 save most but do not fit together; each goes with a light neighbour instead.
    matrix = np.array(
        [
            [0, 10, 10, 10, 10],
            [10, 0, 1, 5, 9],
            [10, 1, 0, 9, 5],
            [10, 5, 9, 0, 9],
            [10, 9, 5, 9, 0],
        ],
        float,
    )
    routes = savings_routes(plain(None, [3, 3, 1, 1], 4, distances=matrix))
    assert sorted(map(sorted, routes)) == [[1, 3], [2, 4]]


def test_one_way_lengths_are_never_reversed():
    # depot -> 1 -> 2 -> depot costs 3, the other direction 300.
    matrix = np.array([[0, 1, 100], [100, 0, 1], [1, 100, 0]], float)
    assert savings_routes(plain(None, [1, 1], 2, distances=matrix)) == [[1, 2]]


def test_one_way_routes_join_end_to_start_only():
    # 1 -> 2 saves 19, then 1 -> 3 saves 15: as 1 no longer ends its route, that join would
    # have to turn the route around, where 2 -> 1 costs 100. Three stays alone.
    matrix = np.full((4, 4), 100.0)
    np.fill_diagonal(matrix, 0.0)
    matrix[0, 1:] = matrix[1:, 0] = 10.0
    matrix[1, 2], matrix[1, 3] = 1.0, 5.0
    instance = plain(None, [1, 1, 1], 3, distances=matrix)
    routes = savings_routes(instance)
    assert sorted(routes) == [[1, 2], [3]]
    assert total(instance, routes) == 41.0


@pytest.mark.parametrize("size", [0, 1])
def test_smallest_instances(size):
    instance = plain([(0, 0), (3, 4)][: size + 1], [2] * size, 2)
    assert savings_routes(instance) == [[1]] * size


def test_demand_equal_to_capacity_and_zero_demand():
    instance = plain([(0, 0), (1, 0), (1, 1), (0, 1)], [5, 0, 5], 5)
    routes = savings_routes(instance)
    check(instance, routes)
    assert len(routes) == 2


def test_sum_of_decimal_demands_may_fill_the_vehicle_exactly():
    instance = plain([(0, 0), (1, 0), (1, 0.1), (1, 0.2)], [0.1, 0.2, 0.7], 1.0)
    assert len(savings_routes(instance)) == 1


@pytest.mark.parametrize(("excess", "vehicles"), [(-5e-12, 1), (5e-12, 2)])
def test_exact_sum_decides_close_to_the_limit(excess, vehicles):
    limit = plain([(0, 0)], [], 1.0).load_limit
    instance = plain([(0, 0), (1, 0), (1, 0.1)], [0.25, limit * (1 + excess) - 0.25], 1.0)
    assert len(savings_routes(instance)) == vehicles


def test_many_customers_at_one_address_share_vehicles():
    # Each has only its own address among its 100 nearest; the loads allow two vehicles.
    points = np.repeat([(1.0, 0.0), (1.0, 0.1), (1.0, 0.2), (1.0, 0.3)], 100, axis=0)
    instance = plain(np.vstack([[(0.0, 0.0)], points]), [1] * 400, 200)
    routes = savings_routes(instance)
    check(instance, routes)
    assert len(routes) == 2


@pytest.mark.parametrize("size", [200, 480])
def test_vehicles_are_full_where_all_customers_have_one_address(size):
    """The lists of nearest customers are the same for all, so most routes are joined later."""
    instance = plain([(0, 0), *[(3, 4)] * size], [1] * size, 7)
    assert len(savings_routes(instance)) == -(-size // 7)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    size=st.integers(1, 40),
    metric=st.sampled_from(METRICS),
    capacity=st.floats(9.0, 200.0),
)
def test_serves_everyone_within_the_limit(seed, size, metric, capacity):
    instance = random_instance(seed, size, capacity, metric=metric)
    alone = [[customer] for customer in range(1, size + 1)]
    plain = savings_routes(instance)
    assert total(instance, plain) <= total(instance, alone) * (1 + 1e-12)
    check(instance, plain)


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), size=st.integers(1, 30))
def test_one_way_matrices(seed, size):
    matrix = np.random.default_rng(seed).random((size + 1, size + 1))
    np.fill_diagonal(matrix, 0.0)
    instance = plain(None, [1] * size, 4, distances=matrix)
    routes = savings_routes(instance)
    check(instance, routes)
    assert total(instance, routes) <= matrix[0, 1:].sum() + matrix[1:, 0].sum() + 1e-9


@pytest.mark.parametrize("size", [160, 500, 501, 700])
def test_sizes_on_each_side_of_limits(size):
    instance = random_instance(3, size, 60.0)
    routes = savings_routes(instance)
    check(instance, routes)
    assert total(instance, routes) < 0.5 * total(instance, [[each] for each in range(1, size + 1)])


def test_without_a_matrix_only_rounding_differs(monkeypatch):
    instance = random_instance(5, 180)
    by_matrix = savings_routes(instance)
    monkeypatch.setattr(savings, "MOST_BY_MATRIX", 100)
    assert total(instance, savings_routes(instance)) == pytest.approx(
        total(instance, by_matrix), rel=0.01
    )
