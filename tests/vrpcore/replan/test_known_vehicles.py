import itertools
import math

import numpy as np
import pytest

from tests.build import constrained, on_a_line
from vrpcore.instance.plan import ANY_VEHICLE, Plan, Route
from vrpcore.referee.visits import kept_and_moved
from vrpcore.replan.known_vehicles import Keep, split_fleet
from vrpcore.search.constrained_search import with_types
from vrpcore.search.effort import Effort
from vrpcore.search.kept_routes import keep_vehicles
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan
from vrpcore.search.search import search_instance


def split(routes, cost=2.0, **keys):
    instance = constrained(**keys)
    return split_fleet(instance, Keep(Plan(routes), cost), with_types(instance, routes))


def test_each_known_route_has_a_vehicle_of_its_own():
    vehicles = [{"id": "van", "count": 3}, {"id": "bike", "count": 1}, {"id": "car"}]
    routes = [Route(0, (1, 2)), Route(1, (3,)), Route(2, (4,)), Route(1, (5, 6))]
    found, types, known = split(routes, customers=on_a_line(1, 2, 3, 4, 5, 6), vehicles=vehicles)
    assert types == [0, 1, 2, 0, 1, 2]  # what is left; then the longest routes first
    own = found.own_constraints
    assert [each.count for each in own.vehicles] == [2, 0, None, 1, 1, 1]
    assert own.vehicle_cost.tolist() == [
        *[[2, 2, 0, 2, 2, 2]] * 3,  # the third moves in any case
        [0, 0, 0, 2, 2, 2],
        [2, 2, 0, 2, 0, 0],
        [2, 2, 0, 0, 2, 2],
    ]
    assert [route.vehicle for route in known.routes] == [
        3,
        ANY_VEHICLE,
        5,
        4,
    ]  # there is one bike


def test_permits_prices_and_times_of_a_type_are_those_of_its_vehicles():
    customers = on_a_line(1, 2)
    customers[0] |= {
        "vehicles": ["b"],
        "vehicle_cost": {"b": 3},
        "service_by_vehicle": {"a": 1, "b": 4},
    }
    shipments = [
        {"id": "s", "pickup": {"x": 3, "y": 0}, "delivery": {"x": 4, "y": 0}},
        {"id": "t", "on_board": "a", "delivery": {"x": 5, "y": 0}},
    ]
    relations = [{"kind": "order", "stops": ["2", "s"], "vehicle": "b"}]
    keys = {
        "customers": customers, "shipments": shipments,
        "vehicles": [{"id": "a", "count": 1}, {"id": "b", "count": 2}],
    }  # fmt: skip
    instance = constrained(**keys)
    ids = {str(each): number for each, number in instance.numbers.items()}
    board, pickup = ids["t:delivery"], ids["s:pickup"]
    found, types, _ = split([Route(0, (board,)), Route(1, (1, pickup, pickup + 1))], **keys)
    own = found.own_constraints
    assert types == [0, 1, 1, 0]
    assert own.on_board[board - 1] == 3
    assert own.allowed[:, 0].tolist() == [False, True, True, False]
    assert own.allowed[:, board - 1].tolist() == [True, False, False, True]
    assert own.vehicle_cost[:, 0].tolist() == [2, 5, 3, 2]
    assert own.vehicle_cost[:, pickup - 1].tolist() == [4, 4, 0, 4]  # both ends
    assert own.vehicle_cost[:, pickup].tolist() == [0, 0, 0, 0]
    assert own.service_by_type[:, 0].tolist() == [1, 4, 4, 1]
    keys["relations"] = [{"kind": "order", "stops": ["1", "2"], "vehicle": "b"}]
    del relations, customers[0]["vehicles"]
    tied = split([Route(1, (1, 2))], **keys)[0].own_constraints
    assert tied.relations[0].vehicle is None
    assert tied.allowed[:, 0].tolist() == [False, True, True]


