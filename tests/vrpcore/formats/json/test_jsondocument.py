import json

import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.files import open_reader
from vrpcore.formats.json.jsondocument import (
    SOLUTIONS,
    DocumentKind,
    check_envelope,
    read_elements,
)
from vrpcore.formats.json.jsonparse import JsonText

KIND = DocumentKind("things", "things/1", ("note",))


def parsed(element):
    try:
        return element.parsed() if isinstance(element, JsonText) else element
    except InstanceError as error:
        return error


def read(text):
    with open_reader(text.encode()) as reader:
        reader.skip_blank()
        return [parsed(element) for element in read_elements(reader, KIND)]


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('{"a":\n1}', [{"a": 1}]),
        ('{"a": 1}\n\n {"b": 2}\n', [{"a": 1}, {"b": 2}]),
        ('{"a": 1}\n5\n[]', [{"a": 1}, 5, []]),
        ('[{"a": 1}, null]', [{"a": 1}, None]),
        ('{"note": [1], "things": [1, 2], "format": "things/1"}', [1, 2]),
        ('{"note": "x15y", "things": [5, 15]}', [5, 15]),
        ("{}", [{}]),
        ('[{"a": "things"}]', [{"a": "things"}]),
        ('{"note": "things", "thin\\u0067s": [1]}', [1]),
    ],
)
def test_each_shape(text, elements):
    assert read(text) == elements


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ('{"a": 1 "b": 2}', "line 1, column 9: not JSON: Expecting ',' delimiter"),
        ('{"a": }', "line 1, column 7: not JSON: Expecting value"),
        ('{"a": 1', "line 2, column 1: not JSON: Expecting ',' delimiter, but the text ends"),
        ('{"a": [1]]}', "line 1, column 10: not JSON: Expecting ',' delimiter"),
        ('{"a": 1} x', "line 1, column 10: not JSON: extra data"),
    ],
)
def test_a_first_line_that_is_no_json_costs_only_itself(first, message):
    bad, *others = read(f'{first}\n\n {{"c": 3}}\n{{"d": 4}}\n')
    assert others == [{"c": 3}, {"d": 4}]
    assert str(bad).startswith(message)


@pytest.mark.parametrize("text", ['{"a": 1 "b": 2}\n', '{"a": 1\n}\n"b"', '{\n{"a": 1}'])
def test_other_text_that_is_no_json_is_one_document(text):
    with pytest.raises(InstanceError, match=r"line \d, column \d+: not JSON") as caught:
        read(text)
    assert caught.value.code == "SYNTAX"


@pytest.mark.parametrize(
    "text", ['{"things": [\n{"a": 1},\n{"b": 2}]}', '{"things":\n[{"a": 1},{"b": 2}]}']
)
def test_objects_at_the_beginning_of_lines_of_a_document(text):
    assert read(text) == [{"a": 1}, {"b": 2}]
    assert read('{"a":\n{"b": 2}}') == [{"a": {"b": 2}}]


def test_a_bad_element_is_an_error_in_its_place():
    first, second, third = read("[1, " + "[" * 5000 + "]" * 5000 + ", 3]")
    assert (first, third) == (1, 3)
    assert isinstance(second, InstanceError)
    assert second.code == "TOO_LARGE"


def test_the_envelope():
    assert SOLUTIONS.keys == ("format", "solutions", "model", "summary")
    check_envelope("note", object(), KIND)
    with pytest.raises(InstanceError, match="next to 'things': unknown key 'nota'; did you mean"):
        check_envelope("nota", 1, KIND)
    with pytest.raises(InstanceError, match="format: 'things/2', expected 'things/1'"):
        read(json.dumps({"format": "things/2", "things": []}))
    with pytest.raises(InstanceError, match="format: duplicate key"):
        read('{"format": "things/1", "format": "things/1"}')
