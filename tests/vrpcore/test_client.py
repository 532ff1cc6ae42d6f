"""The client: against a server, and against answers that no server should give."""

import json
import random
import signal
import socket
import threading
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.vrpcore.serve.process import GOOD, SOON, ServerProcess
from tests.vrpcore.vroom_oracle import check_vroom
from tests.vrpcore.vroom_problems import vroom_problem
from vrpcore.client import (
    BusyError,
    Client,
    JobFailedError,
    JobNotDoneError,
    RefusedError,
    ServerError,
    UnreachableError,
    is_loopback,
)
from vrpcore.errors import ConfigError

KEY = "k" * 16


class Pretender:
    """Answers each request with the next of `answers`: status, body, headers; notes requests."""

    def __init__(self):
        self.answers, self.seen = deque(), []
        pretender = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                """Nobody reads it."""

            def answer(self):
                size = int(self.headers.get("content-length", 0))
                body = self.rfile.read(size)
                headers = {name.title(): value for name, value in self.headers.items()}
                pretender.seen.append((self.command, self.path, headers, body))
                status, content, headers = pretender.answers.popleft()
                self.send_response(status)
                for name, value in {"content-length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def __getattr__(self, name):
                """All methods are answered alike."""
                if name.startswith("do_"):
                    return self.answer
                raise AttributeError(name)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def will(self, status, value, **headers):
        content = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.answers.append((status, content, {k.replace("_", "-"): v for k, v in headers.items()}))

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def pretender(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "VRP_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    made = Pretender()
    yield made
    made.close()


def test_a_server_is_asked_for_everything(tmp_path, monkeypatch):
    monkeypatch.setenv("VRP_API_KEY", KEY)
    server = ServerProcess(tmp_path)
    try:
        client = Client(server.url + "/")
        assert client.is_ready()
        answer = client.solve([GOOD, GOOD], improve="none", fewest_vehicles=False, freeze=None)
        assert answer["summary"]["solved"] == 2
        assert client.solve(json.dumps(GOOD).encode(), improve="none")["summary"]["solved"] == 1
        problem = vroom_problem(3, 6)
        assert check_vroom(problem, client.solve_vroom({**problem, "options": {"x": 0}})) == []
        jobs = [client.submit([GOOD], improve="none") for _ in range(3)]
        assert client.wait(jobs[0], SOON)["summary"]["solved"] == 1
        assert client.job(jobs[0])["status"] == "done"
        assert [each["id"] for each in client.jobs()] == jobs[::-1]
        client.delete(jobs[0])
        with pytest.raises(RefusedError, match=r"^no such job$") as raised:
            client.result(jobs[0])
        assert (raised.value.status, raised.value.code) == (404, "NOT_FOUND")
        assert raised.value.request_id == raised.value.document["request_id"]
        with pytest.raises(RefusedError, match="none of the instances is valid") as raised:
            client.solve({**GOOD, "capacity": -1})
        assert raised.value.document["answer"]["solutions"][0]["status"] == "invalid"
        with pytest.raises(RefusedError, match="not one problem of VROOM's") as raised:
            client.solve_vroom(GOOD)
        assert (raised.value.status, raised.value.document["code"]) == (400, 2)
        with pytest.raises(RefusedError, match="a valid API key is needed"):
            Client(server.url, key="wrong").solve(GOOD)
        with pytest.raises(RefusedError, match="a valid API key is needed"):  # not "reset by peer"
            Client(server.url, key="wrong").solve(b" " * 2**24)
        with pytest.raises(RefusedError, match="the body is larger than 33554432 bytes"):
            client.solve(b" " * (2**25 + 1))
    finally:
        server.end(signal.SIGTERM)
    with pytest.raises(UnreachableError, match=f"^{server.url}: cannot be reached: "):
        client.solve(GOOD)
    assert not client.is_ready()


def test_a_job_is_watched_until_it_ends(tmp_path):
    draw = random.Random(1)
    coords = [[draw.random(), draw.random()] for _ in range(100)]
    day = {"capacity": 30, "depot": [0.5, 0.5], "coords": coords, "demands": [3] * 100}
    server = ServerProcess(tmp_path)
    try:
        client = Client(server.url)
        job_id = client.submit([{**day, "name": "day"}], time_limit=1.5, improve="deep")
        told = list(client.watch(job_id))
        assert told[-1] == {key: client.job(job_id)[key] for key in told[-1]}
        assert told[-1]["status"] == "done" and "answer" not in told[-1]
        shown = [state["progress"] for state in told if "progress" in state]
        assert {state["finished"] for state in shown} <= {0, 1}
        found = [each for state in shown for each in state["searched"]]
        assert {(each["position"], each["name"]) for each in found} == {(0, "day")}
        assert found[-1]["iterations"] > 0
        costs = [each["cost"] for each in found if each["cost"] is not None]
        assert costs and costs == sorted(costs, reverse=True)
        assert client.result(job_id)["solutions"][0]["cost"] <= costs[-1] * (1 + 1e-6)
        assert list(client.watch(job_id)) == told[-1:]
        client.delete(job_id)
        with pytest.raises(RefusedError, match=r"^no such job$"):
            next(client.watch(job_id))
        waiting = client.submit([{**day, "name": "day"}], time_limit=60)
        watching = client.watch(waiting)
        assert next(watching)["status"] in ("queued", "running")
    finally:
        server.end(signal.SIGTERM)
    with pytest.raises(UnreachableError):  # the stream ended, and nobody is there any more
        list(watching)


def event(state):
    return b": quiet\n\ndata: " + json.dumps(state).encode() + b"\n\n"


def test_a_stream_that_breaks_off_is_begun_again(pretender):
    running, done = {"status": "running"}, {"status": "done"}
    pretender.will(200, event(running))
    pretender.will(200, running)
    pretender.will(200, event(running), content_length="1000")
    pretender.will(200, running)
    pretender.will(200, event(running) + event(done))
    assert list(Client(pretender.url).watch("a/b")) == [running, running, running, done]
    assert [(each[1], each[2]["Accept"]) for each in pretender.seen[:2]] == [
        ("/v1/jobs/a%2Fb/events", "text/event-stream"),
        ("/v1/jobs/a%2Fb", "application/json"),
    ]


def test_events_that_no_server_should_send_are_refused(pretender):
    client = Client(pretender.url, max_bytes=100)
    for data, words in (
        (b"data: x\n", "the answer is not JSON"),
        (b"data: 5\n", "the answer is 5, expected an object"),
        (b"data: " + b"x" * 100 + b"\n", "the answer has more than 100 bytes"),
    ):
        pretender.will(200, data)
        with pytest.raises(ServerError, match=words):
            list(client.watch("a"))
    pretender.will(429, {"error": {"code": "BUSY", "message": "full"}}, retry_after="5")
    with pytest.raises(BusyError, match="full"):
        list(client.watch("a"))


def test_a_key_goes_to_no_other_machine_unencrypted(monkeypatch):
    monkeypatch.setenv("VRP_API_KEY", KEY)
    with pytest.raises(ConfigError, match=r"^url: http://a\.example would receive the key unencr"):
        Client("http://a.example")
    assert Client("https://a.example") and Client("http://a.example", key="")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "[::1]"])
