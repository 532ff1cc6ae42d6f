"""VROOM's answers in."""

import json
import math

import pytest

from tests.vrpcore.vroom_problems import ABSENT, replaced, vroom_problem
from vrpcore.api import Solver, read_instances
from vrpcore.errors import InstanceError
from vrpcore.formats.solutions import read_solutions, with_own_ids
from vrpcore.formats.vroom.vroom_answer import answer_to_dict
from vrpcore.formats.vroom.vroom_solution import read_vroom_answer, with_vroom_ids
from vrpcore.instance.solution import RouteBreak, Unserved
from vrpcore.referee.referee import check_solution
from vrpcore.search import rich_library
from vrpcore.solve.starting_routes import warm_routes

ZEROS = {"setup": 0, "service": 0, "waiting_time": 0}
ANSWER = {
    "code": 0,
    "summary": {"cost": 9, "routes": 1, "unassigned": 2, "duration": 9, "priority": 0, **ZEROS},
    "unassigned": [
        {"id": 3, "type": "pickup", "reason": "CAPACITY", "detail": "too much"},
        {"id": 4, "type": "delivery", "reason": "CAPACITY", "detail": "too much"},
    ],
    "routes": [
        {
            "vehicle": 8, "cost": 9, "duration": 9, "priority": 0, **ZEROS, "geometry": "abc",
            "steps": [
                {"type": "start", "arrival": 1, "duration": 0, "load": [2], **ZEROS},
                {"type": "break", "id": 1, "arrival": 2, "duration": 1, "load": [2], **ZEROS},
                {"type": "job", "id": 7, "arrival": 5, "duration": 4, "load": [0], **ZEROS,
                 "waiting_time": 3, "service": 2},
                {"type": "end", "arrival": 15, "duration": 9, "load": [0], **ZEROS},
            ],
        }
    ],
}  # fmt: skip


def changed(value, *path):
    """The answer with one value replaced; None: without it."""
    return replaced(ANSWER, path, ABSENT if value is None else value)


def read(document):
    return read_vroom_answer(document, "answer")


def test_all_that_an_answer_says():
    found = read(ANSWER)
    assert (found.status, found.cost) == ("partial", 9)
    (route,) = found.routes
    assert (route.customers, route.load, route.cost) == (("job 7",), (2,), 9)
    schedule = route.schedule
    assert (schedule.vehicle, schedule.departure, schedule.return_) == ("8", 1, 15)
    assert (schedule.arrivals, schedule.begins) == ((5,), (8,))
    assert schedule.breaks == (RouteBreak(id="1", begin=2, after=0),)


def test_names_of_the_problem():
    problem = {
        "vehicles": [
            {"id": each, "start_index": 0, "breaks": [{"id": 3}, {"id": 1}]} for each in (2, 8)
        ],
        "jobs": [{"id": 7, "location_index": 0}],
        "shipments": [
            {
                "pickup": {"id": 3, "location_index": 0},
                "delivery": {"id": 4, "location_index": 0},
            }
        ],
        "matrices": {"car": {"durations": [[0]]}},
    }
    (instance,) = read_instances(problem)
    found = with_own_ids(instance, read(ANSWER))
    assert found.name == "instance-0"
    assert found.routes[0].customers == (7,)
    schedule = found.routes[0].schedule
    assert (schedule.vehicle, schedule.start, schedule.end) == ("2", "0", None)  # 8 is as 2
    assert [each.id for each in schedule.breaks] == ["1"]  # its position
    assert found.unserved == (Unserved("3-4", "CAPACITY", "too much"),)
    assert [route.stops for route in warm_routes(instance, read(ANSWER)).routes] == [(1,)]
    (other,) = read_instances({"capacity": 1, "depot": [0, 0], "coords": [], "demands": []})
    assert with_vroom_ids(other, read(ANSWER)).routes == read(ANSWER).routes


