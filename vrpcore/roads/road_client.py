"""Requests to a routing service: few connections, limits, retries, errors in plain language."""

import os
import re
import time
from collections.abc import Callable
from typing import NoReturn
from urllib.parse import urlsplit

import httpx2 as httpx

from vrpcore.client import is_loopback
from vrpcore.errors import ConfigError, InstanceError, RoadsError, describe
from vrpcore.roads.road_options import Address
from vrpcore.roads.services import KNOWN, Ask, Reply, parse_reply
from vrpcore.version import VERSION

_PAUSES = ((0.5, 5.0), (1.0, 15.0), (2.0, 40.0))  # before each repetition: usual; after 429
_LONGEST_PAUSE = 60.0  # that a service may ask for
_LONGEST_OPTIONAL = 4.0  # a pause before what is optional is asked for again
_REST_S = 60.0  # for which nothing optional is asked for, after it was in vain
_REST = 10.0  # or times what that took, if this is longer
_TOO_MANY = 429
_DENIED = (401, 402, 403, 407)
_NOT_IMPLEMENTED = 501


class _Reply:
    """Status, headers and body of one exchange."""

    def __init__(self, response: httpx.Response, data: bytes) -> None:
        self.status, self.data = response.status_code, data
        self.location = response.headers.get("location", "")
        self.retry_after = response.headers.get("retry-after", "")

    @property
    def is_temporary(self) -> bool:
        """Return whether the same request may succeed later."""
        server = self.status >= 500 and self.status != _NOT_IMPLEMENTED
        return server or self.status == _TOO_MANY

    def pause(self, usual: float, quota: float) -> float:
        """Seconds to wait, which the service may state; quotas are mostly by the minute."""
        if re.fullmatch(r"[0-9]{1,6}", self.retry_after):
            return float(self.retry_after)
        return quota if self.status == _TOO_MANY else usual


