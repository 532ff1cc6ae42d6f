"""The routes of the server."""

import asyncio
import json
import mimetypes
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.responses import FileResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from vrpcore.formats.sheets.columns import table_kind
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.serve.guard import Guard, error_response
from vrpcore.serve.jobs import DONE, FAILED, QUEUED, JobRecord, JobStore
from vrpcore.serve.metrics import Metrics
from vrpcore.serve.openapi import (
    ANSWERS,
    BODY,
    DOCUMENT,
    ERROR,
    JOB,
    NOTHING_PREVIEWED,
    NOTHING_VALID,
    PREVIEWS,
    TABLE,
    TEXT_BODY,
)
from vrpcore.serve.preview import previews
from vrpcore.serve.query import Both, query_reader, to_text
from vrpcore.serve.refusals import add_refusals
from vrpcore.serve.requests import NothingAnsweredError, Requests, TooLargeError, nothing_answered
from vrpcore.serve.settings import ServeSettings, tiles_origin
from vrpcore.solve.memory_limit import OverloadedError
from vrpcore.solve.order import Order
from vrpcore.solve.solve_options import SolveOptions
from vrpcore.version import VERSION

PAGE = Path(__file__).parent / "page"
_JSON = "application/json"
# Bodies from here on are parsed outside the event loop, which must go on answering others.
_LARGE_BODY = 2**16
_ANSWER_S = 0.005  # kept back for writing an answer and its way to the client
# Asked for again with its tag each time: after an upgrade nothing old is mixed with new.
_PAGE_HEADERS = {"cache-control": "no-cache"}


def build_app(
    requests: Requests,
    store: JobStore,
    metrics: Metrics,
    ready: Callable[[], bool],
    model_file: Path | None = None,
) -> Guard:
    """The application, all guards around it.

    Args:
        requests: Solves.
        store: Keeps jobs.
        metrics: Counts.
        ready: False while warming up and while stopping.
        model_file: The model as ONNX, with which the page solves plain instances in the browser;
            None: it cannot.
    """
    app = FastAPI(
        title="vrp",
        version=VERSION,
        description="Vehicle routing: instances in, checked routes out.",
        docs_url=None,
        redoc_url=None,
    )
    _add_solve(app, requests, metrics)
    _add_instances(app, requests)
    _add_jobs(app, requests, store)
    _add_page(app, requests.settings)
    _add_model(app, model_file)
    _add_health(app, requests, store, metrics, ready)
    add_refusals(app, requests, metrics)
    settings = requests.settings
    images = None if settings.tiles is None else tiles_origin(settings.tiles)
    return Guard(app, settings.api_key, metrics, images)


