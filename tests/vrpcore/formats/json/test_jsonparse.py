import json
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vrpcore.errors import InstanceError
from vrpcore.formats.json import jsonparse
from vrpcore.formats.json.documents import CustomerRow
from vrpcore.formats.json.jsonparse import JsonObject, JsonReader, JsonText
from vrpcore.instance.instance import MAX_STOPS

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def parse(text):
    return JsonText(text if isinstance(text, bytes) else text.encode()).parsed()


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
    reader = JsonReader(JsonText(json.dumps(values, indent=indent).encode()))
    assert [element.parsed() for element in reader.elements()] == values
    reader.finish()


@given(st.dictionaries(st.text(), VALUES, max_size=6))
def test_members_are_found_one_by_one(members):
    reader = JsonReader(JsonText(json.dumps(members).encode()))
    assert {key: reader.value() for key in reader.members()} == members
    reader.finish()


def test_a_place_in_a_whole_text():
    whole = b'[1,\n {"a": x}]'
    text = JsonText(whole[5:13], 7, whole, 5)
    with pytest.raises(InstanceError, match=r"^i: line 8, column 8: not JSON: Expecting value"):
        text.parsed("i")


@pytest.mark.parametrize("text", ["}\n", "]\\", '{"}', "[]\t]"])
def test_brackets_in_a_string_with_escapes_are_text(text):
    value = {"": [text], "next": [[text, text], {text: text}]}
    assert parse(json.dumps(value)) == value


@given(st.binary(max_size=60) | st.text(alphabet='[]{}",:\\ 01ea\n', max_size=60).map(str.encode))
def test_nothing_but_instance_errors(data):
    try:
        parse(data)
    except InstanceError as error:
        assert error.code == "SYNTAX"
    else:
        json.loads(data.decode("utf-8", "surrogateescape"))


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
        ("", r"line 1, column 1: not JSON: Expecting value, but the text ends here \(is it trunc"),
        ('{"a": 1', "line 1, column 8: not JSON: Expecting ',' delimiter, but the text ends here"),
        ('\n["a', "line 2, column 2: not JSON: Unterminated string .* but the text ends here"),
        ("1 2", "line 1, column 3: not JSON: extra data"),
        ('["ä", tru]', "line 1, column 7: not JSON: Expecting value"),
        ("[1,]", "not JSON"),
        ('{"a": 01}', "not JSON"),
        ('["\x01"]', "Invalid control character"),
    ],
)
def test_what_is_not_json(text, message):
    with pytest.raises(InstanceError, match=message) as caught:
        parse(text)
    assert caught.value.code == "SYNTAX"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1 2]", r"column 4: not JSON: expected ',' or ']'"),
        ("[1, ]", "column 5: not JSON: Expecting value"),
        ("{}", "expected a list"),
    ],
)
def test_lists_that_are_not_well_formed(text, message):
    with pytest.raises(InstanceError, match=message):
        list(JsonReader(JsonText(text.encode())).elements())


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
    reader = JsonReader(JsonText(text.encode()))
    with pytest.raises(InstanceError, match=message):
        for _ in reader.members():
            reader.value()


def test_bytes_that_are_no_utf8_are_lone_surrogates():
    assert parse(b'["\xff"]') == ["\udcff"]


def test_too_deep_costs_only_itself():
    with pytest.raises(InstanceError, match="line 1, column 1: nested too deeply") as caught:
        parse(b"[" * 200_000 + b"]" * 200_000)
    assert caught.value.code == "TOO_LARGE"
    reader = JsonReader(JsonText(b'[1, {"a": ' + b"[" * 5000 + b'"]\\""' + b"]" * 5000 + b"}, 2]"))
    one, deep, two = reader.elements()
    assert (one.parsed(), deep.code, two.parsed()) == (1, "TOO_LARGE", 2)


_PAD = b" " * 2**22


@pytest.mark.parametrize(
    "text", [b"[[],[],[]" + _PAD + b"]", b"[{},{},{}" + _PAD + b"]", b"[{},{},{},{}]"]
)
def test_too_large_to_be_one_instance(text, monkeypatch):
    monkeypatch.setattr(jsonparse, "MAX_PARTS", 3)
    assert parse("[[],{},{},{}]") == [[], {}, {}, {}]
    with pytest.raises(
        InstanceError, match="at most 100000 customers are read, with a matrix 10000"
    ) as caught:
        parse(text)
    assert caught.value.code == "TOO_LARGE"


def test_as_many_stops_as_there_may_be_with_every_key():
    stop = "{" + ",".join(f'"{key}":[["a",2]]' for key in CustomerRow.__struct_fields__) + "}"
    stops = ",".join([stop] * MAX_STOPS)
    assert len(parse(f"[{stops}]")) == MAX_STOPS


def test_an_element_that_is_too_large_says_where_it_is(monkeypatch):
    monkeypatch.setattr(jsonparse, "MAX_VALUES", 3)
    first, second = JsonReader(JsonText(b"[1,\n  [1,2,3,4," + _PAD + b"5]]")).elements()
    assert first.parsed() == 1
    assert str(second).startswith("line 2, column 3: too large to be one instance")


def test_too_many_values(monkeypatch):
    monkeypatch.setattr(jsonparse, "MAX_VALUES", 3)
    assert parse("[1,2,3,4,5]") == [1, 2, 3, 4, 5]
    with pytest.raises(InstanceError, match="too large to be one instance"):
        parse(b"[1,2,3,4," + _PAD + b"5]")


@pytest.mark.parametrize("text", [b'["' + b'\\"' * 10**6, b'["a"' * 10**6, b'["a' + b'","' * 10**6])
def test_hostile_texts_take_linear_time(text):
    started = time.process_time()
    with pytest.raises(InstanceError):
        parse(text)
    assert time.process_time() - started < 10


def test_many_duplicate_keys_take_linear_time():
    started = time.process_time()
    keys = ",".join(f'"{key}":1' for key in [*range(50_000), 49_999])
    assert parse("{" + keys + "}").duplicate == "49999"
    assert time.process_time() - started < 10
