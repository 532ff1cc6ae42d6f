import asyncio
import json
import re
from base64 import b64encode
from unittest.mock import Mock

import pytest

from tests.vrpcore.serve.doubles import BAD, finished
from tests.vrpcore.serve.process import GOOD
from tests.vrpcore.serve.workbooks import workbook
from tests.vrpcore.vroom_oracle import check_vroom
from tests.vrpcore.vroom_problems import vroom_problem
from vrpcore.formats import write
from vrpcore.referee.referee import check_solution
from vrpcore.serve.requests import Requests
from vrpcore.solve import answer as answer_module


def test_instances_in_solutions_out(server):
    answer = server.solve([GOOD, BAD, GOOD])
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    document = answer.json()
    assert document["format"] == "vrp-solutions/1"
    assert document["summary"]["instances"] == 3
    assert document["summary"]["improve"] == "fast"
    assert [each["status"] for each in document["solutions"]] == ["solved", "invalid", "solved"]
    assert document["solutions"][0]["cost"] == document["solutions"][2]["cost"]


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(GOOD).encode(),
        json.dumps({"format": "vrp-instances/1", "instances": [GOOD]}).encode(),
        b"\n".join([json.dumps(GOOD).encode()] * 2),
        b"[]",
    ],
)
def test_every_form_that_a_file_may_have(server, body):
    assert server.solve(body).status_code == 200


def test_problems_of_vrooms_are_answered_in_kind(server):
    document = vroom_problem(3, 6)
    answer = server.solve(document, improve="none")
    assert answer.status_code == 200
    assert check_vroom(document, answer.json()) == []
    answers = [answer.json(), *server.solve([document, document], improve="none").json()]
    for each in answers:
        del each["summary"]["computing_times"]
    assert answers[0] == answers[1] == answers[2]
    mixed = server.solve([document, GOOD], improve="none").json()
    assert [each["status"] for each in mixed["solutions"]][1:] == ["solved"]


SHEETS = {"name": "today", "stops": "id,x,y,demand,phone\n7,3,4,2,030\n", "depot": [0, 0]}


def test_both_answers_at_once(server):
    document = vroom_problem(3, 6)
    answer = server.solve(document, improve="none", both=True).json()
    assert answer["solutions"]["format"] == "vrp-solutions/1"
    assert answer["in_kind"]["name"] == "vroom.json"
    assert check_vroom(document, json.loads(answer["in_kind"]["text"])) == []
    sheets = {**SHEETS, "capacity": 2}
    answer = server.solve([sheets, {**sheets, "speed": -1}], improve="none", both=True).json()
    assert [each["status"] for each in answer["solutions"]["solutions"]] == ["solved", "invalid"]
    name, kind, text = (answer["in_kind"][key] for key in ("name", "type", "text"))
    assert (name, kind) == ("routes.csv", "text/csv")
    assert text.splitlines()[1].startswith("7,3,4,2,030,today,1,1,customer,,7,")
    assert server.solve([GOOD, sheets], improve="none", both=True).json()["in_kind"] is None
    assert server.solve([GOOD], both=True).json()["in_kind"] is None


def test_what_is_read_is_told_and_not_solved(server):
    def told(body):
        answer = server.post("/v1/instances", body)
        return answer.status_code, answer.json()

    status, found = told([GOOD, BAD, SHEETS])
    assert status == 200
    assert [each.get("code") for each in found["items"]] == [None, "OUT_OF_RANGE", "MISSING"]
    assert found["items"][0]["instance"]["demands"] == GOOD["demands"]
    assert told(b"[]") == (200, {"items": []})
    status, found = told(b"hello")
    assert (status, found["error"]["code"]) == (422, "FORMAT")
    assert server.backend.batches == []


