import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import constrained, on_a_line, plain
from tests.vrpcore.referee.days import changed, problems, report
from vrpcore.cost.distance import distance_matrix
from vrpcore.instance.instance import EARTH_RADIUS_M, METRICS
from vrpcore.instance.solution import RouteReport, Solution, Unserved
from vrpcore.referee.referee import check_constraints, check_solution

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


def costing(*costs):
    """The right routes at other costs."""
    return tuple(with_(each, cost=cost) for each, cost in zip(RIGHT.routes, costs, strict=True))


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
    routes = costing(4 * quarter, 2 * quarter)
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
            found = with_(RIGHT, cost=None, routes=costing(cost + sign * off, 0.0))
            assert check_solution(there, found).ok is right, (off, sign)
            routes = (RouteReport(("a",), 1.0, NAN), RouteReport(("b", "c"), 2.0, NAN))
            found = with_(RIGHT, cost=cost + sign * off, routes=routes)
            assert check_solution(there, found).ok is right, (off, sign)


def test_a_sine_above_one_is_one():
    """As rounding makes it for these two places, on opposite sides of the Earth."""
    coords = np.array([[-65.35, -12.23], [-65.35 + 180, 12.23], [-65.35, -12.23], [0, 0]])
    instance = with_(SQUARE, coords=coords, metric="haversine")
    routes = costing(2 * math.pi * EARTH_RADIUS_M, NAN)
    assert check_solution(instance, with_(RIGHT, cost=None, routes=routes)).problems == ()


def test_an_asymmetric_matrix_is_taken_in_its_direction():
    matrix = np.array([[0, 1, 2, 3], [4, 0, 5, 6], [7, 8, 0, 9], [10, 11, 12, 0.0]])
    instance = with_(SQUARE, coords=None, distances=matrix)
    assert check_solution(instance, with_(RIGHT, cost=26, routes=costing(1 + 5 + 7, 13))).ok


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
        routes = costing(float(2 * far + off), 0.0)
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


# Out 3, wait to 10, serve 2, on 4, serve 1, home 7; alone to the third: out and home 1 each.
FLEET = constrained(
    depots=[{"id": "north", "x": 0, "y": 0, "window": [0, 100]}],
    customers=[
        {"id": "a", "x": 3, "y": 0, "demand": [4, 0], "window": [10, 20], "service": 2},
        {"id": "b", "x": 7, "y": 0, "pickup": [3, 1], "service": 1, "skills": ["cold"]},
        {"id": "c", "x": 1, "y": 0, "prize": 5},
    ],
    shipments=[
        {"id": "s", "amount": [2, 0], "pickup": {"x": 1, "y": 0}, "delivery": {"x": 2, "y": 0}}
    ],
    vehicles=[
        {"id": "van", "count": 1, "capacity": [6, 2], "skills": ["cold"], "duration_cost": 0.5},
        {"id": "bike", "count": 1, "capacity": [2, 2], "end": None, "fixed_cost": 10},
    ],
)
VAN = report(
    "a", "b", load=(4.0, 1.0), cost=22.5, start="north", end="north", distance=14.0, duration=17.0,
    departure=7.0, return_=24.0, arrivals=(10.0, 16.0), begins=(10.0, 16.0),
)  # fmt: skip
BIKE = report(
    "s:pickup", "s:delivery", load=(2.0, 0.0), cost=12.0, vehicle="bike", start="north", end=None,
    distance=2.0, duration=2.0, departure=0.0, return_=2.0, arrivals=(1.0, 2.0), begins=(1.0, 2.0),
)  # fmt: skip
LEFT = Unserved("c", "PRIZE")
ANSWER = Solution(name="t", status="solved", cost=39.5, routes=(VAN, BIKE), unserved=(LEFT,))


def answer(*routes, **changes):
    return with_(ANSWER, routes=routes or ANSWER.routes, **changes)


def found(instance, *routes, **stated):
    """Problems of routes that state their customers alone."""
    ends = dict.fromkeys(("start", "end"), instance.own_constraints.depots[0].id)
    return problems(instance, *(report(*ids, vehicle=None, **ends) for ids in routes), **stated)


def test_a_right_answer_is_accepted():
    assert check_constraints(FLEET, ANSWER) == (39.5, [])
    result = check_solution(FLEET, ANSWER)
    assert (result.ok, result.cost, result.problems) == (True, 39.5, ())


