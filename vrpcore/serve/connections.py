"""Connections of clients: how many there may be, and how long the server waits for each."""

import asyncio
import logging
import os
import time
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from vrpcore.serve.settings import ServeSettings

# Accepted at a time: each has a file open until another connection is closed for it. A second file
# is open while it is being sent, so that a third of all may be connections.
BATCH = 16
_MOST = 4096
_HEAD_S = 10.0  # for the headers of a request
_GRACE_S = 1.0  # in which a body that comes too late is answered before it is dropped
_QUIET_S = 60.0  # between two lines of the log
_log = logging.getLogger("vrp.serve")


def default_connections() -> int:
    """Return a third of the files that the process may open, up to 4096."""
    files = os.sysconf("SC_OPEN_MAX") if hasattr(os, "sysconf") else -1
    return max(1, min(files // 3, _MOST)) if files >= 0 else _MOST


class Connections:
    """All connections of a server.

    If one more would be too many, the one that the server has waited for longest is closed: it
    sends nothing, or only a part of a request, or does not take its answer. If the server waits
    for none of them, the new one is closed.

    Args:
        settings: Their limits.

    Attributes:
        most: How many there may be.
        body_s: How long a client may take to send a body, or to take an answer.
        waiting: Those that the server waits for, the longest first, and what ends the wait.
    """

    def __init__(self, settings: ServeSettings) -> None:
        self.most = settings.max_connections or default_connections()
        self.body_s = settings.body_timeout_s + _GRACE_S
        self.waiting: dict[Connection, asyncio.TimerHandle] = {}
        self._closed, self._said_at = 0, -_QUIET_S

    def opened(self, **given: Any) -> "Connection":
        """Makes a connection; for the arguments see uvicorn's."""
        return Connection(self, **given)

    def count_closed(self) -> None:
        """Counts one that is closed for lack of room; says it once a minute."""
        self._closed += 1
        now = time.monotonic()
        if now - self._said_at >= _QUIET_S:
            fields = {"closed": self._closed, "limit": self.most}
            _log.warning("too many connections", extra={"fields": fields})
            self._closed, self._said_at = 0, now

    def on_error(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Takes errors of the event loop; one of them is that no more files can be opened."""
        if "socket.accept()" in context["message"]:
            self.count_closed()
        else:
            _log.error(context["message"], exc_info=context.get("exception"))


class Connection(H11Protocol):
    """A connection that is closed if its client takes too long.

    Args:
        among: All of them.
        **given: See uvicorn's.
    """

    def __init__(self, among: Connections, **given: Any) -> None:
        super().__init__(**given)
        self._among = among
        self._stage: tuple[object, ...] = ()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins."""
        super().connection_made(transport)
        if len(self.connections) > self._among.most:
            self._among.count_closed()
            next(iter(self._among.waiting), self).drop()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends."""
        super().connection_lost(exc)
        self._wait(None)

    def handle_events(self) -> None:
        """Takes what was received."""
        super().handle_events()
        self._look()

    def on_response_complete(self) -> None:
        """Turns to the next request."""
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """Lets the client take what was written."""
        super().pause_writing()
        self._look()

    def resume_writing(self) -> None:
        """Goes on."""
        super().resume_writing()
        self._look()

    def drop(self) -> None:
        """Closes it at once; what was not taken is lost."""
        self._wait(None)
        self.transport.abort()

    def _look(self) -> None:
        """Limits the wait for the client, from when it began."""
        answered = self.cycle is None or self.cycle.response_complete
        seconds = _HEAD_S if answered else None
        if self.flow.write_paused or (not answered and self.cycle.more_body):
            seconds = self._among.body_s
        stage = (self.cycle, answered, seconds)
        if stage != self._stage:
            self._stage = stage
            self._wait(seconds)

    def _wait(self, seconds: float | None) -> None:
        timer = self._among.waiting.pop(self, None)
        if timer is not None:
            timer.cancel()
        if seconds is not None:
            self._among.waiting[self] = self.loop.call_later(seconds, self.drop)
