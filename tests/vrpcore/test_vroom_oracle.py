"""The oracle of VROOM's documents, by published answers and by hand."""

import json

import pytest

from tests.vrpcore.vroom_oracle import check_vroom
from tests.vrpcore.vroom_oracle_pins import check_pins

NOTHING = {"setup": 0, "service": 0, "waiting_time": 0}


@pytest.mark.parametrize("example", [1, 2, 3])
def test_published_answers(test_data, example):
    """Without matrices, travel times are the answer's; the third is a plan that breaks limits."""
    folder = test_data / "variants/vroom_docs"
    document = json.loads((folder / f"example_{example}.json").read_text())
    answer = json.loads((folder / f"example_{example}_sol.json").read_text())
    assert check_vroom(document, answer, planned=example == 3) == []
    strict = check_vroom(document, answer)
    assert bool(strict) == (example == 3)
    if strict:
        assert "routes[0].steps[0]: a load of [7] exceeds [4]" in strict
        assert "summary.violations: limits are broken" in strict


def one_job(cost=20, **changes):
    """A job at ten seconds, and its answer."""
    document = {
        "vehicles": [{"id": 1, "start_index": 0, "end_index": 0}],
        "jobs": [{"id": 1, "location_index": 1, **changes}],
        "matrices": {"car": {"durations": [[0, 10], [10, 0]]}},
    }
    steps = [
        {"type": "start", "arrival": 0, "duration": 0, **NOTHING},
        {"type": "job", "id": 1, "arrival": 10, "duration": 10, **NOTHING},
        {"type": "end", "arrival": 20, "duration": 20, **NOTHING},
    ]
    totals = {"cost": cost, "duration": 20, "priority": 0, **NOTHING}
    summary = {"routes": 1, "unassigned": 0, **totals}
    route = {"vehicle": 1, **totals, "steps": steps}
    return document, {"code": 0, "summary": summary, "unassigned": [], "routes": [route]}


def test_tasks_of_one_route():
    assert check_vroom(*one_job()) == []
    assert check_vroom(*one_job(skills=[3])) == ["routes[0].steps[1]: the vehicle lacks a skill"]
    late = ["routes[0].steps[1]: begins at 10, outside its windows"]
    assert check_vroom(*one_job(time_windows=[[0, 9], [11, 12]])) == late
    wrong = ["routes[0].steps[1].setup: 0, expected 5"]
    assert check_vroom(*one_job(setup=5)) == wrong
    assert check_vroom(*one_job(cost=22)) == ["routes[0].cost: 22, expected 20.0"]


def test_shipments_go_together_and_in_order():
    document, answer = one_job()
    document["jobs"] = []
    ends = {kind: {"id": 1, "location_index": 1} for kind in ("pickup", "delivery")}
    document["shipments"] = [ends]
    steps = answer["routes"][0]["steps"]
    steps[1]["type"] = "pickup"
    assert "routes: pickup 1 and delivery 1 are not in one route" in check_vroom(document, answer)
    steps.insert(2, steps[1] | {"type": "delivery"})
    assert check_vroom(document, answer) == []
    steps[1], steps[2] = steps[2], steps[1]
    assert check_vroom(document, answer) == ["routes[0]: delivery 1 comes before pickup 1"]


def test_breaks_are_taken_once():
    document, answer = one_job()
    document["vehicles"][0]["breaks"] = [{"id": 4, "time_windows": [[3, 4]]}]
    assert check_vroom(document, answer) == ["routes[0].steps[0]: break 4 is taken 0 times"]
    rest = {"type": "break", "id": 4, "arrival": 4, "duration": 4, **NOTHING}
    answer["routes"][0]["steps"].insert(1, rest)
    assert check_vroom(document, answer) == []
    rest |= {"arrival": 5, "duration": 5}
    late = ["routes[0].steps[1]: begins at 5, outside its windows"]
    assert check_vroom(document, answer) == late


def test_pins_say_who_and_when():
    def found(vehicle, arrival, **times):
        steps = [{"type": "start"}, {"type": "job", "id": 7, **times}]
        problem = {"vehicles": [{"id": 1}, {"id": 2, "steps": steps}]}
        job = {"type": "job", "id": 7, "arrival": arrival, "waiting_time": 2}
        routes = [{"vehicle": vehicle, "steps": [job]}]
        return list(check_pins(problem, {"routes": routes}))

    assert found(2, 8, service_at=10) == found(1, 8) == []
    assert found(1, 8, service_at=10) == ["routes[0].steps[0]: job 7 is pinned to vehicle 2"]
    assert found(2, 7, service_before=4, service_after=2) == [
        "routes[0].steps[0]: job 7 begins at 9, its step says 2 to 4"
    ]
