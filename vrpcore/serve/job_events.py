"""The state of a job until it ends: a stream of server-sent events."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import Any

from fastapi import FastAPI
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from vrpcore.serve.draining import Phase
from vrpcore.serve.job_progress import LOOK_S
from vrpcore.serve.job_routes import HeldResponse, no_job, state_of
from vrpcore.serve.jobs import DONE, FAILED, JobStore
from vrpcore.serve.openapi import ERROR, EVENTS
from vrpcore.solve.memory_limit import OverloadedError

# What changes nothing is told as well from time to time, before a proxy closes the connection.
QUIET_S = 10.0
_RETRY_S = 5.0
_EVENTS = "text/event-stream"
_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


def add_events(app: FastAPI, store: JobStore, phase: Phase, most: int) -> None:
    """Adds the route.

    Args:
        app: Gets it.
        store: Keeps the jobs.
        phase: Streams end once it is stopping.
        most: Streams open at once.
    """
    room = asyncio.Semaphore(most)

    @app.get(
        "/v1/jobs/{job_id}/events",
        tags=["jobs"],
        responses={200: EVENTS, 404: ERROR, 429: ERROR},
    )
    async def events(job_id: str) -> Response:
        """Tells how a job stands, now and at each change, as server-sent events until it ends.

        The data of an event are the job as `GET /v1/jobs/{job_id}` shows it, without `answer`.
        The last event has the status `done` or `failed`; without it, the job was deleted, or the
        server stops.
        """
        if await run_in_threadpool(store.find, job_id) is None:
            return no_job()
        if room.locked():
            message = f"{most} event streams are already open; close some, or ask for the job"
            raise OverloadedError(message, _RETRY_S)
        await room.acquire()
        held = ExitStack()
        held.callback(room.release)
        content = states(job_id, store, phase)
        return HeldResponse(held, content=content, headers=_HEADERS, media_type=_EVENTS)


async def states(job_id: str, store: JobStore, phase: Phase) -> AsyncIterator[bytes]:
    """The events of a job.

    Args:
        job_id: The job.
        store: Keeps it.
        phase: They end once it is stopping.
    """

    def look() -> dict[str, Any] | None:
        found = store.find_answered(job_id, done=False)
        return None if found is None else state_of(*found, store)

    told, told_at = None, 0.0
    while (state := await run_in_threadpool(look)) is not None:
        news, now = _without_time(state), time.monotonic()
        if news != told or now - told_at >= QUIET_S:
            told, told_at = news, now
            yield b"data: " + json.dumps(state).encode() + b"\n\n"
        if state["status"] in (DONE, FAILED) or phase.stopping.is_set():
            return
        await asyncio.sleep(LOOK_S)


def _without_time(state: dict[str, Any]) -> dict[str, Any]:
    """A state without what changes although nothing happens."""
    if (progress := state.get("progress")) is None:
        return state
    searched = [{**each, "iterations": None} for each in progress["searched"]]
    return {**state, "progress": {**progress, "seconds": None, "searched": searched}}
