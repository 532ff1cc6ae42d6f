"""Phase of a server, which goes on answering for a while once it is asked to stop."""

import signal
import socket
import threading
from collections.abc import Callable
from types import FrameType

import uvicorn

QUEUE = 2048  # connections that wait to be accepted


class Phase:
    """Starting, ready, or stopping.

    Attributes:
        warm: Set once the model and the search are warm.
        stopping: Set once the server is asked to stop, whether it drains first or not.
    """

    def __init__(self) -> None:
        self.warm, self.stopping = threading.Event(), threading.Event()

    @property
    def ready(self) -> bool:
        """Return whether requests would be solved at once."""
        return self.warm.is_set() and not self.stopping.is_set()


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

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accepts connections; more may wait for that than are accepted at a time."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(QUEUE)

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
