"""Refusals of requests: the status and the message of each error."""

import json
import math

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from vrpcore.errors import (
    BUG,
    ConfigError,
    DeviceError,
    InstanceError,
    InternalError,
    MissingExtraError,
    MissingLibraryError,
    ModelError,
    OutputError,
    RoadsError,
    VrpError,
    describe,
)
from vrpcore.formats.write import form_name
from vrpcore.serve.express import express_error, express_status, is_express
from vrpcore.serve.guard import error_response, path_of
from vrpcore.serve.metrics import Metrics
from vrpcore.serve.requests import (
    Answered,
    NothingAnsweredError,
    NothingValidError,
    Requests,
    SlowBodyError,
    TooLargeError,
)
from vrpcore.solve.memory_limit import NoMemoryError, OverloadedError

# The first that fits; what is not here is no fault of the request either.
_STATUS: tuple[tuple[type[VrpError], int], ...] = (
    (ConfigError, 400),
    (SlowBodyError, 408),
    (TooLargeError, 413),
    (InstanceError, 422),
    (RoadsError, 502),
    (DeviceError, 503),
    (MissingExtraError, 503),
    (MissingLibraryError, 503),
    (NoMemoryError, 503),
    (ModelError, 503),
    (OutputError, 507),
    (VrpError, 500),
)
_GONE = 499  # in no standard, but what logs usually say of a client that did not wait


def add_refusals(app: FastAPI, requests: Requests, metrics: Metrics) -> None:
    """Gives every error that a request can meet its answer.

    Args:
        app: Whose routes raise them.
        requests: Writes documents.
        metrics: Counts instances that are refused.
    """

    @app.exception_handler(RequestValidationError)
    async def bad_query(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:])
        return error_response(400, "QUERY", f"{place}: {describe(first['input'])}: {first['msg']}")

    @app.exception_handler(HTTPException)
    async def not_here(request: Request, error: HTTPException) -> Response:
        headers = dict(error.headers or {})
        if error.status_code == 405:  # the framework names only those of one function
            headers = {"allow": ", ".join(_methods(app, path_of(request.scope)))}
        return error_response(error.status_code, "NOT_FOUND", str(error.detail), headers)

    @app.exception_handler(ClientDisconnect)
    async def gone(request: Request, _: ClientDisconnect) -> Response:
        return said(request, _GONE, "SERVER", "the client disconnected")  # only for the log

    @app.exception_handler(OverloadedError)
    async def overloaded(request: Request, error: OverloadedError) -> Response:
        wait = {"retry-after": str(math.ceil(error.retry_s))}
        return said(request, 429, error.code, str(error), wait)

    # In a thread, as there may be much to write.
    @app.exception_handler(NothingValidError)
    @app.exception_handler(NothingAnsweredError)
    def nothing(request: Request, error: NothingValidError | NothingAnsweredError) -> Response:
        status = _status_of(error)
        for answer in error.solutions:
            metrics.instances.labels(answer.status).inc()
        content = requests.document(Answered(error.items, error.solutions)).content
        if form_name(error.items) == "vroom":
            status = express_status(content) if is_express(request) else status
            return Response(content, status, media_type="application/json")
        return error_response(status, error.code, str(error), answer=json.loads(content))

    @app.exception_handler(Exception)
    async def bug(request: Request, _: Exception) -> Response:
        return said(request, 500, InternalError.default_code, BUG)

    @app.exception_handler(MemoryError)
    async def no_memory(request: Request, _: MemoryError) -> Response:
        return await refuse(request, NoMemoryError())

    @app.exception_handler(VrpError)
    async def refuse(request: Request, error: VrpError) -> Response:
        return said(request, _status_of(error), error.code, str(error))


def said(
    request: Request, status: int, code: str, message: str, headers: dict[str, str] | None = None
) -> Response:
    """An error in the form of the route: ours, or vroom-express's."""
    if is_express(request):
        return express_error(status, code, message, headers)
    return error_response(status, code, message, headers)


def _status_of(error: VrpError) -> int:
    return next(status for kind, status in _STATUS if isinstance(error, kind))


def _methods(app: FastAPI, path: str) -> list[str]:
    routes = [route for route in app.routes if isinstance(route, APIRoute)]
    here = [route for route in routes if route.path_regex.match(path)]
    found = {method for route in here for method in route.methods or ()}
    return sorted(found | {"HEAD"} if "GET" in found else found)
