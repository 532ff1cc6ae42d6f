"""Keys that are declared once: reading and describing agree."""

import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.schema import (
    ID,
    NUMBER,
    TEXT,
    Fields,
    Key,
    integer,
    list_of,
    object_of,
    one_of,
    or_null,
)

KEYS = {
    "name": Key(TEXT, required=True),
    "size": Key(integer(1)),
    "colour": Key(one_of(("red", "blue"), "UNKNOWN_COLOUR")),
    "gap": Key(or_null(NUMBER)),
    "ids": Key(list_of(ID, "ids")),
}


def test_values_are_read_by_their_kind():
    found = Fields({"name": "a", "gap": None, "ids": [1, "b"]}, "things[2]", KEYS)
    assert (found["name"], found["gap"], found["ids"]) == ("a", None, (1, "b"))
    assert "size" not in found
    assert found.get("size", 7) == 7


@pytest.mark.parametrize(
    ("value", "key", "code", "message"),
    [
        ({}, "name", "MISSING_KEY", "things[2].name: missing"),
        ({"name": 3}, "name", "WRONG_TYPE", "things[2].name: 3, expected text"),
        ({"size": 0}, "size", "TOO_SMALL", "things[2].size: 0, expected at least 1"),
        (
            {"colour": ["red"]},
            "colour",
            "UNKNOWN_COLOUR",
            "things[2].colour: a list of 1, expected one of red, blue",
        ),
        ({"gap": "x"}, "gap", "NOT_A_NUMBER", "things[2].gap: 'x', expected a number"),
        ({"ids": [1, 2.5]}, "ids", "WRONG_TYPE", "things[2].ids[1]: 2.5, expected an id"),
    ],
)
def test_an_error_names_its_place(value, key, code, message):
    with pytest.raises(InstanceError) as caught:
        Fields(value, "things[2]", KEYS)[key]
    assert str(caught.value).startswith(message)
    assert caught.value.code == code


def test_unknown_keys_are_refused_at_once():
    with pytest.raises(InstanceError, match="unknown key 'nam'; did you mean 'name'"):
        Fields({"nam": "a"}, "things[2]", KEYS)


def test_the_description_has_the_same_keys():
    assert object_of(KEYS) == {
        "type": "object",
        "required": ["name"],
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string"},
            "size": {"type": "integer", "minimum": 1},
            "colour": {"enum": ["red", "blue"]},
            "gap": {"anyOf": [NUMBER.schema, {"type": "null"}]},
            "ids": {"type": "array", "items": {"type": ["integer", "string"]}},
        },
    }