def test_a_key_goes_unencrypted_to_this_machine(host):
    assert Client(f"http://{host}:1", key=KEY)


@pytest.mark.parametrize("host", ["10.0.0.1", "0.0.0.0", "localhost.evil", "127.0.0.1.evil", ""])  # noqa: S104
def test_other_machines_are_no_loopback(host):
    assert not is_loopback(host)


@pytest.mark.parametrize(
    "url",
    ["ftp://a", "a.example", "http://", "file:///etc/passwd", "http://[::1", "http://a/\u00fc"],
)
def test_what_is_no_url_is_refused(url):
    with pytest.raises(ConfigError) as raised:
        Client(url)
    assert str(raised.value) == f"url: {url!r}, expected http://HOST or https://HOST"


def test_without_room_it_says_when_to_ask_again(pretender):
    pretender.will(429, {"error": {"code": "OVERLOADED", "message": "busy"}}, retry_after="7")
    pretender.will(429, b"")
    client = Client(pretender.url)
    with pytest.raises(BusyError, match=r"^busy$") as raised:
        client.submit([GOOD])
    assert (raised.value.retry_s, raised.value.code) == (7.0, "OVERLOADED")
    with pytest.raises(BusyError, match=r"^the server answers with status 429$") as raised:
        client.submit([GOOD])
    assert raised.value.retry_s == 1.0


def test_an_error_that_breaks_off_is_no_answer(pretender):
    pretender.will(503, b"5\r\nab", transfer_encoding="chunked")
    with pytest.raises(UnreachableError, match="no answer: IncompleteRead"):
        Client(pretender.url).solve(GOOD)


def test_a_redirect_is_not_followed(pretender):
    pretender.will(302, b"", location="http://127.0.0.1:9/elsewhere")
    with pytest.raises(RefusedError, match="the server answers with status 302"):
        Client(pretender.url, key=KEY).solve(GOOD)
    assert len(pretender.seen) == 1


