"""Routes of instances with constraints: every limit holds, and small ones are best."""

import csv
import random
import time
from collections import Counter

import pytest

from tests.build import constrained, detailed_instance, mixed_instance, on_a_line
from tests.vrpcore.documents import mixed_document
from tests.vrpcore.oracle import best_answer
from tests.vrpcore.search.mixed import fault, search_routes, value
from vrpcore.cost.timeline import Timeline
from vrpcore.formats.read import read_instances
from vrpcore.formats.solutions import read_solutions
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import ANY_VEHICLE, Plan, Route
from vrpcore.search.effort import FAST, Effort
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import best_as_it_is, search_plan
from vrpcore.solve.starting_routes import warm_routes


def check(instance: Instance, routes):
    timeline, constraints = Timeline(instance), instance.own_constraints
    assert [fault(instance, timeline, route) for route in routes] == [None] * len(routes)
    stops = Counter(stop for route in routes for stop in route.stops)
    assert set(stops.values()) <= {1}
    assert set(stops) <= set(range(1, constraints.num_stops + 1))
    for vehicle, count in Counter(route.vehicle for route in routes).items():
        limit = constraints.vehicles[vehicle].count
        assert limit is None or count <= limit


@pytest.mark.parametrize("level", ["none", "fast"])
@pytest.mark.parametrize("size", [1, 2, 5, 9, 16, 30])
def test_every_limit_holds(size, level):
    for seed in range(6 if level == "fast" else 20):
        instance = mixed_instance(1000 * size + seed, size)
        check(instance, search_routes(instance, Effort(level), seed))


def test_cost_and_missing_are_those_of_the_routes():
    for seed in range(40):
        instance = mixed_instance(seed, 12)
        plan = search_plan(RichProblem(instance), Effort("none"))
        priority, count, cost = value(instance, Timeline(instance), plan.routes)
        assert plan.missing == priority * 13 + count
        assert plan.cost == pytest.approx(cost, abs=1e-7, rel=1e-9)


def test_small_instances_are_solved_to_the_optimum():
    exact, worse = 0, []
    for seed in range(40):
        size = 4 + seed % 2
        instance, best = mixed_instance(seed, size), best_answer(mixed_document(seed, size))
        routes = search_routes(instance)
        check(instance, routes)
        *missing, cost = value(instance, Timeline(instance), routes)
        if tuple(missing) != best.missing:
            worse.append((seed, missing, best))
        exact += cost <= best.cost * (1 + 1e-9) + 1e-9
        assert (*missing, cost) >= (*best.missing, best.cost * (1 - 1e-7) - 1e-7)
    assert worse == []
    assert exact >= 39


def test_equal_seeds_give_equal_routes():
    for seed in range(3):
        instance = mixed_instance(seed, 20)
        assert search_routes(instance, seed=seed) == search_routes(instance, seed=seed)


def test_a_time_limit_ends_the_search():
    instance = mixed_instance(3, 40)
    end = time.perf_counter() + 0.05
    check(instance, search_routes(instance, Effort("deep", end)))
    assert time.perf_counter() < end + 1.0
    late = search_routes(instance, Effort("fast", time.perf_counter() - 1.0))
    assert late == search_routes(instance, Effort("none", end=0.0))  # by one order of insertion


def test_a_time_limit_replaces_the_number_of_iterations(monkeypatch):
    done, anneal = [], RichSearch.anneal
    monkeypatch.setattr(RichSearch, "anneal", lambda *args: done.append(anneal(*args)) or done[-1])
    problem = RichProblem(mixed_instance(3, 15))
    search_plan(problem)
    search_plan(problem, Effort("fast", time.perf_counter() + 1.0))
    assert done[0] == 400 * 15
    assert sum(done[1:]) > done[0]


def rank(plan):
    return plan.missing, plan.cost - 1e-9 * abs(plan.cost)


@pytest.mark.parametrize("size", [1, 2, 5, 9, 16, 30])
def test_a_start_that_keeps_all_limits_is_never_worsened(size):
    better = 0
    for seed in range(6):
        problem = RichProblem(mixed_instance(1000 * size + seed, size))
        known, scratch = search_plan(problem), search_plan(problem, Effort("none"), 1)
        for effort in (Effort("none"), Effort("fast", time.perf_counter())):
            found = search_plan(problem, effort, 1, starts=[known])
            assert not found.repaired
            assert rank(found) <= (known.missing, known.cost)
            assert rank(found) <= (scratch.missing, scratch.cost)
        found = search_plan(problem, Effort("none"), 1, starts=[Plan([]), known, scratch])
        assert rank(found) <= (known.missing, known.cost)
        better += rank(known) < rank(scratch)
    assert size < 9 or better > 1


