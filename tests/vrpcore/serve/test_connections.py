import contextlib
import json
import os
import signal
import socket
import time
from pathlib import Path

import pytest

from tests.vrpcore.serve.process import GOOD, SOON, ServerProcess, until
from vrpcore.serve import connections as connections_module
from vrpcore.serve.connections import Connections, default_connections
from vrpcore.serve.settings import ServeSettings

FILES = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({0}, {0}))"
HURRY = "import vrpcore.serve.connections as found; found._HEAD_S = 0.5"
HEAD = b"POST /v1/solve HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n"
LARGE = b"GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nhost: localhost\r\n\r\n"
STALLED = [b"", HEAD, HEAD + b"\r\n{", LARGE]
STOPS = "id,lat,lon" + " " * 400_000


@pytest.fixture
def connect():
    """Connects to a server and sends something; all connections end with the test."""
    with contextlib.ExitStack() as held:

        def connect(server, sent):
            found = held.enter_context(socket.socket())
            found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            found.settimeout(SOON)
            found.connect(("127.0.0.1", server.port))
            found.sendall(sent)
            return found

        yield connect


def rest(connection):
    """What comes until the server closes it."""
    parts = []
    try:
        while part := connection.recv(2**16):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


@pytest.mark.skipif(not hasattr(os, "sysconf"), reason="limits of another kind")
@pytest.mark.parametrize(
    ("files", "count"), [(128, 200), pytest.param(1024, 2000, marks=pytest.mark.slow)]
)
def test_connections_that_only_wait_keep_nobody_out(tmp_path, connect, files, count):
    server = ServerProcess(tmp_path, "--body-timeout", "2", before=FILES.format(files))
    for number in range(count):
        connect(server, STALLED[number % len(STALLED)])
        if number % (count // 10) == 0:
            assert server.ask("/v1/solve?improve=none", [GOOD])["summary"]["solved"] == 1
    assert len(list(Path(f"/proc/{server.process.pid}/fd").iterdir())) < files * 0.9
    assert server.end(signal.SIGTERM) == 143
    assert sum(map(len, server.lines)) < 2**20
    events = [json.loads(line) for line in server.lines[1:-1]]  # not where it is, nor its end
    warned = [each for each in events if each["event"] != "request"]
    assert [(each["event"], each["limit"]) for each in warned] == [
        ("too many connections", files // 3)
    ]


def test_who_takes_too_long_is_dropped(tmp_path, connect):
    limits = ("--body-timeout", "6", "--max-memory-mb", "1")
    server = ServerProcess(tmp_path, *limits, before=HURRY)
    large = HEAD.replace(b"1000", b"900000") + b"\r\n" + b" " * 800_000
    unread = b"GET /v2/health/live HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n1"
    silent, head, body, wasm = (connect(server, each) for each in (*STALLED[:2], large, STALLED[3]))
    time.sleep(1.0)  # a request that comes before the body would take its room
    # What is held of the body leaves no room.
    until(lambda: server.status("/v1/tables", STOPS) == 429)
    unread = connect(server, unread)
    assert (rest(silent), rest(head)) == (b"", b"")
    answer = rest(body)
    assert answer.startswith(b"HTTP/1.1 408 ")
    told = {"code": "TIMEOUT"}
    told["message"] = "800000 bytes of the body in 6 seconds; send it faster"
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"] == told
    assert rest(unread).startswith(b"HTTP/1.1 200 ")
    until(lambda: server.status("/v1/tables", STOPS) == 200)
    time.sleep(1.0)  # as long as it waits for the answer to be taken
    assert 0 < len(rest(wasm)) < 2**23
    assert server.end(signal.SIGTERM) == 143


def test_a_connection_that_is_refused_is_said_once_a_minute(caplog, monkeypatch):
    connections, now = Connections(ServeSettings(max_connections=3)), [0.0]
    monkeypatch.setattr(connections_module.time, "monotonic", lambda: now[0])
    full = {"message": "socket.accept() out of system resource", "exception": OSError(24, "")}
    for seconds in (0, 1, 59, 60, 61):
        now[0] = float(seconds)
        connections.on_error(None, full)
    said = [(record.msg, record.fields) for record in caplog.records]
    words = "too many connections"
    assert said == [(words, {"closed": 1, "limit": 3}), (words, {"closed": 3, "limit": 3})]
    connections.on_error(None, {"message": "a task failed", "exception": KeyError("Smith")})
    assert (caplog.records[-1].msg, caplog.records[-1].exc_info[0]) == ("a task failed", KeyError)


@pytest.mark.parametrize(("files", "most"), [(1024, 341), (1, 1), (2**20, 4096), (-1, 4096)])
def test_their_number_follows_from_the_files_that_may_be_open(monkeypatch, files, most):
    monkeypatch.setattr(os, "sysconf", lambda name: files, raising=False)
    assert default_connections() == most
