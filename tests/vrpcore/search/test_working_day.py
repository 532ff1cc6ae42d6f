import itertools
import math
import random

import numpy as np
import pytest

from tests.build import constrained, on_a_line
from tests.vrpcore.search.mixed import constructed
from tests.vrpcore.search.random_day import random_day
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.plan import Plan, Reload, Route
from vrpcore.search.effort import Effort
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan
from vrpcore.search.working_day import day_arrays, day_numbers, has_trips


def found(routes=None, level="fast", **keys):
    """The plan of an instance, maybe from known routes."""
    starts = [] if routes is None else [Plan(routes)]
    return search_plan(RichProblem(constrained(**keys)), Effort(level), starts=starts)


def test_depots_follow_stops_only_where_somebody_may_reload():
    vehicles = [{"reloads": ["0"], "capacity": 2}, {"id": "b"}]
    instance = constrained(customers=on_a_line(1, 2, service=[3, 4]), vehicles=vehicles)
    arrays = RichProblem(instance).arrays
    assert arrays["allowed"].tolist() == [[1, 1, 1], [1, 1, 0]]
    assert arrays["services"].tolist() == [[3, 4, 0]]
    assert arrays["partner"].tolist() == [-1, -1, -1]
    assert day_numbers(instance.own_constraints)["trips"] == 1
    vehicles[0]["max_reloads"] = 0
    instance = constrained(customers=on_a_line(1, 2), vehicles=vehicles)
    assert not has_trips(instance.own_constraints)
    assert RichProblem(instance).arrays["allowed"].shape == (2, 2)


def test_prices_begin_where_windows_close():
    customers = on_a_line(1, 2, 3, window=[[0, 5], [0, 7], [0, 9]])
    customers[0] |= {"late_cost": 2}
    customers[1] |= {"max_late": 3}
    vehicles = [{"window": [1, 20], "late_cost": 4}, {"id": "b", "max_duration": 6}]
    instance = constrained(customers=customers, vehicles=vehicles)
    arrays = RichProblem(instance).arrays
    assert arrays["windows"][:, 0, 1].tolist() == [math.inf, 10, 9]
    assert arrays["stop_due"].tolist() == [5, math.inf, math.inf]  # the second costs nothing
    assert arrays["late_cost"].tolist() == [4, 0]
    assert (arrays["end_late"][0], arrays["late_from"][0]) == (math.inf, 20)
    assert instance.own_constraints.latest_departure(instance.own_constraints.vehicles[0]) == 20
    assert arrays["overtime_from"].tolist() == [math.inf, 6]


def test_windows_of_a_ride_are_as_far_apart_as_it_may_take():
    def windows(first, second, **keys):
        pickup = {"x": 1, "y": 0, "service": 2, "setup": 1, "service_by_vehicle": {"b": 4}, **first}
        shipment = {"id": "s", "max_ride": 10, "pickup": pickup, "delivery": {"x": 2, "y": 0}}
        shipment["delivery"] |= second
        vehicles = [{"id": "a"}, {"id": "b"}]
        instance = constrained(shipments=[shipment | keys], vehicles=vehicles)
        return RichProblem(instance).arrays["windows"].tolist()

    never = [math.inf, math.inf]
    # 4 + 1 at the pickup, by b, and 10 on the way.
    assert windows({}, {"window": [50, 60]}) == [[[35, math.inf]], [[50, 60]]]
    assert windows({"window": [0, 20]}, {}) == [[[0, 20]], [[-math.inf, 35]]]
    assert windows({"window": [0, 20], "max_late": 3}, {}) == [[[0, 23]], [[-math.inf, 38]]]
    several = {"windows": [[0, 5], [10, 20]]}
    assert windows(several, {})[1] == [[-math.inf, 35], never]
    assert windows({}, several)[0] == [[-15, math.inf], never]
    # A window stays one, whatever is left of it: such a ride is refused elsewhere.
    assert windows({"window": [0, 20]}, {"window": [90, 99]}) == [[[20, 20]], [[90, 90]]]
    assert windows({}, {"window": [50, 60]}, max_ride=None)[0] == [[-math.inf, math.inf]]


def test_members_have_the_prize_and_weight_of_their_group():
    groups = [{"members": [1, 3], "prize": 7}, {"members": [2], "priority": 3}]
    instance = constrained(customers=on_a_line(1, 2, 3, 4), capacity=9, groups=groups)
    given = {"stop_prize": np.full(4, math.inf), "weight": np.ones(4, np.int64)}
    arrays = day_arrays(instance.own_constraints, given)
    assert arrays["stop_prize"].tolist() == [7, math.inf, 7, math.inf]
    assert arrays["weight"].tolist() == [0, 3 * 5 + 1, 0, 1]
    assert arrays["group"].tolist() == [0, 1, 0, -1]
    assert (arrays["group_from"].tolist(), arrays["members"].tolist()) == ([0, 2, 3], [0, 2, 1])


