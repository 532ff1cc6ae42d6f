"""A client of `vrp serve`, with only the standard library.

from vrpcore.client import Client

client = Client("http://127.0.0.1:8000")
answer = client.solve({"capacity": 9, "depot": [0, 0], "coords": [[1, 0]], "demands": [3]})
"""

import http.client
import ipaddress
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from email.message import Message
from http.client import HTTPMessage
from typing import IO, Any
from urllib.parse import quote, urlencode, urlsplit

from vrpcore.errors import ConfigError, VrpError, describe
from vrpcore.version import VERSION

API_KEY_VARIABLE = "VRP_API_KEY"
MAX_BYTES = 2**30
_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 5.0
_AGAIN_S = 1.0  # from the end of a stream to the next
_DATA = b"data:"
_BUSY = 429
_ENDED = ("done", "failed")

Document = dict[str, Any]
# What is solved: as a JSON parser returns it, or a file as `vrp solve` reads it, as bytes or text.
Body = Mapping[str, Any] | Sequence[Any] | bytes | str
_Query = Mapping[str, Any] | None


def is_loopback(host: str) -> bool:
    """True where a host is this machine, so that requests cross no network."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class ServerError(VrpError):
    """The server has not answered as it was asked to.

    Attributes:
        status: Of HTTP; None where there is no answer.
        request_id: What the server's log calls the request; None where it states none.
        document: What it sent with the error; None where that is no JSON object.
    """

    default_code = "SERVER"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        status: int | None = None,
        request_id: str | None = None,
        document: Document | None = None,
    ) -> None:
        super().__init__(message, code=code)
        self.status, self.request_id, self.document = status, request_id, document


class RefusedError(ServerError):
    """The server says that something is wrong with the request; `code` and message say what."""


class BusyError(ServerError):
    """The server has no room now.

    Attributes:
        retry_s: Seconds after which to ask again.
    """

    retry_s = 1.0


class UnreachableError(ServerError):
    """There is no answer: no connection, or none in time."""


class JobFailedError(ServerError):
    """A job has no answer; `code` and message say why."""


class JobNotDoneError(ServerError):
    """A job has no answer yet."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows none: they could lead the key to somebody else."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> None:
        """Returns no request."""


