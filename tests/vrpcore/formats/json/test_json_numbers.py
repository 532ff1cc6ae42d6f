import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vrpcore.formats.json.json_numbers import finite, json_number, json_numbers, json_text


def test_whole_numbers_have_no_decimal_point():
    assert [str(json_number(x)) for x in (3.0, -2.5, 2.0**62, 1e100)] == [
        "3", "-2.5", str(2**62), "1e+100",
    ]  # fmt: skip


def test_arrays_become_lists_of_their_shape():
    assert str(json_numbers(np.array([[1.0, 0.5], [-0.0, 3.0]]))) == "[[1, 0.5], [0, 3]]"
    assert str(json_numbers(np.array([1e300, 2.0]))) == "[1e+300, 2]"
    assert str(json_numbers(np.array([[1.0], [2.0**62]]))) == f"[[1], [{2**62}]]"
    assert json_numbers(np.zeros((0, 2))) == []


@given(st.recursive(st.text() | st.integers() | st.floats(-1e300, 1e300) | st.none(), st.lists))
def test_any_text_is_one_line_of_ascii(value):
    text = json_text({"key": value})
    assert text.isascii()
    assert "\n" not in text
    assert json.loads(text) == {"key": value}


def test_texts_to_the_letter():
    assert json_text({"a": [1, 2.5, None], "b": "x,\u202e\x9b\U0001f69a:\x1b"}) == (
        r'{"a": [1, 2.5, null], "b": "x,\u202e\u009b\ud83d\ude9a:\u001b"}'
    )


@pytest.mark.parametrize("number", [float("nan"), float("-inf")])
def test_what_is_no_number_is_not_written(number):
    for write in (finite, json_number):
        with pytest.raises(ValueError, match=f"{number} is not JSON"):
            write(number)
    with pytest.raises(ValueError, match="not JSON"):
        json_numbers(np.array([1.0, number]))
