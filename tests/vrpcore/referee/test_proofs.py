"""Proofs that nobody can serve units: by hand, and against all routes there are."""

import itertools
import math
import random

import pytest

from tests.build import constrained, on_a_line, parts
from tests.vrpcore.referee.days import day, problems, report
from vrpcore.cost.no_road import Legs
from vrpcore.formats.read import read_instances
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.plan import Plan, Route
from vrpcore.instance.relations import Group
from vrpcore.instance.service_unit import Unit, units_of
from vrpcore.instance.solution import RouteReload
from vrpcore.referee.reasons import Reasons, too_few_vehicles
from vrpcore.solve.answer import planned


def nobody(*stops, **keys):
    """Whether it is proved that nobody can serve some stops of an instance."""
    return proved_in(constrained(**keys), stops)


def proved_in(instance, stops):
    unit = Unit("unit", (("unit", tuple(stops)),), math.inf)
    return Reasons(instance, Legs(instance)).nobody_can_serve(unit)


DETOUR = [[0, 1, 9], [1, 0, 1], [9, 1, 0]]  # to 2 by way of 1


@pytest.mark.parametrize(
    ("distances", "far", "vehicle", "proved"),
    [
        (DETOUR, {"window": [0, 3]}, {}, False),
        (DETOUR, {"window": [0, 1.9]}, {}, True),
        (DETOUR, {}, {"max_distance": 4}, False),
        (DETOUR, {}, {"max_distance": 3.9}, True),
        (DETOUR, {}, {"max_distance": 3.9, "count": 0}, True),
        (DETOUR, {"window": [0, 1.9]}, {"speed": 2}, False),
        (DETOUR, {"demand": 2}, {"capacity": 1}, True),
        ([[0, 1, 9], [9, 0, 1], [1, 9, 0]], {}, {"max_duration": 3}, False),
        ([[0, 1, 9], [9, 0, 1], [9, 9, 0]], {}, {"max_duration": 10.9}, True),
    ],
)
def test_what_a_detour_allows_is_not_proved_impossible(distances, far, vehicle, proved):
    keys = {"depot": {}, "distances": distances, "customers": [{}, far]}
    assert nobody(2, vehicles=[{"count": 1, **vehicle}], **keys) == proved


@pytest.mark.parametrize(("most", "proved"), [(4, False), (3.9, True)])
@pytest.mark.parametrize("limit", ["max_distance", "max_travel_time"])
def test_a_type_has_the_shortest_ways_of_its_own_matrix(limit, most, proved):
    far = [[0, 9, 9], [9, 0, 9], [9, 9, 0]]
    own = {"own": {"distances": DETOUR, "durations": DETOUR}}
    vehicles = [{"max_distance": 1, "max_travel_time": 1}, {"matrix": "own", limit: most}]
    keys = {"depot": {}, "distances": far, "matrices": own, "customers": [{}, {}]}
    assert nobody(2, vehicles=vehicles, **keys) == proved


@pytest.mark.parametrize(("most", "proved"), [(10, False), (9.9, True)])
def test_a_matrix_of_durations_alone_leaves_lengths_to_the_instance(most, proved):
    slow = {"slow": {"durations": [[0, 9, 1], [9, 0, 9], [9, 1, 0]]}}
    vehicles = [{"matrix": "slow", "max_distance": most, "max_travel_time": 11}]
    customers = [{"x": 3, "y": 4}, {"x": 9, "y": 9}]  # 0 - 2 - 1 takes 2, and 9 back
    assert nobody(1, vehicles=vehicles, customers=customers, matrices=slow) == proved
    vehicles[0]["max_travel_time"] = 10.9
    assert nobody(1, vehicles=vehicles, customers=customers, matrices=slow)


