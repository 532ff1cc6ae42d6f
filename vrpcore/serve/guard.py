"""What every request passes: the key, the headers, the log and the counters."""

import base64
import binascii
import contextlib
import hmac
import json
import logging
import time
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vrpcore.serve.metrics import Metrics

_OPEN = ("/v2/health/live", "/v2/health/ready")
# The page runs its own code and WebAssembly, and loads nothing from anywhere else but tiles.
_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data: blob:{images}; connect-src 'self'; worker-src 'self' blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_log = logging.getLogger("vrp.serve")


def error_response(
    status: int, code: str, message: str, headers: dict[str, str] | None = None, **more: Any
) -> Response:
    """`{"error": {"code", "message"}}`, and more next to it."""
    content = json.dumps({"error": {"code": code, "message": message}, **more})
    return Response(content, status, headers, media_type="application/json")


def _is_text(query: bytes) -> bool:
    """Whether a query can be read; the framework's redirect of `/path/` to `/path` must."""
    try:
        query.decode()
    except UnicodeDecodeError:
        return False
    return True


class Guard:
    """Wraps the application.

    Args:
        app: What answers.
        api_key: What every request but health must bring as `X-API-Key`, as a bearer
            token, or as the password that a browser asks for; None: nothing.
        metrics: Counts.
        images: Where the page may load images from besides: scheme and host; None: nowhere.
    """

    def __init__(
        self, app: ASGIApp, api_key: str | None, metrics: Metrics, images: str | None = None
    ) -> None:
        self._app, self._metrics = app, metrics
        policy = _POLICY.format(images=f" {images}" if images else "")
        self._headers = ((b"content-security-policy", policy.encode()), *_HEADERS)
        self._key = None if api_key is None else api_key.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, seen = time.perf_counter(), {"status": 500}

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen["status"] = message["status"]
                message["headers"] = [*message["headers"], *self._headers]
            await send(message)

        try:
            if not _is_text(scope["query_string"]):
                refusal = error_response(400, "QUERY", "the query is not UTF-8")
                await refusal(scope, receive, watched)
            elif self._admits(Request(scope)):
                await self._app(scope, receive, watched)
            else:
                # Who opens the page is asked for the key by the browser, as a password of
                # any user; what the page itself sends must not make the browser ask.
                scheme = "Bearer" if scope["path"].startswith("/v1/") else "Basic"
                refusal = error_response(
                    401,
                    "API_KEY",
                    "a valid API key is needed, as X-API-Key or a bearer token",
                    {"www-authenticate": f'{scheme} realm="vrp"'},
                )
                await refusal(scope, receive, watched)
        finally:
            self._record(scope, seen["status"], time.perf_counter() - begun)

    def _admits(self, request: Request) -> bool:
        if self._key is None or request.scope["path"] in _OPEN:
            return True
        given = request.headers.get("x-api-key", "").encode("utf-8", "surrogateescape")
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if not given and scheme.lower() == "bearer":
            given = token.encode("utf-8", "surrogateescape")
        elif not given and scheme.lower() == "basic":
            with contextlib.suppress(binascii.Error, ValueError):
                given = base64.b64decode(token).partition(b":")[2]
        return hmac.compare_digest(given, self._key)

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        found = scope.get("route")
        route = getattr(found, "path", "other")
        self._metrics.requests.labels(route, str(status)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        _log.info(
            "request",
            extra={
                "fields": {
                    "method": scope["method"],
                    "route": route,
                    "status": status,
                    "ms": round(1000 * seconds, 2),
                }
            },
        )
