import sqlite3
import threading
import time
from unittest.mock import Mock

import pytest

from tests.vrpcore.serve.doubles import BAD, Server, busy, finished, submitted
from tests.vrpcore.serve.process import GOOD, until
from tests.vrpcore.solve.doubles import SOON
from vrpcore.errors import BUG, DeviceError, ModelError, OutputError
from vrpcore.referee.referee import check_solution
from vrpcore.roads.road_matrices import Roads
from vrpcore.roads.road_options import RoadOptions
from vrpcore.serve import requests as requests_module
from vrpcore.serve import runner as runner_module
from vrpcore.serve.jobs import QUEUED, RUNNING
from vrpcore.solve import answer

LACKS_MEMORY = "too little memory for these instances; send fewer or smaller ones"


def test_a_job_is_accepted_done_and_forgotten(server):
    server.runner.start()
    accepted = server.post("/v1/jobs", [GOOD, BAD] * 300, improve="none")
    assert accepted.status_code == 202
    job_id = accepted.json()["id"]
    assert accepted.headers["location"] == f"jobs/{job_id}"
    job = finished(server, job_id)
    assert (job["status"], job["instances"], job["improve"]) == ("done", 600, "none")
    assert job["answer"]["summary"]["solved"] == 300
    assert [each["status"] for each in job["answer"]["solutions"][:2]] == ["solved", "invalid"]
    assert server.client.delete(f"/v1/jobs/{job_id}").status_code == 204
    assert server.client.get(f"/v1/jobs/{job_id}").status_code == 404
    assert server.client.delete(f"/v1/jobs/{job_id}").status_code == 404


def test_a_drained_runner_finishes_its_job_and_begins_no_other(server):
    server.backend.gate.clear()
    server.runner.start()
    first, second = (submitted(server, GOOD) for _ in range(2))
    until(lambda: server.session.load)
    server.phase.stopping.set()
    server.backend.gate.set()
    assert finished(server, first)["status"] == "done"
    server.runner.stop()
    assert server.store.find(second).status == "queued"


def test_a_job_with_a_time_limit_and_an_empty_one(server):
    server.runner.start()
    for count, query in ((5, {"time_limit": 2}), (0, {})):
        job_id = submitted(server, *[GOOD] * count, **query)
        assert finished(server, job_id)["answer"]["summary"]["instances"] == count


def test_a_running_job_can_be_cancelled(server):
    server.backend.gate.clear()
    server.runner.start()
    job_id = submitted(server, *[GOOD] * 20)
    until(lambda: server.session.load)
    assert server.client.delete(f"/v1/jobs/{job_id}").status_code == 204
    time.sleep(0.5)
    server.backend.gate.set()
    other = submitted(server, GOOD)
    assert finished(server, other)["status"] == "done"


def test_a_stopped_server_leaves_its_jobs_to_the_next(tmp_path):
    first = Server(tmp_path)
    first.backend.gate.clear()
    first.runner.start()
    accepted = [submitted(first, *[GOOD] * 3) for _ in range(4)]
    until(lambda: first.session.load)
    first.runner.stop()
    first.close()
    second = Server(tmp_path)
    second.runner.start()
    for job_id in accepted:
        assert finished(second, job_id)["answer"]["summary"]["solved"] == 3
    second.runner.stop()
    second.close()


def test_an_answer_is_kept_once_the_disk_has_room(server, monkeypatch):
    finish, refusals = server.store.finish, [OutputError("disk full")]

    def finishing(*arguments):
        if refusals:
            raise refusals.pop()
        finish(*arguments)

    monkeypatch.setattr(server.store, "finish", finishing)
    server.runner.start()
    assert finished(server, submitted(server, GOOD))["status"] == "done"
    assert len(server.backend.batches) == 1  # it was not solved again


