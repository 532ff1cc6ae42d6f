"""The real server in a thread, and around it what makes it fail on demand."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from starlette.types import Receive, Scope, Send

from tests.vrpcore.serve.doubles import warm
from vrpcore.api import Solver
from vrpcore.serve.app import build_app
from vrpcore.serve.guard import Guard, error_response
from vrpcore.serve.jobs import JobStore
from vrpcore.serve.metrics import Metrics
from vrpcore.serve.requests import Requests
from vrpcore.serve.settings import ServeSettings

ROOT = Path(__file__).parents[4]
MOST_BYTES = 2**18


class Faults:
    """Stands before the server's application.

    Attributes:
        refusals: Status, headers, message and perhaps code of the next answers to a solve, used up.
        delay_s: Before each answer to a solve.
        solves: Query of each solve that came to the application.
        reads: How many bodies came to be read.
        busy: How many CSV files the server has no time to look at.
    """

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self.reset()

    def reset(self) -> None:
        """Good again; a request still on its way counts for what was before."""
        self.refusals: list[tuple[Any, ...]] = []
        self.delay_s = 0.0
        self.solves: list[dict[str, str]] = []
        self.reads = 0
        self.busy = 0
        self.ask_for(None)

    def ask_for(self, key: str | None) -> None:
        """From now on requests need this key, as after a restart with another one."""
        self._guard._key = None if key is None else key.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/v1/solve":
            solves, query = self.solves, dict(parse_qsl(scope["query_string"].decode()))
            await asyncio.sleep(self.delay_s)
            if self.refusals:
                status, headers, message, *code = self.refusals.pop(0)
                told = error_response(status, code[0] if code else "TOLD", message, headers)
                await told(scope, receive, send)
                return
            solves.append(query)
        if scope["path"] == "/v1/tables" and self.busy:
            self.busy -= 1
            await error_response(429, "TOLD", "", {"retry-after": "1"})(scope, receive, send)
            return
        self.reads += scope["path"] == "/v1/instances"
        await self._guard(scope, receive, send)


@contextmanager
def served(solver: Solver, folder: Path, **more: Any) -> Iterator[tuple[str, Faults]]:
    """Serves on a free port of this machine.

    Args:
        solver: Solves.
        folder: Of the jobs.
        more: Other settings than the usual.

    Yields:
        The page's address, and what can go wrong.
    """
    uvicorn = pytest.importorskip("uvicorn")
    settings = ServeSettings(jobs=folder / "jobs.sqlite", max_body_bytes=MOST_BYTES, **more)
    store = JobStore(settings.jobs)
    with socket.create_server(("127.0.0.1", 0)) as listener, solver.session() as session:
        requests = Requests(session, solver.models, settings)
        faults = Faults(build_app(requests, store, Metrics(), warm()))
        server = uvicorn.Server(uvicorn.Config(faults, log_config=None, lifespan="off", ws="none"))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/", faults
        finally:
            server.should_exit = True
            thread.join()
    store.close()