class RoadClient:
    """Asks one routing service over connections that are kept open.

    Args:
        address: Where it is.
        timeout_s: Seconds for one request, its answer included.
        sleep: Waits.
        connections: At a time; further threads wait.

    Raises:
        ConfigError: No usable URL, or a key would be sent unencrypted to another machine.

    Attributes:
        address: The same.
        at_a_time: Pieces of one matrix: public servers are shared by many.
    """

    at_a_time = 1

    def __init__(
        self,
        address: Address,
        timeout_s: float,
        sleep: Callable[[float], None] = time.sleep,
        connections: int = 1,
    ) -> None:
        self.address, self._timeout_s, self._sleep = address, timeout_s, sleep
        self._service = KNOWN[address.service]
        self._in_vain, self._rest_end = "", 0.0
        headers = {
            "user-agent": f"vrp/{VERSION}",
            "accept": "application/json",
            "accept-encoding": "identity",  # what arrives is what is counted
            **_key(address),
        }
        limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
        try:
            httpx.URL(address.where)
            # The environment's proxies do not get what is for this machine, and with it the key.
            own = is_loopback(urlsplit(address.where).hostname or "")
            self._http = httpx.Client(
                headers=headers,
                timeout=timeout_s,
                follow_redirects=False,
                limits=limits,
                transport=httpx.HTTPTransport(limits=limits) if own else None,
            )
        except (httpx.InvalidURL, ValueError, ImportError) as error:  # also proxies' URLs
            message = f"matrix: {address.where}, or the environment's proxy, cannot be used"
            raise ConfigError(f"{message}: {error}") from None

    def close(self) -> None:
        """Ends the connections."""
        self._http.close()

    def ask(self, ask: Ask, limit: int) -> Reply:
        """Asks, again where that may help, and returns the reply.

        After an optional request in vain, others fail with the same words for a while, unasked.

        Args:
            ask: The request; an optional one that had no answer in time is not repeated.
            limit: Most bytes of the reply.

        Raises:
            InstanceError: The service says that something is wrong with the request (code
                ROADS).
            RoadsError: It cannot be reached, denies access, or answers something else.
        """
        started = time.monotonic()
        if ask.optional and started < self._rest_end:
            self.fail(self._in_vain)
        found = self._asked(ask, limit)
        if not isinstance(found, str):
            return self._reply(found)
        if ask.optional:
            now = time.monotonic()
            self._in_vain, self._rest_end = found, now + max(_REST_S, _REST * (now - started))
        self.fail(found)

    def _asked(self, ask: Ask, limit: int) -> _Reply | str:
        """The answer that no repetition would change, or why there is none."""
        for pauses in (*_PAUSES, None):
            try:
                answer = self._exchange(ask, limit)
            except httpx.TransportError as error:
                problem = self._in_words(error)
                if ask.optional and isinstance(error, httpx.TimeoutException):
                    return problem
                wait = None if pauses is None else pauses[0]
            else:
                if not answer.is_temporary:
                    return answer
                problem = self._status(answer)
                wait = None if pauses is None else answer.pause(*pauses)
                if ask.optional and wait is not None and wait > _LONGEST_OPTIONAL:
                    return problem
                if wait is not None and wait > _LONGEST_PAUSE:
                    return f"{problem}, and asks to wait {wait:.0f} s; try again then"
            if wait is None:
                break
            self._sleep(wait)
        return f"{problem}, in {len(_PAUSES) + 1} attempts"

    def _exchange(self, ask: Ask, limit: int) -> _Reply:
        end = time.monotonic() + self._timeout_s
        request = self._http.build_request(
            "GET" if ask.body is None else "POST", self.address.where + ask.path, json=ask.body
        )
        response = self._http.send(request, stream=True)
        try:
            data = bytearray()
            for chunk in response.iter_raw():
                data += chunk
                if len(data) > limit:
                    self.fail(f"the reply has more than {limit} bytes")
                if time.monotonic() > end:
                    raise httpx.ReadTimeout("the reply takes too long")
        finally:
            response.close()
        return _Reply(response, bytes(data))

    def _reply(self, answer: _Reply) -> Reply:
        """The reply of an exchange that is not repeated."""
        if 300 <= answer.status < 400:
            self.fail(f"redirects to {describe(answer.location)}; give that URL if you trust it")
        value, fault = parse_reply(answer.data)
        refusal = None if value is None else self._service.refusal(value)
        if answer.status in _DENIED:
            variable, advice = self._service.key_variable, ""
            if variable is not None and not os.environ.get(variable):
                advice = f"; does it need a key? Set {variable}"
            self.fail(f"access denied ({answer.status}){_because(refusal)}{advice}")
        if refusal is not None:
            message = f"{self._name} refuses the request: {shown(refusal)}"
            raise InstanceError(message, code="ROADS")
        if answer.status >= 400:
            self.fail(self._status(answer))
        if value is None:
            self.fail(f"the reply is {fault}; is this the service's URL?")
        return value

    def _status(self, answer: _Reply) -> str:
        value, _ = parse_reply(answer.data)
        refusal = None if value is None else self._service.refusal(value)
        return f"answers with status {answer.status}{_because(refusal)}"

    def _in_words(self, error: httpx.TransportError) -> str:
        if isinstance(error, httpx.ConnectTimeout | httpx.ConnectError):
            return f"cannot be reached ({shown(str(error)) or type(error).__name__})"
        if isinstance(error, httpx.TimeoutException):
            return f"no answer within {self._timeout_s:g} s"
        return f"the connection broke ({shown(str(error)) or type(error).__name__})"

    @property
    def _name(self) -> str:
        return f"{self.address.service} at {self.address.where}"

    def fail(self, problem: str) -> NoReturn:
        """Raises a RoadsError that names the service."""
        raise RoadsError(f"{self._name}: {problem}")


def _key(address: Address) -> dict[str, str]:
    """The header with the service's key, where there is one."""
    variable = KNOWN[address.service].key_variable
    key = os.environ.get(variable, "") if variable else ""
    if not key:
        return {}
    if not (key.isascii() and key.isprintable()):
        raise ConfigError(f"{variable}: contains characters that no key has")
    parts = urlsplit(address.where)
    if parts.scheme != "https" and not is_loopback(parts.hostname or ""):
        raise ConfigError(
            f"matrix: {address.where} would receive the key of {variable} unencrypted; use https, "
            f"or unset {variable}"
        )
    return {"authorization": key}


def _because(refusal: str | None) -> str:
    return "" if refusal is None else f": {shown(refusal)}"


def shown(text: str) -> str:
    """Puts what a service says on one line, not too long."""
    return "".join(char if char.isprintable() else " " for char in text[:300])
