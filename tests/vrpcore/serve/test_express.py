"""What a client of vroom-express finds here as there."""

import json
from unittest.mock import Mock

import pytest

from tests.vrpcore.serve.process import GOOD
from tests.vrpcore.vroom_oracle import check_vroom
from tests.vrpcore.vroom_problems import vroom_problem
from vrpcore.errors import DeviceError
from vrpcore.serve.express import express_error, express_status

PROBLEM = vroom_problem(3, 6)


def test_a_problem_is_answered_as_by_vroom(server):
    answer = server.post("/", {**PROBLEM, "options": {"x": 0, "t": 1}})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert check_vroom(PROBLEM, answer.json()) == []
    assert 'vrp_instances_total{status="' in server.client.get("/metrics").text


def test_given_routes_that_break_limits_are_an_input_error(server):
    steps = [{"type": "job", "id": 1}]
    document = {
        "vehicles": [{"id": 1, "start_index": 0, "steps": steps, "time_window": [0, 1]}],
        "jobs": [{"id": 1, "location_index": 1}],
        "matrices": {"car": {"durations": [[0, 5], [5, 0]]}},
        "options": {"c": True},
    }
    answer = server.post("/", document)
    assert (answer.status_code, answer.json()["code"]) == (400, 2)
    assert answer.json()["error"].startswith("options.c: the given steps break limits: ")
    document["vehicles"][0]["time_window"] = [0, 5]
    answer = server.post("/", document)
    assert (answer.status_code, answer.json()["summary"]["cost"]) == (200, 5)


NOT_ONE = "the body is not one problem of VROOM's; expected an object with vehicles and jobs"


@pytest.mark.parametrize(
    ("content", "status", "code", "words"),
    [
        (b"{", 400, 2, "line 1"),
        (b"", 400, 2, "the input is empty"),
        ({"vehicles": [{"id": 1}]}, 400, 2, NOT_ONE),
        (GOOD, 400, 2, NOT_ONE),
        ([PROBLEM, PROBLEM], 400, 2, NOT_ONE),
        ({**PROBLEM, "vehicles": []}, 400, 2, "instances[0].vehicles: 0 vehicles, expected 1"),
        ({**PROBLEM, "options": {"c": True}}, 400, 2, "instances[0].options.c: asks for the"),
        ({**PROBLEM, "options": {"l": 301}}, 400, 2, "options.l: 301 seconds, this server allows"),
        ({**PROBLEM, "matrices": {}}, 400, 2, "instances[0].matrices: none for"),
        (b" " * 20_001, 413, 4, "the body is larger than 20000 bytes"),
        (vroom_problem(1, 20, ()), 413, 4, "20 customers, this server takes at most 8"),
    ],
)
def test_errors_have_its_statuses_and_its_form(serving, content, status, code, words):
    server = serving(max_body_bytes=20_000, max_customers=8)
    answer = server.post("/", content)
    assert answer.status_code == status
    assert set(answer.json()) == {"code", "error"}
    assert answer.json()["code"] == code
    assert words in answer.json()["error"]
    assert answer.headers["x-request-id"]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RuntimeError("boom"), "a bug in vrp, please report it"),
        (DeviceError("cuda:0 no longer responds"), "cuda:0 no longer responds"),
    ],
)
def test_what_is_no_fault_of_the_problem_is_an_internal_error(server, monkeypatch, error, said):
    monkeypatch.setattr(server.session, "submit", Mock(side_effect=error))
    answer = server.post("/", PROBLEM)
    assert (answer.status_code, answer.json()) == (500, {"code": 1, "error": said})


def test_its_health_is_a_status(server):
    answer = server.client.get("/health")
    assert (answer.status_code, answer.content) == (200, b"")
    server.phase.stopping.set()
    assert server.client.get("/health").status_code == 500
    assert server.client.get("/").headers["content-type"].startswith("text/html")


def test_errors_by_hand():
    for status, code, shown, number in (
        (502, "ROADS", 500, 3),
        (422, "ROADS", 500, 3),
        (422, "FORMAT", 400, 2),
        (413, "TOO_LARGE", 413, 4),
        (507, "FILE", 500, 1),
        (499, "SERVER", 499, 1),
    ):
        answer = express_error(status, code, "why", {"x": "y"})
        assert (answer.status_code, answer.headers["x"]) == (shown, "y")
        assert json.loads(answer.body) == {"code": number, "error": "why"}
    assert express_status(b'{"code": 3, "error": ""}') == 500