def test_a_start_with_fewer_vehicles_comes_before_a_cheaper_one():
    fewer = 0
    for seed in range(20):
        problem = RichProblem(mixed_instance(seed, 12))
        known = search_plan(problem, fewest_vehicles=True)
        found = search_plan(problem, Effort("none"), fewest_vehicles=True, starts=[known])
        assert (found.missing, len(found.routes)) <= (known.missing, len(known.routes))
        cheapest = search_plan(problem, Effort("none"), starts=[known])
        assert rank(cheapest) <= (known.missing, known.cost)
        fewer += len(found.routes) < len(cheapest.routes)
    assert fewer


def test_of_known_shipments_that_are_alternatives_only_one_stays():
    shipments = [{"pickup": {"x": at, "y": 0}, "delivery": {"x": 9 - at, "y": 0}} for at in (3, 4)]
    keys = {"shipments": [{"id": f"s{n}", **each} for n, each in enumerate(shipments)]}
    instance = constrained(groups=[{"members": ["s0", "s1"]}], vehicles=[{}], **keys)
    for stops in ([1, 3, 4, 2], [1, 4], [3, 1, 2, 4], [3, 2, 1]):
        known = [Plan([Route(0, stops)])]
        plan = search_plan(RichProblem(instance), Effort("none"), starts=known)
        assert plan.missing == 0
        assert [list(route.stops) for route in plan.routes] in ([[1, 2]], [[3, 4]])


def broken(instance, routes, draw):
    """Routes that break limits: each kind of fault now and then."""
    types = len(instance.own_constraints.vehicles)
    given = [[route.vehicle, list(route.stops)] for route in routes]
    stops = range(1, instance.own_constraints.num_stops + 1)
    if draw.random() < 0.3:  # everybody in one route
        given = [[draw.randrange(types), draw.sample(stops, len(stops))]]
    for route in given:
        if draw.random() < 0.3:
            draw.shuffle(route[1])
        if draw.random() < 0.3:
            route[0] = draw.choice([ANY_VEHICLE, *range(types)])
        if draw.random() < 0.3:
            route[1].insert(0, draw.choice(stops))
        if draw.random() < 0.3:
            route[1].pop()
    return given * draw.choice([1, 1, 2])


@pytest.mark.parametrize("size", [1, 2, 5, 9, 16, 30])
def test_starts_that_break_limits_are_repaired(size):
    repaired = 0
    for seed in range(12):
        draw = random.Random(seed)
        instance, other = (mixed_instance(1000 * size + seed + more, size) for more in (0, 1))
        problem = RichProblem(instance)
        scratch = search_plan(problem, Effort("none"))
        source = draw.choice([instance, instance, other])
        known = broken(instance, search_plan(RichProblem(source), Effort("none")).routes, draw)
        known = [
            Route(ANY_VEHICLE if kind >= len(instance.own_constraints.vehicles) else kind, stops)
            for kind, stops in known
        ]
        for effort in [Effort("none"), FAST][: 1 + (seed % 4 == 0)]:
            found = search_plan(problem, effort, starts=[Plan(known)])
            check(instance, found.routes)
            assert rank(found) <= (scratch.missing, scratch.cost)
            priority, count, cost = value(instance, Timeline(instance), found.routes)
            assert found.missing == priority * (size + 1) + count
            assert found.cost == pytest.approx(cost, abs=1e-7, rel=1e-9)
        repaired += found.repaired
    assert repaired > 4


def test_a_start_that_is_nearly_right_is_worth_more_than_insertion():
    nearer = 0
    for seed in range(5):
        instance = mixed_instance(seed, 25)
        problem = RichProblem(instance)
        best, scratch = search_plan(problem), search_plan(problem, Effort("none"))
        known = [each._replace(stops=(*each.stops, each.stops[0])) for each in best.routes]
        found = search_plan(problem, Effort("none"), starts=[Plan(known)])
        assert found.repaired == bool(known)
        assert rank(found) <= (best.missing, best.cost)
        nearer += rank(found) < rank(scratch)
    assert nearer > 1


