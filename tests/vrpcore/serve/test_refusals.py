import gzip
from unittest.mock import Mock

import pytest
from fastapi import FastAPI
from starlette.requests import ClientDisconnect
from starlette.testclient import TestClient

from tests.vrpcore.serve.doubles import BAD, busy
from tests.vrpcore.serve.process import GOOD
from tests.vrpcore.solve.doubles import NearestFirst
from tests.vrpcore.vroom_problems import vroom_problem
from vrpcore.errors import (
    ConfigError,
    DeviceError,
    InstanceError,
    MissingExtraError,
    MissingSearchError,
    ModelError,
    OutputError,
    RoadsError,
    ShapeError,
)
from vrpcore.serve.metrics import Metrics
from vrpcore.serve.refusals import add_refusals
from vrpcore.serve.requests import Requests, TooLargeError
from vrpcore.serve.settings import ServeSettings
from vrpcore.solve.memory_limit import OverloadedError


@pytest.mark.parametrize("path", ["/v1/solve", "/v1/jobs"])
def test_nothing_valid_is_reported_with_its_places(server, path):
    answer = server.post(path, [BAD])
    assert answer.status_code == 422
    told = answer.json()
    assert told["error"]["code"] == "OUT_OF_RANGE"
    assert "instances[0].capacity: -1" in told["error"]["message"]
    assert told["answer"]["solutions"][0]["status"] == "invalid"


def test_a_problem_of_vrooms_is_refused_in_kind(server):
    answer = server.solve({"vehicles": [], "jobs": []})
    assert answer.status_code == 422
    told = {"code": 2, "error": "instances[0].vehicles: 0 vehicles, expected 1 to 10000"}
    assert answer.json() == told


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (b"", "EMPTY", "the input is empty"),
        (b"{", "SYNTAX", "line 1"),
        (b"hello", "FORMAT", "cannot parse"),
        (gzip.compress(b"[]", mtime=0), "FORMAT", "send it uncompressed"),
        (b"\xff\xfe", "FORMAT", "UTF-16"),
    ],
)
def test_what_cannot_be_parsed_is_refused(server, body, code, words):
    answer = server.solve(body)
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == code
    assert words in answer.json()["error"]["message"]


def test_a_wrong_method_is_told_which_are_right(server):
    answer = server.client.put("/v1/jobs/x")
    assert (answer.status_code, answer.headers["allow"]) == (405, "DELETE, GET, HEAD")


def test_without_room_it_says_when_to_come_again(serving):
    server, problem = serving(room=5), vroom_problem(3, 6)
    with busy(server, [GOOD] * 2):
        answer, in_kind = server.solve([GOOD] * 2), server.post("/", problem)
    assert answer.status_code == in_kind.status_code == 429
    assert all(int(each.headers["retry-after"]) >= 1 for each in (answer, in_kind))
    assert (answer.json()["error"]["code"], in_kind.json()["code"]) == ("OVERLOADED", 1)
    assert server.solve([GOOD] * 2).status_code == 200


def test_without_memory_it_says_when_to_come_again(serving):
    row = [0] * 101  # the matrix takes 82 kB
    large = {"capacity": 100, "demands": [1] * 100, "distances": [row] * 101}
    server = serving(max_memory_bytes=100_000)
    with busy(server, large):
        answer = server.solve(large)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "5")
    assert "busy with requests of 0 MB, 0 MB more" in answer.json()["error"]["message"]
    assert server.solve(large).status_code == 200


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (TooLargeError("too much"), 413, "TOO_LARGE"),
        (InstanceError("what is this", code="FORMAT"), 422, "FORMAT"),
        (OutputError("disk full"), 507, "FILE"),
        (RoadsError("no answer"), 502, "ROADS"),
        (ConfigError("no such option"), 400, "CONFIG"),
        (ModelError("broken"), 503, "MODEL"),
        (DeviceError("cuda:0 no longer responds"), 503, "DEVICE"),
        (MissingSearchError("not built"), 503, "NOT_INSTALLED"),
        (MissingExtraError("sheets", "the workbook"), 503, "NOT_INSTALLED"),
        (ShapeError("a bug"), 500, "SHAPE"),
        (OverloadedError("busy", 1.2), 429, "OVERLOADED"),
        (ClientDisconnect(), 499, "SERVER"),
    ],
)
def test_each_error_has_its_status(tmp_path, error, status, code):
    app, settings = FastAPI(), ServeSettings(jobs=tmp_path / "jobs.sqlite")
    add_refusals(app, Requests(None, [NearestFirst.info], settings), Metrics())

    @app.get("/")
    def fail():
        raise error

    answer = TestClient(app).get("/")
    assert answer.status_code == status
    message = str(error) or "the client disconnected"
    assert answer.json() == {"error": {"code": code, "message": message}}
    assert answer.headers.get("retry-after") == ("2" if status == 429 else None)


def test_a_lack_of_memory_is_no_bug(server, monkeypatch):
    monkeypatch.setattr(server.session, "submit", Mock(side_effect=MemoryError("secret")))
    answer = server.solve([GOOD])
    words = "too little memory for these instances; send fewer or smaller ones"
    assert answer.status_code == 503
    assert answer.json()["error"] == {"code": "MEMORY", "message": words}
