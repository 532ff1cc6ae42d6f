"""The routes of the server."""

import json
from functools import partial
from typing import Annotated

from fastapi import Depends, FastAPI, Request
from fastapi.responses import Response
from starlette.types import ASGIApp

from vrpcore.errors import InstanceError
from vrpcore.formats.files import ByteReader
from vrpcore.formats.spreadsheets import table_kinds
from vrpcore.instance.instance import InvalidInstance
from vrpcore.serve.draining import Phase
from vrpcore.serve.exchange import answer_response, body_of, in_turn, solve_body
from vrpcore.serve.express import add_express
from vrpcore.serve.guard import Guard, error_response, with_cors
from vrpcore.serve.job_events import add_events
from vrpcore.serve.job_routes import add_jobs
from vrpcore.serve.jobs import STATUSES, JobStore
from vrpcore.serve.metrics import Metrics
from vrpcore.serve.openapi import (
    ANSWERS,
    BODY,
    DOCUMENT,
    ERROR,
    NOTHING_PREVIEWED,
    PREVIEWS,
    TABLE,
    TEXT_BODY,
    described,
)
from vrpcore.serve.pages import add_docs, add_page
from vrpcore.serve.preview import previews
from vrpcore.serve.query import Both, query_reader
from vrpcore.serve.refusals import add_refusals
from vrpcore.serve.requests import Check, Requests
from vrpcore.solve.solve_options import SolveOptions
from vrpcore.version import VERSION

_JSON = "application/json"


def build_app(requests: Requests, store: JobStore, metrics: Metrics, phase: Phase) -> ASGIApp:
    """The application, all guards around it.

    Args:
        requests: Solves.
        store: Keeps jobs.
        metrics: Counts.
        phase: Where the server is.
    """
    settings = requests.settings
    app = FastAPI(
        title="vrp",
        version=VERSION,
        description="Vehicle routing: instances in, checked routes out.",
        docs_url=None,
        redoc_url=None,
        default_response_class=Response,
        servers=[{"url": settings.root_path or "/"}],
    )
    _add_solve(app, requests, metrics)
    _add_instances(app, requests)
    add_express(app, requests, metrics, phase)
    add_jobs(app, requests, store)
    add_events(app, store, phase, settings.max_streams)
    add_page(app, settings)
    add_docs(app)
    _add_health(app, requests, store, metrics, phase)
    add_refusals(app, requests, metrics)
    vars(app)["openapi"] = lambda: described(app, secured=settings.api_key is not None)
    return with_cors(Guard(app, settings, metrics), settings.cors)


def _add_health(
    app: FastAPI, requests: Requests, store: JobStore, metrics: Metrics, phase: Phase
) -> None:
    @app.get("/v2/health/live", tags=["health"], responses=DOCUMENT)
    async def live() -> Response:
        """The process answers."""
        return Response(b"{}", media_type=_JSON)

    @app.get("/v2/health/ready", tags=["health"], responses=DOCUMENT | {503: ERROR})
    async def is_ready() -> Response:
        """Requests would be solved at once: the model and the search are warm."""
        if phase.ready:
            return Response(b"{}", media_type=_JSON)
        return error_response(503, "NOT_READY", "warming up or stopping")

    @app.get("/metrics", tags=["health"], responses={200: {"content": {"text/plain": {}}}})
    def show_metrics() -> Response:
        """Counters for Prometheus."""
        metrics.customers.set(requests.session.load)
        counts = store.counts()
        for status in STATUSES:
            metrics.jobs.labels(status).set(counts.get(status, 0))
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _add_solve(app: FastAPI, requests: Requests, metrics: Metrics) -> None:
    settings = requests.settings
    asked = Depends(query_reader(settings.max_time_limit_s, ["both"]))

    @app.post("/v1/solve", tags=["solve"], responses=ANSWERS, openapi_extra=BODY)
    async def solve(
        request: Request, options: Annotated[SolveOptions, asked], both: Both = False
    ) -> Response:
        """Solves the instances of the body.

        The body is what `vrp solve` reads: an instance, a list, `vrp-instances/1`, JSON Lines,
        a CVRPLIB file, a problem of VROOM's, or spreadsheets; or an object of such `instances` and
        of a `warm_start`, an earlier answer to each. The answer is a `vrp-solutions/1`
        document with a status for each instance, or to a problem of VROOM's an answer of VROOM's;
        with `both`, the first, the one in kind as a file, and views of each. `time_limit` is in
        seconds from the arrival of the request and includes waiting. Instances that an internal
        error has cost their answers are `invalid` (`INTERNAL`); the status is 500 if there is no
        other answer.
        """
        found, large = await solve_body(request, requests, options)
        return await answer_response(found, requests, metrics, large=large, both=both)


def _add_instances(app: FastAPI, requests: Requests) -> None:
    settings = requests.settings

    def preview_response(body: bytes, check: Check) -> Response:
        items = requests.read_all(body, settings.max_instances, check)
        found = previews(items)
        wrong = [item for item in items if isinstance(item, InvalidInstance)]
        if items and len(wrong) == len(items):
            return error_response(422, wrong[0].code, wrong[0].error, items=found)
        return Response(json.dumps({"items": found}, allow_nan=False), media_type=_JSON)

    @app.post(
        "/v1/instances",
        tags=["solve"],
        responses={200: PREVIEWS, 413: ERROR, 422: NOTHING_PREVIEWED, 429: ERROR},
        openapi_extra=BODY,
    )
    async def show(request: Request) -> Response:
        """Read the body and return it as JSON of this project: for drawing, and to see errors.

        The body is that of `/v1/solve`. Nothing is solved.
        """
        async with body_of(request, requests) as body:
            return await in_turn(request, requests, body, partial(preview_response, body))

    def tables_response(body: bytes, _: Check) -> Response:
        reader = ByteReader(iter([body]), "the body", None)
        reader.sent = True
        if not reader.skip_blank():
            raise InstanceError("the body is empty, expected a spreadsheet", code="EMPTY")
        return Response(json.dumps({"tables": table_kinds(reader)}), media_type=_JSON)

    @app.post(
        "/v1/tables",
        tags=["solve"],
        responses={200: TABLE, 413: ERROR, 422: ERROR, 429: ERROR},
        openapi_extra=TEXT_BODY,
    )
    async def tell(request: Request) -> Response:
        """Return whether the spreadsheet of the body lists stops or vehicles, by its columns.

        `tables` has `stops` or `fleet` for each sheet of a workbook whose columns are known; of a
        CSV file, it has at most one, and its first row is enough.
        """
        async with body_of(request, requests, rows=False) as body:
            return await in_turn(request, requests, body, partial(tables_response, body))
