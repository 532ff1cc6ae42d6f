"""The application in this process, around a backend in place of a model."""

import threading
from contextlib import contextmanager

import httpx2
from starlette.testclient import TestClient

from tests.vrpcore.serve.process import until
from tests.vrpcore.solve.doubles import SOON, Recording
from vrpcore.serve.app import build_app
from vrpcore.serve.draining import Phase
from vrpcore.serve.jobs import QUEUED, RUNNING, JobStore
from vrpcore.serve.metrics import Metrics
from vrpcore.serve.requests import Requests
from vrpcore.serve.runner import JobRunner
from vrpcore.serve.settings import ServeSettings
from vrpcore.solve.memory_limit import SessionLimits
from vrpcore.solve.session import Session

HERE = "http://127.0.0.1:8000"
BAD = {"name": "<b>", "capacity": -1, "depot": [0, 0], "coords": [], "demands": []}
# A service after its window, which JSON cannot say.
TOO_LATE = {
    "vehicles": [{"id": 1, "start_index": 0, "steps": [
        {"type": "start"}, {"type": "job", "id": 1, "service_at": 500}, {"type": "end"}]}],
    "jobs": [{"id": 1, "location_index": 1, "time_windows": [[0, 100]]}],
    "matrices": {"car": {"durations": [[0, 1], [1, 0]]}},
}  # fmt: skip


def warm():
    """A server's phase in which it is ready."""
    phase = Phase()
    phase.warm.set()
    return phase


class Server:
    """The application around a backend that waits for a gate.

    Args:
        folder: For its jobs.
        roads: As for `Requests`.
        **settings: Of the server.
    """

    def __init__(self, folder, roads=None, **settings):
        self.backend, self.phase = Recording(), warm()
        self.settings = ServeSettings(jobs=folder / "jobs.sqlite", **settings)
        capacity = SessionLimits(workers=2, threads=2, room=self.settings.room, shared=True)
        self.session = Session(self.backend, capacity, self.search)
        self.store = JobStore(self.settings.jobs)
        self.requests = Requests(self.session, [self.backend.info], self.settings, roads)
        self.runner = JobRunner(self.requests, self.store, self.phase)
        self.app = build_app(self.requests, self.store, Metrics(), self.phase)
        self.client = TestClient(self.app, HERE, raise_server_exceptions=False)

    @staticmethod
    def search(task, end, cores):
        return task.starts[0]

    def post(self, path, content, **query):
        """Sends bytes, or a document as JSON."""
        kind = "content" if isinstance(content, bytes) else "json"
        return self.client.post(path, params=query, **{kind: content})

    def solve(self, content, **query):
        return self.post("/v1/solve", content, **query)

    def close(self):
        self.backend.gate.set()
        self.runner.stop()
        self.session.close(wait=True)
        self.store.close()


@contextmanager
def busy(server, body):
    """While the server solves what somebody else has sent."""
    server.backend.gate.clear()
    waiting = threading.Thread(target=server.solve, args=(body,))
    waiting.start()
    until(lambda: server.session.load)
    yield
    server.backend.gate.set()
    waiting.join(SOON)


def asking(server):
    """A client of which several requests are under way in one event loop."""
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(server.app), base_url=HERE)


def submitted(server, *instances, **query):
    """The id of a job that is accepted."""
    return server.post("/v1/jobs", instances, **query).json()["id"]


def finished(server, job_id):
    """The job once it is done."""

    def look():
        return server.client.get(f"/v1/jobs/{job_id}").json()

    until(lambda: look()["status"] not in (QUEUED, RUNNING))
    return look()