def test_whose_vehicle_is_gone_is_served_by_another_at_no_price():
    customers = on_a_line(1, 2, 3, demand=[1, 1, 4], prize=[30, 30, None])
    vehicles = [{"id": "left", "count": 1, "capacity": 50}]
    instance = constrained(customers=customers, vehicles=vehicles)
    known = Plan([Route(0, (3,)), Route(ANY_VEHICLE, (1, 2))])
    for price in (50.0, 1e15):
        found = search_instance(instance, [known], keep=Keep(known, price))
        assert [sorted(route.stops) for route in found.routes] == [[1, 2, 3]]


def test_who_names_a_vehicle_has_it_before_a_longer_route_that_names_none():
    customers = on_a_line(1, 2, 3, 9, 10, demand=[2, 2, 2, 3, 3])
    vehicles = [{"id": name, "count": 1, "capacity": 6} for name in ("v2", "v3")]
    routes = [Route(ANY_VEHICLE, (1, 2, 3)), Route(0, (4,)), Route(1, (5,))]
    *_, known = split(routes, customers=customers, vehicles=vehicles)
    assert [route.vehicle for route in known.routes] == [ANY_VEHICLE, 2, 3]


def test_a_fleet_without_vehicles_keeps_nothing():
    instance = constrained(customers=on_a_line(1), vehicles=[{"count": 0}])
    known = Plan([Route(0, (1,))])
    assert search_instance(instance, [known], keep=Keep(known, 5.0)).routes == []


def test_a_known_plan_that_keeps_all_limits_is_not_repaired():
    customers = [
        {"id": "a", "x": 1, "y": 10, "demand": 5}, {"id": "b", "x": 2, "y": 10, "demand": 7},
        {"id": "c", "x": 10, "y": 1, "demand": 7},
    ]  # fmt: skip
    vehicles = [
        {"id": "small", "count": 1, "capacity": 5, "fixed_cost": 100},
        {"id": "big", "count": 1, "capacity": 10},
        {"id": "mid", "count": 1, "capacity": 7, "fixed_cost": 50},
    ]
    instance = constrained(customers=customers, vehicles=vehicles)
    known = Plan([Route(0, (1,)), Route(2, (2,)), Route(1, (3,))])
    for price in (0.0, 1.0, 1000.0):
        assert not search_instance(instance, [known], keep=Keep(known, price)).repaired


def lengths(instance):
    gaps = instance.coords[:, None] - instance.coords[None]
    return np.sqrt((gaps**2).sum(axis=2))


def all_plans(constraints, stops):
    """All plans that serve these stops within capacities and counts, with their costs."""
    if not stops:
        yield [], ()
        return
    first, *others = stops
    for size in range(len(others) + 1):
        for more in itertools.combinations(others, size):
            rest = [stop for stop in others if stop not in more]
            for vehicle, kind in enumerate(constraints.vehicles):
                demand = constraints.delivery[[stop - 1 for stop in (first, *more)], 0].sum()
                if demand > kind.capacity[0]:
                    continue
                for routes, used in all_plans(constraints, rest):
                    if kind.count is None or used.count(vehicle) < kind.count:
                        yield [Route(vehicle, (first, *more)), *routes], (vehicle, *used)


def cheapest(instance, known, cost):
    """The least cost of all plans, moved stops included, by trying everything."""
    legs, best = lengths(instance), math.inf
    shortest = {}
    for size in range(1, len(instance.ids) + 1):
        for stops in itertools.combinations(range(1, len(instance.ids) + 1), size):
            orders = itertools.permutations(stops)
            shortest[stops] = min(
                sum(legs[a, b] for a, b in itertools.pairwise((0, *order, 0))) for order in orders
            )
    constraints = instance.own_constraints
    for routes, _ in all_plans(constraints, list(range(1, len(instance.ids) + 1))):
        kinds = [constraints.vehicles[route.vehicle] for route in routes]
        own = sum(
            kind.fixed_cost + kind.distance_cost * shortest[tuple(sorted(route.stops))]
            for kind, route in zip(kinds, routes, strict=True)
        )
        best = min(best, own + cost * kept_and_moved(known, routes)[1])
    return best


