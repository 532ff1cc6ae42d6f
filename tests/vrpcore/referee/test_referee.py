import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import plain
from vrpcore.cost.distance import distance_matrix
from vrpcore.instance.instance import EARTH_RADIUS_M, METRICS
from vrpcore.instance.solution import RouteReport, Solution
from vrpcore.referee.referee import check_solution

NAN = math.nan
SQUARE = plain([[0, 0], [3, 0], [3, 4], [0, 4]], capacity=2, name="square", ids=("a", "b", "c"))
RIGHT = Solution(
    name="square",
    status="solved",
    cost=20.0,
    routes=(RouteReport(("a", "b"), 2.0, 12.0), RouteReport(("c",), 1.0, 8.0)),
)


def with_(base, **changes):
    return dataclasses.replace(base, **changes)


def legs(instance, routes):
    """Cost of each route by the fast matrix, an independent path to the same numbers."""
    matrix = distance_matrix(instance)
    return [math.fsum(matrix[a, b] for a, b in zip((0, *r), (*r, 0), strict=True)) for r in routes]


def test_hand_computed():
    result = check_solution(SQUARE, RIGHT)
    assert (result.ok, result.cost, result.problems) == (True, 20.0, ())


@pytest.mark.parametrize(
    ("metric", "cost"),
    [("euclidean", 2 * math.sqrt(2) + 2 * math.sqrt(5)), ("euc_2d", 6), ("ceil_2d", 10)],
)
def test_each_planar_metric(metric, cost):
    instance = with_(SQUARE, coords=np.array([[0, 0], [1, 1], [1, 2], [0, 0.0]]), metric=metric)
    alone = tuple(RouteReport((name,), 1.0, NAN) for name in "abc")
    result = check_solution(instance, with_(RIGHT, cost=cost, routes=alone))
    assert result.problems == ()
    assert result.cost == pytest.approx(cost)
    assert isinstance(result.cost, int) == (metric != "euclidean")


def test_halves_are_rounded_up():
    instance = with_(SQUARE, coords=np.array([[0, 0], [2.5, 0], [0, 0], [0, 0]]), metric="euc_2d")
    assert check_solution(instance, with_(RIGHT, cost=None)).cost == 6


def test_a_quarter_of_the_equator():
    instance = with_(
        SQUARE, coords=np.array([[0, 0], [90, 0], [-180, 0], [0, -90.0]]), metric="haversine"
    )
    quarter = EARTH_RADIUS_M * math.pi / 2
    routes = (RouteReport(("a", "b"), 2.0, 4 * quarter), RouteReport(("c",), 1.0, 2 * quarter))
    result = check_solution(instance, with_(RIGHT, cost=6 * quarter, routes=routes))
    assert result.ok, result.problems


@pytest.mark.parametrize("error", [-1.1e-9, -0.9e-9, 0.9e-9, 1.1e-9])
def test_stated_numbers_may_differ_by_a_billionth(error):
    """Of a cost and of a load that the capacity does not limit."""
    right, roomy = abs(error) < 1e-9, with_(SQUARE, capacity=9.0)
    for changes in ({"cost": 20.0 * (1 + error)}, route(0, cost=12.0 * (1 + error))):
        assert check_solution(roomy, with_(RIGHT, **changes)).ok is right
    assert check_solution(roomy, with_(RIGHT, **route(0, load=2.0 * (1 + error)))).ok is right


@pytest.mark.parametrize(
    ("aside", "limit"),
    [(0.0, 0.6), (0.001, 0.6), (0.0013, 0.04)],  # degrees; it changes at 2e-5 rad = 0.00115
)
def test_metres_of_slack_on_the_way_to_the_other_side_of_the_earth(aside, limit):
    """There and back twice 0.3 m; elsewhere 1e-9 of 40 000 km, 4 cm."""
    coords = np.array([[0, 0], [180 - aside, 0], [0, 0], [0, 0]])
    there = with_(SQUARE, coords=coords, metric="haversine")
    cost = 2 * EARTH_RADIUS_M * math.radians(180 - aside)
    for off, right in ((limit - 0.02, True), (limit + 0.02, False)):
        for sign in (-1, 1):
            routes = (
                RouteReport(("a", "b"), 2.0, cost + sign * off),
                RouteReport(("c",), 1.0, 0.0),
            )
            found = with_(RIGHT, cost=None, routes=routes)
            assert check_solution(there, found).ok is right, (off, sign)
            routes = (RouteReport(("a",), 1.0, NAN), RouteReport(("b", "c"), 2.0, NAN))
            found = with_(RIGHT, cost=cost + sign * off, routes=routes)
            assert check_solution(there, found).ok is right, (off, sign)


