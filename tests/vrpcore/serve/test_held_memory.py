import pytest

from vrpcore.formats.read import read_instances
from vrpcore.instance.instance import InvalidInstance
from vrpcore.serve.held_memory import MEGABYTE, HeldMemory
from vrpcore.serve.settings import ServeSettings
from vrpcore.solve.memory_limit import OverloadedError

PLAIN = {"capacity": 9, "depot": [13, 52], "coords": [[13, 53], [14, 52]], "demands": [1, 1]}
BYTES = 8 * (3 * 2 + 3)  # coordinates and demands


def test_bytes_by_hand():
    items = [*read_instances(PLAIN), InvalidInstance(name="a", code="X", error="wrong")]
    assert HeldMemory(ServeSettings(), roads=False).num_bytes(items) == BYTES
    with_roads = BYTES + 2 * 8 * 3**2
    assert HeldMemory(ServeSettings(), roads=True).num_bytes(items) == with_roads
    few = ServeSettings(max_routed=1)  # it will get none
    assert HeldMemory(few, roads=True).num_bytes(items) == BYTES


def test_all_requests_hold_no_more_than_the_limit():
    memory = HeldMemory(ServeSettings(max_memory_bytes=5 * MEGABYTE), roads=False)
    with memory.holding(3 * MEGABYTE):
        words = "busy with requests of 3 MB, 4 MB more would exceed the limit"
        with pytest.raises(OverloadedError, match=words) as raised:
            memory.holding(4 * MEGABYTE).__enter__()
        assert raised.value.retry_s == 5
        with memory.holding(MEGABYTE) as more:
            more(MEGABYTE)
            with pytest.raises(OverloadedError, match="of 3 MB, 3 MB more would"):
                more(MEGABYTE)
    with memory.holding(4 * MEGABYTE):
        pass
