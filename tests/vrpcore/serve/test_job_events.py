import asyncio
import json
import threading
import time
from unittest.mock import Mock

import pytest

from tests.vrpcore.serve.doubles import finished, submitted
from tests.vrpcore.serve.process import GOOD, until
from tests.vrpcore.solve.doubles import SOON, tasks
from vrpcore.errors import ModelError
from vrpcore.search.watch import Watch
from vrpcore.serve import job_events, job_progress
from vrpcore.serve.job_events import states
from vrpcore.serve.job_progress import JobProgress
from vrpcore.serve.job_routes import state_of


@pytest.fixture(autouse=True)
def looks_often(monkeypatch):
    monkeypatch.setattr(job_events, "LOOK_S", 0.01)
    monkeypatch.setattr(job_progress, "LOOK_S", 0.0)


@pytest.fixture
def held(serving):
    """A server whose job does not end by itself, and the job's id."""
    server = serving(max_streams=1)
    server.backend.gate.clear()
    server.runner.start()
    job_id = submitted(server, *[GOOD] * 3)
    until(lambda: server.session.load)
    return server, job_id


def events_of(answer):
    """The data of all events of an answer."""
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    *parts, end = answer.text.split("\n\n")
    assert end == ""
    return [json.loads(part.removeprefix("data: ")) for part in parts]


class Listener(threading.Thread):
    """Reads the events of a job in a thread of its own, which has its first state by now."""

    def __init__(self, server, job_id):
        super().__init__(daemon=True)
        self.server, self.path, self.found = server, f"/v1/jobs/{job_id}/events", None
        looked = threading.Event()

        def noted(*arguments):
            state = state_of(*arguments)
            looked.set()
            return state

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(job_events, "state_of", noted)
            self.start()
            assert looked.wait(SOON)

    def run(self):
        self.found = events_of(self.server.client.get(self.path))

    def ended(self):
        self.join(SOON)
        return self.found


def test_events_end_with_the_job_and_hold_no_answer(held):
    server, job_id = held
    listening = Listener(server, job_id)
    server.backend.gate.set()
    told = listening.ended()
    assert told[0]["status"] == "running"
    assert told[0]["progress"] == {**told[0]["progress"], "finished": 0, "searched": []}
    job = finished(server, job_id)
    assert job.pop("answer")["summary"]["solved"] == 3
    assert told[-1] == job
    assert "progress" not in job


def test_who_comes_late_gets_the_last_state_at_once(server):
    job_id = submitted(server, GOOD)
    server.runner.start()
    job = finished(server, job_id)
    server.runner.stop()
    answer = server.client.get(f"/v1/jobs/{job_id}/events")
    assert answer.headers["cache-control"] == "no-store"
    assert events_of(answer) == [{key: job[key] for key in job if key != "answer"}]


def test_a_failed_job_says_why(server, monkeypatch):
    broken = Mock(side_effect=ModelError("the model failed"))
    monkeypatch.setattr(server.session, "submit", broken)
    job_id = submitted(server, GOOD)
    server.runner.start()
    finished(server, job_id)
    server.runner.stop()
    (told,) = events_of(server.client.get(f"/v1/jobs/{job_id}/events"))
    assert told["error"] == {"code": "MODEL", "message": "the model failed"}


def test_there_are_no_events_of_a_job_that_is_not_there(server):
    answer = server.client.get("/v1/jobs/x/events")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")


def test_only_so_many_streams_are_open_and_an_ended_one_makes_room(held):
    server, job_id = held
    listening = Listener(server, job_id)
    path = f"/v1/jobs/{job_id}/events"
    refused = server.client.get(path)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
    message = "1 event streams are already open; close some, or ask for the job"
    assert refused.json()["error"]["message"] == message
    server.backend.gate.set()
    assert listening.ended()[-1]["status"] == "done"
    until(lambda: server.client.get(path).status_code == 200)


def test_streams_end_when_the_server_is_told_to_stop(held):
    server, job_id = held
    listening = Listener(server, job_id)
    server.phase.stopping.set()
    assert listening.ended()[-1]["status"] == "running"


def test_streams_end_with_a_job_that_is_deleted(held):
    server, job_id = held
    listening = Listener(server, job_id)
    server.client.delete(f"/v1/jobs/{job_id}")
    assert listening.ended()[-1]["status"] == "running"


def test_only_news_are_told(server, monkeypatch):
    job_id = server.store.add(b"[]", "{}", 2)
    server.store.take()
    progress = server.store.progress = JobProgress(job_id)
    task, _ = tasks([3, 4])
    task.watch = Watch()
    progress.begin(task.order)

    async def costs(most):
        found = []
        async for event in states(job_id, server.store, server.phase):
            (each,) = json.loads(event.removeprefix(b"data: "))["progress"]["searched"]
            found.append(each["cost"])
            if len(found) == most:
                return found
            task.watch.note(9.0 - len(found) // 2)
        return found

    started = time.monotonic()
    assert asyncio.run(costs(2)) == [None, 9.0]
    monkeypatch.setattr(job_events, "QUIET_S", 0.3)
    assert asyncio.run(costs(2)) == [9.0, 9.0]  # nothing new for a while
    assert time.monotonic() - started >= 0.3
