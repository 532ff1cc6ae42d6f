import json
import signal
import socket
import threading
import time
from unittest.mock import Mock

import pytest

from tests.cli.runs import one_line, vrp
from tests.vrpcore.serve.process import GOOD, SOON, ServerProcess, until
from vrpcore.errors import ModelError
from vrpcore.serve.jobs import JobStore
from vrpcore.solve.onnx_backend import OnnxBackend


def test_it_solves_drains_and_ends_when_told(tmp_path):
    """Roads are great circles, and somebody leaves in mid-request, which is no error."""
    server = ServerProcess(tmp_path, "--matrix", "haversine", "--speed", "50", "--drain", "2")
    assert server.ask("/v2/health/ready") == {}
    places = [[13.06, 52.40], [13.70, 52.40]]
    problem = {
        "vehicles": [{"id": 1, "start": [13.4, 52.52]}],
        "jobs": [{"id": number, "location": place} for number, place in enumerate(places)],
    }
    answer = server.ask("/", problem)
    assert (answer["code"], answer["summary"]["unassigned"]) == (0, 0)
    assert answer["summary"]["distance"] == pytest.approx(
        answer["summary"]["duration"] / 0.072, 1e-3
    )
    head = b"POST /v1/solve HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port)) as leaving:
        leaving.sendall(head + b'{"capacity"')
    until(lambda: 'status="499"' in server.text("/metrics"))
    answer = server.ask("/v1/solve?improve=none", [GOOD] * 3)
    assert answer["summary"]["solved"] == 3
    server.process.send_signal(signal.SIGTERM)
    until(lambda: server.status("/v2/health/ready") == 503)
    assert server.ask("/v1/solve?improve=none", [GOOD])["summary"]["solved"] == 1
    assert server.process.wait(SOON) == 143
    server.end(0)
    assert any('"event": "draining", "seconds": 2.0' in line for line in server.lines)
    logged = [json.loads(line) for line in server.lines if line.startswith("{")]
    assert logged[-1]["route"] == "/v1/solve"
    assert not any(word in "".join(server.lines) for word in ("depot", "Traceback"))


SIGNAL_WHILE_A_LINE_IS_WRITTEN = """
import io, os, signal, sys

class Raw(io.RawIOBase):
    sent = False

    def writable(self):
        return True

    def write(self, data):
        text = bytes(data)
        if b'"event": "request"' in text and not Raw.sent:
            Raw.sent = True
            os.kill(os.getpid(), signal.SIGTERM)
        return os.write(2, text)

sys.stderr = io.TextIOWrapper(io.BufferedWriter(Raw()), line_buffering=True)
"""


def test_it_ends_when_told_in_the_middle_of_a_line_of_its_log(tmp_path):
    server = ServerProcess(tmp_path, "--drain", "0.5", before=SIGNAL_WHILE_A_LINE_IS_WRITTEN)
    assert server.ask("/v1/solve?improve=none", [GOOD])["summary"]["solved"] == 1
    assert server.process.wait(SOON) == 143
    server.end(0)
    assert any('"event": "draining", "seconds": 0.5' in line for line in server.lines)
    assert not any("Traceback" in line for line in server.lines)


def test_what_was_accepted_is_answered_before_it_ends(tmp_path):
    server, found = ServerProcess(tmp_path), []
    body = [{**GOOD, "name": str(number)} for number in range(50)]

    def ask():
        found.append(server.ask("/v1/solve?time_limit=1.5", body))

    asking = threading.Thread(target=ask)
    asking.start()
    time.sleep(0.5)
    assert server.end(signal.SIGTERM) == 143
    assert [file.name for file in tmp_path.iterdir()] == ["jobs.sqlite"]  # all jobs are in it
    asking.join(SOON)
    assert found[0]["summary"]["solved"] == 50


def done(server, job):
    """A job once it is done."""
    until(lambda: server.ask(f"/v1/jobs/{job}")["status"] == "done")
    return server.ask(f"/v1/jobs/{job}")


