"""How long a stop takes, and when its service may begin."""

from tests.build import on_a_line
from tests.vrpcore.referee.days import day
from vrpcore.referee.visits import Due, due_at, service_of, windows_of

KEYS = {
    "depots": [{"id": "d", "x": 3, "y": 0}, {"id": "e", "x": 0, "y": 0}],
    "customers": on_a_line(
        3, 3, 7, service=[1, 2, 3], setup=[10, 20, 30],
        windows=[[[0, 4], [8, 9]], [[0, 5]], [[1, 2]]],
    ),
    "vehicles": [{"id": "van"}],
}  # fmt: skip


def test_setups_depend_on_the_node_before():
    instance = day(KEYS)
    assert [service_of(instance, 0, 1, before) for before in (None, 0, 1, 3, 4)] == [
        11,
        1,
        11,
        1,
        11,
    ]
    assert service_of(instance, 0, 3, 3) == 33.0


def test_windows_and_when_service_is_due():
    instance = day(KEYS, max_late=[2.0, 0.0, float("inf")], late_cost=[5.0, 5.0, 0.0])
    assert windows_of(instance, 1) == [(0, 4), (8, 9)]
    assert windows_of(instance, 2) == [(0, 5)]
    assert due_at(instance, 1) == Due(9.0, 2.0, 5.0)
    assert due_at(instance, 2) is None
    assert due_at(instance, 3) == Due(2.0, float("inf"), 0.0)
