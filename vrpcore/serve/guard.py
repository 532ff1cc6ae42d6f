"""Checks of every request: the key, the headers, the log and the counters."""

import asyncio
import base64
import binascii
import contextlib
import hmac
import json
import logging
import re
import secrets
import time
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vrpcore.client import API_KEY_VARIABLE, is_loopback
from vrpcore.errors import describe
from vrpcore.serve.metrics import Metrics
from vrpcore.serve.settings import ServeSettings, tiles_origin

_OPEN = ("/v2/health/live", "/v2/health/ready", "/health")
_ID_HEADER = b"x-request-id"
_ID = re.compile(rb"[A-Za-z0-9._:/+=@-]{1,128}")
_request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
# The page runs its own code, and loads nothing from anywhere else but tiles.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:{images}; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
# Of what is refused, so much is read and dropped: so often the largest body, for so long.
_REST_BODIES, _REST_S = 4, 10.0
_TOO_SLOW = 408
_log = logging.getLogger("vrp.serve")


def error_response(
    status: int, code: str, message: str, headers: dict[str, str] | None = None, **more: Any
) -> Response:
    """`{"error": {"code", "message"}}`, the id of the request, and more next to it."""
    if (own := _request_id.get()) is not None:
        more["request_id"] = own
    content = json.dumps({"error": {"code": code, "message": message}, **more})
    return Response(content, status, headers, media_type="application/json")


def _is_text(query: bytes) -> bool:
    """Return whether a query is readable, as the framework's redirect of `/path/` needs."""
    try:
        query.decode()
    except UnicodeDecodeError:
        return False
    return True


def path_of(scope: Scope) -> str:
    """The path of a request without the prefix that it has at a proxy."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _name_of(host: str) -> str:
    """The name or address in a Host header, without its port; empty where there is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_sending(request: Request) -> bool:
    """Return whether a client sends a body without waiting until it is asked for it."""
    headers = request.headers
    has_body = "content-length" in headers or "transfer-encoding" in headers
    return has_body and "expect" not in headers


def _key_of(request: Request) -> tuple[bytes, bool]:
    """The key that a request brings, and whether as the password that a browser asks for."""
    given = request.headers.get("x-api-key", "").encode("utf-8", "surrogateescape")
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if not given and scheme.lower() == "bearer":
        given = token.encode("utf-8", "surrogateescape")
    elif not given and scheme.lower() == "basic":
        with contextlib.suppress(binascii.Error, ValueError):
            return base64.b64decode(token).partition(b":")[2], True
    return given, False


@dataclass(slots=True)
class _Seen:
    """A record of a request; sizes are bytes of bodies, `whole` means no more is to come."""

    started: float
    id: str
    method: str
    status: int = 500
    received: int = 0
    sent: int = 0
    whole: bool = False
    answered: bool = False  # of HEAD


def _id_of(scope: Scope) -> str:
    """The id that a request brings, if it can stand in a log, else one of its own."""
    given = next((value for name, value in scope["headers"] if name == _ID_HEADER), b"")
    return given.decode() if _ID.fullmatch(given) else secrets.token_hex(8)


def with_cors(app: ASGIApp, origin: str | None) -> ASGIApp:
    """The application for pages of another origin as well.

    Args:
        app: All else; it need not answer their browsers' questions about what is allowed.
        origin: Theirs, or *; None: no such pages.
    """
    if origin is None:
        return app
    return CORSMiddleware(
        app,
        allow_origins=[origin],
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["Authorization", "Content-Type", "X-API-Key", "X-Request-ID"],
        expose_headers=["Location", "Retry-After", "X-Request-ID"],
    )