WRONG_ANSWERS = [
    (answer(changed(VAN, cost=22.4), BIKE), "routes[0].cost: 22.4, expected 22.5"),
    (answer(cost=39.4), "cost: 39.4, expected 39.5"),
    (answer(changed(VAN, load=(4.0, 0.0)), BIKE), "routes[0].load[1]: 0.0, expected 1"),
    (answer(changed(VAN, load=4.0), BIKE), "routes[0].load: 4.0, expected a list of 2"),
    (
        answer(changed(VAN, load=(4.0,)), BIKE),
        "routes[0].load: a list of 1, expected 2",
    ),
    (answer(changed(VAN, distance=13.0), BIKE), "routes[0].distance: 13.0, expected 14.0"),
    (answer(changed(VAN, duration=16.0), BIKE), "routes[0].duration: 16.0, expected 17.0"),
    (answer(changed(VAN, return_=25.0), BIKE), "routes[0].return: 25.0, expected 24.0"),
    (answer(changed(VAN, departure=6.0), BIKE), "routes[0].departure: 6.0, expected 7.0 for the"),
    (answer(changed(VAN, departure=8.0), BIKE), "routes[0].departure: 8.0, expected 7.0 for the"),
    (answer(VAN, changed(BIKE, departure=-1.0)), "routes[1].departure: -1.0, expected 0.0"),
    (answer(changed(VAN, arrivals=(9.0, 16.0)), BIKE), "routes[0].arrivals[0]: 9.0, expected 10"),
    (answer(changed(VAN, begins=(10.0, 15.0)), BIKE), "routes[0].begins[1]: 15.0, expected 16.0"),
    (answer(changed(VAN, begins=(10.0,)), BIKE), "routes[0].begins: 1 times, expected 2"),
    (answer(changed(VAN, start="south"), BIKE), "routes[0].start: 'south', expected 'north'"),
    (answer(VAN, changed(BIKE, end="north")), "routes[1].end: 'north', expected null"),
    (answer(changed(VAN, vehicle="tram"), BIKE), "routes[0].vehicle: 'tram' is no type of the"),
    (answer(changed(VAN, vehicle=None), BIKE), "routes[0].vehicle: missing, expected one of van"),
    (answer(VAN, BIKE, VAN), "routes: 2 vehicles of type 'van' are used, there are 1"),
    (answer(VAN, BIKE, VAN), "routes[2].customers[0]: customer 'a' is visited twice"),
    (answer(changed(VAN, vehicle="bike"), BIKE), "routes[0].customers[1]: needs 'cold', which"),
    (answer(changed(VAN, vehicle="bike"), BIKE), "routes[0]: a load of 4.0 in dimension 0 at the"),
    (
        answer(VAN, with_(BIKE, customers=("s:delivery", "s:pickup"))),
        "routes[1]: shipment 's' is delivered before it is picked up",
    ),
    (
        answer(VAN, with_(BIKE, customers=("s:pickup",))),
        "routes: shipment 's' is never delivered",
    ),
    (
        answer(
            with_(VAN, customers=("a", "b", "s:delivery")),
            with_(BIKE, customers=("s:pickup",)),
        ),
        "routes: shipment 's' is picked up in routes[1] and delivered in routes[0]",
    ),
    (
        answer(VAN, with_(BIKE, customers=("s:pickup", "x"))),
        "routes[1].customers[1]: 'x' is not a customer of the instance",
    ),
    (answer(VAN), "routes: customer 's' is required and not served"),
    (answer(unserved=()), "unserved: 'c' is not served and not reported"),
    (answer(unserved=(LEFT, LEFT)), "unserved[1]: 'c' is reported twice"),
    (answer(unserved=(LEFT, Unserved("a", "FLEET"))), "unserved[1]: 'a' is served"),
    (answer(unserved=(LEFT, Unserved("s:pickup", "FLEET"))), "unserved[1]: 's:pickup' is no custo"),
    (answer(unserved=(Unserved("c", "FLEET"),)), "unserved[0].reason: FLEET, expected PRIZE"),
    (answer(status="partial"), "status: partial, but all required customers are served"),
    (answer(VAN, status="partial"), "unserved: 's' is not served and not reported"),
    (
        answer(VAN, status="partial", unserved=(LEFT, Unserved("s", "PRIZE"))),
        "unserved[1].reason: PRIZE, expected FLEET",
    ),
    (
        answer(VAN, status="infeasible", unserved=(LEFT, Unserved("s", "FLEET"))),
        "status: infeasible, but nothing proves it; expected partial",
    ),
]


