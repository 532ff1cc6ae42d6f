"""What is kept of VROOM's documents."""

from vrpcore.formats.json.jsonio import read_instances
from vrpcore.formats.vroom.vroom_instance import Spot, Task, are_vrooms, is_vrooms
from vrpcore.instance.instance import InvalidInstance


def test_spots_are_shown_as_they_were_told():
    assert Spot((2.5, 48.0), 3).shown() == {"location": [2.5, 48.0], "location_index": 3}
    assert Spot(None, 0).shown() == {"location_index": 0}
    assert Spot((2.5, 48.0), None).shown() == {"location": [2.5, 48.0]}


def test_amounts_with_their_places():
    common = (Spot(None, 0), ((0.0, 1.0),), 0, 0, {}, {}, 0, frozenset(), "jobs[3]")
    task = Task("job", 1, None, *common, delivery=(2,))
    assert {place: amount for amount, place in task.amounts} == {
        "jobs[3].delivery": (2,),
        "jobs[3].pickup": None,
        "jobs[3].amount": None,
    }


def test_invalid_ones_are_told_apart():
    assert is_vrooms(InvalidInstance(name="a", code="b", error="c", kind="vroom"))
    assert not is_vrooms(InvalidInstance(name="a", code="b", error="c"))


def test_what_came_as_nothing_changes_no_kind():
    (own,) = read_instances([{"capacity": 1, "depot": [0, 0], "coords": [], "demands": []}])
    ours = InvalidInstance(name="a", code="b", error="c", kind="vroom")
    broken = InvalidInstance(name="a", code="b", error="c")
    assert are_vrooms([ours]) and are_vrooms([broken, ours])
    assert not (are_vrooms([]) or are_vrooms([broken]) or are_vrooms([ours, own]))
