"""Memory that a session may use, and its message where that is not enough."""

import math
from typing import NamedTuple

from vrpcore.errors import VrpError

ROOM_CUSTOMERS = 200_000


class OverloadedError(VrpError):
    """There is no room for an order now.

    Attributes:
        retry_s: Seconds after which there should be.
    """

    default_code = "OVERLOADED"

    def __init__(self, message: str, retry_s: float) -> None:
        super().__init__(message)
        self.retry_s = retry_s


class NoMemoryError(VrpError):
    """There was too little memory for an order."""

    default_code = "MEMORY"

    def __init__(self) -> None:
        super().__init__("too little memory for these instances; send fewer or smaller ones")


class SessionLimits(NamedTuple):
    """The resources that a session may use.

    Attributes:
        workers: Searches side by side.
        threads: Constructions side by side, if the policy runs on the host.
        room: Most customers, over all orders, waiting or being solved.
        shared: Several callers: batches stay short, and a worker stays free of large instances and
            long searches.
    """

    workers: int
    threads: int
    room: float = math.inf
    shared: bool = False


class CustomerRate:
    """Customers answered per second, over the last seconds that had any."""

    def __init__(self) -> None:
        self.customers_per_s = 1000.0
        self._since, self._customers = 0.0, 0

    def answered(self, customers: int, now: float) -> None:
        """So many more."""
        self._customers += customers
        if now - self._since >= 1.0:
            if now - self._since < 2.0:
                self.customers_per_s = self._customers / (now - self._since)
            self._since, self._customers = now, 0