@pytest.mark.parametrize("limit", ["window", "max_duration"])
@pytest.mark.parametrize("distances", [{}, {"distances": [[0, 3], [3, 0]]}])
@pytest.mark.parametrize(("late", "proved"), [(0.001, False), (0.09, False), (0.11, True)])
def test_what_the_tolerance_of_times_accepts_is_not_proved_impossible(
    limit, distances, late, proved
):
    depot = {"x": 0, "y": 0, "window": [-5e4, 5e4]}  # 0.1 too late is in time for the referee
    window = {"window": [0, 3 - late]} if limit == "window" else {}
    longest = {"max_duration": 6 - late} if limit == "max_duration" else {}
    instance = constrained(
        depot=depot, customers=[{"x": 3, "y": 0, **window}],
        vehicles=[longest], **distances,
    )  # fmt: skip
    assert proved_in(instance, [1]) == proved
    assert planned(instance, Plan([]), ()).status == ("infeasible" if proved else "partial")


@pytest.mark.parametrize(
    ("customer", "van", "proved"),
    [
        ({"window": [0, 4]}, {"breaks": [{"window": [0, 1], "duration": 2}]}, False),
        ({"window": [0, 2]}, {"breaks": [{"window": [0, 1], "duration": 2}]}, True),
        ({"setup": 5}, {"max_duration": 10}, False),
        ({"service": 5}, {"max_duration": 10}, True),
        ({"window": [5, 9]}, {"latest_start": 3, "start": None}, False),
        ({"release": 5}, {"latest_start": 3}, True),
        ({"release": 5}, {"latest_start": 3, "reloads": ["0"]}, False),
        ({"demand": 5}, {"capacity": 8, "initial_load": 4}, True),
        ({"demand": 5}, {"capacity": 8, "initial_load": 4, "reloads": ["0"]}, False),
        ({"demand": 9}, {"capacity": 8, "initial_load": 4, "reloads": ["0"]}, True),
        ({"skills": ["x"]}, {}, True),
        ({}, {"max_customers": 0}, True),
    ],
)
def test_what_others_may_save_is_not_proved_impossible(customer, van, proved):
    keys = {"customers": [{"x": 3, "y": 0, **customer}], "vehicles": [{"capacity": 9, **van}]}
    assert nobody(1, **keys) == proved


def test_what_is_on_board_for_others_may_have_been_delivered():
    given = [
        {"id": name, "amount": 4, "on_board": "van", "delivery": {"x": 1, "y": 0}} for name in "st"
    ]
    keys = {"shipments": given, "vehicles": [{"id": "van", "count": 1, "capacity": 9}]}
    assert not nobody(1, customers=on_a_line(3, pickup=[9]), **keys)
    assert nobody(1, customers=on_a_line(3, pickup=[10]), **keys)
    assert nobody(2, customers=on_a_line(3), shipments=given, vehicles=[
        {"id": "van", "count": 1, "capacity": 3}])  # fmt: skip


def tried(reason, status, served=(), **keys):
    """What is said of an instance of which some are served: the check agrees, or it raises."""
    instance = constrained(**keys)
    answer = planned(instance, Plan([Route(0, served)] if served else []), ())
    assert (answer.status, answer.unserved[0].reason) == (status, reason)
    return answer


def test_nobody_drives_through_a_shipment_one_end_of_which_is_for_others():
    none = None
    ways = [
        [0, none, 1, 1, 1], [1, 0, 1, 1, 1], [1, none, 0, 1, 1], [1, 1, 1, 0, 1],
        [1, none, 1, 1, 0],
    ]  # fmt: skip
    keys = {
        "depot": {}, "distances": ways, "customers": [{"id": "A", "skills": ["k"]}, {"id": "x"}],
        "shipments": [{"id": "s", "pickup": {}, "delivery": {}, "amount": 0}],
        "vehicles": [{"id": "v1", "skills": ["k"], "count": 1}, {"id": "v2", "count": 1}],
    }  # fmt: skip
    tried("FLEET", "partial", **keys)
    for end in ("pickup", "delivery"):
        only = {"kind": "together", "stops": [f"s:{end}", "x"], "vehicle": "v2"}
        answer = tried("NO_ROAD", "infeasible", relations=[only], **keys)
        assert answer.error == (
            "A: no vehicle can serve it: no road leads from the depot to A for vehicle 'v1'"
        )


