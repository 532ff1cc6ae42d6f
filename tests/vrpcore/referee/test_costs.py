"""Lengths of nearly opposite places, and the price of uneven work."""

import pytest

from tests.build import constrained, on_a_line
from tests.vrpcore.referee.days import cost, day, problems, report
from vrpcore.instance.plan import Plan, Route
from vrpcore.instance.relations import Balance
from vrpcore.referee.costs import price_of_uneven
from vrpcore.solve.answer import planned


@pytest.mark.parametrize("prices", [{}, {"duration_cost": 1}, {"travel_cost": 1}])
def test_times_between_nearly_opposite_places_have_an_allowance(prices):
    """The two ways to compute this length differ by 0.19 m."""
    instance = constrained(
        depot=[4, -36],
        metric="haversine",
        customers=[{"x": -175.999998, "y": 36.000001}],
        vehicles=[{"speed": 0.5, **prices}],
    )
    answer = planned(instance, Plan([Route(0, (1,))]), ())  # raises where the check finds it wrong
    assert answer.routes[0].schedule.duration == pytest.approx(2 * 40_030_228.9, abs=1)


KEYS = {
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
