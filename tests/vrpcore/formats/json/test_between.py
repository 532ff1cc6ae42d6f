import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vrpcore.formats.json.cases import JUNK, with_
from tests.vrpcore.formats.json.working_day import BOX, COMPACT, DAY, R0, SHORT, WRONG, G, V
from vrpcore.errors import InstanceError
from vrpcore.formats.json.between import read_balance, read_group, read_relation
from vrpcore.formats.json.keys import BALANCE, GROUP, RELATION, RELOAD, ROUTE
from vrpcore.formats.json.plain_json import build_instance
from vrpcore.formats.json.writer import instance_to_dict
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


KEYS = {
    (): {"groups", "relations", "balance", "routes"},
    G: set(GROUP),
    R0: set(RELATION),
    ("balance",): set(BALANCE),
    ("routes", 0): set(ROUTE),
    ("routes", 0, "reloads", 0): set(RELOAD),
    V: {"reloads", "max_reloads", "initial_load", "max_overtime", "overtime_cost", "max_late"},
    BOX: {"on_board", "vehicles", "vehicle_cost"},
}


@given(st.sampled_from(sorted(KEYS, key=str)), st.data())
def test_junk_anywhere_is_an_instance_error_or_legal(path, data):
    key = data.draw(st.sampled_from(sorted(KEYS[path])))
    try:
        found = build(with_(DAY, *path, **{key: data.draw(JUNK)}))
    except InstanceError as error:
        assert str(error).startswith("i")
        assert str(error).isprintable()
        assert error.code.isupper()
    else:
        again = build(instance_to_dict(found))
        assert instance_to_dict(again) == instance_to_dict(found)


def test_rows_by_themselves():
    assert read_group({"members": [1]}, "g", 4).id == "group-4"
    row = read_relation({"kind": "order", "stops": [1, "b"], "vehicle": 7}, "r")
    assert (row.stops, row.vehicle) == (("1", "b"), "7")
    assert read_balance({"distance": 3}, "b") == Balance(distance=3)
