import dataclasses
import itertools

import pytest

from tests.build import constrained, mixed_instance, on_a_line
from tests.vrpcore.solve.doubles import earlier, ordered, problems
from vrpcore.api import read_instances
from vrpcore.errors import InstanceError
from vrpcore.formats.options import SheetOptions
from vrpcore.instance.plan import ANY_VEHICLE, Plan, Route
from vrpcore.instance.solution import RouteReport, RouteSchedule, Solution
from vrpcore.search.effort import Effort
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan
from vrpcore.solve.admission import admit
from vrpcore.solve.known_plans import (
    WARM_START_IGNORED,
    WARM_START_REPAIRED,
    freeze_time,
    lost_routes,
)
from vrpcore.solve.solve_options import SolveOptions


def test_a_useless_warm_start_is_told_and_does_no_harm():
    (problem,) = problems([6])
    own = dataclasses.replace(problem, plan=Plan.of([[1, 2, 3], [4, 5, 6]]), capacity=100.0)
    other = dataclasses.replace(own, ids=tuple("abcdef"))
    task = admit(0, own, earlier(other, Plan.of([[1, 2]])))
    assert task.warnings == [WARM_START_IGNORED]
    assert task.notes == [
        "p-0: warm start ignored: warm start 'p-0': no stop of the instance is in them, but "
        "stop 'a', stop 'b'"
    ]
    assert task.known == [Plan.of([[1, 2, 3], [4, 5, 6]])]
    task = admit(0, problem, Solution(name="x", status="invalid"))
    assert task.warnings == [WARM_START_IGNORED]


def test_a_warm_start_loses_what_is_gone_and_nothing_else():
    (problem,) = problems([6])
    before = dataclasses.replace(problem, ids=(1, 2, "gone", 4, 5, 6), capacity=100.0)
    problem = dataclasses.replace(problem, capacity=100.0)
    task = admit(0, problem, earlier(before, Plan.of([[1, 3, 2], [6, 5, 4]])))
    assert task.warnings == [WARM_START_REPAIRED]
    assert task.notes == [
        "p-0: warm start repaired: without stop 'gone', which the instance does not have; "
        "routes: customer 3 is in no route"
    ]
    (plan,) = task.known
    known = [list(route.stops) for route in plan.routes]
    assert sorted(stop for route in known for stop in route) == [1, 2, 3, 4, 5, 6]
    assert [[stop for stop in route if stop != 3] for route in known if route != [3]] == [
        [1, 2],
        [6, 5, 4],
    ]
    known = Plan.of([[1, 2], [4, 5, 6, 3]])
    own = dataclasses.replace(problem, plan=known._replace(unknown=("stop 9",)))
    task = admit(0, own, None)
    assert task.known == [known]
    assert task.warnings == [WARM_START_REPAIRED]
    assert task.notes == [
        "p-0: its routes repaired: without stop 9, which the instance does not have"
    ]


LINE = constrained(
    customers=on_a_line(1, 2, 3, 4), vehicles=[{"id": "van", "max_customers": 3, "fixed_cost": 1}]
)


def driven(*routes, **changes):
    """An earlier solution of `LINE`, by vans."""
    van = RouteSchedule(vehicle="van", start="0", end="0")
    found = tuple(RouteReport(stops, load=0.0, cost=0.0, schedule=van) for stops in routes)
    return Solution(**{"name": "t", "status": "solved", "cost": 0.0, "routes": found} | changes)


