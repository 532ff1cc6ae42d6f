"""Known routes, and the vehicles that they have, stay where nothing is better."""

import itertools

import pytest

from tests.build import constrained, on_a_line
from vrpcore.instance.plan import ANY_VEHICLE, Plan, Route
from vrpcore.search.effort import Effort
from vrpcore.search.kept_routes import is_better, keep_vehicles
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan


def test_a_rank_is_better_by_more_than_rounding():
    assert is_better((0, 2, 9.0), (1, 0, 1.0))
    assert is_better((0, 1, 9.0), (0, 2, 1.0))
    assert is_better((0, 1, 0.999), (0, 1, 1.0))
    assert not is_better((0, 1, 0.1 + 0.2 - 1e-16), (0, 1, 0.3))
    assert not is_better((0, 1, 0.0), (0, 1, 0.0))
    assert not is_better((0, 2, 1.0), (0, 1, 9.0))


def towns(size, **vehicle):
    """As many customers east as west of a depot; three vehicles, each for one of the towns."""
    places = [side * (50 + step) for side in (1, -1) for step in range(size)]
    vehicles = [{"id": name, "count": 1, "max_customers": size} | vehicle for name in "abc"]
    return constrained(vehicles=vehicles, customers=on_a_line(*places))


@pytest.mark.parametrize("level", ["none", "fast"])
@pytest.mark.parametrize("size", [2, 8])
def test_a_start_that_costs_as_little_stays_with_its_vehicles(size, level):
    problem = RichProblem(towns(size))
    east, west = tuple(range(1, size + 1)), tuple(range(size + 1, 2 * size + 1))
    for vehicles in itertools.permutations(range(3), 2):
        for order in (1, -1):
            start = [Route(vehicles[0], east[::order]), Route(vehicles[1], west[::-order])]
            found = search_plan(problem, Effort(level), starts=[Plan(start)])
            assert found.routes == start
            assert not found.repaired


@pytest.mark.parametrize("size", [3, 8])
def test_stops_of_better_routes_stay_with_their_vehicles(size):
    problem, last = RichProblem(towns(size)), 2 * size
    for first, second in itertools.permutations(range(3), 2):
        worse = [
            Route(first, (last, *range(2, size + 1))),
            Route(second, (1, *range(size + 1, last))),
        ]
        found = search_plan(problem, starts=[Plan(worse)])
        assert found.cost == 4 * (49 + size)
        towns_of = {route.vehicle: {stop <= size for stop in route.stops} for route in found.routes}
        assert towns_of == {first: {True}, second: {False}}


def test_types_share_routes_where_they_differ_by_name_alone():
    instance = towns(2)
    routes, kept = [Route(0, (1, 2)), Route(1, (3, 4))], [Route(2, (1, 2)), Route(0, (3, 4))]
    known = [Route(2, (2,)), Route(ANY_VEHICLE, (1,)), Route(0, (4, 9))]
    # None has more routes than vehicles.
    for each in (known, [Route(2, (2,)), Route(2, (4,))]):
        assert keep_vehicles(instance.own_constraints, routes, each) == kept


def test_types_that_differ_keep_their_routes():
    customers = on_a_line(5, -5)
    slow = [each | {"service_by_vehicle": {"b": 4}} for each in customers]
    routes, known = [Route(0, (1,)), Route(1, (2,))], [Route(1, (1,)), Route(0, (2,))]
    for keys, stops, kept in (
        ({"fixed_cost": 3}, customers, routes), ({}, slow, routes), ({}, customers, known)
    ):  # fmt: skip
        instance = constrained(vehicles=[{"id": "a", **keys}, {"id": "b"}], customers=stops)
        assert keep_vehicles(instance.own_constraints, routes, known) == kept
