"""Phase of a server between its start and its end."""

import threading


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