@pytest.mark.parametrize(
    ("warm_start", "own", "warnings"),
    [
        (None, None, []),
        (driven((1, 2), (3, 4)), None, []),
        (driven((1, 2), (3, 4)), ((4, 3, 2), (1,)), []),
        (driven((1, 2, 3, 4)), None, [WARM_START_REPAIRED]),
        (driven((1, 2), (2, 3, 4)), None, [WARM_START_REPAIRED]),
        (driven((1, 2), (3,)), None, [WARM_START_REPAIRED]),
        (driven((1, 2), (3,), status="partial"), None, []),
        (driven((1, 2), (3, 1), status="partial"), None, [WARM_START_REPAIRED]),
        (driven((1, 2), (3,), status="infeasible"), None, []),
        (driven(status="partial"), None, []),
        (driven(), None, [WARM_START_REPAIRED]),
        (None, (), [WARM_START_REPAIRED]),
        (None, ((1, 2, 3, 4),), [WARM_START_REPAIRED]),
        (None, ((1, 2),), [WARM_START_REPAIRED]),
        (driven((1, 2), (3,)), ((1, 2),), [WARM_START_REPAIRED]),
        (driven((1, 5, 2), (3, 4)), None, [WARM_START_REPAIRED]),
        (driven((5,)), None, [WARM_START_IGNORED]),
        (driven((5,)), ((1, 2),), [WARM_START_REPAIRED, WARM_START_IGNORED]),
        (Solution(name="x", status="invalid"), None, [WARM_START_IGNORED]),
        (None, ((1, 9), (2, 3, 4)), [WARM_START_REPAIRED]),
        (None, ((9,),), [WARM_START_IGNORED]),
    ],
)
def test_what_is_said_of_known_routes_beside_constraints(warm_start, own, warnings):
    plan = None if own is None else Plan([Route(ANY_VEHICLE, stops) for stops in own])
    instance = dataclasses.replace(LINE, plan=plan)
    task = ordered(instance, warm_start)
    assert task.starts == task.known
    found = search_plan(RichProblem(instance), starts=task.starts)
    for answer in (task.answer(None), task.answer(found)):
        assert (answer.status, answer.cost) == ("solved", 12.0)
        assert answer.warnings == tuple(warnings)
    told = [note.split(": ")[1].split()[-1] for note in task.notes]
    assert ("ignored" in told) == (WARM_START_IGNORED in warnings)


def test_what_is_gone_is_named_and_the_rest_of_the_plan_is_kept():
    lorry = RouteSchedule(vehicle="lorry", start="0", end="0")
    earlier = driven((4, "gone", 1), (3, 2))
    first, second = earlier.routes
    earlier = dataclasses.replace(
        earlier, routes=(dataclasses.replace(first, schedule=lorry), second)
    )
    instance = constrained(
        customers=on_a_line(1, 2, 3, 4, 5),
        vehicles=[
            {"id": "truck", "fixed_cost": 9},
            {"id": "van", "max_customers": 3, "fixed_cost": 1},
        ],
    )
    task = ordered(instance, earlier)
    assert [plan.routes for plan in task.starts] == [[Route(ANY_VEHICLE, (4, 1)), Route(1, (3, 2))]]
    assert task.notes == [
        "instance-0: warm start repaired: without vehicle type 'lorry', stop 'gone', which the "
        "instance does not have; stop 5 in no route"
    ]
    found = search_plan(RichProblem(instance), Effort("none"), starts=task.starts)
    assert {route.vehicle for route in found.routes} == {1}  # the cheapest that can serve them
    names = [f"x{number}" for number in range(50)]
    (note,) = ordered(instance, driven((*names, 1, 2), (3, 4, 5))).notes
    assert note.endswith("stop 'x8', stop 'x9' and 40 more, which the instance does not have")


def test_routes_with_vehicles_need_not_serve_everybody():
    for vehicle, told in ((ANY_VEHICLE, [WARM_START_REPAIRED]), (0, [])):
        instance = dataclasses.replace(LINE, plan=Plan([Route(vehicle, (1, 2))]))
        assert ordered(instance, None).answer(None).warnings == tuple(told)


def test_without_a_search_an_answer_is_no_worse_than_known_routes():
    better = 0
    for seed in range(6):
        instance = mixed_instance(seed, 16)
        known = ordered(instance).answer(search_plan(RichProblem(instance)))
        scratch, found = (ordered(instance, start).answer(None) for start in (None, known))
        assert found.warnings == ()
        if known.status == "solved":
            assert (found.status, found.cost <= known.cost * (1 + 1e-12)) == ("solved", True)
        better += found.cost < scratch.cost
    assert better > 1


def test_a_known_route_without_a_road_is_repaired():
    matrix = [[0, 1, 2, 3], [1, 0, None, 1], [2, 1, 0, 1], [3, 1, 1, 0]]
    document = {"capacity": 9, "demands": [1, 1, 1], "distances": matrix, "routes": [[1, 2, 3]]}
    (instance,) = read_instances(document)
    answer = ordered(instance).answer(None)
    assert answer.status == "solved"
    assert WARM_START_REPAIRED in answer.warnings
    assert not any((1, 2) in itertools.pairwise(route.customers) for route in answer.routes)


SHEET = SheetOptions(depot=(52.4, 13.4), capacity=(9,), speed=30)