def test_a_table_is_told_by_its_columns(server):
    def told(body):
        answer = server.client.post("/v1/tables", content=body)
        return answer.status_code, answer.json().get("tables", answer.json().get("error"))

    assert told(b"id,lat,lon,demand") == (200, ["stops"])
    assert told(b"id;capacity;count") == (200, ["fleet"])
    assert told(b"hello") == (200, [])
    assert told(b"id,lat,lon,demand\n" + "7,\u00fc,".encode() * 2**15) == (200, ["stops"])
    assert told(workbook(STOPS, [["text"]], FLEET)) == (200, ["stops", "fleet"])
    empty = {"code": "EMPTY", "message": "the body is empty, expected a spreadsheet"}
    assert told(b"") == (422, empty)


STOPS = [["id", "x", "y", "demand"], ["7", 3, 4, 2.5], ["8", 0, 5, 1], ["depot", 0, 0, 0]]
FLEET = [["vehicle", "capacity", "count"], ["van", 4, 2]]


def bundle(stops, **more):
    return {"stops": b64encode(stops).decode(), "speed": 1, "depot": [0, 0], **more}


def test_workbooks_are_solved_and_answered_as_csv(server):
    book = workbook(STOPS[:-1], FLEET)
    answer = server.solve(bundle(book, fleet=b64encode(book).decode()), both="true").json()
    (found,) = answer["solutions"]["solutions"]
    assert [route["customers"] for route in found["routes"]] in ([[7, 8]], [[8, 7]])
    assert found["routes"][0]["load"] == 3.5
    assert answer["in_kind"]["text"].startswith("\ufeffid,x,y,demand,")
    assert server.solve(workbook(STOPS, FLEET)).json()["error"]["code"] == "MISSING"


def test_workbooks_that_unpack_to_much_are_refused(server):
    long = workbook([["id", "x", "y"], *[[str(n), n, "a" * 32000] for n in range(1100)]])
    far = workbook([["id", "x", "y"], *[[]] * 10**5, [""] * 9 + [1]])
    limits = {long: "more than 33554432", far: "of more than 625000 cells"}
    for book, said in limits.items():
        for body in (book, bundle(book)):
            error = server.solve(body).json()["error"]
            assert error["code"] == "TOO_LARGE" and said in error["message"]
    error = server.solve(bundle(book) | {"stops": "UEsDB?"}).json()["error"]
    assert "stops: an archive, but no whole workbook; expected .xlsx or .ods in" in error["message"]


@pytest.mark.parametrize("as_text", [False, True])
def test_earlier_answers_are_started_from(server, as_text):
    vans = {"vehicles": [{"id": "van", "capacity": 5, "count": 2}], "depots": [[0, 0]]}
    stops = [{"id": n, "x": n, "y": 1, "demand": 2} for n in range(1, 5)]
    first, later = ({**vans, "customers": stops[:end]} for end in (3, 4))
    earlier = server.solve(first).json()
    parts = {"instances": later, "warm_start": earlier}
    if as_text:
        parts = {key: json.dumps(value) for key, value in parts.items()}
    (found,) = server.solve(parts, keep_cost=1000).json()["solutions"]
    assert (found["kept"], found["moved"]) == (3, 0)
    job = server.post("/v1/jobs", parts, keep_cost=1000).json()["id"]
    server.runner.start()
    assert finished(server, job)["answer"]["solutions"][0]["kept"] == 3


def test_the_server_opens_no_file_that_a_body_names(server, tmp_path):
    (tmp_path / "vans.csv").write_text("id,capacity\nsecret,3\n")
    answer = server.post("/v1/instances", {**SHEETS, "fleet": str(tmp_path / "vans.csv")})
    (found,) = answer.json()["items"]
    assert found["error"].startswith("fleet: row 1: no column is known")
    assert (answer.status_code, found["in_kind"]) == (422, "csv")
    assert answer.json()["error"] == {"code": found["code"], "message": found["error"]}