def test_what_no_server_should_answer(pretender):
    client = Client(pretender.url, max_bytes=20)
    pretender.will(200, b"<html>")
    with pytest.raises(ServerError, match="the answer is not JSON; is this the server's URL"):
        client.solve(GOOD)
    pretender.will(200, b" " * 21)
    with pytest.raises(ServerError, match="the answer has more than 20 bytes"):
        client.solve(GOOD)
    pretender.will(200, [1])
    with pytest.raises(ServerError, match="the answer is a list of 1, expected an object"):
        client.job("x")
    pretender.will(200, {})
    with pytest.raises(ServerError, match="the answer has no 'status'; is this the server's URL"):
        client.job("x")
    pretender.will(200, {})
    with pytest.raises(ServerError, match="the answer has no 'id'; is this the server's URL"):
        client.submit([GOOD])
    pretender.will(500, {"error": "x"})
    with pytest.raises(ServerError, match=r"^x$") as raised:
        client.solve(GOOD)
    assert (type(raised.value), raised.value.code) == (ServerError, "SERVER")
    pretender.will(200, b"{", content_length="9")
    with pytest.raises(UnreachableError, match="the answer breaks off after 1 of 9 bytes"):
        client.solve(GOOD)


def test_a_key_for_this_machine_goes_through_no_proxy(pretender, monkeypatch):
    proxy = Pretender()
    try:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.delenv("no_proxy", raising=False)
        pretender.will(200, {})
        Client(pretender.url, key=KEY).solve(GOOD)
        assert [headers["X-Api-Key"] for _, _, headers, _ in pretender.seen] == [KEY]
        assert proxy.seen == []
        proxy.will(200, {})
        Client("http://a.example").solve(GOOD)  # to others, there may be no other way
        assert [path for _, path, _, _ in proxy.seen] == ["http://a.example/v1/solve"]
    finally:
        proxy.close()


@pytest.mark.parametrize("key", [KEY + "\n", KEY + "\u00e9"])
def test_a_key_that_cannot_be_sent_is_not_shown(key):
    with pytest.raises(ConfigError, match=r"^key: contains .*, such as a line end$") as raised:
        Client("http://127.0.0.1:9", key=key)
    assert KEY not in str(raised.value)


def test_a_slow_server_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(UnreachableError, match=f"^{url}: no answer: timed out"):
            Client(url, timeout_s=0.2).solve(GOOD)


def test_waiting_for_a_job(pretender):
    client = Client(pretender.url)
    pretender.will(200, {"status": "queued"})
    pretender.will(200, {"status": "running"})
    pretender.will(200, {"status": "done", "answer": {"summary": {}}})
    assert client.wait("a/b") == {"summary": {}}
    assert {path for _, path, _, _ in pretender.seen} == {"/v1/jobs/a%2Fb"}
    pretender.will(200, {"status": "failed", "error": {"code": "ROADS", "message": "no roads"}})
    with pytest.raises(JobFailedError, match=r"^job x: no roads$") as raised:
        client.wait("x")
    assert raised.value.code == "ROADS"
    pretender.will(200, {"status": "running"})
    with pytest.raises(JobNotDoneError, match=r"^job x is running; wait for it$"):
        client.wait("x", timeout_s=0)


def test_all_pages_of_jobs(pretender):
    pretender.will(200, {"jobs": [{"id": "c"}, {"id": "b"}], "next": 2})
    pretender.will(200, {"jobs": [{"id": "a"}], "next": None})
    assert [each["id"] for each in Client(pretender.url).jobs()] == ["c", "b", "a"]
    assert [path for _, path, _, _ in pretender.seen] == ["/v1/jobs", "/v1/jobs?before=2"]


def test_what_is_sent(pretender):
    pretender.will(200, {})
    Client(pretender.url, key=KEY).solve(GOOD, time_limit=2, both=True, freeze=None)
    ((method, path, headers, body),) = pretender.seen
    assert (method, path) == ("POST", "/v1/solve?time_limit=2&both=true")
    assert headers["X-Api-Key"] == KEY
    assert headers["Content-Type"] == "application/json"
    assert json.loads(body) == GOOD
    for text in ("id,x\n7,\u00fc", "id,x\n7,\u00fc".encode()):  # a file's
        pretender.will(200, {})
        Client(pretender.url).solve(text)
        assert pretender.seen[-1][3] == "id,x\n7,\u00fc".encode()