@pytest.mark.parametrize(
    ("times", "freeze", "meant"),
    [
        ("08:30", 10.4, "10.4 is taken as minutes after midnight, 00:10"),
        ("08:30", 1040, "1040 is taken as minutes after midnight, 17:20"),
        ("2026-11-27 08:30", 640, "640 is taken as minutes after midnight, 10:40"),
        ("08:30", "10:40", None),
        ("", 640, None),
    ],
)
def test_what_a_number_means_among_times_of_day_is_said(tmp_path, times, freeze, meant):
    stops = tmp_path / "stops.csv"
    stops.write_text(f"id,lat,lon,demand,open\n1,52.5,13.4,1,{times}\n")
    (instance,) = read_instances(str(stops), sheet=SHEET)
    task = admit(0, instance, None, options=SolveOptions(freeze=freeze))
    said = [f"stops: freeze: {meant}; write a time of day with a colon"]
    assert task.notes == (said if meant else [])


@pytest.mark.parametrize(
    ("window", "refused"),
    [([28800, 64800], False), ([1764000000, 1764036000], True), (None, False)],
)
def test_seconds_since_1970_are_no_times_of_day(window, refused):
    vehicle = {"id": 1, "start_index": 0} | ({} if window is None else {"time_window": window})
    jobs = [{"id": 1, "location_index": 1}]
    matrices = {"car": {"durations": [[0, 9], [9, 0]]}}
    (instance,) = read_instances({"vehicles": [vehicle], "jobs": jobs, "matrices": matrices})
    if not refused:
        assert freeze_time(instance, "9:40") == 34800
        return
    said = "freeze: 9:40: the times of this instance are seconds since 1970, so give those"
    with pytest.raises(InstanceError, match=said) as raised:
        freeze_time(instance, "9:40")
    assert raised.value.code == "FREEZE"
    assert freeze_time(instance, 1764000600.0) == 1764000600.0


VANS = [{"id": "one", "count": 1, "capacity": 9}, {"id": "two", "count": 2, "capacity": 9}]
TOLD = {"freeze": 5.0}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"lost": "3"},
            "lost: '3', expected the id of a vehicle or the number of a known route, 1 to 2",
        ),
        (
            {"lost": "route:3"},
            "lost: 'route:3', expected the id of a vehicle or the number of a known route, 1",
        ),
        ({"lost": "9" * 5000}, f"lost: '{'9' * 30}"),
        ({"lost": "route:1,two"}, "lost: there are several vehicles 'two'; give the one's known"),
        ({"goods": "any"}, "goods: any, with 5 load dimensions, but at most 4 can be searched so"),
    ],
)
def test_lost_vehicles_and_goods_that_cannot_be(options, said):
    wide = {"demand": [[1] * 5] * 2} if "goods" in options else {}
    vans = [{**each, "capacity": [9] * 5} if wide else each for each in VANS]
    given = constrained(customers=on_a_line(1, 2, **wide), vehicles=vans, routes=[[1], [2]])
    answer = admit(0, given, None, options=SolveOptions(**TOLD, **options))
    assert answer.error.startswith(said)
    assert answer.code == ("TOO_LARGE" if wide else "FREEZE")


def test_a_lost_vehicle_means_nothing_without_a_freeze():
    given = constrained(customers=on_a_line(1), vehicles=[{**VANS[0], "lost": True}])
    answer = admit(0, given, None, options=SolveOptions())
    said = "a vehicle is lost, which means nothing without freeze; give that, or leave it out"
    assert (answer.code, answer.error) == ("FREEZE", said)
    assert admit(0, given, None, options=SolveOptions(**TOLD)).freeze == 5.0


@pytest.mark.parametrize("number", ["2", "route:2"])
def test_lost_vehicles_are_marked_where_they_are_named(number):
    given = constrained(customers=on_a_line(1, 2), vehicles=VANS, routes=[[2], [1]])
    task = admit(0, given, None, options=SolveOptions(**TOLD, lost=f"{number},one", goods="any"))
    assert [day.is_lost for day in task.known[0].days] == [False, True]
    found = task.instance.own_constraints
    assert [each.is_lost for each in found.vehicles] == [True, False]
    assert found.goods == "any"


def test_a_number_that_is_an_id_is_no_route():
    vans = [{**each, "id": number} for number, each in enumerate(VANS)]
    given = constrained(customers=on_a_line(1, 2), vehicles=vans, routes=[[2], [1]])
    refused = admit(0, given, None, options=SolveOptions(**TOLD, lost="1"))
    assert refused.error.startswith("lost: there are several vehicles '1'; give the one's known ro")
    task = admit(0, given, None, options=SolveOptions(**TOLD, lost="0,2,route:1"))
    assert [day.is_lost for day in task.known[0].days] == [True, True]
    assert [each.is_lost for each in task.instance.own_constraints.vehicles] == [True, False]