def test_an_answer_that_is_too_large_to_be_kept_fails_its_job_alone(serving, monkeypatch):
    connect = sqlite3.connect

    def small(*arguments, **others):
        database = connect(*arguments, **others)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 3000)
        return database

    monkeypatch.setattr(sqlite3, "connect", small)
    server = serving()
    jobs = [submitted(server, *[GOOD] * count) for count in (20, 1)]
    server.runner.start()
    large, other = (finished(server, job_id) for job_id in jobs)
    message = "more than can be kept of one job; send its instances in several jobs"
    assert large["error"] == {"code": "TOO_LARGE", "message": message}
    assert other["status"] == "done"
    refused = server.post("/v1/jobs", [GOOD] * 60)
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "TOO_LARGE")


@pytest.mark.parametrize("error", [MemoryError, OverflowError])
def test_jobs_go_on_after_any_error(server, monkeypatch, caplog, error):
    take, errors = server.store.take, [error("secret")]
    monkeypatch.setattr(server.store, "take", lambda: take() if not errors else raised(errors))
    job_id = submitted(server, GOOD)
    server.runner.start()
    assert finished(server, job_id)["status"] == "done"
    assert "secret" not in caplog.text and error.__name__ in caplog.text


def raised(errors):
    raise errors.pop()


def test_a_server_whose_disk_stays_full_can_be_stopped(server, monkeypatch, caplog):
    asked = threading.Event()

    def finishing(*_):
        asked.set()
        raise OutputError("disk full")

    monkeypatch.setattr(server.store, "finish", finishing)
    job_id = submitted(server, GOOD)
    server.runner.start()
    assert asked.wait(SOON)
    server.runner.stop()
    assert server.store.find(job_id).status == RUNNING  # the next server does it again
    said = [record.fields for record in caplog.records if record.msg == "jobs"]
    assert said[0] == {"error": "disk full"}


def test_an_answer_that_is_there_is_kept_although_the_server_stops(server, monkeypatch):
    document = requests_module.Requests.document

    def stopping(*arguments):
        found = document(*arguments)
        threading.Thread(target=server.runner.stop).start()
        time.sleep(0.05)
        return found

    monkeypatch.setattr(requests_module.Requests, "document", stopping)
    job_id = submitted(server, GOOD)
    server.runner.start()
    assert finished(server, job_id)["status"] == "done"


def test_a_lost_device_leaves_its_job_to_the_next_server(server, monkeypatch):
    lost = Mock(side_effect=DeviceError("no longer responds"))
    monkeypatch.setattr(server.backend, "construct", lost)
    first, second = submitted(server, GOOD), submitted(server, GOOD)
    server.runner.start()
    until(lambda: lost.called and server.store.progress is None)
    server.runner.stop()
    assert [server.store.find(each).status for each in (first, second)] == [RUNNING, QUEUED]


@pytest.mark.parametrize("way", ["deleted", "stopped"])
def test_a_job_that_asks_for_roads_can_be_ended(serving, monkeypatch, way):
    """After the reply that is under way: others of an instance, and other instances, are not."""
    entered, gate = threading.Event(), threading.Event()
    replies = []

    def asking(item, _, report):
        entered.set()
        assert gate.wait(SOON)
        for reply in range(3):
            replies.append(reply)
            report(reply + 1, 3)
        return item

    monkeypatch.setattr(requests_module, "with_matrices", asking)
    options = RoadOptions(matrix="haversine")
    server = serving(Roads(options, 50.0))
    job_id = submitted(server, GOOD, GOOD)
    server.runner.start()
    assert entered.wait(SOON)
    stopping = threading.Thread(target=server.runner.stop)
    if way == "deleted":
        assert server.client.delete(f"/v1/jobs/{job_id}").status_code == 204
        gate.set()
        until(lambda: server.store.progress is None)
        stopping.start()
    else:
        stopping.start()
        time.sleep(0.05)
        gate.set()
    stopping.join(SOON)
    assert replies == [0]
    assert server.store.counts() == ({} if way == "deleted" else {QUEUED: 1})


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ModelError("the model failed"), {"code": "MODEL", "message": "the model failed"}),
        (MemoryError("secret"), {"code": "MEMORY", "message": LACKS_MEMORY}),
        (RuntimeError("secret"), {"code": "INTERNAL", "message": BUG}),
    ],
)
def test_a_job_that_fails_says_why_and_leaves_the_others(server, monkeypatch, caplog, error, told):
    server.runner.start()
    with monkeypatch.context() as patch:
        patch.setattr(server.session, "submit", Mock(side_effect=error))
        job_id = submitted(server, GOOD)
        job = finished(server, job_id)
    assert (job["status"], job["error"]) == ("failed", told)
    assert str(error) not in caplog.text  # it may tell what an instance holds
    (warned,) = (each for each in caplog.records if each.levelname in ("WARNING", "ERROR"))
    assert "RuntimeError" in caplog.text or warned.fields == {"code": told["code"]}
    other = submitted(server, GOOD)
    assert finished(server, other)["status"] == "done"