@pytest.mark.skipif(not rich_library.is_built(), reason="the search was not built")
@pytest.mark.parametrize("seed", range(12))
def test_our_own_answers_are_read_as_they_were(seed):
    document = vroom_problem(seed, 11)
    items = read_instances(document)
    (solution,) = Solver(device="cpu").solve(items, improve="none")
    again = with_own_ids(items[0], read(answer_to_dict(items[0], solution)))
    # Routes stand in the order of the vehicles.
    assert {route.customers for route in again.routes} == {
        route.customers for route in solution.routes
    }
    assert again.unserved == solution.unserved
    names = [each.schedule.vehicle for each in again.routes]
    assert sorted(names) == sorted(each.schedule.vehicle for each in solution.routes)
    breaks = {route.customers: route.schedule.breaks for route in solution.routes}
    for route in again.routes:
        own = breaks[route.customers]
        assert (own is None) == (route.schedule.breaks is None)
        for first, second in zip(own or (), route.schedule.breaks or (), strict=True):
            assert (first.id, first.after) == (second.id, second.after)
            assert 0 <= first.begin - second.begin < 1  # cut to seconds
    told = [each for each in check_solution(items[0], again).problems if "customers" in each]
    assert told == []


def test_told_by_content():
    text = json.dumps(ANSWER)
    for source in (text, f"[{text}, {text}]", f"{text}\n{text}\n"):
        assert all(item.kind == "vroom" for item in read_solutions(source.encode()))
    (error,) = read_solutions(b'{"code": 2, "error": "wrong"}')
    assert (error.status, error.error, error.has_routes) == ("invalid", "wrong", False)


def test_what_is_not_told_stays_open():
    found = changed(None, "routes", 0, "steps", 1, "load")
    assert math.isnan(read(found).routes[0].load)
    assert read(changed([], "routes")).routes == ()
    assert read(changed([{"id": 3, "type": "job"}], "unassigned")).unserved == ()


@pytest.mark.parametrize(
    ("value", "path", "message"),
    [
        (None, ("summary",), "answer.summary: missing"),
        ("x", ("summary", "cost"), "answer.summary.cost: 'x', expected an integer"),
        (None, ("unassigned",), "answer.unassigned: missing"),
        ("job", ("unassigned", 0, "id"), "answer.unassigned[0].id: 'job', expected an integer"),
        ("bus", ("unassigned", 0, "type"), "answer.unassigned[0].type: 'bus', expected one of"),
        (5, ("routes",), "answer.routes: 5, expected a list of objects"),
        (
            [{}] * 20001,
            ("routes", 0, "steps"),
            "answer.routes[0].steps: 20001 objects, the limit is 20000",
        ),
        (-1, ("routes", 0, "cost"), "answer.routes[0].cost: -1, expected at least 0"),
        ("x", ("routes", 0, "violations"), "answer.routes[0].violations: 'x', expected a list"),
        (None, ("routes", 0, "steps"), "answer.routes[0].steps: missing"),
        ("bus", ("routes", 0, "steps", 2, "type"), "answer.routes[0].steps[2].type: 'bus', exp"),
        (None, ("routes", 0, "steps", 2, "id"), "answer.routes[0].steps[2].id: missing"),
        ([1], ("routes", 0, "steps", 0, "id"), "answer.routes[0].steps[0].id: a list of 1"),
        (
            [{"cause": []}],
            ("summary", "violations"),
            "answer.summary.violations[0].cause: a list of 0, expected text",
        ),
        (1.5, ("routes", 0, "steps", 2, "arrival"), "answer.routes[0].steps[2].arrival: 1.5"),
        (["a"], ("routes", 0, "steps", 0, "load"), "answer.routes[0].steps[0].load[0]: 'a'"),
        ("a", ("summary", "distance"), "answer.summary.distance: 'a', expected a number"),
        ("x", ("code",), "answer.code: 'x', expected an integer"),
    ],
)
def test_faults(value, path, message):
    with pytest.raises(InstanceError) as raised:
        read(changed(value, *path))
    assert str(raised.value).startswith(message)