def _add_health(
    app: FastAPI, requests: Requests, store: JobStore, metrics: Metrics, ready: Callable[[], bool]
) -> None:
    @app.get("/v2/health/live", tags=["health"], response_class=Response, responses=DOCUMENT)
    async def live() -> Response:
        """The process answers."""
        return Response(b"{}", media_type=_JSON)

    @app.get(
        "/v2/health/ready",
        tags=["health"],
        response_class=Response,
        responses=DOCUMENT | {503: ERROR},
    )
    async def is_ready() -> Response:
        """Requests would be solved at once: the model and the search are warm."""
        if ready():
            return Response(b"{}", media_type=_JSON)
        return error_response(503, "NOT_READY", "warming up or stopping")

    @app.get(
        "/metrics",
        tags=["health"],
        response_class=Response,
        responses={200: {"content": {"text/plain": {}}}},
    )
    def show_metrics() -> Response:
        """Counters for Prometheus."""
        metrics.customers.set(requests.session.load)
        for status, count in store.counts().items():
            metrics.jobs.labels(status).set(count)
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _add_solve(app: FastAPI, requests: Requests, metrics: Metrics) -> None:
    settings = requests.settings
    asked = Depends(query_reader(settings.max_time_limit_s, ["both"]))

    @app.post(
        "/v1/solve",
        tags=["solve"],
        response_class=Response,
        responses=ANSWERS,
        openapi_extra=BODY,
    )
    async def solve(
        request: Request, options: Annotated[SolveOptions, asked], both: Both = False
    ) -> Response:
        """Solves the instances of the body.

        The body is what `vrp solve` reads: an instance, a list, `vrp-instances/1`, JSON Lines,
        a CVRPLIB file, a problem of VROOM's, or spreadsheets. The answer is a `vrp-solutions/1`
        document with a status for each instance, or to a problem of VROOM's an answer of VROOM's;
        with `both`, the first, and the one in kind as a file. `time_limit` is in seconds from the
        arrival of the request and includes waiting. Instances that an internal error has cost
        their answers are `invalid` (`INTERNAL`); the status is 500 if there is no other answer.
        """
        begun = time.perf_counter()
        body = await read_body(request, settings.max_body_bytes)
        if len(body) < _LARGE_BODY:
            items = requests.read(body, settings.max_instances)
        else:
            items = await run_in_threadpool(requests.read, body, settings.max_instances)
        if options.time_limit is not None:
            left = max(0.0, options.time_limit - (time.perf_counter() - begun) - _ANSWER_S)
            options = replace(options, time_limit=left)
        order = requests.submit(items, options)
        solutions = await answers_of(order, request)
        write = requests.both if both else requests.document
        document = write(items, solutions, time.perf_counter() - begun, options.improve)
        if nothing_answered(document.solutions):
            raise NothingAnsweredError(items, document.solutions)
        for answer in document.solutions:
            metrics.instances.labels(answer.status).inc()
        return Response(document.content, media_type=_JSON)


def _add_instances(app: FastAPI, requests: Requests) -> None:
    settings = requests.settings

    def preview_response(body: bytes) -> Response:
        items = requests.read_all(body, settings.max_instances)
        found = previews(items)
        wrong = [item for item in items if isinstance(item, InvalidInstance)]
        if items and len(wrong) == len(items):
            return error_response(422, wrong[0].code, wrong[0].error, items=found)
        return Response(json.dumps({"items": found}, allow_nan=False), media_type=_JSON)

    @app.post(
        "/v1/instances",
        tags=["solve"],
        response_class=Response,
        responses={200: PREVIEWS, 413: ERROR, 422: NOTHING_PREVIEWED},
        openapi_extra=BODY,
    )
    async def show(request: Request) -> Response:
        """What is read in the body, as JSON of this project: for drawing, and to see errors.

        The body is that of `/v1/solve`. Nothing is solved.
        """
        body = await read_body(request, settings.max_body_bytes)
        return await run_in_threadpool(preview_response, body)

    @app.post(
        "/v1/tables",
        tags=["solve"],
        response_class=Response,
        responses={200: TABLE, 413: ERROR},
        openapi_extra=TEXT_BODY,
    )
    async def tell(request: Request) -> Response:
        """Whether the CSV file of the body lists stops or vehicles, by its columns.

        `table` is `stops`, `fleet`, or null where no column is known. Its first row is enough.
        """
        body = await read_body(request, settings.max_body_bytes)
        return Response(json.dumps({"table": table_kind(body)}), media_type=_JSON)