def test_of_alternatives_a_plan_has_the_stops_of_one():
    ends = {"pickup": {"x": 1, "y": 0}, "delivery": {"x": 2, "y": 0}}
    shipments = [{"id": name, **ends} for name in "ab"]
    both = {"customers": on_a_line(1, 2), "shipments": shipments, "vehicles": [{}]}
    for members, most in (((1, 2), 5), ((1, "a"), 5), (("a", "b"), 4), ((1, 2, "a", "b"), 2)):
        instance = constrained(**both, groups=[{"members": list(members)}])
        assert RichProblem(instance).most_stops == most


def test_one_vehicle_goes_twice():
    keys = {"customers": on_a_line(4, 5, demand=[2, 2])}
    plan = found(vehicles=[{"count": 1, "capacity": 2, "reloads": ["0"]}], **keys)
    assert (plan.missing, plan.cost) == (0, 18)
    (route,) = plan.routes
    assert route.reloads == (Reload(0, 1),)
    assert found(vehicles=[{"count": 1, "capacity": 2}], **keys).missing > 0
    once = {"count": 1, "capacity": 2, "reloads": ["0"], "max_reloads": 0}
    assert found(vehicles=[once], **keys).missing > 0


def test_a_second_trip_waits_for_its_goods():
    customers = on_a_line(4, 5, demand=[2, 2], release=[0, 30], window=[[0, 9], [0, 40]])
    vehicle = {"count": 1, "capacity": 4, "reloads": ["0"], "duration_cost": 1}
    plan = found(customers=customers, vehicles=[vehicle])
    # 4 at 9 at the latest: leave at 5, reload at 30, serve at 35, back at 40.
    assert (plan.routes, plan.cost) == ([Route(0, (1, 2), (Reload(0, 1),))], 18 + 35)


def test_lateness_costs_what_it_does():
    customers = on_a_line(10, window=[[0, 4]], late_cost=[3])
    plan = found(customers=customers, capacity=9)
    assert plan.cost == 20 + 3 * 6
    customers[0]["max_late"] = 5
    assert found(customers=customers, capacity=9).missing > 0


def test_a_vehicle_leaves_early_where_lateness_costs_more_than_waiting():
    customers = on_a_line(1, 2, window=[[0, 5], [50, 60]], late_cost=[3, 0])
    vehicle = {"count": 1, "duration_cost": 1}
    # Leaves at 4, serves at 5 and 50, is back at 52; later is 3 - 1 dearer for each unit.
    assert found(customers=customers, vehicles=[vehicle]).cost == 4 + 48
    vehicle["duration_cost"] = 4
    # Leaves at 48: 44 late at 3, and 4 under way.
    assert found(customers=customers, vehicles=[vehicle]).cost == 4 + 3 * 44 + 4 * 4


def test_overtime_costs_what_it_does():
    vehicle = {"max_duration": 15, "overtime_cost": 2}
    assert found(customers=on_a_line(10), vehicles=[vehicle]).cost == 20 + 2 * 5
    vehicle |= {"max_overtime": 4}
    assert found(customers=on_a_line(10), vehicles=[vehicle]).missing > 0


def test_one_of_several_alternatives_is_served():
    customers = on_a_line(9, 3, -2, 5)
    plan = found(customers=customers, capacity=9, groups=[{"members": [1, 2, 3]}])
    assert (plan.cost, {stop for route in plan.routes for stop in route.stops}) == (10, {2, 4})
    groups = [{"members": [1, 2], "prize": 1}, {"members": [3, 4], "prize": 1}]
    assert found(customers=customers, capacity=9, groups=groups) == Plan([], 0, 2)


@pytest.mark.parametrize(
    ("relation", "cost", "routes"),
    [
        ({"kind": "together", "stops": [1, 2]}, 12, 1),
        ({"kind": "apart", "stops": [1, 3]}, 16, 3),
        ({"kind": "order", "stops": [3, 1]}, 12, 2),
        ({"kind": "chain", "stops": [3, 1, 2]}, 12, 1),
        ({"kind": "chain", "stops": [3], "at": "end", "vehicle": "b"}, 12, 2),
    ],
)
def test_relations_hold(relation, cost, routes):
    vehicles = [{"id": "a", "count": 3}, {"id": "b"}]
    plan = found(customers=on_a_line(2, -2, 4), vehicles=vehicles, relations=[relation])
    assert plan.missing == 0
    assert plan.cost == cost


