"""Keys that are not VROOM's are left out and told; those that change the meaning are refused."""

import json

import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json.explain import read_as
from vrpcore.formats.read import read_instances
from vrpcore.formats.vroom.vroom_documents import VroomProblem
from vrpcore.formats.vroom.vroom_ignored import ignored_keys

DURATIONS = {"car": {"durations": [[0, 5], [5, 0]]}}
PROBLEM = {
    "vehicles": [{"id": 1, "start_index": 0, "end_index": 0}],
    "jobs": [{"id": 1, "location_index": 1}],
    "matrices": DURATIONS,
}


def ignored(document):
    return ignored_keys(document, read_as(VroomProblem, document, "p"), "p")


def test_unknown_keys_are_told_once():
    assert ignored(PROBLEM) == ()
    pair = {"pickup": {"id": 1, "a": 1}, "delivery": {"id": 2, "b": 1}, "c": 1}
    vehicle = {
        "id": 1, "colour": "red", "costs": {"fixd": 1}, "breaks": [{"id": 1, "e": 1}],
        "steps": [{"type": "start", "f": 1}],
    }  # fmt: skip
    document = {
        "jobs": [{"id": 1, "h": 1}, {"id": 2, "h": 2}],
        "shipments": [pair],
        "vehicles": [vehicle],
        "matrices": {"truck": {"durations": [], "i": 1}},
        "cost": 1,
    }
    (note,) = ignored(document)
    assert note == (
        "keys that are not VROOM's are ignored: jobs.h, shipments.pickup.a, "
        "shipments.delivery.b, shipments.c, vehicles.colour, vehicles.costs.fixd (did you mean "
        "fixed?), vehicles.breaks.e, vehicles.steps.f and 2 more"
    )


def test_what_changes_the_meaning_is_refused():
    with pytest.raises(InstanceError, match=r"^p\.matrix: the old form of durations") as raised:
        ignored({**PROBLEM, "matrix": [[0]]})
    assert raised.value.code == "UNSUPPORTED"


def test_keys_given_twice_are_still_refused():
    text = b'{"vehicles": [{"id": 1, "id": 2, "colour": 3}], "jobs": []}'
    (item,) = read_instances(text)
    assert (item.code, item.error) == (
        "DUPLICATE",
        "instances[0].vehicles[0]: duplicate key 'id'; keep only one",
    )


@pytest.mark.parametrize("extra", [{"g": True}, None, ":"])
def test_an_instance_keeps_the_note(extra):
    document = {**PROBLEM, "extra": extra}
    for source in (document, json.dumps(document).encode()):
        (item,) = read_instances(source)
        assert item.origin.notes == ("keys that are not VROOM's are ignored: extra",)
    text = json.dumps({**PROBLEM, "options": None}).encode()
    assert [item.origin.notes for item in read_instances(text)] == [()]
