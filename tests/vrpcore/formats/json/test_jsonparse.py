import json
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vrpcore.errors import InstanceError
from vrpcore.formats.json import jsonparse
from vrpcore.formats.json.jsonparse import JsonCursor, JsonObject
from vrpcore.formats.json.keys import CUSTOMER
from vrpcore.instance.instance import MAX_STOPS

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def parse(text):
    cursor = JsonCursor(text if isinstance(text, bytes) else text.encode())
    value = cursor.value(cursor.span())
    cursor.finish()
    return value


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_reads_what_the_standard_parser_reads(value, indent, escaped):
    text = json.dumps(value, indent=indent, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    try:
        text.decode()
    except UnicodeDecodeError:
        return
    assert parse(text) == json.loads(text)


@given(st.lists(VALUES, max_size=6), st.sampled_from([None, 2]))
def test_elements_are_found_one_by_one(values, indent):
    cursor = JsonCursor(json.dumps(values, indent=indent).encode())
    assert [cursor.value(span) for span in cursor.elements()] == values
    cursor.finish()


@given(st.dictionaries(st.text(), VALUES, max_size=6))
def test_members_are_found_one_by_one(members):
    cursor = JsonCursor(json.dumps(members).encode())
    assert {key: cursor.value(cursor.span()) for key in cursor.members()} == members
    cursor.finish()


@pytest.mark.parametrize("text", ["}\n", "]\\", '{"}', "[]\t]"])
def test_brackets_in_a_string_with_escapes_are_text(text):
    value = {"": [text], "next": [[text, text], {text: text}]}
    assert parse(json.dumps(value)) == value


@given(st.binary(max_size=60) | st.text(alphabet='[]{}",:\\ 01ea\n', max_size=60).map(str.encode))
def test_nothing_but_instance_errors(data):
    try:
        parse(data)
    except InstanceError as error:
        assert error.code in ("JSON_SYNTAX", "INVALID_UTF8", "TOO_DEEP")
    else:
        json.loads(data)


def test_a_duplicate_key_is_remembered():
    value = parse('{"a": {"b": 1, "c": 2, "b": 3}}')
    assert isinstance(value, JsonObject)
    assert value.duplicate is None
    assert value["a"].duplicate == "b"


def test_numbers_that_int_refuses():
    assert parse("[1, " + "7" * 5000 + "]")[1] >= 10**400
    assert parse("-" + "7" * 5000) <= -(10**400)
    assert math.isinf(parse("1e400"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: not JSON: expected a value"),
        ('{"a": 1', "line 1, column 1: not JSON: the value that begins here never ends"),
        ('\n["a', "line 2, column 2: not JSON: a string that never ends"),
        ('["a\\', "a string that never ends"),
        ("1 2", "line 1, column 3: not JSON: extra data"),
        ('["ä", tru]', "line 1, column 8: not JSON: Expecting value"),
        ("[1,]", "not JSON"),
        ('{"a": 01}', "not JSON"),
        ('["\x01"]', "Invalid control character"),
    ],
)
def test_what_is_not_json(text, message):
    with pytest.raises(InstanceError, match=message) as caught:
        parse(text)
    assert caught.value.code == "JSON_SYNTAX"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1 2]", r"column 4: not JSON: expected ',' or ']'"),
        ("[1, ]", "column 5: not JSON: expected a value"),
        ("{}", "expected a list"),
    ],
)
def test_lists_that_are_not_well_formed(text, message):
    with pytest.raises(InstanceError, match=message):
        list(JsonCursor(text.encode()).elements())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{'a': 1}", "column 2: not JSON: expected a key in double quotes"),
        ('{"a" 1}', "expected ':'"),
        ('{"a": 1 "b"}', r"expected ',' or '}'"),
        ("[]", "expected an object"),
    ],
)
def test_objects_that_are_not_well_formed(text, message):
    cursor = JsonCursor(text.encode())
    with pytest.raises(InstanceError, match=message):
        for _ in cursor.members():
            cursor.span()


def test_invalid_utf8_names_the_byte():
    with pytest.raises(InstanceError, match=r"line 1, column 3: invalid UTF-8 \(byte 0xff\)"):
        parse(b'["\xff"]')


@pytest.mark.parametrize("depth", [33, 5000, 200_000])
def test_depth_is_refused_without_recursion(depth):
    with pytest.raises(InstanceError, match=f"nested {depth} deep; at most 32") as caught:
        parse(b"[" * depth + b"]" * depth)
    assert caught.value.code == "TOO_DEEP"
    assert parse(b"[" * 32 + b"]" * 32)


@pytest.mark.parametrize(
    "text",
    [
        b"[" + b"[]," * 1_000_001 + b"[]]",
        b'["' + b"a" * (2**22 + 1) + b'"]',
        b'"' + b"a" * (2**22 + 1) + b'"',
        b"[[" + b"1," * 2**21 + b"1]]",
    ],
)
def test_too_large_to_be_one_instance(text):
    with pytest.raises(
        InstanceError, match="at most 100000 customers are read, with a matrix 10000"
    ) as caught:
        parse(text)
    assert caught.value.code == "TOO_LARGE"


def test_as_many_stops_as_there_may_be_with_every_key():
    stop = "{" + ",".join(f'"{key}":[["a",2]]' for key in CUSTOMER) + "}"
    stops = ",".join([stop] * MAX_STOPS)
    assert len(parse(f"[{stops}]")) == MAX_STOPS


def test_too_many_values(monkeypatch):
    monkeypatch.setattr(jsonparse, "MAX_VALUES", 3)
    with pytest.raises(InstanceError, match="too large to be one instance"):
        parse("[1,2,3,4,5]")


def test_the_search_for_an_end_gives_up(monkeypatch):
    monkeypatch.setattr(jsonparse, "MAX_SCAN", 1000)
    with pytest.raises(InstanceError, match="a value of more than 1000 parts"):
        parse(b"[" * 10_000)


@pytest.mark.parametrize("text", [b'["' + b'\\"' * 10**6, b'["a"' * 10**6, b'["a' + b'","' * 10**6])
def test_hostile_texts_take_linear_time(text):
    started = time.monotonic()
    with pytest.raises(InstanceError):
        parse(text)
    assert time.monotonic() - started < 10


def test_many_duplicate_keys_take_linear_time():
    started = time.monotonic()
    keys = ",".join(f'"{key}":1' for key in [*range(50_000), 49_999])
    assert parse("{" + keys + "}").duplicate == "49999"
    assert time.monotonic() - started < 10