@pytest.mark.parametrize(
    ("folder", "rounding"),
    [("pyvrp_hfvrp", "exact"), ("pyvrp_mdvrptw", "exact"), ("pyvrp_pcvrptw", "dimacs")],
)
def test_best_known_routes_are_kept(test_data, folder, rounding):
    place = test_data / "variants" / folder
    with (place / "bks.csv").open() as file:
        costs = {row["name"]: float(row["bks"]) for row in csv.DictReader(file)}
    for file in sorted(place.glob("*.sol"))[::12]:
        (instance,) = read_instances(file.with_suffix(".vrp"), rounding=rounding)
        (known,) = read_solutions(file)
        start = warm_routes(instance, known)
        found = search_plan(RichProblem(instance), Effort("none"), starts=[start])
        assert (found.repaired, found.missing) == (False, 0)
        assert found.cost <= costs[file.stem] * (1 + 1e-6)


def test_fewer_vehicles_come_before_their_cost():
    fewer = 0
    for seed in range(10):
        instance = mixed_instance(seed, 12)
        timeline = Timeline(instance)
        cheapest = search_routes(instance)
        fewest = search_routes(instance, fewest_vehicles=True)
        check(instance, fewest)
        served, cost = value(instance, timeline, fewest)[:2], value(instance, timeline, cheapest)
        assert served <= cost[:2]
        if served == cost[:2]:
            assert len(fewest) <= len(cheapest)
            fewer += len(fewest) < len(cheapest)
    assert fewer


def two_towns(**each):
    """Six customers at each of two depots; a vehicle in each town is cheaper than one for both."""
    depots = [{"id": "east", "x": 50, "y": 0}, {"id": "west", "x": -50, "y": 0}]
    vehicles = [{"start": depot["id"]} for depot in depots]
    places = [town + step for town in (50, -50) for step in range(6)]
    return constrained(depots=depots, vehicles=vehicles, customers=on_a_line(*places, 0, **each))


def test_vehicles_are_saved_where_somebody_cannot_be_served():
    instance = two_towns(skills=[[]] * 12 + [["wings"]])
    assert len(search_routes(instance)) == 2
    (route,) = search_routes(instance, fewest_vehicles=True)
    assert len(route.stops) == 12


def test_no_vehicle_is_used_for_prizes_where_the_fewest_are_asked_for():
    instance = two_towns(prize=[30] * 13)
    assert len(search_routes(instance)) == 2
    assert search_routes(instance, fewest_vehicles=True) == []


def test_many_routes_are_searched_near_by():
    customers = [
        {"x": (29 * at) % 97, "y": (53 * at) % 89, "demand": 5, "window": [at % 7, 300 + at % 11]}
        for at in range(180)
    ]
    instance = constrained(customers=customers, vehicles=[{"capacity": 10}])
    first, found = search_routes(instance, Effort("none")), search_routes(instance)
    check(instance, found)
    assert sum(len(route.stops) for route in found) == 180
    assert len(first) >= len(found) == 90
    timeline = Timeline(instance)
    assert value(instance, timeline, found) < value(instance, timeline, first)


@pytest.mark.parametrize(("seed", "size"), [(6397, 7), (8248, 5)])
def test_who_can_only_be_served_together_is(seed, size):
    """Detours are shorter there: nobody fits alone, some fit in twos."""
    instance, best = mixed_instance(seed, size), best_answer(mixed_document(seed, size))
    missing = value(instance, Timeline(instance), search_routes(instance))[:2]
    assert missing == best.missing


@pytest.mark.parametrize("prize", [0, 5])
def test_who_is_required_is_reached_behind_who_is_not(prize):
    lengths = [[0, 1, 9], [1, 0, 1], [9, 1, 0]]
    customers = [{"prize": prize}, {"window": [0, 3]}]
    instance = constrained(
        depot={}, vehicles=[{"count": 1}], distances=lengths, customers=customers
    )
    assert [route.stops for route in search_routes(instance)] == [(1, 2)]


@pytest.mark.parametrize("seed", range(0, 30, 5))
def test_routes_with_breaks_and_setups_keep_all_limits(seed):
    instance = detailed_instance(seed, 12 + seed)
    first = search_plan(RichProblem(instance), Effort("none"))
    timeline = Timeline(instance)
    for plan in (first, search_plan(RichProblem(instance))):
        check(instance, plan.routes)
        assert plan.cost == pytest.approx(value(instance, timeline, plan.routes)[2], abs=1e-6)


