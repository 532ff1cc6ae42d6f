"""What a document asks for with its `options`."""

import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json.jsonio import read_instances
from vrpcore.formats.vroom.vroom_instance import VroomOptions
from vrpcore.formats.vroom.vroom_options import read_options

PROBLEM = {
    "vehicles": [{"id": 1, "start_index": 0}],
    "jobs": [{"id": 1, "location_index": 1}],
    "matrices": {"car": {"durations": [[0, 5], [5, 0]]}},
}


def test_all_options_are_read():
    found = read_options({"g": True, "x": 3, "t": 2, "l": 1.5, "c": False}, "p.options")
    assert found == VroomOptions(geometry=True, explore=3, threads=2, limit_s=1.5)
    assert read_options(None, "p") == read_options({"x": None}, "p") == VroomOptions()
    (item,) = read_instances({**PROBLEM, "options": {"x": 0}})
    assert item.origin.options == VroomOptions(explore=0)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ({"explore": 5}, "UNKNOWN_KEY", "p.options: unknown key 'explore'; did you mean 'x'?"),
        ({"X": 5}, "UNKNOWN_KEY", "p.options: unknown key 'X'; did you mean 'x'?"),
        ({"r": 1}, "UNKNOWN_KEY", "p.options: unknown key 'r'; known are g, x, t, l, c"),
        ({"x": 6}, "OUT_OF_RANGE", "p.options.x: 6, expected 0 to 5"),
        ({"t": 0}, "TOO_SMALL", "p.options.t: 0, expected at least 1"),
        ({"t": "4"}, "NOT_AN_INTEGER", "p.options.t: '4', expected an integer"),
        ({"l": -1}, None, "p.options.l: -1"),
        ({"g": 1}, "WRONG_TYPE", "p.options.g: 1, expected true or false"),
        (
            {"c": True},
            "UNSUPPORTED",
            "p.options.c: asks for the times of given routes, which are not carried; leave it out",
        ),
        ([], "WRONG_TYPE", "p.options: a list of 0, expected an object"),
    ],
)
def test_each_error_names_its_place(options, code, message):
    with pytest.raises(InstanceError) as raised:
        read_options(options, "p.options")
    assert str(raised.value).startswith(message)
    assert code in (None, raised.value.code)
