import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vrpcore.instance import polyline
from vrpcore.instance.polyline import decode_polyline, encode_polyline

POINTS = st.lists(st.tuples(st.floats(-180, 180), st.floats(-90, 90)), max_size=20)


def test_by_hand():
    """One degree is 200000 halves of 1e-5: groups 0, 10, 3, 6 of five bits, the lowest first."""
    assert encode_polyline([(0, 1)]) == "".join(chr(63 + n) for n in (32, 42, 35, 6)) + "?"
    assert encode_polyline([(0, -0.00001), (0.00001, -0.00001)]) == "@?" + "?A"
    assert decode_polyline("@??A") == [(0, -0.00001), (0.00001, -0.00001)]
    assert encode_polyline([]) == ""
    assert decode_polyline("") == []


@pytest.mark.parametrize("digits", [5, 6])
@given(points=POINTS)
def test_there_and_back(digits, points):
    back = decode_polyline(encode_polyline(points, digits), digits)
    assert len(back) == len(points)
    for one, other in zip(back, points, strict=True):
        for found, given_ in zip(one, other, strict=True):
            assert math.isclose(found, given_, abs_tol=0.51 * 10**-digits)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("?", "1 numbers, expected pairs"),
        ("?_", "it ends in the middle of a number"),
        ("? ", "' ' is not expected there"),
        ("\u20ac", "is not expected there"),
        ("~" * 30, "'~' is not expected there"),
        ("_cidP?" * 4, "it passes 0, "),
    ],
)
def test_what_is_no_line_is_refused(text, words):
    with pytest.raises(ValueError, match=r"^no encoded polyline: ") as raised:
        decode_polyline(text)
    assert words in str(raised.value)


def test_a_line_has_a_most_of_points(monkeypatch):
    monkeypatch.setattr(polyline, "MAX_POINTS", 2)
    assert len(decode_polyline("????")) == 2
    with pytest.raises(ValueError, match="6 numbers, expected pairs, at most 2"):
        decode_polyline("??????")
