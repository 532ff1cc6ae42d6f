"""Values of VROOM's documents."""

import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json.explain import read_as
from vrpcore.formats.read import read_instances
from vrpcore.formats.vroom.vroom_documents import (
    Amounts,
    ByType,
    Count,
    Spot,
    Times,
    VroomBreak,
    VroomOptions,
    VroomStep,
    VroomVehicle,
    VroomVisit,
    Windows,
    windows_of,
)

VISIT = {"id": 1, "location_index": 0}
PROBLEM = {
    "vehicles": [{"id": 1, "start_index": 0}],
    "jobs": [VISIT],
    "matrices": {"car": {"durations": [[0]]}},
}
SPEED = VroomVehicle.__annotations__["speed_factor"]


def test_spots_are_shown_as_they_were_told():
    assert Spot((2.5, 48.0), 3).shown() == {"location": [2.5, 48.0], "location_index": 3}
    assert Spot(None, 0).shown() == {"location_index": 0}
    assert Spot((2.5, 48.0), None).shown() == {"location": [2.5, 48.0]}


def test_amounts_may_be_an_empty_list():
    assert read_as(Amounts, [], "a") == []
    assert read_as(Amounts, [3, 0], "a") == [3, 0]


def test_windows_are_sorted():
    assert windows_of(None, "w") == ((float("-inf"), float("inf")),)
    assert windows_of([(0, 5)], "w") == [(0, 5)]
    assert windows_of([(7, 9), (10, 10), (0, 5)], "w") == ((0, 5), (7, 9), (10, 10))
    with pytest.raises(InstanceError, match=r"^w\[0\]: opens at 9, after it closes at 7"):
        windows_of([(9, 7), (0, 5)], "w")
    with pytest.raises(InstanceError, match=r"^w\[1\]: opens at 5, the window before it closes"):
        windows_of([(5, 9), (1, 5)], "w")


def test_ids_are_only_names():
    more = {VroomStep: {"type": "job"}}
    for row in (VroomVisit, VroomBreak, VroomStep, VroomVehicle):
        found = {"id": 2**63 - 1} | more.get(row, {})
        assert read_as(row, found, "x").id == 2**63 - 1
        with pytest.raises(InstanceError, match=r"^x\.id: \d+, expected below 2\^63"):
            read_as(row, found | {"id": 2**63}, "x")


def test_options_are_kept():
    (item,) = read_instances({**PROBLEM, "options": {"g": True, "x": 3, "t": 2, "l": 1.5}})
    assert item.origin.options == VroomOptions(geometry=True, explore=3, threads=2, limit_s=1.5)
    (item,) = read_instances({**PROBLEM, "options": {"x": None}})
    assert item.origin.options == VroomOptions()


@pytest.mark.parametrize(
    ("kind", "value", "code", "message"),
    [
        (Count, -1, "OUT_OF_RANGE", "x: -1, expected at least 0"),
        (Count, 1.0, "WRONG_TYPE", "x: 1.0, expected an integer"),
        (Count, 2**53, "OUT_OF_RANGE", f"x: {2**53}, expected below 2^53"),
        (Amounts, [1] * 9, "SHAPE", "x: 9 load dimensions, the limit is 8"),
        (Amounts, [1, 0.5], "WRONG_TYPE", "x[1]: 0.5, expected an integer"),
        (ByType, {"van": -1}, "OUT_OF_RANGE", "x.van: -1, expected at least 0"),
        (Windows, [], "SHAPE", "x: 0 windows, expected 1 to 100"),
        (Windows, [[0, 0.5]], "WRONG_TYPE", "x[0][1]: 0.5, expected an integer"),
        (Times, [1], "SHAPE", "x: a list of 1, expected two times, [opens, closes]"),
        (SPEED, 0, "OUT_OF_RANGE", "x: 0 is not a positive number"),
        (SPEED, 5.5, "OUT_OF_RANGE", "x: 5.5, expected at most 5"),
        (SPEED, 5e-324, "OUT_OF_RANGE", "x: 5e-324 is not a positive number of at least 1e-50"),
    ],
)
def test_faults(kind, value, code, message):
    with pytest.raises(InstanceError) as raised:
        read_as(kind, value, "x")
    assert (raised.value.code, str(raised.value)) == (code, message)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ({"explore": 5}, "UNKNOWN", "p.options: unknown key 'explore'; here it is called 'x'"),
        ({"geometry": True}, "UNKNOWN", "p.options: unknown key 'geometry'; here it is call"),
        ({"X": 5}, "UNKNOWN", "p.options: unknown key 'X'; did you mean 'x'?"),
        ({"r": 1}, "UNKNOWN", "p.options: unknown key 'r'; known are g, x, t, l, c"),
        ({"x": 6}, "OUT_OF_RANGE", "p.options.x: 6, expected 0 to 5"),
        ({"t": 0}, "OUT_OF_RANGE", "p.options.t: 0, expected at least 1"),
        ({"t": "4"}, "WRONG_TYPE", "p.options.t: '4', expected an integer"),
        ({"l": -1}, None, "p.options.l: -1"),
        ({"g": 1}, "WRONG_TYPE", "p.options.g: 1, expected true or false"),
        ({"c": 1}, "WRONG_TYPE", "p.options.c: 1, expected true or false"),
        ([], "WRONG_TYPE", "p.options: a list of 0, expected an object"),
    ],
)
def test_each_error_names_its_place(options, code, message):
    with pytest.raises(InstanceError) as raised:
        read_as(VroomOptions, options, "p.options")
    assert str(raised.value).startswith(message)
    assert code in (None, raised.value.code)