@pytest.mark.parametrize("count", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_a_killed_server_loses_no_job(tmp_path, count):
    server = ServerProcess(tmp_path)
    accepted = [server.ask("/v1/jobs?improve=none", [GOOD] * 40)["id"] for _ in range(count)]
    server.end(signal.SIGKILL)
    server = ServerProcess(tmp_path)
    for name in accepted:
        assert done(server, name)["answer"]["summary"]["solved"] == 40
    assert f'vrp_jobs{{status="done"}} {count}.0' in server.text("/metrics")
    server.end(signal.SIGTERM)


BENT = """
import time
from pathlib import Path
from vrpcore.errors import DeviceError
from vrpcore.solve.onnx_backend import OnnxBackend
construct = OnnxBackend.construct
def bent(*arguments):
    while Path({flag!r}).exists():
        {what}
    return construct(*arguments)
OnnxBackend.construct = bent
"""


def bent_server(folder, flag, what, *arguments):
    """A server whose model does something else while there is a file."""
    server = ServerProcess(folder, *arguments, before=BENT.format(flag=str(flag), what=what))
    flag.touch()
    return server


def test_a_lost_device_ends_the_server_and_leaves_its_job_to_the_next_one(tmp_path):
    lost = 'raise DeviceError("cuda:0 no longer responds: CUDA error")'
    server = bent_server(tmp_path, tmp_path / "lost", lost)
    many = [{**GOOD, "coords": [[1, each] for each in range(20)], "demands": [1] * 20}]
    job = server.ask("/v1/jobs?improve=none", many)["id"]
    assert server.process.wait(SOON) == 7
    server.end(0)
    assert "error: cuda:0 no longer responds: CUDA error" in server.lines[-1]
    jobs = JobStore(tmp_path / "jobs.sqlite")
    assert jobs.find(job).status == "queued"
    jobs.close()


def test_what_hangs_keeps_neither_room_nor_the_server(tmp_path):
    server = bent_server(tmp_path, tmp_path / "hangs", "time.sleep(0.1)", "--room", "4")
    body = json.dumps([GOOD] * 2).encode()
    head = f"POST /v1/solve?improve=none HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}"

    def until_there_are(customers):
        until(lambda: f"vrp_queue_customers {customers}" in server.text("/metrics"))

    with socket.create_connection(("127.0.0.1", server.port)) as leaving:
        leaving.sendall(f"{head}\r\n\r\n".encode() + body)
        until_there_are("4.0")
    until_there_are("0.0")
    job = server.ask("/v1/jobs?improve=none", [GOOD] * 2)["id"]
    until(lambda: server.ask(f"/v1/jobs/{job}")["status"] == "running")
    assert server.end(signal.SIGTERM) == 143


BUG = """
from vrpcore.serve.requests import Requests
def broken(*_, **__):
    raise RuntimeError("at stop 'Smith'")
Requests.document = broken
"""


def test_a_bug_leaves_no_word_of_a_request_in_the_log(tmp_path):
    server = ServerProcess(tmp_path, before=BUG)
    assert server.status("/v1/solve?improve=none", json.dumps(GOOD)) == 500
    assert server.end(signal.SIGTERM) == 143
    logged = [json.loads(line) for line in server.lines if line.startswith("{")]
    errors = [each for each in logged if each["level"] == "error"]
    assert [each["error"] for each in errors] == ["RuntimeError"]
    assert "in broken" in errors[0]["traceback"]
    assert "Traceback" not in "".join(server.lines) and "Smith" not in "".join(server.lines)


def test_a_model_that_cannot_be_warmed_up_ends_it(tmp_path, monkeypatch):
    broken = Mock(side_effect=ModelError("base: ONNX Runtime: damaged"))
    monkeypatch.setattr(OnnxBackend, "construct", broken)
    jobs = tmp_path / "jobs.sqlite"
    done = vrp("serve", "--port", "0", "--device", "cpu", "--jobs", jobs, code=5)
    assert one_line(done.stderr).endswith("error: base: ONNX Runtime: damaged")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--speed", "50"], 3, "speed: only for --matrix haversine"),
        (["--host", "0.0.0.0"], 3, "set VRP_API_KEY"),  # noqa: S104 - beyond loopback
        (["--port", "0", "--jobs", f"{__file__}/j.sqlite"], 8, "cannot be used as the job data"),
    ],
)
def test_what_is_refused(monkeypatch, words, code, said):
    monkeypatch.delenv("VRP_API_KEY", raising=False)
    assert said in one_line(vrp("serve", *words, code=code).stderr)
