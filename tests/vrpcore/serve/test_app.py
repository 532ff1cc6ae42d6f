import base64
import gzip
import json
import threading
import time

import pytest
from starlette.testclient import TestClient

from tests.vrpcore.solve.doubles import Recording
from vrpcore.serve.app import build_app
from vrpcore.serve.desk import Desk
from vrpcore.serve.jobs import JobStore
from vrpcore.serve.metrics import Metrics
from vrpcore.serve.runner import JobRunner
from vrpcore.serve.settings import ServeSettings
from vrpcore.solve.capacity import Capacity
from vrpcore.solve.session import Session

GOOD = {"capacity": 9, "depot": [0, 0], "coords": [[1, 0], [2, 0]], "demands": [3, 4]}
BAD = {"name": "<b>", "capacity": -1, "depot": [0, 0], "coords": [], "demands": []}
SOON = 20.0


class Server:
    """The application around a backend that waits for a gate."""

    def __init__(self, folder, **settings):
        self.backend, self.ready = Recording(), True
        self.settings = ServeSettings(jobs=folder / "jobs.sqlite", **settings)
        capacity = Capacity(workers=2, threads=2, room=self.settings.room, shared=True)
        self.session = Session(self.backend, self.search, capacity)
        self.store = JobStore(self.settings.jobs)
        desk = Desk(self.session, self.backend.info, self.settings)
        self.runner = JobRunner(desk, self.store)
        app = build_app(desk, self.store, Metrics(), lambda: self.ready)
        self.client = TestClient(app, raise_server_exceptions=False)

    @staticmethod
    def search(options):
        return None if options.improve == "none" else lambda problem, found, end, cores: found[0]

    def solve(self, content, **query):
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        return self.client.post("/v1/solve", content=body, params=query)

    def close(self):
        self.backend.gate.set()
        self.session.close(wait=True)
        self.store.close()


@pytest.fixture
def server(tmp_path):
    made = Server(tmp_path)
    yield made
    made.close()


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


@pytest.mark.parametrize("path", ["/v1/solve", "/v1/jobs"])
def test_nothing_valid_is_told_with_its_places(server, path):
    answer = server.client.post(path, content=json.dumps([BAD]))
    assert answer.status_code == 422
    told = answer.json()
    assert told["error"]["code"] == "CAPACITY_NOT_POSITIVE"
    assert "instances[0].capacity: -1" in told["error"]["message"]
    assert told["answer"]["solutions"][0]["status"] == "invalid"


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (b"", "EMPTY", "the input is empty"),
        (b"{", "JSON_SYNTAX", "line 1"),
        (b"hello", "PARSE", "cannot parse"),
        (gzip.compress(b"[]"), "PARSE", "send it uncompressed"),
        (b"\xff\xfe", "PARSE", "UTF-16"),
    ],
)
def test_what_cannot_be_parsed_is_refused(server, body, code, words):
    answer = server.solve(body)
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == code
    assert words in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "query",
    [
        {"improve": "magic"},
        {"time_limit": "-1"},
        {"time_limit": "1e9"},
        {"time_limit": "nan"},
        {"time_limit": "soon"},
    ],
)
def test_a_wrong_query_is_refused(server, query):
    answer = server.solve([GOOD], **query)
    assert answer.status_code == 400
    assert next(iter(query)) in answer.json()["error"]["message"]


def test_a_wrong_method_is_told_which_are_right(server):
    answer = server.client.put("/v1/jobs/x")
    assert (answer.status_code, answer.headers["allow"]) == (405, "DELETE, GET")


def test_limits_of_size(tmp_path):
    server = Server(tmp_path, max_body_bytes=2000, max_instances=3, max_customers=2)
    try:
        assert server.solve([GOOD] * 3).status_code == 200
        assert server.solve([GOOD] * 4).status_code == 413
        assert server.solve(b" " * 2001).status_code == 413
        stream = server.client.post("/v1/solve", content=(b" " * 100 for _ in range(100)))
        assert stream.status_code == 413  # no length was told beforehand
        larger = {**GOOD, "coords": [[1, 0]] * 3, "demands": [1] * 3}
        answer = server.solve([GOOD, larger])
        assert answer.status_code == 200
        assert answer.json()["solutions"][1]["code"] == "TOO_LARGE"
    finally:
        server.close()