def test_an_internal_error_costs_one_instance_of_a_job(server, monkeypatch):
    def check(instance, solution):
        if instance.name == "guilty":
            raise RuntimeError("boom")
        return check_solution(instance, solution)

    monkeypatch.setattr(answer, "check_solution", check)
    server.runner.start()
    job = finished(server, submitted(server, GOOD, {**GOOD, "name": "guilty"}, GOOD))
    assert job["status"] == "done"
    solutions = job["answer"]["solutions"]
    assert [each.get("code") for each in solutions] == [None, "INTERNAL", None]
    assert job["answer"]["summary"]["solved"] == 2


@pytest.mark.parametrize("query", [{}, {"time_limit": 0.2}])
def test_a_job_does_not_wait_for_room_for_ever(serving, monkeypatch, query):
    """Others come and go, and it never finds the server empty."""
    monkeypatch.setattr(runner_module, "JOB_PATIENCE_S", 0.3)
    server = serving(room=5)
    taken, submit = [], server.session.submit

    def observed(*arguments, **options):
        """Counts what is let in: with its time over, a job may leave before a look at the load."""
        order = submit(*arguments, **options)
        taken.append(len(arguments[0]))
        return order

    with busy(server, [GOOD]):
        monkeypatch.setattr(server.session, "submit", observed)
        submitted(server, *[GOOD] * 2, **query)
        server.runner.start()
        until(lambda: sum(taken) == 2)
        assert not server.backend.gate.is_set()  # the other is still there


def test_a_job_leaves_room_for_requests(serving):
    server = serving(room=24)
    server.backend.gate.clear()
    job_id = submitted(server, *[GOOD] * 20)  # of 2 customers each
    server.runner.start()
    until(lambda: server.session.load == 12)  # two parts of three
    server.backend.gate.set()
    assert finished(server, job_id)["answer"]["summary"]["solved"] == 20


def test_the_time_limit_of_a_job_counts_from_its_start(server, monkeypatch):
    limits, submit = [], server.session.submit

    def slow(items, *_):
        time.sleep(0.3)
        return items

    def noting(items, options, *arguments, **others):
        limits.append(options.time_limit)
        return submit(items, options, *arguments, **others)

    monkeypatch.setattr(server.requests, "lacks_roads", lambda _: True)
    monkeypatch.setattr(server.requests, "routed", slow)
    monkeypatch.setattr(server.session, "submit", noting)
    names = [submitted(server, GOOD, time_limit=limit) for limit in (2, 0.1)]
    server.runner.start()
    for name in names:
        assert finished(server, name)["answer"]["summary"]["solved"] == 1
    server.runner.stop()
    assert 0.0 < limits[0] <= 1.7
    assert limits[1] == 0.0


def test_a_job_waits_until_there_is_room(serving):
    server = serving(room=5)
    with busy(server, [GOOD] * 2):
        job_id = submitted(server, *[GOOD] * 2)
        server.runner.start()
        until(lambda: server.store.counts() == {RUNNING: 1})
        time.sleep(0.05)  # it asks, and is refused
    assert finished(server, job_id)["answer"]["summary"]["solved"] == 2