def test_routes_beside_constraints_are_started_from(server):
    vans = {**GOOD, "vehicles": [{"capacity": 4}], "capacity": None}
    bodies = [{**vans, "routes": routes} for routes in ([[2], [1]], [[2, 1]])]
    told = [["POLICY_SKIPPED"], ["POLICY_SKIPPED", "WARM_START_REPAIRED"]]
    document = server.solve(bodies, improve="none").json()
    assert [each["cost"] for each in document["solutions"]] == [6, 6]
    assert [each["warnings"] for each in document["solutions"]] == told
    assert document["model"] is None


def test_limits_of_size(serving):
    server = serving(max_body_bytes=2000, max_instances=3)
    assert server.solve([GOOD] * 3).status_code == 200
    assert server.solve([GOOD] * 4).status_code == 413
    assert server.post("/v1/instances", [GOOD] * 4).status_code == 413
    assert server.solve(b" " * 2001).status_code == 413
    stream = server.client.post("/v1/solve", content=(b" " * 100 for _ in range(100)))
    assert stream.status_code == 413  # no length was reported beforehand


@pytest.mark.parametrize("path", ["/v1/solve", "/v1/jobs", "/v1/instances"])
def test_limits_of_memory(serving, path):
    jobs = [{"id": number, "location_index": 0} for number in range(400)]
    matrix = {"car": {"durations": [[0]]}}  # one number here, 401 * 401 of 8 bytes there
    problem = {"vehicles": [{"id": 1, "start_index": 0}], "jobs": jobs, "matrices": matrix}
    server = serving(max_memory_bytes=2**20)
    answer = server.post(path, problem)
    words = "instances of more than 1 MB, with their matrices; send fewer at once"
    told = {"code": "TOO_LARGE", "message": words}
    assert (answer.status_code, answer.json()["error"]) == (413, told)


def test_what_large_bodies_need_is_done_outside_the_event_loop(server, monkeypatch):
    in_loop = []

    def noting(method):
        def call(*arguments, **more):
            try:
                in_loop.append(bool(asyncio.get_running_loop()))
            except RuntimeError:
                in_loop.append(False)
            return method(*arguments, **more)

        return call

    for name in ("read", "submit", "document"):
        monkeypatch.setattr(Requests, name, noting(getattr(Requests, name)))
    assert server.solve([GOOD]).status_code == 200
    assert server.solve(json.dumps([GOOD]).encode() + b" " * 2**16).status_code == 200
    assert in_loop == [True] * 3 + [False] * 3
    assert server.solve(json.dumps([BAD]).encode()).status_code == 422
    assert in_loop[6:] == [True, False]  # refusals may be long, too
    assert server.solve([GOOD], both=True).status_code == 200
    assert in_loop[8:] == [True, True, False]  # and views of a small body


@pytest.mark.parametrize(
    "path", ["/page/../app.py", "/page/%2e%2e/app.py", "/page//etc/passwd", "/page/", "/page/x"]
)
def test_no_file_but_the_pages_own_can_be_fetched(server, path):
    assert server.client.get(path).status_code == 404


def test_the_page(server):
    answer = server.client.get("/")
    assert answer.headers["content-type"].startswith("text/html")
    assert "<h1" in answer.text
    assert answer.headers["cache-control"] == "no-cache"
    for name, kind in (("app.js", "text/javascript"), ("style.css", "text/css")):
        assert server.client.get(f"/page/{name}").headers["content-type"].startswith(kind)


def test_health_and_metrics(server):
    assert server.client.get("/v2/health/live").status_code == 200
    assert server.client.get("/v2/health/ready").status_code == 200
    server.phase.stopping.set()
    assert server.client.get("/v2/health/ready").status_code == 503
    server.solve([GOOD, BAD])
    text = server.client.get("/metrics").text
    assert 'vrp_instances_total{status="solved"} 1.0' in text
    assert 'vrp_requests_total{route="/v1/solve",status="200"} 1.0' in text
    assert "vrp_queue_customers 0.0" in text