class Client:
    """Asks one server; any number of threads may share it.

    Args:
        url: Of the server, `http://` or `https://`.
        key: Its API key; None: that of the environment's `VRP_API_KEY`, if there is one.
        timeout_s: Seconds for one answer.
        max_bytes: Of one answer.

    Raises:
        ConfigError: No usable URL or key, or it would be sent unencrypted to another machine.
    """

    def __init__(
        self, url: str, key: str | None = None, timeout_s: float = 330.0, max_bytes: int = MAX_BYTES
    ) -> None:
        scheme, host = _address_of(url)
        key = os.environ.get(API_KEY_VARIABLE) if key is None else key
        if key and scheme == "http" and not is_loopback(host):
            raise ConfigError(f"url: {url} would receive the key unencrypted; use https")
        if key and not (key.isascii() and key.isprintable()):
            raise ConfigError("key: contains characters that no key has, such as a line end")
        self._url, self._timeout_s, self._max_bytes = url.rstrip("/"), timeout_s, max_bytes
        self._headers = {"User-Agent": f"vrp/{VERSION}", "Accept": "application/json"}
        self._headers |= {"X-API-Key": key} if key else {}
        # Nor does a proxy get what is for this machine, and with it the key.
        own = [urllib.request.ProxyHandler({})] if is_loopback(host) else []
        self._opener = urllib.request.build_opener(_NoRedirects, *own)

    def solve(self, instances: Body, **options: Any) -> Any:
        """Solves instances and returns the document: `POST /v1/solve`.

        Args:
            instances: As JSON, or the bytes or the text of a file.
            **options: Of the request's query, such as `time_limit=2`, `improve="deep"`.

        Raises:
            ServerError: There is no such document; of what kind says why.
        """
        return self._json("POST", "/v1/solve", instances, options)

    def solve_vroom(self, problem: Body) -> Document:
        """Solves one problem of VROOM's and returns VROOM's answer: `POST /`.

        Args:
            problem: With its `options`.

        Raises:
            ServerError: As for `solve`.
        """
        return _object(self._json("POST", "/", problem))

    def submit(self, instances: Body, **options: Any) -> str:
        """Submits instances as a job and returns its id: `POST /v1/jobs`.

        Args:
            instances: As for `solve`.
            **options: The same.

        Raises:
            ServerError: As for `solve`.
        """
        return str(_object(self._json("POST", "/v1/jobs", instances, options), "id")["id"])

    def job(self, job_id: str) -> Document:
        """How a job stands: `GET /v1/jobs/ID`.

        Raises:
            ServerError: As for `solve`.
        """
        return _object(self._json("GET", _path_of(job_id)), "status")

    def jobs(self) -> Iterator[Document]:
        """Yields all stored jobs, the newest first, without their answers: `GET /v1/jobs`.

        Raises:
            ServerError: As for `solve`.
        """
        query: dict[str, Any] = {}
        while True:
            page = _object(self._json("GET", "/v1/jobs", None, query), "jobs", "next")
            yield from page["jobs"]
            if page["next"] is None:
                return
            query = {"before": page["next"]}

    def result(self, job_id: str) -> Any:
        """The document that answers a job which is done.

        Raises:
            JobNotDoneError: It is not.
            JobFailedError: It failed.
            ServerError: As for `solve`.
        """
        found = self.job(job_id)
        if found["status"] == "done":
            return _object(found, "answer")["answer"]
        if found["status"] == "failed":
            error = _object(_object(found, "error")["error"], "code", "message")
            raise JobFailedError(f"job {job_id}: {error['message']}", code=error["code"])
        raise JobNotDoneError(f"job {job_id} is {found['status']}; wait for it", code="NOT_READY")

    def wait(self, job_id: str, timeout_s: float | None = None) -> Any:
        """Waits for a job and returns the document that answers it.

        Args:
            job_id: From `submit`.
            timeout_s: Seconds to wait at most; None: no limit.

        Raises:
            JobNotDoneError: It is not done by then.
            JobFailedError: It failed.
            ServerError: As for `solve`.
        """
        end = None if timeout_s is None else time.monotonic() + timeout_s
        pause = _PAUSE_S
        while True:
            try:
                return self.result(job_id)
            except JobNotDoneError:
                left = pause if end is None else end - time.monotonic()
                if left <= 0:
                    raise
            time.sleep(min(pause, left))
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    def watch(self, job_id: str) -> Iterator[Document]:
        """Yields how a job stands, now and at each change, until it ends: `.../events`.

        After an interruption, the server is asked again. Answers are not among it: `result` and
        `wait` return them.

        Args:
            job_id: From `submit`.

        Returns:
            States as `job` returns them, without `answer`; while it runs, `progress` has
            `seconds`, the number `finished`, and the best costs of those being `searched`. The
            last one is `done` or `failed`.

        Raises:
            BusyError: Too many watch jobs already; `job` still answers.
            ServerError: As for `solve`; also where the job is deleted meanwhile.
        """
        while True:
            state: Document = {}
            with suppress(UnreachableError):  # in the midst of the stream, or for good
                for state in self._events(f"{_path_of(job_id)}/events"):
                    yield state
            if state.get("status") in _ENDED:
                return
            self.job(job_id)  # raises where the job or the server is gone
            time.sleep(_AGAIN_S)

    def delete(self, job_id: str) -> None:
        """Cancels a job, or deletes its answer: `DELETE /v1/jobs/ID`.

        Raises:
            ServerError: As for `solve`.
        """
        self._bytes("DELETE", _path_of(job_id))

    def is_ready(self) -> bool:
        """Return whether the server is there and would solve at once: `GET /v2/health/ready`."""
        try:
            self._bytes("GET", "/v2/health/ready")
        except ServerError:
            return False
        return True

    def _json(self, method: str, path: str, body: Body | None = None, query: _Query = None) -> Any:
        return self._parsed(self._bytes(method, path, body, query), path)

    def _parsed(self, data: bytes, path: str) -> Any:
        try:
            return json.loads(data)
        except ValueError:
            message = f"{self._url}{path}: the answer is not JSON; is this the server's URL?"
            raise ServerError(message) from None

    def _bytes(
        self, method: str, path: str, body: Body | None = None, query: _Query = None
    ) -> bytes:
        given = {key: _text(value) for key, value in (query or {}).items() if value is not None}
        url = f"{self._url}{path}" + (f"?{urlencode(given)}" if given else "")
        text = body if body is None or isinstance(body, bytes | str) else json.dumps(body)
        data = text.encode() if isinstance(text, str) else text
        headers = self._headers | ({} if data is None else {"Content-Type": "application/json"})
        request = urllib.request.Request(url, data, headers, method=method)  # noqa: S310 - checked
        with self._opened(request) as answer:
            return self._read(answer)

    def _events(self, path: str) -> Iterator[Document]:
        """The data of the events that a route sends, until it ends or breaks off."""
        headers = self._headers | {"Accept": "text/event-stream"}
        request = urllib.request.Request(self._url + path, headers=headers)  # noqa: S310 - checked
        with self._opened(request) as answer:
            while line := answer.readline(self._max_bytes + 1):
                if len(line) > self._max_bytes:
                    raise self._too_large()
                if line.startswith(_DATA):
                    yield _object(self._parsed(line[len(_DATA) :], path))

    @contextmanager
    def _opened(self, request: urllib.request.Request) -> Iterator[Any]:
        """The answer to a request, with its errors as ours."""
        try:
            try:
                with self._opener.open(request, timeout=self._timeout_s) as answer:
                    yield answer
            except urllib.error.HTTPError as error:
                with error:  # which may break off as well
                    raise _error_of(error.code, self._read(error), error.headers) from None
        except urllib.error.URLError as error:
            raise UnreachableError(f"{self._url}: cannot be reached: {error.reason}") from None
        except (OSError, http.client.HTTPException) as error:
            said = str(error) or type(error).__name__
            raise UnreachableError(f"{self._url}: no answer: {said}") from None

    def _too_large(self) -> ServerError:
        return ServerError(f"{self._url}: the answer has more than {self._max_bytes} bytes")

    def _read(self, answer: Any) -> bytes:
        data: bytes = answer.read(self._max_bytes + 1)
        if len(data) > self._max_bytes:
            raise self._too_large()
        length = answer.headers.get("Content-Length") or ""
        if length.isdecimal() and len(data) < int(length):
            message = f"the answer breaks off after {len(data)} of {length} bytes"
            raise UnreachableError(f"{self._url}: {message}")
        return data


