"""VROOM's option `c`: the times of given routes, or what is wrong with them."""

import json

import pytest

from tests.vrpcore.vroom_oracle import check_vroom
from vrpcore.api import Solver, read_instances
from vrpcore.formats.vroom.vroom_answer import answer_to_line
from vrpcore.solve.given_routes import given_answer, is_given

JOBS = [{"type": "job", "id": 7}, {"type": "pickup", "id": 4}, {"type": "delivery", "id": 5}]


def problem(steps=JOBS, **van):
    """Two vehicles that are alike, of which the second has steps; job 8 is in none."""
    vehicle = {"start_index": 0, "end_index": 0, "capacity": [4], **van}
    return {
        "vehicles": [{"id": 1, **vehicle}, {"id": 2, **vehicle, "steps": steps}],
        "jobs": [
            {"id": 7, "location_index": 1, "service": 300, "delivery": [1],
             "time_windows": [[3600, 7200]]},
            {"id": 8, "location_index": 2},
        ],
        "shipments": [{"amount": [1], "pickup": {"id": 4, "location_index": 2},
                       "delivery": {"id": 5, "location_index": 3}}],
        "matrices": {"car": {"durations": [
            [0, 900, 800, 700], [900, 0, 500, 600], [800, 500, 0, 400], [700, 600, 400, 0],
        ]}},
        "options": {"c": True},
    }  # fmt: skip


def answered(document, **options):
    (item,) = read_instances(document)
    (solution,) = Solver(device="cpu").solve([item], **options)
    return solution, json.loads(answer_to_line(item, solution))


@pytest.mark.parametrize("options", [{"freeze": 9.0}, {"keep_cost": 1.0}])
def test_given_routes_are_not_kept_and_do_not_go_on(options):
    solution, _ = answered(problem(), **options)
    said = "options.c takes the steps as they are: leave that, or keep and freeze, out"
    assert (solution.code, solution.error) == ("CONFLICT", said)


@pytest.mark.parametrize("improve", ["none", "deep"])
def test_the_times_of_given_routes_by_hand(improve):
    document = problem()
    solution, answer = answered(document, improve=improve, fewest_vehicles=improve == "deep")
    (route,) = answer["routes"]
    found = [(each["type"], each.get("id"), each["arrival"]) for each in route["steps"]]
    # It leaves so that job 7 needs no waiting: 3600 - 900; service takes 300.
    assert found == [
        ("start", None, 2700), ("job", 7, 3600), ("pickup", 4, 4400), ("delivery", 5, 4800),
        ("end", None, 5500),
    ]  # fmt: skip
    assert (route["vehicle"], route["violations"]) == (2, [])
    (left,) = answer["unassigned"]
    assert (left["id"], left["reason"]) == (8, "FLEET")
    assert left["detail"] == "no step names it, and option 'c' keeps the steps as they are"
    assert check_vroom(document, answer) == []
    assert solution.warnings == ()


def test_a_dear_order_stays_and_breaks_are_placed():
    steps = [{"type": "start"}, *JOBS[1:], {"type": "job", "id": 8}, JOBS[0], {"type": "end"}]
    pause = {"id": 3, "service": 600, "time_windows": [[0, 9000]]}
    document = problem(steps, breaks=[pause])
    (route,) = answered(document)[1]["routes"]
    visits = [(each["type"], each["id"]) for each in route["steps"] if "id" in each]
    assert [number for kind, number in visits if kind != "break"] == [4, 5, 8, 7]
    assert [number for kind, number in visits if kind == "break"] == [3]
    free = {**document, "options": {}}
    best = sum(each["cost"] for each in answered(free)[1]["routes"])
    assert best < route["cost"]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (
            problem(time_window=[0, 4500]),
            "the route 7, 4-5:pickup, 4-5:delivery cannot keep all time windows, shifts and breaks",
        ),
        (problem(capacity=[0]), "routes[0]: a load of 1.0 in dimension 0 at the start exceeds"),
        (problem([JOBS[2], JOBS[1]]), "routes[0]: shipment '4-5' is delivered before it is picked"),
        (problem([JOBS[1]]), "routes: shipment '4-5' is never delivered"),
        (problem([JOBS[0], JOBS[0]]), "routes[0].customers[1]: customer 7 is visited twice"),
        (problem(max_tasks=2), "routes[0]: "),
    ],
)
def test_routes_that_break_limits_are_refused_with_what_to_do(document, words):
    solution, answer = answered(document)
    assert (solution.status, solution.code, answer["code"]) == ("invalid", "ROUTES", 2)
    assert answer["error"].startswith(f"options.c: the given steps break limits: {words}")
    advice = "; leave 'c' out of the options to have the steps repaired"
    assert answer["error"].endswith(advice)
    assert answered({**document, "options": {}})[1]["code"] == 0


def test_only_documents_that_ask_for_it_are_given():
    given, free = read_instances([problem(), {**problem(), "options": {"x": 1}}])
    assert (is_given(given), is_given(free)) == (True, False)
    assert given_answer(given, ["W"]).warnings == ("W",)
