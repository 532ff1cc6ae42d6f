import json

import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.files import open_reader
from vrpcore.formats.json.jsondocument import SOLUTIONS, DocumentKind, check_envelope, read_elements

KIND = DocumentKind("things", "things/1", ("note",))


def read(text):
    with open_reader(text.encode()) as reader:
        reader.skip_blank()
        return list(read_elements(reader, KIND))


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('{"a":\n1}', [{"a": 1}]),
        ('{"a": 1}\n\n {"b": 2}\n', [{"a": 1}, {"b": 2}]),
        ('{"a": 1}\n5\n[]', [{"a": 1}, 5, []]),
        ('[{"a": 1}, null]', [{"a": 1}, None]),
        ('{"note": [1], "things": [1, 2], "format": "things/1"}', [1, 2]),
        ("{}", [{}]),
    ],
)
def test_each_shape(text, elements):
    assert read(text) == elements


def test_a_bad_element_is_an_error_in_its_place():
    first, second, third = read('[1, "' + "a" * 2**23 + '", 3]')
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
