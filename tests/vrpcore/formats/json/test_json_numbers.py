import numpy as np

from vrpcore.formats.json.json_numbers import json_number, json_numbers


def test_whole_numbers_have_no_decimal_point():
    assert [str(json_number(x)) for x in (3.0, -2.5, 2.0**62, 1e100)] == [
        "3", "-2.5", str(2**62), "1e+100",
    ]  # fmt: skip


def test_arrays_become_lists_of_their_shape():
    assert str(json_numbers(np.array([[1.0, 0.5], [-0.0, 3.0]]))) == "[[1, 0.5], [0, 3]]"