def _error_of(status: int, data: bytes, headers: Message) -> ServerError:
    """The error that an answer states, in our form or VROOM's."""
    try:
        found = json.loads(data)
    except ValueError:
        found = None
    document = found if isinstance(found, dict) else {}
    told = document.get("error")
    code, message = None, told
    if isinstance(told, dict):
        code, message = told.get("code"), told.get("message")
    retry = headers.get("Retry-After", "")
    kind = RefusedError if status < 500 else ServerError
    if status == _BUSY:
        kind = BusyError
    error = kind(
        message if isinstance(message, str) else f"the server answers with status {status}",
        code=code if isinstance(code, str) else None,
        status=status,
        request_id=headers.get("X-Request-ID"),
        document=document or None,
    )
    if isinstance(error, BusyError) and retry.isdecimal():
        error.retry_s = float(retry)
    return error


def _address_of(url: str) -> tuple[str, str]:
    """The scheme and the host of a server's URL, if it is one."""
    with suppress(ValueError):
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname and parts.path.isascii():
            return parts.scheme, parts.hostname
    raise ConfigError(f"url: {describe(url)}, expected http://HOST or https://HOST")


def _object(value: Any, *keys: str) -> Document:
    """An object with these keys at least."""
    if not isinstance(value, dict):
        raise ServerError(f"the answer is {describe(value)}, expected an object")
    for key in keys:
        if key not in value:
            raise ServerError(f"the answer has no {key!r}; is this the server's URL?")
    return value


def _path_of(job_id: str) -> str:
    return f"/v1/jobs/{quote(job_id, safe='')}"


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