def cost_of(instance, routes, known, cost):
    legs, constraints = lengths(instance), instance.own_constraints
    own = 0.0
    for route in routes:
        kind = constraints.vehicles[route.vehicle]
        way = sum(legs[a, b] for a, b in itertools.pairwise((0, *route.stops, 0)))
        own += kind.fixed_cost + kind.distance_cost * way
    return own + cost * kept_and_moved(known, routes)[1]


@pytest.mark.parametrize("seed", range(12))
def test_no_plan_is_cheaper_with_what_moving_costs(seed):
    draw = np.random.default_rng(seed)
    size = 5
    customers = [
        {"id": n, "x": x, "y": y, "demand": int(draw.integers(1, 4))}
        for n, (x, y) in enumerate(draw.integers(-9, 10, (size, 2)).tolist(), start=1)
    ]
    vehicles = [
        {
            "id": name, "capacity": int(draw.integers(4, 9)),
            "fixed_cost": int(draw.integers(0, 4)), "distance_cost": float(draw.integers(1, 3)),
        } | ({"count": int(draw.integers(1, 3))} if name == "a" and draw.random() < 0.5 else {})
        for name in "ab"[: draw.integers(1, 3)]
    ]  # fmt: skip
    if all("count" in each for each in vehicles):
        vehicles[0].pop("count")
    instance = constrained(customers=customers, vehicles=vehicles)
    stops = draw.permutation(size) + 1
    cuts = sorted(draw.choice(np.arange(1, size), 2, replace=False).tolist())
    known = [
        Route(int(draw.integers(0, len(vehicles))), tuple(part.tolist()))
        for part in np.split(stops, cuts)
    ]
    if len(vehicles) == 1 and draw.random() < 0.5:
        known = [route._replace(vehicle=ANY_VEHICLE) for route in known]
    cost = float(draw.choice([0.0, 0.5, 2.0, 10.0, 1000.0]))
    found = search_instance(instance, [Plan(known)], keep=Keep(Plan(known), cost))
    assert cost_of(instance, found.routes, known, cost) == pytest.approx(
        cheapest(instance, known, cost)
    )


def test_a_plan_that_is_kept_at_any_price_stays():
    instance = constrained(customers=on_a_line(1, 2, 3, 4), vehicles=[{"capacity": 4, "count": 2}])
    known = [Route(0, (1, 3)), Route(0, (2, 4))]
    dear = search_instance(instance, [Plan(known)], keep=Keep(Plan(known), 1e6))
    assert sorted(dear.routes) == known
    free = search_instance(instance, [Plan(known)], keep=Keep(Plan(known), 0.0))
    assert [len(route.stops) for route in free.routes] == [4]
    none = search_instance(instance, [Plan(known)], Effort("none"), keep=Keep(Plan(known), 1e6))
    assert sorted(none.routes) == known


def test_vehicles_that_may_not_serve_alike_are_not_exchanged():
    customers = on_a_line(1, 2)
    customers[0] |= {"vehicles": ["b"]}
    vehicles = [{"id": "a", "count": 1}, {"id": "b", "count": 1}]
    instance = constrained(customers=customers, vehicles=vehicles)
    known = [Route(0, (1,)), Route(1, (2,))]
    routes = [Route(1, (1,)), Route(0, (2,))]
    assert keep_vehicles(instance.own_constraints, routes, known) == routes
    plan = search_plan(RichProblem(instance), starts=[Plan(known)])
    assert next(route.vehicle for route in plan.routes if 1 in route.stops) == 1
    del customers[0]["vehicles"]
    customers[0] |= {"vehicle_cost": {"a": 5}}
    priced = constrained(customers=customers, vehicles=vehicles)
    assert keep_vehicles(priced.own_constraints, routes, known) == routes
