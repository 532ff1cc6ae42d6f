"""Single legs by hand, and the price of uneven work."""

import dataclasses
import math

import pytest

from tests.build import constrained, on_a_line, plain
from tests.vrpcore.referee.days import cost, day, problems, report
from vrpcore.cost.distance import distance_matrix
from vrpcore.instance.plan import Route
from vrpcore.instance.relations import Balance
from vrpcore.referee.costs import is_close, leg_length, price_of_uneven
from vrpcore.solve.answer import planned


def test_close():
    assert is_close(1.0, 1.0 + 1e-10, 0.0)
    assert not is_close(1.0, 1.1, 0.05)
    assert is_close(1.0, 1.1, 0.2)


@pytest.mark.parametrize(
    ("metric", "length"), [("euclidean", math.sqrt(10)), ("euc_2d", 3), ("ceil_2d", 4)]
)
def test_lengths_by_hand(metric, length):
    found, slack = leg_length(plain([[0, 0], [1, 3]], metric=metric), 0, 1)
    assert (found, slack) == (length, 0.0)
    assert isinstance(found, int) is (metric != "euclidean")


def test_a_matrix_has_directions():
    matrix = plain(None, distances=[[0, 2], [3, 0]])
    assert (leg_length(matrix, 0, 1), leg_length(matrix, 1, 0)) == ((2.0, 0.0), (3.0, 0.0))


def test_nearly_opposite_points_have_an_allowance():
    globe = plain([[0, 0], [180, 0], [10, 20]], metric="haversine")
    assert leg_length(globe, 0, 1)[1] == 0.3
    length, slack = leg_length(globe, 0, 2)
    assert (length, slack) == (pytest.approx(distance_matrix(globe)[0, 2], rel=1e-12), 0.0)


@pytest.mark.parametrize("prices", [{}, {"duration_cost": 1}, {"travel_cost": 1}])
def test_so_have_the_times_that_follow_from_them(prices):
    """The two ways to compute this length differ by 0.19 m."""
    instance = constrained(
        depot=[4, -36],
        metric="haversine",
        customers=[{"x": -175.999998, "y": 36.000001}],
        vehicles=[{"speed": 0.5, **prices}],
    )
    answer = planned(instance, [Route(0, (1,))], ())  # raises where the check finds it wrong
    assert answer.routes[0].schedule.duration == pytest.approx(2 * 40_030_228.9, abs=1)


def test_neither_coordinates_nor_distances():
    nowhere = dataclasses.replace(plain([[0, 0], [1, 3]]), coords=None)
    with pytest.raises(ValueError, match="t: neither coords nor distances"):
        leg_length(nowhere, 0, 1)


KEYS = {
    "depots": [{"id": "d", "x": 0, "y": 0}],
    "customers": on_a_line(3, 7, 8, demand=[4, 1, 1], pickup=[0, 2, 0], service=[0, 0, 9]),
    "vehicles": [{"id": "van", "capacity": 9}],
}


@pytest.mark.parametrize(
    ("balance", "price"),
    [
        ({"duration": 2.0}, 50.0),
        ({"distance": 2.0}, 32.0),
        ({"customers": 2.0}, 4.0),
        ({"load": 2.0}, 14.0),
        ({"load": 2.0, "duration": 1.0}, 39.0),
        ({"load": 0.0}, 0.0),
    ],
)
def test_prices_by_hand(balance, price):
    instance = day(KEYS, balance=Balance(**balance))
    routes = report(1, 2), report(3)
    assert cost(instance, *routes) == 30 + price
    assert cost(instance, *routes, balance=price, cost=30 + price) == 30 + price
    wrong = problems(instance, *routes, balance=price + 1, cost=30.0)
    assert f"balance: {price + 1}, expected {price}" in wrong


def test_it_is_stated_where_times_are():
    instance = day(KEYS, balance=Balance(customers=1.0))
    one = report(1, 2, 3, departure=0.0, begins=(3.0, 7.0, 8.0))
    assert problems(instance, one) == ["balance: missing, expected 3.0"]


def test_no_route_costs_nothing():
    assert price_of_uneven(Balance(duration=2.0), []) == (0.0, 0.0)