def test_a_sine_above_one_is_one():
    """As rounding makes it for these two places, on opposite sides of the Earth."""
    coords = np.array([[-65.35, -12.23], [-65.35 + 180, 12.23], [-65.35, -12.23], [0, 0]])
    instance = with_(SQUARE, coords=coords, metric="haversine")
    routes = (
        RouteReport(("a", "b"), 2.0, 2 * math.pi * EARTH_RADIUS_M),
        RouteReport(("c",), 1.0, NAN),
    )
    assert check_solution(instance, with_(RIGHT, cost=None, routes=routes)).problems == ()


def test_an_asymmetric_matrix_is_taken_in_its_direction():
    matrix = np.array([[0, 1, 2, 3], [4, 0, 5, 6], [7, 8, 0, 9], [10, 11, 12, 0.0]])
    instance = with_(SQUARE, coords=None, distances=matrix)
    routes = (RouteReport(("a", "b"), 2.0, 1 + 5 + 7), RouteReport(("c",), 1.0, 13))
    assert check_solution(instance, with_(RIGHT, cost=26, routes=routes)).ok


def test_no_customers():
    empty = plain([[0, 0]], name="e")
    assert check_solution(empty, Solution(name="e", status="solved", cost=0.0)).ok
    assert not check_solution(empty, Solution(name="e", status="solved", cost=1.0)).ok


def route(position, **changes):
    routes = list(RIGHT.routes)
    routes[position] = dataclasses.replace(routes[position], **changes)
    return {"routes": tuple(routes)}


WRONG = [
    ({"status": "partial"}, "status is partial, there is no solution"),
    ({"status": "infeasible"}, "status: infeasible, but nothing proves it; expected partial"),
    ({"cost": 20.0001}, "cost: 20.0001, expected 20.0"),
    ({"cost": NAN}, "cost: nan, expected 20.0"),
    ({"routes": RIGHT.routes[:1], "cost": 12.0}, "routes: customer 'c' is not visited"),
    (route(1, customers=("a",)), "routes[1].customers[0]: customer 'a' is visited twice"),
    (route(1, customers=("x",)), "routes[1].customers[0]: 'x' is not a customer of the instance"),
    (route(1, customers=(3,)), "routes[1].customers[0]: 3 is not a customer of the instance"),
    (route(0, customers=("a", "b", "c")), "routes[0]: a load of 3.0 exceeds capacity 2.0"),
    (route(0, load=1.0), "routes[0].load: 1.0, expected 2.0"),
    (route(0, cost=12.00001), "routes[0].cost: 12.00001, expected 12.0"),
]


@pytest.mark.parametrize(("changes", "problem"), WRONG)
def test_each_problem_by_its_message(changes, problem):
    result = check_solution(SQUARE, with_(RIGHT, **changes))
    assert not result.ok
    assert problem in result.problems


def test_infeasible_is_right_where_too_few_vehicles_prove_it():
    claim = Solution(name="t", status="infeasible")  # three of 1, two of them in a vehicle
    for most, right in ((1, True), (2, False), (None, False)):
        found = check_solution(with_(SQUARE, max_vehicles=most), claim)
        assert (found.ok, found.cost) == (right, None)


def test_unknown_customers_leave_no_cost():
    assert check_solution(SQUARE, with_(RIGHT, **route(1, customers=("x",)))).cost is None


def test_the_cost_of_a_route_with_an_unknown_customer_is_not_compared():
    result = check_solution(SQUARE, with_(RIGHT, **route(1, customers=("c", "x"), cost=999.0)))
    assert result.problems == ("routes[1].customers[1]: 'x' is not a customer of the instance",)
    # Nor do the routes behind it give a cost again.
    turned = with_(RIGHT, routes=(RouteReport(("x", "c"), 1.0, 8.0), *RIGHT.routes[:1]))
    assert check_solution(SQUARE, turned).cost is None


def test_vehicles_are_counted_without_empty_routes():
    spare = with_(RIGHT, routes=(*RIGHT.routes, RouteReport((), 0.0, 0.0)))
    assert check_solution(with_(SQUARE, max_vehicles=2), spare).ok
    assert check_solution(with_(SQUARE, max_vehicles=1), spare).problems == (
        "routes: 2 vehicles are used, max_vehicles is 1",
    )


def test_whole_costs_must_match_exactly():
    instance = with_(SQUARE, metric="euc_2d", coords=SQUARE.coords * 1e9)
    routes = (RouteReport(("a", "b"), 2, 12 * 10**9), RouteReport(("c",), 1, 8 * 10**9))
    assert check_solution(instance, with_(RIGHT, cost=20 * 10**9, routes=routes)).ok
    assert not check_solution(instance, with_(RIGHT, cost=20 * 10**9 + 1, routes=routes)).ok


