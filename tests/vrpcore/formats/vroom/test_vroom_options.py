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
    assert read_options({"c": True}, "p") == VroomOptions(given=True)
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
        ({"c": 1}, "WRONG_TYPE", "p.options.c: 1, expected true or false"),
        ([], "WRONG_TYPE", "p.options: a list of 0, expected an object"),
    ],
)
def test_each_error_names_its_place(options, code, message):
    with pytest.raises(InstanceError) as raised:
        read_options(options, "p.options")
    assert str(raised.value).startswith(message)
    assert code in (None, raised.value.code)


ASKS = "instances[0].options.c: asks for the times of given routes, "


@pytest.mark.parametrize(
    ("steps", "code", "message"),
    [
        (None, "MISSING_KEY", f"{ASKS}but no vehicle has steps; give them, or leave it out"),
        (
            [{"type": "job", "id": 9}],
            "UNKNOWN_ID",
            f"{ASKS}but steps name job 9, which the problem does not have; leave it out of them",
        ),
        (
            [{"type": "break", "id": 3}, {"type": "job", "id": 1}],
            "UNSUPPORTED",
            "instances[0].vehicles[0].steps[0]: says where a break is, but with 'c' breaks are "
            "placed anew; leave this step out, and keep the break",
        ),
    ],
)
def test_given_steps_must_be_routes_as_they_stand(steps, code, message):
    van = {"id": 1, "start_index": 0, "breaks": [{"id": 3}], "steps": steps}
    (item,) = read_instances({**PROBLEM, "vehicles": [van], "options": {"c": True}})
    assert (item.code, item.error) == (code, message)
    (item,) = read_instances({**PROBLEM, "vehicles": [van], "options": {"c": False}})
    assert item.name == "instance-0" and not item.origin.options.given
