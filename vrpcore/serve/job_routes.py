"""The routes of jobs: submitted, listed, looked at, deleted."""

import json
import time
from contextlib import ExitStack
from functools import partial
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Query, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from vrpcore.serve.exchange import body_of, in_turn
from vrpcore.serve.guard import error_response
from vrpcore.serve.jobs import DONE, FAILED, QUEUED, RUNNING, JobRecord, JobStore
from vrpcore.serve.openapi import BODY, ERROR, JOB, JOBS, NOTHING_VALID
from vrpcore.serve.query import check_names, query_reader, to_text
from vrpcore.serve.requests import Check, Requests
from vrpcore.solve.memory_limit import OverloadedError
from vrpcore.solve.own_options import shared_options
from vrpcore.solve.solve_options import SolveOptions

_JSON = "application/json"
_LIMIT = Query(ge=1, le=1000, description="Jobs of a page.")
_BEFORE = Query(ge=0, le=2**63 - 1, description="The `next` of the page before.")


def add_jobs(app: FastAPI, requests: Requests, store: JobStore) -> None:
    """Adds the routes.

    Args:
        app: Gets them.
        requests: Reads what is submitted.
        store: Keeps it.
    """
    settings = requests.settings
    asked = Depends(query_reader(settings.max_time_limit_s))

    def accept(body: bytes, options: SolveOptions, check: Check) -> tuple[str, int]:
        items, _ = requests.read(body, settings.max_job_instances, check)
        shared_options(items, options)  # refused now, not when the job is worked off
        if sum(store.counts().values()) >= settings.max_jobs:
            raise OverloadedError(
                f"{settings.max_jobs} jobs are already stored; fetch and delete finished ones", 60.0
            )
        return store.add(body, to_text(options), len(items)), len(items)

    @app.post(
        "/v1/jobs",
        tags=["jobs"],
        status_code=202,
        responses={202: JOB, **dict.fromkeys((400, 413, 429, 503, 507), ERROR), 422: NOTHING_VALID},
        openapi_extra=BODY,
    )
    async def submit(request: Request, options: Annotated[SolveOptions, asked]) -> Response:
        """Accepts the instances of the body as a job, kept on disk until it is deleted.

        `time_limit` is in seconds from the start of the job.
        """
        async with body_of(request, requests) as body:
            accepting = partial(accept, body, options)
            job_id, count = await in_turn(request, requests, body, accepting)
        shown = {"id": job_id, "status": QUEUED, "instances": count}
        place = {"location": f"jobs/{job_id}"}  # next to /v1/jobs, wherever that is
        return Response(json.dumps(shown), 202, place, media_type=_JSON)

    @app.get("/v1/jobs", tags=["jobs"], responses={200: JOBS, 400: ERROR})
    def listed(
        request: Request,
        limit: Annotated[int, _LIMIT] = 100,
        before: Annotated[int | None, _BEFORE] = None,
    ) -> Response:
        """All stored jobs, the newest first, without their answers; `age` is in seconds.

        `next` is the `before` of the next page, null on the last one.
        """
        check_names(request, ("limit", "before"))
        numbered = store.page(before, limit + 1)
        more = len(numbered) > limit
        now = time.time()
        rows = [
            {**_shown(record), "age": round(max(0.0, now - record.submitted), 3)}
            for _, record in numbered[:limit]
        ]
        shown = {"jobs": rows, "next": numbered[limit - 1][0] if more else None}
        return Response(json.dumps(shown), media_type=_JSON)

    @app.get("/v1/jobs/{job_id}", tags=["jobs"], responses={200: JOB, 404: ERROR, 429: ERROR})
    async def look(job_id: str) -> Response:
        """Return the state of a job; `answer` is its `vrp-solutions/1` document once it is done.

        While it runs, `progress` says how far it is.
        """
        found = await run_in_threadpool(store.find_answered, job_id)
        if found is None:
            return no_job()
        record, answer = found
        parts = [json.dumps(state_of(record, answer, store)).encode()]
        if record.status == DONE:
            parts = [parts[0][:-1] + b', "answer": ', answer, b"}"]
        length = {"content-length": str(sum(map(len, parts)))}
        with ExitStack() as held:
            # One that is larger than all may be goes alone.
            held.enter_context(requests.memory.holding(min(len(answer), settings.max_memory_bytes)))
            return HeldResponse(held.pop_all(), content=parts, headers=length, media_type=_JSON)

    @app.delete(
        "/v1/jobs/{job_id}",
        tags=["jobs"],
        status_code=204,
        responses={204: {"description": "Gone."}, 404: ERROR},
    )
    def forget(job_id: str) -> Response:
        """Cancels a job, or deletes the answer of one that is done."""
        if not store.remove(job_id):
            return no_job()
        return Response(status_code=204)


class HeldResponse(StreamingResponse):
    """A response for which something is held until its client has all of it, or is gone.

    Args:
        held: Left then.
        **given: See starlette's.
    """

    def __init__(self, held: ExitStack, **given: Any) -> None:
        super().__init__(**given)
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends it."""
        with self._held:
            await super().__call__(scope, receive, send)


def no_job() -> Response:
    """The answer to a request for a job that is not there."""
    return error_response(404, "NOT_FOUND", "no such job")


def state_of(record: JobRecord, answer: bytes, store: JobStore) -> dict[str, Any]:
    """The state of a job: with `progress` while it runs, `error` if it failed, never its answer."""
    shown = _shown(record)
    progress = store.progress
    if record.status == RUNNING and progress is not None and progress.job_id == record.id:
        shown["progress"] = progress.shown()
    if record.status == FAILED:
        shown["error"] = json.loads(answer)
    return shown


def _shown(record: JobRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "status": record.status,
        "instances": record.instances,
        "submitted": record.submitted,
        "finished": record.finished,
        **json.loads(record.options),
    }
