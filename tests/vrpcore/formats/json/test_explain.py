"""What is wrong with a value: found wherever msgspec refuses it, and said in words."""

import math
import re

import msgspec
import pytest
from hypothesis import given

from tests.vrpcore.formats.json.cases import WHOLE, spoiled
from vrpcore.errors import InstanceError
from vrpcore.formats.json.documents import InstanceDocument
from vrpcore.formats.json.explain import check_object, explain, plain_name, read_as
from vrpcore.formats.json.values import Capacity, Id, Number, Point, Positive, Whole, Windows

# No JSON text has the first two; msgspec lets the last one pass.
ONLY_HERE = re.compile(r"is not a finite number(?! up to)|lone surrogate|is nearer to 0")


class Loose(msgspec.Struct):
    """An object that may have other keys."""

    name: str


@given(spoiled(WHOLE))
def test_nothing_is_left_to_the_library(value):
    try:
        explain(InstanceDocument, value, "i")
    except InstanceError as error:
        if not ONLY_HERE.search(str(error)):
            # A lone surrogate further on is refused by another error.
            with pytest.raises((msgspec.ValidationError, UnicodeEncodeError)):
                msgspec.convert(value, InstanceDocument)
    else:
        msgspec.convert(value, InstanceDocument)


@pytest.mark.parametrize(
    ("kind", "value", "code", "message"),
    [
        (Number, True, "WRONG_TYPE", "true, expected a number"),
        (Number, "1\x1b", "WRONG_TYPE", r"'1\x1b', expected a number"),
        (Number, 1j, "WRONG_TYPE", "a value of type complex, expected a number"),
        (Number, -math.inf, "OUT_OF_RANGE", "-inf is not a finite number"),
        (Number, 2e100, "OUT_OF_RANGE", "2e+100 is not a finite number up to 1e+100"),
        (Number, 10**400, "OUT_OF_RANGE", "an integer of about 400 digits is not a finite"),
        (Number, 5e-324, "OUT_OF_RANGE", "5e-324 is nearer to 0 than 1e-100; write 0"),
        (Capacity, 0, "OUT_OF_RANGE", "0 is not a positive number"),
        (Positive, 1e-51, "OUT_OF_RANGE", "1e-51 is not a positive number of at least 1e-50"),
        (Whole, 2.0, "WRONG_TYPE", "2.0, expected an integer"),
        (Whole, -1, "OUT_OF_RANGE", "-1, expected at least 0"),
        (Whole, 2**63, "OUT_OF_RANGE", "9223372036854775808, expected below 2^63"),
        (Id, 1.5, "WRONG_TYPE", "1.5, expected an id (text or integer)"),
        (
            Id,
            -(2**63),
            "OUT_OF_RANGE",
            "-9223372036854775808, expected at least -92233720368547758",
        ),
        (Id, "\udfff", "ENCODING", r"'\udfff' contains a lone surrogate"),
        (Point, [1], "SHAPE", "a list of 1, expected [x, y], two numbers"),
        (Windows, [], "SHAPE", "0 windows, expected 1 to 100"),
        (dict[str, Number], {7: 1}, "WRONG_TYPE", "7, expected text"),
    ],
)
def test_each_kind_has_words_of_its_own(kind, value, code, message):
    with pytest.raises(InstanceError) as caught:
        read_as(kind, value, "here")
    assert caught.value.code == code
    assert str(caught.value).startswith(f"here: {message}")


def test_the_item_that_is_wrong_is_named_among_many():
    for bad in (None, True, "1", [], {}, math.nan, math.inf, 1e101, 9e-101, 10**5000):
        with pytest.raises(InstanceError, match=r"^m\[3\]: "):
            explain(list[Number], [*range(3), bad, None], "m")
        with pytest.raises(InstanceError, match=r"^m\[1\]\[0\]: "):
            explain(list[Point], [[0, 1e-100], [bad, 0], None], "m")
    explain(list[Number | None], [None, 2, 1e100], "m")


def test_objects_by_their_keys():
    with pytest.raises(InstanceError, match=r"^i\.name: missing"):
        read_as(Loose, {"name": None, "x": 1}, "i")
    with pytest.raises(InstanceError, match=r"^i\.'\\n': an object, expected a number"):
        explain(dict[str, Number], {"\n": {}}, "i")
    assert read_as(Loose, {"x": 1, "name": "a"}, "i").name == "a"
    with pytest.raises(InstanceError, match=r"^i: unknown key 'demnad'; did you mean 'demand'"):
        check_object({"demnad": 1}, "i", ("demand", "x"))
    with pytest.raises(InstanceError, match=r"^i: unknown key 7; known are x"):
        check_object({7: 1}, "i", ("x",))
    with pytest.raises(
        InstanceError, match=r"^i\.vehicles: 2, .* vehicle types; .*'max_vehicles'$"
    ):
        explain(InstanceDocument, {"vehicles": 2}, "i")


def test_names_in_places():
    assert [plain_name(name) for name in ("van", "a\n", 7)] == ["van", r"'a\n'", "7"]
    assert len(plain_name("a" * 1000)) < 100
