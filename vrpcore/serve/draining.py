"""A server that goes on answering for a while once it is asked to stop."""

import signal
import threading
from collections.abc import Callable
from types import FrameType

import uvicorn


class DrainingServer(uvicorn.Server):
    """Stops some seconds after SIGTERM, so that a load balancer can see that it is not ready.

    A second signal, and Ctrl-C, end the wait.

    Args:
        config: Of the server.
        drain_s: Seconds.
        begin: Called at the first signal, whatever it is.
    """

    def __init__(self, config: uvicorn.Config, drain_s: float, begin: Callable[[], None]) -> None:
        super().__init__(config)
        self._drain_s, self._begin = drain_s, begin
        self._timer: threading.Timer | None = None
        self._asked = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Receives a signal."""
        first, self._asked = not self._asked, True
        if first:
            self._begin()
        if first and sig == signal.SIGTERM and self._drain_s:
            end = super().handle_exit
            self._timer = threading.Timer(self._drain_s, end, (sig, frame))
            self._timer.daemon = True
            self._timer.start()
            return
        if self._timer is not None:
            self._timer.cancel()
        super().handle_exit(sig, frame)
