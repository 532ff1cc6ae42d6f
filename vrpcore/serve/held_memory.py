"""Memory that requests take, and its limit."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from vrpcore.instance.instance import InvalidInstance
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
    def holding(self, own: int = 0) -> Iterator[Callable[[int], None]]:
        """Counts what a request holds while it has it; in the event loop only.

        Args:
            own: The bytes of its instances, or of its body.

        Returns:
            Counts so many bytes more.

        Raises:
            OverloadedError: Those of all requests would be too many.
        """
        mine = 0

        def more(num_bytes: int) -> None:
            nonlocal mine
            if self._held + num_bytes > self._settings.max_memory_bytes:
                found = f"busy with requests of {(self._held - mine) / MEGABYTE:.0f} MB"
                needed = f"{(mine + num_bytes) / MEGABYTE:.0f} MB more"
                raise OverloadedError(f"{found}, {needed} would exceed the limit", _RETRY_S)
            mine += num_bytes
            self._held += num_bytes

        try:
            more(own)
            yield more
        finally:
            self._held -= mine

    def _num_bytes(self, item: Item) -> int:
        if isinstance(item, InvalidInstance):
            return 0
        if not self._roads or item.num_customers > self._settings.max_routed:
            return item.num_bytes
        return item.num_bytes + len(lacking(item)) * _ROAD_BYTES * len(item.demand) ** 2
