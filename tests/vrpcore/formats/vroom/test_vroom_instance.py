"""What is kept of VROOM's documents."""

from vrpcore.formats.read import read_instances
from vrpcore.formats.vroom.vroom_instance import are_vrooms, is_vrooms
from vrpcore.instance.instance import InvalidInstance


def test_invalid_ones_are_told_apart():
    assert is_vrooms(InvalidInstance(name="a", code="b", error="c", kind="vroom"))
    assert not is_vrooms(InvalidInstance(name="a", code="b", error="c"))


def test_what_came_as_nothing_changes_no_kind():
    (own,) = read_instances([{"capacity": 1, "depot": [0, 0], "coords": [], "demands": []}])
    ours = InvalidInstance(name="a", code="b", error="c", kind="vroom")
    broken = InvalidInstance(name="a", code="b", error="c")
    assert are_vrooms([ours]) and are_vrooms([broken, ours])
    assert not (are_vrooms([]) or are_vrooms([broken]) or are_vrooms([ours, own]))