class Guard:
    """Wraps the application.

    Each request has an id, its own `X-Request-ID` or a new one, which stands in the log, in the
    answer's header of that name and in what `error_response` writes.

    Every request but health must bring the key as `X-API-Key`, as a bearer token, or as the
    password that a browser asks for. Without a key, it must come to this machine by name. Without
    one, and with the password, it must come from no page of another origin: a browser sends what
    any page tells it to, and the password by itself.

    A proxy may pass the prefix of paths on or not: with it, the path is as the client sees it. HEAD
    is answered as GET is, without the body.

    Before a request is refused, its body is read: who still sends it while the connection is
    closed does not see why.

    Args:
        app: What answers.
        settings: The key, if there is one, the prefix of paths, other origins, and the host of
            tiles, from which the page may load images.
        metrics: Counts.
    """

    def __init__(self, app: ASGIApp, settings: ServeSettings, metrics: Metrics) -> None:
        self._app, self._metrics, self._cors = app, metrics, settings.cors
        self._root, self._rest_s = settings.root_path, min(_REST_S, settings.body_timeout_s)
        self._most_rest = _REST_BODIES * settings.max_body_bytes
        images = "" if settings.tiles is None else f" {tiles_origin(settings.tiles)}"
        policy = _POLICY.format(images=images)
        self._headers = ((b"content-security-policy", policy.encode()), *_HEADERS)
        self._key = None if settings.api_key is None else settings.api_key.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        seen = _Seen(time.perf_counter(), _id_of(scope), scope["method"])
        scope = self._within(scope)
        _request_id.set(seen.id)
        request = Request(scope)

        async def heard() -> Message:
            message = await receive()
            seen.received += len(message.get("body", b""))
            seen.whole = not message.get("more_body", False)
            return message

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen.status = message["status"]
                if seen.status >= 400 and seen.status != _TOO_SLOW and _is_sending(request):
                    await self._rest(heard, seen)
                own = (_ID_HEADER, seen.id.encode())
                message["headers"] = [*message["headers"], *self._headers, own]
            elif seen.method == "HEAD":
                if seen.answered:
                    return
                message, seen.answered = {"type": "http.response.body"}, True
            seen.sent += len(message.get("body", b""))
            await send(message)

        try:
            await (self._refusal(request) or self._app)(scope, heard, watched)
        finally:
            self._record(scope, seen)

    def _within(self, scope: Scope) -> Scope:
        """A request as the application sees it."""
        method, path, root = scope["method"], scope["path"], self._root
        path = path if path.startswith(f"{root}/") else root + path
        return {**scope, "path": path, "root_path": root, "method": method.replace("HEAD", "GET")}

    async def _rest(self, heard: Receive, seen: _Seen) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._rest_s):
                while not seen.whole and seen.received < self._most_rest:
                    await heard()

    def _refusal(self, request: Request) -> Response | None:
        """The reason to refuse a request; None to accept it."""
        if not _is_text(request.scope["query_string"]):
            return error_response(400, "QUERY", "the query is not UTF-8")
        if path_of(request.scope) in _OPEN:
            return None
        if self._key is None:
            return self._foreign_host(request) or self._foreign_page(request, "it has no key")
        given, by_browser = _key_of(request)
        if hmac.compare_digest(given, self._key):
            why = "browsers send the key by themselves"
            return self._foreign_page(request, why) if by_browser else None
        # Who opens the page is asked for the key by the browser, as a password of
        # any user; what the page itself sends must not make the browser ask.
        scheme = "Bearer" if path_of(request.scope).startswith("/v1/") else "Basic"
        return error_response(
            401,
            "API_KEY",
            "a valid API key is needed, as X-API-Key or a bearer token",
            {"www-authenticate": f'{scheme} realm="vrp"'},
        )

    @staticmethod
    def _foreign_host(request: Request) -> Response | None:
        """Refuses what comes by a name that may lead anywhere."""
        host = request.headers.get("host")
        if host is None or is_loopback(_name_of(host)):
            return None
        found = f"host: {describe(host)}, expected localhost or a loopback address"
        message = f"{found}, as the server has no key; set {API_KEY_VARIABLE}"
        return error_response(403, "FORBIDDEN", message)

    def _foreign_page(self, request: Request, why: str) -> Response | None:
        """Reject cross-origin requests of browsers; `why` is the message."""
        host, origin = (request.headers.get(name) for name in ("host", "origin"))
        if origin is None or self._cors in ("*", origin):
            return None
        # Behind a proxy the server's own name may be another one; browsers know it.
        site = request.headers.get("sec-fetch-site")
        if site == "same-origin" or (site is None and origin.partition("//")[2] == host):
            return None
        found = f"origin: {describe(origin)}, expected this server's own, as {why}"
        return error_response(403, "FORBIDDEN", f"{found}; --cors allows pages of another")

    def _record(self, scope: Scope, seen: _Seen) -> None:
        seconds = time.perf_counter() - seen.started
        found = scope.get("route")
        route = getattr(found, "path", "other")
        self._metrics.requests.labels(route, str(seen.status)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        fields = {"id": seen.id, "method": seen.method, "route": route, "status": seen.status}
        taken = {"ms": round(1000 * seconds, 2), "received": seen.received, "sent": seen.sent}
        _log.info("request", extra={"fields": fields | taken})