@pytest.mark.parametrize(("lost", "rows"), [("3", {1}), ("route:2", {1}), ("1,3", {0, 1})])
def test_of_vehicles_that_vroom_tells_apart_a_number_is_an_id(lost, rows):
    vans = [
        {"id": van, "start_index": 0, "steps": [{"type": "job", "id": van}] if van != 2 else []}
        for van in (1, 2, 3)
    ]
    jobs = [{"id": job, "location_index": 1} for job in (1, 3)]
    matrices = {"car": {"durations": [[0, 9], [9, 0]]}}
    (given,) = read_instances({"vehicles": vans, "jobs": jobs, "matrices": matrices})
    assert lost_routes(given, None, lost) == rows
    with pytest.raises(InstanceError, match="vehicle 2 has no known route; leave it out"):
        lost_routes(given, None, "2")


def test_a_plan_that_goes_on_has_routes():
    given = constrained(customers=on_a_line(1), vehicles=VANS)
    broken = Solution(name="x", status="invalid", code="FORMAT", error="no")
    answer = admit(0, given, broken, options=SolveOptions(**TOLD))
    said = "freeze: the plan that goes on has no routes: its status is invalid"
    assert (answer.code, answer.error) == ("FREEZE", said)


def test_without_known_routes_a_lost_vehicle_has_an_id():
    given = constrained(customers=on_a_line(1), vehicles=VANS)
    answer = admit(0, given, None, options=SolveOptions(**TOLD, lost="route:1"))
    assert answer.error == "lost: 'route:1', expected the id of a vehicle"


@pytest.mark.parametrize(
    ("load", "customers", "said"),
    [
        (2.0, (1, 2), None),
        (3.0, (1, 2), "route 1 (load 3, with today's amounts 2)"),
        (3.0, (1, 2, "gone"), "stop 'gone'"),
    ],
)
def test_orders_that_changed_since_a_plan_without_amounts_are_told(load, customers, said):
    given = constrained(customers=on_a_line(1, 2, demand=[1, 1]), vehicles=VANS)
    schedule = RouteSchedule(vehicle="one", start="0", end="0")
    routes = (RouteReport(customers, load, 4.0, schedule),)
    plan = Solution(name="x", status="solved", cost=4.0, routes=routes)
    task = admit(0, given, plan, options=SolveOptions(**TOLD))
    words = f"the plan does not state 'amounts': what was loaded is not known for {said}"
    assert (f"AMOUNTS_UNKNOWN: {words}" in task.warnings) == (said is not None)
    stated = dataclasses.replace(schedule, amounts=(1.0,) * len(customers))
    plan = dataclasses.replace(plan, routes=(dataclasses.replace(routes[0], schedule=stated),))
    task = admit(0, given, plan, options=SolveOptions(**TOLD))
    assert not any(each.startswith("AMOUNTS") for each in task.warnings)
    nothing = constrained(customers=on_a_line(1, 2), vehicles=VANS)
    assert not any("AMOUNTS" in each for each in admit(0, nothing, plan).warnings)


def test_what_is_gone_was_collected_where_other_routes_state_amounts():
    given = constrained(customers=on_a_line(1, -2, demand=[1, 0], pickup=[0, 1]), vehicles=VANS)
    stated = RouteSchedule(vehicle="one", start="0", end="0", amounts=(1.0,))
    collects = RouteSchedule(vehicle="two", start="0", end="0", departure=0.0)
    routes = (
        RouteReport((1,), 1.0, 2.0, stated),
        RouteReport((2, "gone"), 2.0, 4.0, collects),
    )
    plan = Solution(name="x", status="solved", cost=6.0, routes=routes)
    task = admit(0, given, plan, options=SolveOptions(**TOLD))
    assert task.warnings == [WARM_START_REPAIRED]
    assert [each.id for each in task.known[0].days[1].goods] == [2, "gone"]


def test_own_routes_state_no_amounts():
    given = {"customers": on_a_line(1, demand=[1]), "vehicles": VANS, "routes": [[1, "gone"]]}
    task = admit(0, constrained(**given), None, options=SolveOptions(**TOLD))
    assert task.warnings[-1].endswith("what was loaded is not known for stop 'gone'")
