"""Stops in the order of an instance: by their places, their names and what they ask for."""

import math

import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json.documents import InstanceDocument
from vrpcore.formats.json.explain import read_as
from vrpcore.formats.json.stop_rows import check_visit, gives_and_takes, read_stops
from vrpcore.instance.vehicle_types import ALWAYS

ROWS = {
    "customers": [{"id": 7, "demand": 1.0, "pickup": 0.0}, {"demand": 2.0, "pickup": 3.0}],
    "shipments": [
        {"id": "s", "amount": 4.0, "pickup": {"window": [0, 1]}, "delivery": {}},
        {"id": "t", "on_board": "van", "delivery": {"windows": [[0, 1], [2, None]]}},
    ],
}


def stops(**keys):
    return read_stops(read_as(InstanceDocument, keys, "i"), "i")


def test_stops_on_board_come_before_pairs():
    found = stops(**ROWS)
    assert found.ids == (7, 2, "t:delivery", "s:pickup", "s:delivery")
    assert (len(found), found.num_customers, found.num_pairs) == (5, 2, 1)
    assert found.order == [0, 1, 4, 2, 3]  # positions in the document
    assert [found.unit(row) for row in range(5)] == ["7", "2", "t", "s", "s"]
    assert [found.names_unit(row) for row in range(5)] == [True] * 4 + [False]
    assert stops(customers=[{}], shipments=ROWS["shipments"][:1]).order is None


def test_places():
    found = stops(**ROWS)
    assert found.where(0) == "i.customers[0]"
    assert found.where(2) == "i.shipments[1].delivery"
    assert found.at(3, "amount") == found.at(4, "amount") == "i.shipments[0].amount"
    assert stops(demands=[1, 2]).at(1, "demand") == "i.demands[1]"
    amounts = [*found.amounts()]
    assert amounts[:2] == [(1, "i.customers[0].demand"), (0, "i.customers[0].pickup")]
    assert amounts[4:] == [(4, "i.shipments[0].amount")] * 2
    assert [gives_and_takes(unit) for unit in found.units[:3]] == [False, True, False]


def test_compact_arrays_are_customers():
    keys = {"coords": [[1, 2], [3, 4]], "demands": [5, [6]], "windows": [None, [7, 8]]}
    first, second = stops(**keys, services=[1, None], prizes=[None, 3]).units
    assert (first.x, first.y, first.demand, first.window, first.service) == (1, 2, 5, None, 1)
    assert (second.demand, second.window, second.service, second.prize) == ([6], (7, 8), None, 3)


@pytest.mark.parametrize(
    ("keys", "windows"),
    [
        ({}, (ALWAYS,)),
        ({"window": [None, 7]}, ((-math.inf, 7),)),
        ({"windows": [[0, 1], [2, None]]}, ((0, 1), (2, math.inf))),
    ],
)
def test_windows(keys, windows):
    (visit,) = stops(customers=[keys]).visits
    assert check_visit(visit, "i") == windows


def test_names_are_compared_as_texts():
    with pytest.raises(InstanceError, match=r"^i\.customers\[1\]\.id: duplicate id '1', also at i"):
        stops(customers=[{"id": "1"}, {"id": 1}])
    assert stops(customers=[{"id": "a:pickup"}]).ids == ("a:pickup",)  # nothing is shipped
