"""How much memory the instances of requests take, and how much they may."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.memory import num_bytes
from vrpcore.roads.instances import Item, lacking
from vrpcore.serve.settings import ServeSettings
from vrpcore.solve.memory_limit import OverloadedError

MEGABYTE = 2**20
_RETRY_S = 5.0
_ROAD_BYTES = 16  # of a duration and a distance


class HeldMemory:
    """Counts what all requests hold at a time.

    Args:
        settings: The limits.
        roads: Instances get the matrices that they lack.
    """

    def __init__(self, settings: ServeSettings, *, roads: bool) -> None:
        self._settings, self._roads, self._held = settings, roads, 0

    def num_bytes(self, items: Sequence[Item]) -> int:
        """Counts the bytes of instances, with the roads that they will get."""
        return sum(map(self._num_bytes, items))

    @contextmanager
    def holding(self, own: int) -> Iterator[None]:
        """Counts a request's instances while it has them; in the event loop only.

        Args:
            own: Their bytes.

        Raises:
            OverloadedError: Those of all requests would be too many.
        """
        if self._held + own > self._settings.max_memory_bytes:
            found = f"busy with instances of {self._held / MEGABYTE:.0f} MB"
            message = f"{found}, {own / MEGABYTE:.0f} MB more would exceed the limit"
            raise OverloadedError(message, _RETRY_S)
        self._held += own
        try:
            yield
        finally:
            self._held -= own

    def _num_bytes(self, item: Item) -> int:
        if isinstance(item, InvalidInstance):
            return 0
        if not self._roads or item.num_customers > self._settings.max_routed:
            return num_bytes(item)
        return num_bytes(item) + len(lacking(item)) * _ROAD_BYTES * len(item.demand) ** 2
