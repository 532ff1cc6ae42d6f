import dataclasses
import itertools

import pytest

from tests.build import constrained, mixed_instance, on_a_line
from tests.vrpcore.solve.doubles import earlier, ordered, problems
from vrpcore.api import read_instances
from vrpcore.errors import InstanceError
from vrpcore.formats.sheets.sheet_options import SheetOptions
from vrpcore.instance.plan import ANY_VEHICLE, Plan, Route
from vrpcore.instance.solution import RouteReport, RouteSchedule, Solution
from vrpcore.search import rich_library
from vrpcore.search.effort import Effort
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan
from vrpcore.solve.admission import admit
from vrpcore.solve.known_plans import WARM_START_IGNORED, WARM_START_REPAIRED, freeze_time
from vrpcore.solve.solve_options import SolveOptions

needs_search = pytest.mark.skipif(not rich_library.is_built(), reason="the search was not built")


def test_a_useless_warm_start_is_told_and_does_no_harm():
    (problem,) = problems([6])
    own = dataclasses.replace(problem, routes=((1, 2, 3), (4, 5, 6)), capacity=100.0)
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
    own = dataclasses.replace(problem, routes=((1, 2), (4, 5, 6, 3)), unknown_in_routes=("stop 9",))
    task = admit(0, own, None)
    assert task.known == [Plan.of([[1, 2], [4, 5, 6, 3]])]
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


@needs_search
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
    instance = dataclasses.replace(LINE, routes=own)
    task = ordered(instance, warm_start)
    assert task.starts == task.known
    found = search_plan(RichProblem(instance), starts=task.starts)
    for answer in (task.answer(None), task.answer(found)):
        assert (answer.status, answer.cost) == ("solved", 12.0)
        assert answer.warnings == tuple(warnings)
    told = [note.split(": ")[1].split()[-1] for note in task.notes]
    assert ("ignored" in told) == (WARM_START_IGNORED in warnings)


@needs_search
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


@needs_search
def test_routes_with_vehicles_need_not_serve_everybody():
    for vehicles, told in ((None, [WARM_START_REPAIRED]), ((0,), [])):
        instance = dataclasses.replace(LINE, routes=((1, 2),), route_vehicles=vehicles)
        assert ordered(instance, None).answer(None).warnings == tuple(told)


@needs_search
def test_without_a_search_an_answer_is_no_worse_than_known_routes():
    better = 0
    for seed in range(20):
        instance = mixed_instance(seed, 16)
        known = ordered(instance).answer(search_plan(RichProblem(instance)))
        scratch, found = (ordered(instance, start).answer(None) for start in (None, known))
        assert found.warnings == ()
        if known.status == "solved":
            assert (found.status, found.cost <= known.cost * (1 + 1e-12)) == ("solved", True)
        better += found.cost < scratch.cost
    assert better > 3


@needs_search
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