def test_four_breaks_and_loads_in_them_are_judged_by_whole_routes():
    """So many breaks, or limits on what is on board meanwhile, have no times at each place."""
    rests = [{"id": str(k), "window": [10 * k, 10 * k + 30], "duration": k} for k in range(4)]
    for breaks in (rests, [rests[2] | {"max_load": 3}], [rests[1], rests[3] | {"max_load": 0}]):
        customers = [
            {"x": (7 * k) % 11, "y": (5 * k) % 13, "demand": 1, "service": 1} for k in range(8)
        ]
        for rate in (0, 1):
            vehicles = [{"capacity": 5, "duration_cost": rate, "breaks": breaks}]
            instance = constrained(customers=customers, vehicles=vehicles)
            found = search_routes(instance)
            check(instance, found)
            assert sum(len(route.stops) for route in found) == 8
            timeline = Timeline(instance)
            assert all(len(timeline.schedule(each).breaks) == len(breaks) for each in found)


def one_long_route(seed):
    """Ten customers and two shipments for a vehicle that is paid by the hour and rests."""
    draw = random.Random(seed)

    def visit():
        opens = draw.choice([0, 0, 30, 60])
        windows = draw.choice([{}, {"window": [opens, opens + 200]}])
        if draw.random() < 0.2:
            days = [[900 * day + opens, 900 * day + opens + 200] for day in range(1, 5)]
            windows = {"windows": [[opens, opens + 60], [opens + 90, opens + 240], *days]}
        place = {"x": draw.randint(0, 12), "y": draw.randint(0, 12), "place": draw.randint(0, 4)}
        return {**place, **windows, "service": draw.randint(1, 4), "setup": draw.randint(0, 2)}

    rests = [
        {"id": str(k), "window": [40 * k + 10, 40 * k + 90], "duration": 7} for k in range(seed % 4)
    ]
    vehicle = {"capacity": 99, "count": 1, "duration_cost": 2, "breaks": rests}
    if seed % 3 == 0:
        vehicle |= {"service_cost": 0.5, "end": None}
    if seed % 2:
        vehicle |= {"window": [0, 600]}
    return constrained(
        vehicles=[vehicle | ({"start": None} if seed % 5 == 0 else {})],
        customers=[visit() | {"demand": 1} for _ in range(10)],
        shipments=[
            {"id": name, "amount": 1, "pickup": visit(), "delivery": visit()} for name in "ab"
        ],
    )


def with_one_more(stops, unit):
    """All routes with a customer, or a shipment, in addition."""
    for at in range(len(stops) + 1):
        first = (*stops[:at], unit[0], *stops[at:])
        if len(unit) == 1:
            yield first
        for to in range(at + 1, len(first) + 1) if len(unit) > 1 else ():
            yield (*first[:to], unit[1], *first[to:])


@pytest.mark.parametrize("seed", range(4))
def test_who_is_left_out_comes_to_the_cheapest_place(seed):
    """The duration with one more stop is known from what is before and behind its place."""
    instance = one_long_route(seed)
    problem, timeline = RichProblem(instance), Timeline(instance)
    (route,) = search_plan(problem).routes
    search = RichSearch(problem)
    for stop in random.Random(seed).sample(route.stops, 4):
        partner = instance.own_constraints.partner(stop)
        unit = [stop] if partner is None else sorted((stop, partner))
        stops = tuple(each for each in route.stops if each not in unit)
        search.begin(seed)
        search.start([Route(0, stops)])
        routes = [route._replace(stops=tried) for tried in with_one_more(stops, unit)]
        costs = [
            value(instance, timeline, [each])[2]
            for each in routes
            if fault(instance, timeline, each) is None
        ]
        assert search.found().missing == 0
        assert search.found().cost == pytest.approx(min(costs), abs=1e-7)


def test_known_routes_keep_their_stops_with_breaks_and_setups():
    for seed in range(5):
        instance = detailed_instance(seed, 14)
        plan = search_plan(RichProblem(instance))
        again = search_plan(RichProblem(instance), Effort("none"), starts=[plan])
        assert not again.repaired
        assert (again.missing, again.cost) <= (plan.missing, plan.cost + 1e-9)


def test_a_given_plan_is_taken_as_it_is_or_not_at_all():
    places = on_a_line(1, 2, 3, window=[[0, 1], [0, 9], [0, 9]])
    problem = RichProblem(constrained(customers=places, vehicles=[{}]))
    late, part = Plan.of([[3, 2, 1]]), Plan.of([[1, 2]])
    dear, dearer = Plan.of([[1, 2], [3]]), Plan.of([[1], [2], [3]])
    found = best_as_it_is(problem, [late, dearer, dear, part])
    assert ({route.stops for route in found.routes}, found.cost) == ({(1, 2), (3,)}, 10.0)
    assert best_as_it_is(problem, [late, part]) is None
    assert best_as_it_is(problem, []) is None
