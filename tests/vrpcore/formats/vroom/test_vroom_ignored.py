"""Keys that are not VROOM's are left out and told; those that change the meaning are refused."""

import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json.jsonio import read_instances
from vrpcore.formats.vroom.vroom_ignored import without_unknown_keys

DURATIONS = {"car": {"durations": [[0, 5], [5, 0]]}}
PROBLEM = {
    "vehicles": [{"id": 1, "start_index": 0, "end_index": 0}],
    "jobs": [{"id": 1, "location_index": 1}],
    "matrices": DURATIONS,
}


def test_a_document_of_known_keys_stays_as_it_is():
    assert without_unknown_keys(PROBLEM, "p")[0] is PROBLEM
    assert without_unknown_keys(PROBLEM, "p")[1] == ()
    assert without_unknown_keys(5, "p") == (5, ())


def test_unknown_keys_are_left_out_everywhere_and_told_once():
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
    found, (note,) = without_unknown_keys(document, "p")
    assert note == (
        "keys that are not VROOM's are ignored: jobs.h, shipments.pickup.a, "
        "shipments.delivery.b, shipments.c, vehicles.colour, vehicles.costs.fixd (did you mean "
        "fixed?), vehicles.breaks.e, vehicles.steps.f and 2 more"
    )
    assert found == {
        "jobs": [{"id": 1}, {"id": 2}],
        "shipments": [{"pickup": {"id": 1}, "delivery": {"id": 2}}],
        "vehicles": [{"id": 1, "costs": {}, "breaks": [{"id": 1}], "steps": [{"type": "start"}]}],
        "matrices": {"truck": {"durations": []}},
    }
    assert document["jobs"][0] == {"id": 1, "h": 1}


def test_what_changes_the_meaning_is_refused():
    with pytest.raises(InstanceError, match=r"^p\.matrix: the old form of durations") as raised:
        without_unknown_keys({**PROBLEM, "matrix": [[0]]}, "p")
    assert raised.value.code == "UNSUPPORTED"


def test_keys_given_twice_are_still_refused():
    text = b'{"vehicles": [{"id": 1, "id": 2, "colour": 3}], "jobs": []}'
    (item,) = read_instances(text)
    assert (item.code, item.error) == (
        "DUPLICATE_KEY",
        "instances[0].vehicles[0]: duplicate key 'id'; keep only one",
    )


def test_an_instance_keeps_the_note():
    (item,) = read_instances({**PROBLEM, "extra": {"g": True}})
    assert item.origin.notes == ("keys that are not VROOM's are ignored: extra",)
