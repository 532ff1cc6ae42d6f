"""Values of VROOM's documents."""

import numpy as np
import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json.key_schema import Fields
from vrpcore.formats.vroom.vroom_instance import Spot
from vrpcore.formats.vroom.vroom_keys import (
    BREAK,
    JOB,
    MATRICES,
    STEP,
    VEHICLE,
    VISIT,
    check_amounts,
    check_per_type,
    check_profile_matrix,
    check_speed_factor,
    check_time_window,
    check_time_windows,
    check_whole,
    read_spot,
)


def test_spots_are_reported_by_either_key():
    job = Fields({"id": 1, "location": [2.5, 48], "location_index": 3}, "job", JOB)
    assert read_spot(job, "location", "location_index") == Spot((2.5, 48.0), 3)
    vehicle = Fields({"id": 1, "start_index": 0}, "vehicle", VEHICLE)
    assert read_spot(vehicle, "start", "start_index") == Spot(None, 0)
    assert read_spot(vehicle, "end", "end_index") is None


def test_amounts_may_be_an_empty_list():
    assert check_amounts([], "a") == ()
    assert check_amounts([3, 0], "a") == (3, 0)


def test_times_per_type():
    assert check_per_type({"van": 3}, "t") == {"van": 3}
    with pytest.raises(InstanceError, match=r"t\.van: -1, expected at least 0"):
        check_per_type({"van": -1}, "t")


def test_windows_are_whole_and_sorted():
    assert check_time_windows([[0, 5], [7, 9]], "w") == ((0.0, 5.0), (7.0, 9.0))
    assert check_time_windows([[7, 9], [10, 10], [0, 5]], "w") == ((0, 5), (7, 9), (10, 10))
    with pytest.raises(InstanceError, match=r"^w\[0\]: opens at 9, after it closes at 7"):
        check_time_windows([[9, 7], [0, 5]], "w")
    assert check_time_window([3, 8], "w") == (3.0, 8.0)


def test_the_diagonal_of_a_matrix_is_kept():
    matrix = check_profile_matrix([[7, 1], [2, 9]], "m")
    assert np.array_equal(matrix, [[7, 1], [2, 9]])
    fields = Fields({"durations": [[0]]}, "matrices.car", MATRICES)
    assert fields["durations"].shape == (1, 1)


def test_no_road_in_a_matrix():
    none = np.inf
    given = [[None, 2**31 - 1, 2**31], [2**32 - 1, 2**32 - 1, 2**32 - 2], [None, 3, 2**31 - 1]]
    found = check_profile_matrix(given, "m")
    assert found.tolist() == [[0, none, 2**31], [none, 0, 2**32 - 2], [none, 3, 0]]


def test_ids_are_only_names():
    for keys in (VISIT, BREAK, STEP, VEHICLE):
        assert Fields({"id": 2**63 - 1}, "x", keys)["id"] == 2**63 - 1
        with pytest.raises(InstanceError, match=r"^x\.id: \d+, expected below 2\^63"):
            _ = Fields({"id": 2**63}, "x", keys)["id"]


@pytest.mark.parametrize(
    ("check", "value", "code", "message"),
    [
        (check_whole, -1, "TOO_SMALL", "x: -1, expected at least 0"),
        (check_whole, 1.0, "NOT_AN_INTEGER", "x: 1.0, expected an integer"),
        (check_whole, 2**53, "NUMBER_TOO_LARGE", f"x: {2**53}, expected below 2^53"),
        (check_amounts, [1] * 9, "SHAPE", "x: 9 load dimensions, expected 1 to 8"),
        (check_amounts, [1, 0.5], "NOT_AN_INTEGER", "x[1]: 0.5, expected an integer"),
        (check_time_windows, [], "SHAPE", "x: 0 windows, expected 1 to 100"),
        (
            check_time_windows,
            [[5, 9], [1, 5]],
            "WINDOWS_OVERLAP",
            "x[1]: opens at 5, the window before it closes at 5; expected order",
        ),
        (check_time_windows, [[0, 0.5]], "NOT_AN_INTEGER", "x[0][1]: 0.5, expected an integer"),
        (check_time_window, [1], "SHAPE", "x[0]: a list of 1, expected two times, [opens, closes]"),
        (check_speed_factor, 0, "OUT_OF_RANGE", "x: 0, expected above 0 and at most 5"),
        (check_speed_factor, 5.5, "OUT_OF_RANGE", "x: 5.5, expected at least 1e-50 and at most 5"),
        (
            check_speed_factor,
            5e-324,
            "OUT_OF_RANGE",
            "x: 5e-324, expected at least 1e-50 and at most 5",
        ),
        (
            check_profile_matrix,
            [[0, 1.5], [1, 0]],
            "NOT_AN_INTEGER",
            "x[0][1]: 1.5, expected a whole number below 2^53",
        ),
        (
            check_profile_matrix,
            [[0, -2], [1, 0]],
            "DISTANCE_NEGATIVE",
            "x[0][1]: -2 is negative, expected at least 0",
        ),
        (check_profile_matrix, [[0.5]], "NOT_AN_INTEGER", "x[0][0]: 0.5, expected an integer"),
        (
            check_profile_matrix,
            [[0, 1]],
            "SHAPE",
            "x[0]: 2 numbers, expected a square matrix, 1 x 1 (a row and a column for each "
            "location)",
        ),
    ],
)
def test_faults(check, value, code, message):
    with pytest.raises(InstanceError) as raised:
        check(value, "x")
    assert (raised.value.code, str(raised.value)) == (code, message)


def test_a_matrix_of_too_many_locations():
    with pytest.raises(InstanceError, match="10002 rows, the limit is 10001"):
        check_profile_matrix([[]] * 10_002, "x")