@pytest.mark.parametrize(("solution", "message"), WRONG_ANSWERS)
def test_each_broken_answer_by_its_message(solution, message):
    problems = check_constraints(FLEET, solution)[1]
    assert [text for text in problems if text.startswith(message)], problems
    assert not check_solution(FLEET, solution).ok


def test_what_is_left_out_and_said_is_right():
    unserved = (LEFT, Unserved("s", "FLEET"))
    told = Solution(name="t", status="partial", cost=27.5, routes=(VAN,), unserved=unserved)
    assert check_constraints(FLEET, told) == (27.5, [])
    assert check_solution(FLEET, told).ok


def test_infeasible_is_right_where_somebody_fits_no_vehicle():
    instance = constrained(customers=on_a_line(3, window=[[0, 2]]), vehicles=[{}])
    unserved = (Unserved(1, "WINDOW"),)
    told = Solution(name="t", status="infeasible", cost=0.0, routes=(), unserved=unserved)
    assert check_constraints(instance, told) == (0.0, [])


def test_answers_without_routes_state_nothing():
    silent = Solution(name="t", status="partial")
    assert check_solution(FLEET, silent).problems == ("status is partial, there is no solution",)


def test_infeasible_says_who_is_not_served_and_is_proved():
    silent = Solution(name="t", status="infeasible", code="TOO_FEW_VEHICLES")
    found = check_solution(FLEET, silent).problems
    assert found[0] == "unserved: 'a' is not served and not reported"
    assert found[-1] == "status: infeasible, but nothing proves it; expected partial"


def test_too_late():
    late = constrained(customers=on_a_line(3, window=[[0, 2]]), vehicles=[{}])
    message = "routes[0]: customers[0]: arrives at 3, 1 after the last window closes"
    assert found(late, [1]) == [message]
    shift = constrained(customers=on_a_line(3), vehicles=[{"window": [0, 5]}])
    assert found(shift, [1]) == ["routes[0]: return: ends at 6, 1 after the vehicle's shift"]
    depot = constrained(depots=[{"x": 0, "y": 0, "window": [0, 5]}], customers=on_a_line(3),
                        vehicles=[{}])  # fmt: skip
    assert "return: arrives at 6, 1 after" in found(depot, [1])[0]
    release = constrained(customers=on_a_line(3, release=[4], window=[[0, 6]]), vehicles=[{}])
    assert "customers[0]: arrives at 7, 1 after" in found(release, [1])[0]


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ({"max_duration": 9}, "routes[0]: duration 10.0 exceeds max_duration 9"),
        ({"max_travel_time": 5}, "routes[0]: travel time 6.0 exceeds max_travel_time 5"),
        ({"max_distance": 5.5}, "routes[0]: distance 6.0 exceeds max_distance 5.5"),
        ({"max_customers": 1}, "routes[0]: 2 stops, max_customers is 1"),
        ({"count": 0}, "routes: 1 vehicles of type '0' are used, there are 0"),
    ],
)
def test_limits(limit, message):
    customers = on_a_line(1, 3, service=[1, 3])
    assert found(constrained(customers=customers, vehicles=[{}]), [1, 2]) == []
    (problem,) = found(constrained(customers=customers, vehicles=[limit]), [1, 2])
    assert problem.startswith(message)


def test_the_short_form_has_one_type():
    short = constrained(customers=on_a_line(1, 2, demand=[1, 1], service=[1, 1]), capacity=1,
                        max_vehicles=1)  # fmt: skip
    problems = found(short, [1, 2])
    assert problems == ["routes[0]: a load of 2.0 at the start exceeds capacity 1.0"]
    assert found(short, [1], [2]) == ["routes: 2 vehicles are used, there are 1"]


def test_overloaded_on_one_leg_in_one_dimension():
    customers = on_a_line(1, 2, demand=[[2, 0], [2, 1]], pickup=[[0, 3], [0, 0]])
    instance = constrained(customers=customers, vehicles=[{"capacity": [4, 3]}])
    assert found(instance, [2, 1]) == []
    (problem,) = found(instance, [1, 2])
    said = "routes[0]: a load of 4.0 in dimension 1 after customers[0] exceeds capacity 3.0"
    assert problem == said