def test_the_metrics_of_jobs_are_those_of_now(server):
    def shown():
        found = re.findall(r'vrp_jobs{status="(\w+)"} (\S+)', server.client.get("/metrics").text)
        return {status: float(count) for status, count in found}

    none = dict.fromkeys(("queued", "running", "done", "failed"), 0.0)
    assert shown() == none
    name = server.client.post("/v1/jobs", content=b"[]").json()["id"]
    assert shown() == {**none, "queued": 1.0}
    server.client.delete(f"/v1/jobs/{name}")
    assert shown() == none


def refusing(monkeypatch, name):
    """Makes the check of the answers to an instance fail."""

    def check(instance, solution, *known):
        if instance.name == name:
            raise RuntimeError("boom")
        return check_solution(instance, solution, *known)

    monkeypatch.setattr(answer_module, "check_solution", check)


def test_an_internal_error_is_a_500_where_it_leaves_nothing(server, monkeypatch):
    guilty = {**GOOD, "name": "guilty"}
    said = "a bug in vrp, please report it with the instance 'guilty': RuntimeError: boom"
    with monkeypatch.context() as patch:
        refusing(patch, "guilty")
        alone, beside_bad = server.solve([guilty]), server.solve([guilty, BAD])
        beside_good = server.solve([GOOD, guilty, GOOD])
    for answer, rest in ((alone, []), (beside_bad, ["OUT_OF_RANGE"])):
        told = answer.json()
        assert (answer.status_code, told["error"]) == (500, {"code": "INTERNAL", "message": said})
        assert [each["code"] for each in told["answer"]["solutions"]] == ["INTERNAL", *rest]
    found = beside_good.json()["solutions"]
    assert beside_good.status_code == 200
    assert [each["status"] for each in found] == ["solved", "invalid", "solved"]
    assert (found[1]["code"], found[1]["error"]) == ("INTERNAL", said)
    assert server.solve([guilty]).status_code == 200
    assert server.session.load == 0
    counted = server.client.get("/metrics").text
    assert 'vrp_requests_total{route="/v1/solve",status="500"} 2.0' in counted
    assert 'vrp_instances_total{status="invalid"} 4.0' in counted


def test_an_internal_error_in_writing(server, monkeypatch):
    whole, problem = write.solution_to_line, {**GOOD, "name": "guilty"}

    def writes(solution):
        if solution.name == "guilty" and solution.routes:
            raise RuntimeError("boom")
        return whole(solution)

    monkeypatch.setattr(write, "solution_to_line", writes)
    assert server.solve([problem]).status_code == 500
    document = server.solve([GOOD, problem]).json()
    assert [each["status"] for each in document["solutions"]] == ["solved", "invalid"]
    assert (document["summary"]["solved"], document["summary"]["invalid"]) == (1, 1)


def test_an_internal_error_in_a_problem_of_vrooms(server, monkeypatch):
    refusing(monkeypatch, "instance-0")
    problem = {
        "vehicles": [{"id": 1, "start_index": 0}],
        "jobs": [{"id": 7, "location_index": 1}],
        "matrices": {"car": {"durations": [[0, 1], [1, 0]]}},
    }
    answer = server.solve(problem)
    assert (answer.status_code, answer.json()["code"]) == (500, 1)
    answer = server.solve([problem, problem])
    assert (answer.status_code, [each["code"] for each in answer.json()]) == (200, [1, 0])
    both = server.solve([problem, problem], both="true").json()
    assert [each["status"] for each in both["solutions"]["solutions"]] == ["invalid", "solved"]
    assert [each["code"] for each in json.loads(both["in_kind"]["text"])] == [1, 0]


def test_a_bug_anywhere_else_is_a_500_and_the_server_goes_on(server, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(server.session, "submit", Mock(side_effect=RuntimeError("boom")))
        answer = server.solve([GOOD])
    told = {"code": "INTERNAL", "message": "a bug in vrp, please report it"}
    body = {"error": told, "request_id": answer.headers["x-request-id"]}
    assert (answer.status_code, answer.json()) == (500, body)
    assert server.solve([GOOD]).status_code == 200
    assert server.session.load == 0