def test_without_room_it_says_when_to_come_again(tmp_path):
    server = Server(tmp_path, room=5)
    try:
        server.backend.gate.clear()
        waiting = threading.Thread(target=server.solve, args=([GOOD] * 2,))
        waiting.start()
        while not server.session.load:
            time.sleep(0.001)
        answer = server.solve([GOOD] * 2)
        assert answer.status_code == 429
        assert int(answer.headers["retry-after"]) >= 1
        assert answer.json()["error"]["code"] == "OVERLOADED"
        server.backend.gate.set()
        waiting.join(SOON)
        assert server.solve([GOOD] * 2).status_code == 200
    finally:
        server.close()


def test_a_key_is_asked_for_everywhere_but_at_health(tmp_path):
    server = Server(tmp_path, api_key="k" * 16)
    try:
        for path in ("/", "/metrics", "/openapi.json", "/v1/jobs/x", "/nowhere"):
            assert server.client.get(path).status_code == 401, path
        assert server.client.get("/v2/health/live").status_code == 200
        assert server.client.get("/v2/health/ready").status_code == 200
        assert server.solve([GOOD]).status_code == 401
        basic = "Basic " + base64.b64encode(b"any:" + b"k" * 16).decode()
        for headers in (
            {"X-API-Key": "k" * 16},
            {"Authorization": "Bearer " + "k" * 16},
            {"Authorization": basic},  # what a browser sends once its user was asked
        ):
            assert server.client.get("/metrics", headers=headers).status_code == 200
        for headers in (
            {"X-API-Key": "k" * 15},
            {"Authorization": "Basic " + "k" * 16},
            {"Authorization": "Basic ="},
            {"Authorization": basic, "X-API-Key": "wrong"},
        ):
            answer = server.client.get("/metrics", headers=headers)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"].startswith("Basic")
        # What the page sends itself must not make the browser ask its user once more.
        assert server.solve([GOOD]).headers["www-authenticate"].startswith("Bearer")
    finally:
        server.close()


def test_every_answer_carries_the_headers_that_protect_a_browser(server):
    for answer in (server.solve([GOOD]), server.client.get("/nowhere"), server.solve(b"x")):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path", ["/page/../app.py", "/page/%2e%2e/app.py", "/page//etc/passwd", "/page/", "/page/x"]
)
def test_no_file_but_the_pages_own_can_be_fetched(server, path):
    assert server.client.get(path).status_code == 404


def test_the_page_and_its_model(server):
    answer = server.client.get("/")
    assert answer.headers["content-type"].startswith("text/html")
    assert "<h1" in answer.text
    assert answer.headers["cache-control"] == "no-cache"
    for name, kind in (("app.js", "text/javascript"), ("style.css", "text/css")):
        assert server.client.get(f"/page/{name}").headers["content-type"].startswith(kind)
    assert server.client.get("/model.onnx").status_code == 404


def test_health_and_metrics(server):
    assert server.client.get("/v2/health/live").status_code == 200
    assert server.client.get("/v2/health/ready").status_code == 200
    server.ready = False
    assert server.client.get("/v2/health/ready").status_code == 503
    server.solve([GOOD, BAD])
    text = server.client.get("/metrics").text
    assert 'vrp_instances_total{status="solved"} 1.0' in text
    assert 'vrp_requests_total{route="/v1/solve",status="200"} 1.0' in text
    assert "vrp_queue_customers 0.0" in text