def test_the_largest_route_has_a_price():
    customers = on_a_line(1, 2, 3, 4)
    vehicles = [{"count": 2}]
    assert found(customers=customers, vehicles=vehicles, balance={"customers": 0}).cost == 8
    plan = found(customers=customers, vehicles=vehicles, balance={"customers": 5})
    assert sorted(len(route.stops) for route in plan.routes) == [2, 2]
    assert plan.cost == 12 + 10


def test_what_is_on_board_goes_in_the_first_trip():
    shipment = {"id": "s", "amount": 2, "on_board": "a", "delivery": {"x": 6, "y": 0}}
    vehicle = {"id": "a", "count": 1, "capacity": 3, "reloads": ["0"]}
    plan = found(customers=on_a_line(5, demand=[2]), vehicles=[vehicle], shipments=[shipment])
    (route,) = plan.routes
    assert (route.stops, route.reloads, plan.cost) == ((2, 1), (Reload(0, 1),), 22)


@pytest.mark.parametrize("seed", range(12))
def test_annealing_finds_what_looking_at_all_routes_finds(seed):
    """Positions judged in constant time, and whole routes, say the same."""
    search = constructed(random_day(seed, 5), seed)
    search.anneal(4000, (1.0, 0.02))
    annealed = search.found()
    again = RichSearch(search.problem)
    again.begin(0)
    assert again.start(annealed.plan().routes) == sum(
        len(route.stops) for route in annealed.plan().routes
    )
    assert again.found().cost == pytest.approx(annealed.cost)
    assert again.find_exact()
    assert annealed.missing == again.found().missing
    assert annealed.cost == pytest.approx(again.found().cost)


@pytest.mark.parametrize("seed", range(3))
def test_larger_days_keep_all_that_is_asked(seed):
    instance = random_day(seed, 30)
    constraints = instance.own_constraints
    plan = search_plan(RichProblem(instance), Effort("none"))
    served = [stop for route in plan.routes for stop in route.stops]
    assert len(served) == len(set(served))
    for group in constraints.groups:
        assert len(set(group.members) & set(served)) <= 1
    for route, relation in itertools.product(plan.routes, constraints.relations):
        own = [stop for stop in route.stops if stop in relation.stops]
        all_served = [stop for stop in relation.stops if stop in served]
        if relation.kind == "apart":
            assert len(own) < 2
        elif own:
            assert sorted(own) == sorted(all_served)
        if relation.kind in ("order", "chain"):
            assert own == [stop for stop in relation.stops if stop in own]
    for route in plan.routes:
        ends = [0, *(each.after for each in route.reloads), len(route.stops)]
        for first, last in itertools.pairwise(ends):
            load = sum(constraints.delivery[stop - 1, 0] for stop in route.stops[first:last])
            assert 0 < load <= constraints.vehicles[0].capacity[0]


def test_known_routes_with_reloads_stay():
    instance = random_day(3, 12)
    problem = RichProblem(instance)
    known = search_plan(problem)
    again = search_plan(problem, Effort("none"), starts=[known])
    assert (again.cost, again.repaired) == (pytest.approx(known.cost), False)


@pytest.mark.parametrize(("seed", "breaks"), [(22, 6), (33, 6), (55, 6), (35, 7), (55, 7), (56, 7)])
def test_with_many_breaks_the_search_counts_what_routes_cost(seed, breaks):
    """Each set of them has room for few ranges of departures: the cheap ones have to stay."""
    draw, customers, rests = random.Random(seed), [], []
    for _ in range(draw.randint(8, 14)):
        opens = draw.randint(0, 400)
        customer = {"x": draw.randint(0, 40), "y": draw.randint(0, 40), "demand": [1]}
        customer |= {"service": draw.randint(0, 10)}
        customer |= {"window": [opens, opens + draw.randint(5, 60)]}
        customer |= {"max_late": draw.choice([20, 100, 300])}
        customers.append(customer | {"late_cost": draw.choice([0.5, 1, 3, 10])})
    for number in range(breaks):
        opens = draw.randint(0, 450)
        rest = {"id": f"b{number}", "duration": draw.randint(2, 15)}
        rests.append(rest | {"window": [opens, opens + draw.randint(30, 200)]})
    van = {"id": "v", "count": 2, "capacity": [20], "duration_cost": draw.choice([0, 1])}
    van |= {"fixed_cost": 100, "breaks": rests}
    depots = [{"id": "d", "x": 20, "y": 20}]
    instance = constrained(customers=customers, vehicles=[van], depots=depots)
    search, timeline = RichSearch(RichProblem(instance)), Timeline(instance)
    search.begin(1)
    search.construct()
    search.anneal(60, (0.5, 0.05))
    found = search.found()
    costs = [timeline.schedule(route).cost for route in found.plan().routes]
    assert found.cost == pytest.approx(math.fsum(costs))
