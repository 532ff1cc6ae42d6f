import math

import numpy as np
import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json import keys
from vrpcore.formats.json.key_schema import Fields


@pytest.mark.parametrize(
    ("check", "value", "found"),
    [
        (keys.check_window, [0, 0], (0, 0)),
        (keys.check_window, (-5.5, 7), (-5.5, 7)),
        (keys.check_window, [None, 7], (-math.inf, 7)),
        (keys.check_window, [7, None], (7, math.inf)),
        (keys.check_shift, [None, 7], (0, 7)),
        (keys.check_shift, [-3, None], (-3, math.inf)),
        (keys.check_windows, [[0, 1], [2, 3]], ((0, 1), (2, 3))),
        (keys.check_amount, 3, 3),
        (keys.check_amount, [3, 0], (3, 0)),
        (keys.check_capacity, [0, 4], (0, 4)),
        (keys.check_capacity, 0.5, 0.5),
        (keys.check_not_negative, 0, 0),
        (keys.check_positive, 1e-9, 1e-9),
        (keys.check_depot_id, None, None),
        (keys.check_depot_id, 7, "7"),
        (keys.check_depot_id, "7", "7"),
    ],
)
def test_values_by_hand(check, value, found):
    assert check(value, "here") == found


WRONG = [
    (keys.check_window, 5, "5, expected a list of two times, [opens, closes]"),
    (keys.check_window, "09:00", "'09:00', expected a list of two times"),
    (keys.check_window, [5], "a list of 1, expected two times, [opens, closes]"),
    (keys.check_window, [1, 2, 3], "a list of 3, expected two times, [opens, closes]"),
    (keys.check_windows, [], "0 windows, expected 1 to 100"),
    (keys.check_windows, [[0, 1]] * 101, "101 windows, expected 1 to 100"),
    (keys.check_amount, -1, "-1 is negative, expected at least 0"),
    (keys.check_amount, [], "0 load dimensions, expected 1 to 8"),
    (keys.check_amount, [1] * 9, "9 load dimensions, expected 1 to 8"),
    (keys.check_amount, True, "true, expected a number"),
    (keys.check_capacity, 0, "0 is not a positive number"),
    (keys.check_capacity, float("inf"), "inf is not a finite number"),
    (keys.check_positive, 0, "0 is not a positive number"),
    (keys.check_not_negative, float("nan"), "nan is not a finite number"),
    (keys.check_depot, "north", "'north', expected [x, y], two numbers"),
    (keys.check_depot_id, 1.5, "1.5, expected an id (text or integer)"),
]


@pytest.mark.parametrize(("check", "value", "message"), WRONG)
def test_each_error_by_its_message(check, value, message):
    with pytest.raises(InstanceError) as caught:
        check(value, "here")
    assert str(caught.value).startswith(f"here: {message}")


def test_lists_of_ids():
    kind = keys.ids("ids of dogs", 2)
    assert kind.read(["a", 7], "here") == ("a", "7")
    assert kind.schema["maxItems"] == 2
    assert keys.ids("ids of dogs", 2, least=0).read([], "here") == ()
    for value, message in (
        ([], "here: 0 ids of dogs, expected 1 to 2"),
        (["a"] * 3, "here: 3 ids of dogs, expected 1 to 2"),
        ("a", "here: 'a', expected a list of ids of dogs"),
        (["a", 1.5], "here[1]: 1.5, expected an id"),
    ):
        with pytest.raises(InstanceError) as caught:
            kind.read(value, "here")
        assert str(caught.value).startswith(message)


def test_errors_deeper_in_a_value_name_their_place():
    for check, value, message in (
        (keys.check_window, [0, "x"], "here[1]: 'x', expected a number"),
        (keys.check_window, [2, 1], "here: opens at 2, after it closes at 1"),
        (keys.check_windows, [[0, 2], [2, 3]], "here[1]: opens at 2, the window before it closes"),
        (keys.check_windows, [[4, 5], [0, 1]], "here[1]: opens at 0, the window before it closes"),
        (keys.check_windows, [[0, 1], 3], "here[1]: 3, expected a list of two times"),
        (keys.check_amount, [0, -1], "here[1]: -1 is negative"),
        (keys.check_by_vehicle, {"van": 1, "\n": -1}, "here.'\\n': -1 is negative"),
        (keys.check_capacity, [3, -1], "here[1]: -1 is negative"),
    ):
        with pytest.raises(InstanceError) as caught:
            check(value, "here")
        assert str(caught.value).startswith(message)


def test_amounts_fit_up_to_the_capacity_itself():
    amounts = np.array([[1.0, 2.0], [3.0, 4.5]])
    keys.check_fits(amounts, (3.0, 4.5), str)
    with pytest.raises(InstanceError, match=r"^1: 4.5 exceeds capacity 4") as caught:
        keys.check_fits(amounts, (3.0, 4.0), str)
    assert caught.value.code == "DEMAND_EXCEEDS_CAPACITY"


def test_null_is_a_value_of_where_a_route_begins_and_ends_alone():
    nulls = {name for name, key in keys.VEHICLE.items() if key.null}
    assert nulls == {"start", "end"}
    others = (keys.DEPOT, keys.CUSTOMER, keys.SHIPMENT, keys.INSTANCE, keys.VISIT, keys.BREAK)
    assert not any(key.null for each in others for key in each.values())
    fields = Fields({"end": None, "count": None}, "v", keys.VEHICLE)
    assert ("end" in fields, fields["end"], "count" in fields) == (True, None, False)


def test_kinds_read_what_they_say():
    fields = Fields({"priority": 101}, "c", keys.CUSTOMER)
    with pytest.raises(InstanceError, match=r"c\.priority: 101, expected 0 to 100"):
        fields["priority"]
    fields = Fields({"backhauls": "first", "pickup_only_routes": 1}, "i", keys.INSTANCE)
    with pytest.raises(InstanceError, match=r"i\.backhauls: 'first', expected one of mixed, last"):
        fields["backhauls"]
    with pytest.raises(InstanceError, match=r"i\.pickup_only_routes: 1, expected true or false"):
        fields["pickup_only_routes"]