def test_no_road_of_one_type_is_no_proof_where_another_unloads_first():
    whole, cut = [[0, 1, 1], [1, 0, 1], [1, 1, 0]], [[0, 1, None], [1, 0, None], [None, None, 0]]
    first = {"id": "v1", "count": 1, "capacity": 4, "initial_load": 3, "reloads": ["hub"]}
    keys = {
        "depots": [{"id": "hub"}], "distances": whole,
        "matrices": {"truck": {"durations": cut, "distances": cut}},
        "customers": [{"id": "a", "demand": 1}, {"id": "b", "demand": 2}],
    }  # fmt: skip
    truck = {"id": "v2", "count": 1, "capacity": 9, "matrix": "truck"}
    tried("NO_ROAD", "partial", (1,), vehicles=[first, truck], **keys)
    tried("NO_ROAD", "infeasible", (1,), vehicles=[first | {"reloads": []}, truck], **keys)


def test_a_time_is_missed_on_the_way_through_others_whatever_is_on_board():
    """The vehicle is too full at first, then has no direct road, and the way takes too long."""
    ways = [[0, 2, None], [1, 0, 2], [1, 1, 0]]
    van = {"count": 1, "capacity": 5, "initial_load": 4, "reloads": ["0"]}
    keys = {"depots": [{}], "distances": ways, "customers": [{}, {"id": "far", "demand": 2}]}
    tried("CAPACITY", "partial", (1,), vehicles=[van | {"max_travel_time": 5}], **keys)
    tried("CAPACITY", "infeasible", (1,), vehicles=[van | {"max_travel_time": 4.9}], **keys)


@pytest.mark.parametrize(("last", "status"), [(1.9, "infeasible"), (3, "partial")])
def test_of_a_group_nobody_can_serve_any_member(last, status):
    customers = [{}, {"window": [0, last]}, {"demand": 2}]
    ways = [[*row, 1] for row in DETOUR] + [[1, 9, 9, 0]]
    groups = [{"id": "either", "members": [2, 3]}]
    keys = {"depot": {}, "distances": ways, "customers": customers, "groups": groups}
    answer = tried("WINDOW", status, (1,), vehicles=[{"count": 1, "capacity": 1}], **keys)
    assert answer.unserved[0].id == "either"


def test_missing_costs_do_not_hide_that_a_time_is_missed():
    costs = [[0, 1, None], [1, 0, 1], [1, 1, 0]]
    keys = {"customers": on_a_line(1, 3, window=[[0, 9], [0, 2]]), "costs": costs}
    assert nobody(2, vehicles=[{}], **keys)
    assert not nobody(2, vehicles=[{"speed": 2}], **keys)


def random_document(rng):
    """Three stops, roads with gaps, and some of what others of a route may change."""
    names = ["a", "b", "s:pickup", "s:delivery"][: rng.choice([2, 2, 4])]
    ways = [[rng.choice([None, 1, 1, 2, 6]) for _ in range(4)] for _ in range(4)]
    for row in range(4):
        ways[row][row] = 0

    def some(**keys):
        return {key: value for key, value in keys.items() if rng.random() < 0.25}

    def vehicle(name):
        return {"id": name, "count": 1, "capacity": 4} | some(
            initial_load=rng.randint(1, 4), reloads=["d"], latest_start=rng.randint(0, 3),
            max_travel_time=rng.randint(2, 9), max_distance=rng.randint(2, 9),
            max_customers=2, skills=["k"], end=None,
        )  # fmt: skip

    customers = [
        {"id": name, "demand": rng.randint(0, 5)}
        | some(window=[0, rng.randint(1, 9)], release=rng.randint(1, 6), skills=["k"])
        for name in names[:2]
    ]
    found = {"name": "n", "depots": [{"id": "d"}], "distances": ways, "customers": customers,
             "vehicles": [vehicle(name) for name in "vw"[: rng.randint(1, 2)]]}  # fmt: skip
    if len(names) == 4:
        found["shipments"] = [{"id": "s", "amount": 2, "pickup": {}, "delivery": {}}]
        found["customers"].pop()
        names.remove("b")
    else:
        found["shipments"] = [{"id": "o", "amount": 2, "delivery": {}, "on_board": "v"}]
    if rng.random() < 0.3:
        stops = rng.sample(names, 2)
        found["relations"] = [{"kind": "together", "stops": stops, "vehicle": "v"}]
    return found