@pytest.mark.parametrize("far, exact", [(2**52 - 1, True), (2**52, False)])
def test_whole_costs_are_exact_below_two_to_the_53(far, exact):
    """From there on not every whole number is a float64."""
    coords = np.array([[0, 0], [float(far), 0], [0, 0], [0, 0]])
    whole = with_(SQUARE, metric="euc_2d", coords=coords)
    for off in (0, 2):
        routes = (RouteReport(("a", "b"), 2.0, float(2 * far + off)), RouteReport(("c",), 1.0, 0.0))
        found = check_solution(whole, with_(RIGHT, cost=None, routes=routes))
        assert found.ok is (off == 0 or not exact)
        assert found.cost == 2 * far


def test_what_is_not_stated_is_not_compared():
    routes = tuple(RouteReport(item.customers, NAN, NAN) for item in RIGHT.routes)
    result = check_solution(SQUARE, with_(RIGHT, cost=None, routes=routes))
    assert (result.ok, result.cost) == (True, 20.0)


def test_a_load_may_exceed_the_capacity_by_rounding_only():
    instance = with_(SQUARE, capacity=2 - 1e-9)
    assert check_solution(instance, RIGHT).ok
    result = check_solution(with_(SQUARE, capacity=2 - 3e-9), RIGHT)
    assert result.problems == ("routes[0]: a load of 2.0 exceeds capacity 1.999999997",)
    brim = with_(SQUARE, capacity=1.0, demand=np.array([0, 0.5 + 1e-9, 0.5, 1.0]))
    assert math.fsum(brim.demand[1:3]) == brim.load_limit
    assert check_solution(brim, with_(RIGHT, **route(0, load=brim.load_limit))).ok


@pytest.mark.parametrize("unknown, more", [(97, 80), (18, 1), (17, 0)])
def test_many_problems_are_counted(unknown, more):
    """Three customers are not visited, too."""
    many = with_(RIGHT, routes=(RouteReport(tuple(range(unknown)), NAN, NAN),), cost=None)
    result = check_solution(SQUARE, many)
    assert not result.ok
    assert len(result.problems) == (21 if more else 20)
    assert (result.problems[-1] == f"and {more} more problems") is (more > 0)


def test_neither_coords_nor_distances_is_a_bug():
    with pytest.raises(ValueError, match="square: neither coords nor distances"):
        check_solution(with_(SQUARE, coords=None), RIGHT)


@given(st.integers(0, 2**32 - 1), st.sampled_from(METRICS), st.booleans())
def test_agrees_with_the_fast_code(seed, metric, matrix):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 8))
    coords = rng.uniform(-90, 90, (size + 1, 2))
    if metric != "haversine":
        coords *= 10.0 ** rng.integers(-9, 9)
    demand = rng.random(size)
    lengths = rng.random((size + 1, size + 1)) if matrix else None
    instance = plain(coords, demand, 100, name="r", metric=metric, distances=lengths)
    order = rng.permutation(size) + 1
    cut = int(rng.integers(0, size))
    routes = [part.tolist() for part in (order[:cut], order[cut:]) if len(part)]
    costs = legs(instance, routes)
    solution = Solution(
        name="r",
        status="solved",
        cost=math.fsum(costs),
        routes=tuple(
            RouteReport(tuple(part), instance.load(tuple(part)), cost)
            for part, cost in zip(routes, costs, strict=True)
        ),
    )
    assert check_solution(instance, solution).problems == ()
    # Backwards and in another order it is as good, where lengths are symmetric.
    if not matrix:
        turned = [RouteReport(r.customers[::-1], r.load, r.cost) for r in solution.routes[::-1]]
        assert check_solution(instance, with_(solution, routes=tuple(turned))).ok


def test_nearly_opposite_places():
    rng = np.random.default_rng(0)
    for _ in range(200):
        longitude, latitude = rng.uniform(-180, 180), rng.uniform(-90, 90)
        opposite = [longitude + 180 + rng.normal() * 1e-9, -latitude + rng.normal() * 1e-9]
        instance = plain([[longitude, latitude], opposite], [0], name="o", metric="haversine")
        (cost,) = legs(instance, [[1]])
        found = Solution(name="o", status="solved", cost=cost, routes=(RouteReport((1,), 0, cost),))
        assert check_solution(instance, found).ok


def test_published_solutions(test_data):
    from vrpcore.formats.read import read_instances
    from vrpcore.formats.solutions import read_solutions

    for file in sorted((test_data / "cvrplib").glob("*/*.vrp")):
        (instance,) = read_instances(file)
        (solution,) = read_solutions(file.with_suffix(".sol"))
        result = check_solution(instance, solution)
        assert result.ok, (file, result.problems)
        assert result.cost == solution.cost