def _add_jobs(app: FastAPI, requests: Requests, store: JobStore) -> None:
    settings = requests.settings
    asked = Depends(query_reader(settings.max_time_limit_s))

    def accept(body: bytes, options: SolveOptions) -> tuple[str, int]:
        items = requests.read(body, settings.max_job_instances)
        if sum(store.counts().values()) >= settings.max_jobs:
            raise OverloadedError(
                f"{settings.max_jobs} jobs are already stored; fetch and delete finished ones", 60.0
            )
        return store.add(body, to_text(options), len(items)), len(items)

    @app.post(
        "/v1/jobs",
        tags=["jobs"],
        status_code=202,
        response_class=Response,
        responses={202: JOB, 400: ERROR, 413: ERROR, 422: NOTHING_VALID, 429: ERROR, 507: ERROR},
        openapi_extra=BODY,
    )
    async def submit(request: Request, options: Annotated[SolveOptions, asked]) -> Response:
        """Accepts the instances of the body as a job, kept on disk until it is deleted.

        `time_limit` is in seconds from the start of the job.
        """
        body = await read_body(request, settings.max_body_bytes)
        job_id, count = await run_in_threadpool(accept, body, options)
        shown = {"id": job_id, "status": QUEUED, "instances": count}
        place = {"location": f"/v1/jobs/{job_id}"}
        return Response(json.dumps(shown), 202, place, media_type=_JSON)

    @app.get(
        "/v1/jobs/{job_id}",
        tags=["jobs"],
        response_class=Response,
        responses={200: JOB, 404: ERROR},
    )
    def look(job_id: str) -> Response:
        """How a job stands; `answer` is its `vrp-solutions/1` document once it is done."""
        record = store.find(job_id)
        if record is None:
            return error_response(404, "NO_JOB", "no such job")
        head = json.dumps(_shown(record))
        if record.status not in (DONE, FAILED):
            return Response(head, media_type=_JSON)
        key = b"answer" if record.status == DONE else b"error"
        found = b', "' + key + b'": ' + store.answer(job_id) + b"}"
        return Response(head[:-1].encode() + found, media_type=_JSON)

    @app.delete(
        "/v1/jobs/{job_id}",
        tags=["jobs"],
        status_code=204,
        response_class=Response,
        responses={204: {"description": "Gone."}, 404: ERROR},
    )
    def forget(job_id: str) -> Response:
        """Cancels a job, or deletes the answer of one that is done."""
        if not store.remove(job_id):
            return error_response(404, "NO_JOB", "no such job")
        return Response(status_code=204)


def _shown(record: JobRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "status": record.status,
        "instances": record.instances,
        "submitted": record.submitted,
        "finished": record.finished,
        **json.loads(record.options),
    }


def _add_model(app: FastAPI, file: Path | None) -> None:
    @app.get("/model.onnx", include_in_schema=False)
    async def model() -> Response:
        if file is None:
            return error_response(404, "NO_MODEL", "this server has no model as ONNX")
        return FileResponse(file, headers=_PAGE_HEADERS, media_type="application/octet-stream")


def _add_page(app: FastAPI, settings: ServeSettings) -> None:
    files = {path.relative_to(PAGE).as_posix(): path for path in PAGE.rglob("*") if path.is_file()}

    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        return FileResponse(PAGE / "index.html", headers=_PAGE_HEADERS)

    @app.get("/page/streets.json", include_in_schema=False)
    async def streets() -> Response:
        found = {"tiles": settings.tiles, "attribution": settings.tiles_attribution}
        return Response(json.dumps(found), headers=_PAGE_HEADERS, media_type=_JSON)

    @app.get("/page/{name:path}", include_in_schema=False)
    async def page(name: str) -> Response:
        if name not in files:  # only by name: no path is ever made of what was asked for
            return error_response(404, "HTTP", "no such file")
        kind = mimetypes.guess_type(name)[0]
        if name.endswith(".mjs"):
            kind = "text/javascript"
        return FileResponse(files[name], headers=_PAGE_HEADERS, media_type=kind)


async def read_body(request: Request, most: int) -> bytes:
    """The body of a request, never more than allowed.

    Raises:
        TooLargeError: It is larger.
        ClientDisconnect: It ends too early.
    """
    too_large = TooLargeError(f"the body is larger than {most} bytes")
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > most:
        raise too_large
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise too_large
        parts.append(part)
    return b"".join(parts)


async def answers_of(order: Order, request: Request) -> list[Solution]:
    """Waits for an order; stops it if the client disconnects.

    Raises:
        ClientDisconnect: It did.
    """

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        order.stop()

    watching = asyncio.create_task(watch())
    try:
        return await asyncio.wrap_future(order.future)
    except asyncio.CancelledError:
        raise ClientDisconnect from None
    finally:
        watching.cancel()