def routes_with(instance, wanted):
    """The routes with some stops that break no limit."""
    everybody = range(1, instance.num_customers + 1)
    for vehicle in instance.own_constraints.vehicles:
        ends = {"vehicle": vehicle.id, "end": None if vehicle.end is None else "d"}
        for number in everybody:
            trips = range(number if vehicle.reloads else 1)
            for stops, after in itertools.product(itertools.permutations(everybody, number), trips):
                if not set(wanted) <= set(stops):
                    continue
                reload = (RouteReload(depot="d", after=after),) if after else ()
                more = {"reloads": reload} if vehicle.reloads else {}
                route = report(*(instance.ids[stop - 1] for stop in stops), **ends, **more)
                found = problems(instance, route, status="partial")
                if not any(each.startswith("routes") for each in found):
                    yield route


@pytest.mark.parametrize("part", parts(5))
def test_no_route_serves_whom_nobody_can_serve(part):
    rng, proved, unproved = random.Random(part), 0, 0
    for _ in range(30):
        (instance,) = read_instances(random_document(rng))
        assert not isinstance(instance, InvalidInstance), instance.error
        found = Reasons(instance, Legs(instance))
        for unit in units_of(instance):
            if found.nobody_can_serve(unit):
                assert next(routes_with(instance, unit.stops), None) is None, unit.id
                proved += 1
            else:
                unproved += 1
        planned(instance, Plan([]), ())  # its check takes whom it proves so for proved as well
    assert proved > 8 < unproved


TWO = {
    "customers": on_a_line(3, 7, demand=[4, 4]),
    "vehicles": [{"id": "van", "capacity": 7, "count": 1}],
}


@pytest.mark.parametrize(
    ("vehicle", "columns", "too_small"),
    [
        ({}, {}, True),
        ({"reloads": ()}, {}, True),
        ({"reloads": (0,)}, {}, False),
        ({"reloads": (0,), "max_reloads": 0.0}, {}, True),
        ({"reloads": (0,), "max_reloads": 1.0}, {}, False),
        ({"reloads": (0,), "max_reloads": 1.0, "initial_load": (7.0,)}, {}, True),
        ({"initial_load": (3.0,)}, {"groups": (Group("g", (1, 2)),)}, False),
        ({"initial_load": (4.0,)}, {"groups": (Group("g", (1, 2)),)}, True),
        ({"initial_load": (4.0,)}, {"groups": (Group("g", (1, 2), 9.0),)}, False),
    ],
)
def test_trips_and_groups_by_hand(vehicle, columns, too_small):
    found = too_few_vehicles(day(TWO, vehicles=[vehicle], **columns))
    assert (found is not None) == too_small


def proof(amounts, *vehicles, key="demand", **each):
    customers = on_a_line(*range(len(amounts)), **{key: amounts}, **each)
    return too_few_vehicles(constrained(customers=customers, vehicles=list(vehicles)))


@pytest.mark.parametrize(("goods", "proved"), [("own", True), ("any", False)])
def test_an_initial_load_may_be_delivered_where_goods_are_alike(goods, proved):
    van = {"count": 1, "capacity": 10, "initial_load": 6}
    instance = constrained(customers=on_a_line(1, 2, demand=[4, 5]), vehicles=[van], goods=goods)
    assert (too_few_vehicles(instance) is not None) == proved
    one = constrained(customers=on_a_line(1, demand=[9]), vehicles=[van], goods=goods)
    assert proved_in(one, [1]) == proved


def test_too_few_vehicles_by_loads():
    two = [{"count": 2, "capacity": 5}, {"count": 0}]
    assert proof([4, 4, 2], *two) is None
    assert proof([4, 4, 3], *two) == "demands of 11 are required, all vehicles carry 10"
    assert proof([4, 4, 3], *two, key="pickup").startswith("pickups of 11 are required")
    assert proof([4, 4, 3], *two, prize=[None, None, 1]) is None
    assert proof([4, 4, 3], {"count": 2, "capacity": 5}, {"capacity": 1}) is None
    listed = proof([[1, 4], [1, 4]], {"count": 1, "capacity": [5, 7]})
    assert listed == "demands of 8 in dimension 1 are required, all vehicles carry 7"
    assert proof([0], {"count": 0}) == "there are no vehicles"