def test_a_bug_is_a_500_and_the_server_goes_on(server, monkeypatch):
    def broken(*_):
        raise RuntimeError("boom")

    with monkeypatch.context() as patch:
        patch.setattr(server.backend, "construct", broken)
        assert server.solve([GOOD]).status_code == 500
    assert server.solve([GOOD]).status_code == 200
    assert server.session.load == 0


def finished(server, job_id):
    """The job once it is done."""
    end = time.monotonic() + SOON
    while time.monotonic() < end:
        found = server.client.get(f"/v1/jobs/{job_id}").json()
        if found["status"] in ("done", "failed"):
            return found
        time.sleep(0.01)
    raise AssertionError(found)


def test_a_job_is_accepted_done_and_forgotten(server):
    server.runner.start()
    accepted = server.client.post("/v1/jobs?improve=none", content=json.dumps([GOOD, BAD] * 300))
    assert accepted.status_code == 202
    job_id = accepted.json()["id"]
    assert accepted.headers["location"] == f"/v1/jobs/{job_id}"
    job = finished(server, job_id)
    assert (job["status"], job["instances"], job["improve"]) == ("done", 600, "none")
    assert job["answer"]["summary"]["solved"] == 300
    assert [each["status"] for each in job["answer"]["solutions"][:2]] == ["solved", "invalid"]
    assert server.client.delete(f"/v1/jobs/{job_id}").status_code == 204
    assert server.client.get(f"/v1/jobs/{job_id}").status_code == 404
    assert server.client.delete(f"/v1/jobs/{job_id}").status_code == 404
    server.runner.stop()


def test_a_job_with_a_time_limit_and_an_empty_one(server):
    server.runner.start()
    for body, query in (([GOOD] * 5, "?time_limit=2"), ([], "")):
        job_id = server.client.post(f"/v1/jobs{query}", content=json.dumps(body)).json()["id"]
        assert finished(server, job_id)["answer"]["summary"]["instances"] == len(body)
    server.runner.stop()


def test_a_running_job_can_be_cancelled(server):
    server.backend.gate.clear()
    server.runner.start()
    job_id = server.client.post("/v1/jobs", content=json.dumps([GOOD] * 20)).json()["id"]
    while not server.session.load:
        time.sleep(0.001)
    assert server.client.delete(f"/v1/jobs/{job_id}").status_code == 204
    time.sleep(0.5)
    server.backend.gate.set()
    other = server.client.post("/v1/jobs", content=json.dumps([GOOD])).json()["id"]
    assert finished(server, other)["status"] == "done"
    server.runner.stop()


def test_a_stopped_server_leaves_its_jobs_to_the_next(tmp_path):
    first = Server(tmp_path)
    first.backend.gate.clear()
    first.runner.start()
    accepted = [
        first.client.post("/v1/jobs", content=json.dumps([GOOD] * 3)).json()["id"] for _ in range(4)
    ]
    while not first.session.load:
        time.sleep(0.001)
    first.runner.stop()
    first.close()
    second = Server(tmp_path)
    second.runner.start()
    for job_id in accepted:
        assert finished(second, job_id)["answer"]["summary"]["solved"] == 3
    second.runner.stop()
    second.close()


def test_a_job_that_cannot_be_parsed_is_refused_at_once(server):
    assert server.client.post("/v1/jobs", content=b"{").status_code == 422
    assert server.store.counts() == {}


def test_only_so_many_jobs_are_kept(tmp_path):
    server = Server(tmp_path, max_jobs=2)
    try:
        codes = [server.client.post("/v1/jobs", content=b"[]").status_code for _ in range(3)]
        assert codes == [202, 202, 429]
    finally:
        server.close()


def test_the_description_names_what_is_there(server):
    described = server.client.get("/openapi.json").json()
    assert set(described["paths"]) == {
        "/v1/solve", "/v1/jobs", "/v1/jobs/{job_id}", "/metrics",
        "/v2/health/live", "/v2/health/ready",
    }  # fmt: skip
    assert "422" in described["paths"]["/v1/solve"]["post"]["responses"]
