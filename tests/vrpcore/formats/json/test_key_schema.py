"""Keys that are declared once: reading and describing agree."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vrpcore.errors import InstanceError, describe
from vrpcore.formats.json.key_schema import (
    ID,
    NUMBER,
    TEXT,
    Fields,
    Key,
    check_degrees,
    check_few,
    check_id,
    check_integer,
    check_lengths,
    check_list,
    check_matrix,
    check_number,
    check_numbers,
    check_object,
    check_pairs,
    check_point,
    check_text,
    integer,
    list_of,
    object_of,
    one_of,
    or_null,
    require,
)

PLACE = "instances[3].x"


# As they are computed with: 0, or not too near to it.
FLOATS = st.floats(-1e100, 1e100).filter(lambda value: value == 0 or abs(value) >= 1e-100)


@given(st.lists(st.integers(-(10**100), 10**100) | FLOATS))
def test_good_numbers_are_kept(values):
    assert check_numbers(values, str).tolist() == [float(value) for value in values]


@given(st.lists(FLOATS, min_size=1), st.data())
def test_a_bad_number_is_named_by_its_place(values, data):
    index = data.draw(st.integers(0, len(values) - 1))
    values[index] = data.draw(
        st.sampled_from(
            [None, True, "1", [], {}, float("nan"), float("inf"), 1e101, 9e-101, 10**5000]
        )
    )
    with pytest.raises(InstanceError, match=f"^<{index}>: "):
        check_numbers(values, lambda i: f"<{i}>")


@pytest.mark.parametrize(
    ("value", "code", "words"),
    [
        (True, "NOT_A_NUMBER", "true, expected a number"),
        (5e-324, "NUMBER_TOO_SMALL", "5e-324 is nearer to 0 than 1e-100; write 0"),
        (None, "NOT_A_NUMBER", "null, expected a number"),
        ("1\x1b", "NOT_A_NUMBER", r"'1\\x1b', expected a number"),
        ([1], "NOT_A_NUMBER", "a list of 1, expected a number"),
        (1j, "NOT_A_NUMBER", "a value of type complex, expected a number"),
        (float("nan"), "NOT_FINITE", "nan is not a finite number"),
        (-float("inf"), "NOT_FINITE", "-inf is not a finite number"),
        (2e100, "NUMBER_TOO_LARGE", r"2e\+100 is not a finite number up to 1e\+100"),
        (10**400, "NUMBER_TOO_LARGE", "an integer of about 400 digits"),
    ],
)
def test_what_is_no_number(value, code, words):
    with pytest.raises(InstanceError, match=rf"^instances\[3\].x: {words}") as caught:
        check_number(value, PLACE)
    assert caught.value.code == code


def test_numpy_numbers_are_numbers():
    assert check_numbers([np.float64(0.5), 2], str).tolist() == [0.5, 2.0]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (2.0, "NOT_AN_INTEGER"),
        (True, "NOT_AN_INTEGER"),
        (0, "TOO_SMALL"),
        (2**63, "NUMBER_TOO_LARGE"),
    ],
)
def test_what_is_no_integer(value, code):
    with pytest.raises(InstanceError, match="expected") as caught:
        check_integer(value, PLACE, 1)
    assert caught.value.code == code


def test_texts():
    assert check_text("grüß 😀", PLACE) == "grüß 😀"
    with pytest.raises(InstanceError, match=r"'a\\ud800' contains a lone surrogate"):
        check_text("a\ud800", PLACE)
    with pytest.raises(InstanceError, match="1, expected text"):
        check_text(1, PLACE)


@pytest.mark.parametrize("value", ["", "a", 0, -5, 2**63 - 1])
def test_ids(value):
    assert check_id(value, PLACE) == value


@pytest.mark.parametrize("value", [None, True, 1.0, [], 2**64, -(2**64), "\udfff"])
def test_what_is_no_id(value):
    with pytest.raises(InstanceError, match=r"^instances\[3\].x: "):
        check_id(value, PLACE)


def test_objects_and_lists():
    with pytest.raises(InstanceError, match="unknown key 'demnad'; did you mean 'demand'"):
        check_object({"demnad": 1}, PLACE, ("demand", "x"))
    with pytest.raises(InstanceError, match="unknown key 'foo'; known are demand, x"):
        check_object({"foo": 1}, PLACE, ("demand", "x"))
    with pytest.raises(InstanceError, match="unknown key 7; known are x"):
        check_object({7: 1}, PLACE, ("x",))
    with pytest.raises(InstanceError, match="an object, expected a list of numbers"):
        check_list({}, PLACE, "numbers")
    assert check_few([7], PLACE, "numbers", 1) == [7]
    for wrong in ([], [7, 8]):
        with pytest.raises(InstanceError, match=rf"x: {len(wrong)} numbers, expected 1 to 1"):
            check_few(wrong, PLACE, "numbers", 1)
    with pytest.raises(InstanceError, match=r"x\.y: missing"):
        require({}, "y", PLACE)


def test_matrices():
    found = check_matrix([[9, 1], [2.5, 9]], PLACE, 2, "nodes")
    assert found.tolist() == [[0, 1], [2.5, 0]]
    with pytest.raises(InstanceError, match=r"x: 1 rows, expected a square matrix, 2 x 2 \(nodes"):
        check_matrix([[0, 1]], PLACE, 2, "nodes")
    with pytest.raises(InstanceError, match=r"x\[1\]: 3 numbers, expected a square matrix, 2 x 2"):
        check_matrix([[0, 1], [1, 0, 2]], PLACE, 2, "nodes")
    with pytest.raises(InstanceError, match=r"x\[1\]\[0\]: -1 is negative, expected at least 0"):
        check_matrix([[0, 1], [-1, 0]], PLACE, 2, "nodes")
    with pytest.raises(InstanceError, match=r"^0 to 1: -2 is negative, expected at least 0"):
        check_lengths(np.array([[0.0, -2.0], [1.0, 0.0]]), lambda row, to: f"{row} to {to}")


def test_no_road_in_matrices():
    found = check_matrix([[None, 1, None], [2.5, None, None], [1, 2, 0]], PLACE, 3, "nodes")
    assert found.tolist() == [[0, 1, math.inf], [2.5, 0, math.inf], [1, 2, 0]]
    for wrong, message in [
        (math.nan, "nan is not a finite number"),
        (math.inf, "inf is not a finite number"),
        (-math.inf, "-inf is not a finite number"),
        ("1", "'1', expected a number"),
        (True, "true, expected a number"),
        (-1, "-1 is negative"),
        (1e101, "1e\\+101 is not a finite number up to 1e\\+100"),
    ]:
        with pytest.raises(InstanceError, match=rf"x\[0\]\[1\]: {message}"):
            check_matrix([[0, wrong, None], [1, 0, None], [1, 1, 0]], PLACE, 3, "nodes")


def test_points():
    assert check_point([1, 2.5], PLACE).tolist() == [1.0, 2.5]
    assert check_pairs([[1, 2], (3, 4)], PLACE).tolist() == [[1, 2], [3, 4]]
    assert check_pairs([], PLACE).shape == (0, 2)
    with pytest.raises(InstanceError, match=r"x\[1\]: a list of 3, expected \[x, y\]"):
        check_pairs([[1, 2], [1, 2, 3]], PLACE)
    with pytest.raises(InstanceError, match=r"x\[1\]\[0\]: null, expected a number"):
        check_pairs([[1, 2], [None, 3]], PLACE)


def test_degrees():
    check_degrees(np.array([[-360.0, 90.0], [360.0, -90.0]]), str)
    with pytest.raises(InstanceError, match=r"^1: longitude 360.5, expected -360 to 360"):
        check_degrees(np.array([[0.0, 0.0], [360.5, 0.0]]), str)
    with pytest.raises(InstanceError, match=r"^0: latitude -91, expected -90 to 90"):
        check_degrees(np.array([[0.0, -91.0]]), str)


@given(st.text())
def test_descriptions_are_one_short_printable_line(text):
    shown = describe(text * 100)
    assert shown.isprintable()
    assert len(shown) < 700


def test_descriptions():
    values = [None, True, False, 3, 2.5, {}, [1], "a" * 99]
    assert [describe(value) for value in values] == [
        "null", "true", "false", "3", "2.5", "an object", "a list of 1",
        "'" + "a" * 60 + "'...",
    ]  # fmt: skip


KEYS = {
    "name": Key(TEXT, required=True),
    "size": Key(integer(1)),
    "colour": Key(one_of(("red", "blue"), "UNKNOWN_COLOUR")),
    "gap": Key(or_null(NUMBER), null=True),
    "ids": Key(list_of(ID, "ids")),
}


def test_values_are_read_by_their_kind():
    found = Fields({"name": "a", "gap": None, "ids": [1, "b"]}, "things[2]", KEYS)
    assert (found["name"], found["gap"], found["ids"]) == ("a", None, (1, "b"))
    assert "size" not in found
    assert found.get("size", 7) == 7


def test_null_means_missing_but_where_it_is_a_value():
    found = Fields({"name": "a", "gap": None, "size": None}, "things[2]", KEYS)
    assert ("gap" in found, "size" in found) == (True, False)
    assert (found["gap"], found.get("size", 7), found.raw("size")) == (None, 7, None)


@pytest.mark.parametrize(
    ("value", "key", "code", "message"),
    [
        ({"name": None}, "name", "MISSING_KEY", "things[2].name: missing"),
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
            "size": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
            "colour": {"anyOf": [{"enum": ["red", "blue"]}, {"type": "null"}]},
            "gap": {"anyOf": [NUMBER.schema, {"type": "null"}]},
            "ids": {
                "anyOf": [
                    {"type": "array", "items": {"type": ["integer", "string"]}},
                    {"type": "null"},
                ]
            },
        },
    }
