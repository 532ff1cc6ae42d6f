import pytest

from vrpcore.formats.json.constrained_json import read_customers, read_shipments
from vrpcore.formats.json.key_schema import Fields
from vrpcore.formats.json.keys import INSTANCE


def fields(**keys):
    return Fields(keys, "i", INSTANCE)


def test_places_of_amounts():
    (listed,) = read_customers(fields(customers=[{"demand": 1}]), "i")
    _, compact = read_customers(fields(demands=[1, 2]), "i")
    row = {"id": "s", "pickup": {}, "delivery": {}}
    pickup, delivery = read_shipments(fields(shipments=[row]), "i")
    assert listed.at("demand") == "i.customers[0].demand"
    assert compact.at("demand") == "i.demands[1]"
    assert pickup.at("amount") == delivery.at("amount") == "i.shipments[0].amount"


def test_amounts_with_their_places():
    (stop,) = read_customers(fields(customers=[{"demand": 1, "pickup": [2, 3]}]), "i")
    assert stop.amounts() == [(1, "i.customers[0].demand"), ((2, 3), "i.customers[0].pickup")]


@pytest.mark.parametrize(
    ("amounts", "found"),
    [({"demand": 1, "pickup": 2}, True), ({"demand": 1, "pickup": [0, 0]}, False), ({}, False)],
)
def test_who_gives_and_takes(amounts, found):
    (stop,) = read_customers(fields(customers=[amounts]), "i")
    assert stop.gives_and_takes() is found


def test_who_is_known_by_a_stop():
    rows = [
        {"id": "s", "pickup": {}, "delivery": {}},
        {"id": "t", "delivery": {}, "on_board": "van"},
    ]
    customer, *ends = read_customers(fields(customers=[{"id": 7}]), "i") + read_shipments(
        fields(shipments=rows), "i"
    )
    assert (customer.unit, customer.own_id) == ("7", "i.customers[0].id")
    assert [(each.unit, each.names_unit, each.is_paired) for each in (customer, *ends)] == [
        ("7", True, False),
        ("s", True, True),
        ("s", False, True),
        ("t", True, False),
    ]
    assert ends[2].own_id == ends[2].at("id") == "i.shipments[1].id"