def test_nobody_leaves_later_than_the_latest_start():
    # Leaving at 7 is best, and the latest that is allowed: 5.
    customers = on_a_line(3, window=[[10, 1010]])
    vehicle = {"duration_cost": 3, "latest_start": 5}
    instance = constrained(customers=customers, vehicles=[vehicle])

    def of(instance, departure, cost):
        one = report(1, load=0.0, vehicle="0", start="0", end="0", departure=departure)
        return problems(instance, one, cost=cost)

    assert of(instance, 5.0, 6 + 3 * 8.0) == []
    assert of(instance, NAN, 6 + 3 * 8.0) == []
    for departure in (7.0, 5.01, 4.0):
        (problem, *_) = of(instance, departure, 6 + 3 * 8.0)
        assert problem.startswith(f"routes[0].departure: {departure}, expected 5")
        assert problem.endswith("for the least duration up to 5.0")
    never = constrained(customers=on_a_line(3, release=[6]), vehicles=[vehicle])
    expected = ["routes[0]: leaves at 6 or later, latest_start is 5.0"]
    assert of(never, NAN, 6.0) == expected


def test_without_a_depot_the_first_stop_or_break_begins_in_time():
    customers = on_a_line(1, 2, window=[[0, 3], [6, 9]])
    first = {"latest_start": 4, "start": None, "end": None}
    rests = {**first, "id": "r", "breaks": [{"window": [2, 5], "duration": 1}]}
    instance = constrained(customers=customers, vehicles=[{**first, "id": "v"}, rests])

    def of(vehicle, *stops):
        found = problems(instance, report(*stops, vehicle=vehicle, start=None, end=None))
        return [each for each in found if each.startswith("routes[")]

    assert of("v", 1, 2) == []
    assert of("v", 2) == ["routes[0]: leaves at 6 or later, latest_start is 4.0"]
    assert of("r", 2) == []


def test_tolerances():
    customers = on_a_line(3, window=[[10, 1010]])
    instance = constrained(customers=customers, vehicles=[{"duration_cost": 3}])
    times = {"departure": 7.0, "return_": 13.0, "duration": 6.0, "distance": 6.0}

    def of(cost=24.0, **changes):
        one = report(1, load=0.0, cost=cost, vehicle="0", start="0", end="0", **times | changes)
        return problems(instance, one, cost=cost)

    assert of() == []
    assert of(departure=7.0009) == []  # a millionth of the span is 0.001
    assert of(departure=7.0011) != []
    assert of(return_=13.0009) == []
    assert of(return_=13.0011) != []
    assert of(cost=24.0 * (1 + 9e-10)) == []
    assert of(cost=24.0 * (1 + 2e-9)) != []
    assert of(distance=6.0 * (1 + 2e-9)) != []
    # The cost is that of the stated duration, where that is right.
    assert of(duration=6.0009, cost=24.0027) == []


def test_a_file_of_routes_alone_states_nothing():
    routes = (RouteReport((1,), NAN, NAN),)
    customers = on_a_line(3, 4, prize=[None, 2])
    instance = constrained(customers=customers, vehicles=[{}])
    solution = Solution(name="t", status="solved", routes=routes)
    assert check_constraints(instance, solution) == (8.0, [])
    wrong = with_(solution, cost=9)
    assert check_constraints(instance, wrong)[1] == ["cost: 9, expected 8.0"]


def test_empty_routes_use_no_vehicle():
    instance = constrained(customers=on_a_line(3), vehicles=[{"count": 1, "fixed_cost": 4}])
    assert found(instance, [1], [], cost=10) == []


@pytest.mark.parametrize(
    "key", ["departure", "return_", "duration", "distance", "arrivals", "begins", "cost"]
)
@pytest.mark.parametrize("sign", [-1, 1])
def test_every_stated_number_is_looked_at(key, sign):
    for route in (VAN, BIKE):
        value = getattr(route if key == "cost" else route.schedule, key)
        off = sign * 2e-4  # the span is 100
        wrong = (*value[:-1], value[-1] + off) if isinstance(value, tuple) else value + off
        made = changed(route, **{key: wrong})
        routes = [made if each is route else each for each in ANSWER.routes]
        assert check_constraints(FLEET, answer(*routes))[1], (route, key)
