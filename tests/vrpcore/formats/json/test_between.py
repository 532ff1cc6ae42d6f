import pytest

from tests.vrpcore.formats.json.cases import with_
from tests.vrpcore.formats.json.working_day import COMPACT, DAY, R0, SHORT, WRONG
from vrpcore.errors import InstanceError
from vrpcore.formats.json.plain_json import build_instance
from vrpcore.instance.relations import Balance, Group, Relation


def build(value):
    return build_instance(value, "i", "name")


def test_by_hand():
    """Stops are a, b, 3, d, the box that is on board, then the crate's two ends."""
    found = build(DAY).own_constraints
    assert build(DAY).ids[4:] == ("box:delivery", "crate:pickup", "crate:delivery")
    assert found.groups == (
        Group("group-0", (3, 6), prize=5, priority=2),
        Group("group-1", (4,)),
    )
    assert found.relations == (
        Relation("chain", (1, 5), vehicle=0, at="start"),
        Relation("order", (1, 7, 2)),
        Relation("together", (4,), vehicle=2),
        Relation("apart", (2, 4, 3)),
    )
    assert found.balance == Balance(duration=2, load=0.5)


@pytest.mark.parametrize(("base", "path", "changes", "code", "message"), WRONG)
def test_each_error_by_its_message(base, path, changes, code, message):
    with pytest.raises(InstanceError) as caught:
        build(with_(base, *path, **changes))
    assert str(caught.value).startswith(message)
    assert caught.value.code == code


def test_the_short_form_has_them_too():
    keys = {
        "groups": [{"members": ["a"]}],
        "relations": [{"kind": "chain", "stops": ["a"], "at": "end"}],
        "balance": {"load": 0},
    }
    found = build(SHORT | keys).own_constraints
    assert found.groups == (Group("group-0", (1,)),)
    assert found.relations == (Relation("chain", (1,), at="end"),)
    assert found.balance == Balance()
    late = build(with_(SHORT, "customers", 0, window=[0, 3], late_cost=2)).own_constraints
    assert (late.late_cost.tolist(), late.max_late.tolist()) == ([2], [float("inf")])


@pytest.mark.parametrize("key", ["groups", "relations", "balance"])
def test_each_makes_an_instance_more_than_plain(key):
    value = {"load": 1} if key == "balance" else []
    assert build(SHORT).constraints is None
    assert build(SHORT | {key: value}).constraints is not None
    assert build(SHORT | {key: None}).constraints is None
    assert build(COMPACT).constraints is None


def test_what_cannot_be_kept_is_not_invalid():
    relations = [
        {"kind": "apart", "stops": ["a", "b"]},
        {"kind": "together", "stops": ["a", "d"]},
        {"kind": "together", "stops": ["d", "b"]},  # not directly apart
        {"kind": "together", "stops": ["a"], "vehicle": "bike"},
        {"kind": "chain", "stops": ["a"], "vehicle": "car", "at": "start"},
        {"kind": "chain", "stops": ["b"], "vehicle": "car", "at": "start"},
        {"kind": "chain", "stops": ["d"], "at": "start"},
        {"kind": "chain", "stops": ["b"], "at": "start"},
        {"kind": "chain", "stops": ["b"], "vehicle": "van", "at": "end"},
        {"kind": "chain", "stops": ["d"], "vehicle": "van", "at": "start"},
    ]
    assert len(build(DAY | {"relations": relations}).own_constraints.relations) == 10


def test_relations_without_a_stop_say_nothing():
    assert len(build(with_(DAY, *R0, stops=[])).own_constraints.relations) == 3


def test_ids_are_texts():
    groups = [{"id": 7, "members": ["3"]}]
    assert build(DAY | {"groups": groups}).own_constraints.groups == (Group("7", (3,)),)
