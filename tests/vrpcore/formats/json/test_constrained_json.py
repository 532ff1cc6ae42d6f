import math

import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json.constrained_json import (
    check_names,
    has_constraints,
    read_customers,
    read_depots,
    read_shipments,
)
from vrpcore.formats.json.jsonparse import JsonObject
from vrpcore.formats.json.key_schema import Fields
from vrpcore.formats.json.keys import INSTANCE
from vrpcore.instance.vehicle_types import ALWAYS


def fields(**keys):
    return Fields(keys, "i", INSTANCE)


PLAIN = {"x": 1, "y": 2, "demand": 3}


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ({"capacity": 5, "customers": [PLAIN]}, False),
        ({"capacity": 5, "customers": [PLAIN | {"service": None}]}, False),
        ({"capacity": 5, "customers": [PLAIN | {"service": 0}]}, True),
        ({"capacity": 5, "customers": [PLAIN, PLAIN | {"prize": 0}, PLAIN]}, True),
        ({"capacity": 5, "customers": [PLAIN | {"demand": [3]}]}, True),
        ({"capacity": [5], "customers": [PLAIN]}, True),
        ({"capacity": 5, "depot": {"x": 1, "y": 2}}, True),
        ({"capacity": 5, "depot": [1, 2]}, False),
        ({"capacity": 5, "speed": None}, False),
        ({"capacity": 5, "return_to_depot": True}, True),
        ({"customers": 7}, False),
        ({"customers": [7]}, False),
        ({}, False),
    ],
)
def test_who_asks_for_more(keys, found):
    assert has_constraints(fields(**keys)) is found


@pytest.mark.parametrize("place", [0, 1, 2])
def test_any_customer_of_a_file_may_ask_for_more(place):
    rows = [JsonObject(PLAIN) for _ in range(3)]
    for row in rows:
        row.duplicate = None
    assert not has_constraints(fields(customers=rows))
    rows[place]["window"] = [0, 1]
    assert has_constraints(fields(customers=rows))


def test_depots():
    first, second = read_depots(fields(depots=[[1, 2], {"id": 7, "window": [3, 4]}]), "i")
    assert (first.depot.id, first.depot.window, first.point) == ("0", ALWAYS, (1, 2))
    assert (second.depot.id, second.depot.window, second.point) == ("7", (3, 4), None)
    (only,) = read_depots(fields(), "i")
    assert (only.depot.id, only.point) == ("0", None)


def test_customers():
    row = {"id": "a", "x": 1, "y": 2, "windows": [[0, 1], [2, 3]], "pickup": 4, "prize": 0}
    first, second = read_customers(fields(customers=[row, {"skills": ["cold"]}]), "i")
    assert (first.id, first.point, first.windows) == ("a", (1, 2), ((0, 1), (2, 3)))
    assert (first.delivery, first.pickup, first.numbers) == (None, 4, {"prize": 0})
    assert (second.id, second.windows, second.skills) == (2, (ALWAYS,), {"cold"})
    assert second.numbers == {}


def test_compact_customers():
    keys = {"coords": [[1, 2], [3, 4]], "demands": [5, [6]], "windows": [None, [7, 8]]}
    keys |= {"services": [1, None], "pickups": [None, 2], "prizes": [None, 3]}
    first, second = read_customers(fields(**keys), "i")
    assert (first.id, first.point, first.delivery, first.windows) == (1, (1, 2), 5, (ALWAYS,))
    assert (first.pickup, first.numbers) == (None, {"service": 1, "prize": math.inf})
    assert (second.delivery, second.windows) == ((6,), ((7, 8),))
    assert second.numbers == {"service": 0, "prize": 3}


def test_shipments():
    row = {"id": "s", "amount": 2, "pickup": {"window": [0, 1]}, "delivery": {"service": 3}}
    wanted = {"prize": 4, "priority": 5, "release": 6}
    found = read_shipments(fields(shipments=[row | wanted]), "i")
    assert [stop.id for stop in found] == ["s:pickup", "s:delivery"]
    assert found[0].numbers == wanted
    assert found[1].numbers == {"service": 3, "prize": 0, "priority": 0, "release": 6}
    assert [stop.amount for stop in found] == [2, 2]
    required = read_shipments(fields(shipments=[row]), "i")
    assert [stop.numbers for stop in required] == [{}, {"service": 3}]


def test_a_shipment_on_board_has_one_stop():
    row = {"id": "s", "amount": 2, "delivery": {"service": 3}, "on_board": 7}
    wanted = {"prize": 4, "priority": 5, "vehicles": ["7"], "vehicle_cost": {"7": 1}}
    (found,) = read_shipments(fields(shipments=[row | wanted]), "i")
    assert (found.id, found.on_board, found.amount) == ("s:delivery", "7", 2)
    assert found.numbers == {"service": 3, "prize": 4, "priority": 5}
    assert (found.vehicles, found.vehicle_cost) == (("7",), {"7": 1})
    assert (found.names_unit, found.unit, found.own_id) == (True, "s", "i.shipments[0].id")


def test_what_a_shipment_asks_of_vehicles_is_paid_at_its_pickup():
    row = {"id": "s", "pickup": {}, "delivery": {}, "vehicles": ["a"], "vehicle_cost": {"a": 1}}
    pickup, delivery = read_shipments(fields(shipments=[row]), "i")
    assert pickup.vehicles == delivery.vehicles == ("a",)
    assert (pickup.vehicle_cost, delivery.vehicle_cost) == ({"a": 1}, {})


def test_lateness():
    rows = [{"window": [0, 9], **more} for more in ({"late_cost": 2}, {"max_late": 3}, {})]
    found = read_customers(fields(customers=rows), "i")
    numbers = [stop.numbers for stop in found]
    assert numbers == [{"max_late": math.inf, "late_cost": 2}, {"max_late": 3}, {}]


def test_names():
    rows = [{"id": "1"}, {"id": 1}]
    with pytest.raises(InstanceError, match="duplicate id '1', also at i"):
        check_names(read_customers(fields(customers=rows), "i"))
