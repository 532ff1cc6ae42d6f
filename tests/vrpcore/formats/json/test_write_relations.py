import dataclasses

from tests.vrpcore.formats.json.working_day import DAY
from vrpcore.formats.json.plain_json import build_instance
from vrpcore.formats.json.write_relations import between_to_dict
from vrpcore.instance.relations import Balance, Group


def test_by_hand():
    found = between_to_dict(build_instance(DAY, "i", "i"))
    assert found == {key: DAY[key] for key in ("groups", "relations", "balance")}


def changed(**changes):
    found = build_instance(DAY, "i", "i")
    own = dataclasses.replace(found.own_constraints, **changes)
    return between_to_dict(dataclasses.replace(found, constraints=own))


def test_what_is_not_there_is_left_out():
    assert changed(groups=(), relations=(), balance=None) == {}
    assert changed(groups=(), relations=(), balance=Balance()) == {"balance": {"duration": 0}}


def test_ids_are_all_written_or_none():
    groups = (Group("group-0", (4,)), Group("g", (5,), prize=0.0))
    assert changed(groups=groups)["groups"] == [
        {"id": "group-0", "members": ["d"]},
        {"id": "g", "members": ["box"], "prize": 0},
    ]
