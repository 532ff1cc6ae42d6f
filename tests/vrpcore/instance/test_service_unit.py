from tests.build import constrained, on_a_line, plain
from vrpcore.instance.service_unit import kind_of_stop, stop_groups, stops_by_name, units_of

SHIPMENT = {"id": 7, "amount": 1, "pickup": {"x": 1, "y": 0}, "delivery": {"x": 2, "y": 0}}
ON_BOARD = {"id": "b", "amount": 1, "on_board": "0", "delivery": {"x": 2, "y": 0}}
ONE = {"count": 1}
GROUP = {"id": "g", "members": [1, 7], "prize": 4}


def test_a_shipment_is_one():
    instance = constrained(customers=on_a_line(3), shipments=[SHIPMENT], vehicles=[{}])
    assert list(stop_groups(instance)) == [(1, (1,)), ("7", (2, 3))]
    kinds = ["customer", "pickup", "delivery"]
    assert [kind_of_stop(instance, stop) for stop in (1, 2, 3)] == kinds


def test_what_is_on_board_is_its_delivery():
    instance = constrained(customers=on_a_line(3), shipments=[ON_BOARD], vehicles=[ONE])
    assert list(stop_groups(instance)) == [(1, (1,)), ("b", (2,))]
    assert [kind_of_stop(instance, stop) for stop in (1, 2)] == ["customer", "delivery"]


def test_a_group_is_behind_who_is_in_none():
    instance = constrained(
        customers=on_a_line(3, 4), shipments=[SHIPMENT], vehicles=[{}], groups=[GROUP]
    )
    other, group = units_of(instance)
    assert (other.id, other.stops) == (2, [2])
    assert (group.id, group.members, group.prize) == ("g", ((1, (1,)), ("7", (3, 4))), 4.0)
    assert group.stops == [1, 3, 4]


def test_stops_are_found_by_all_names():
    assert kind_of_stop(plain([[0, 0], [3, 4]]), 1) == "customer"
    assert stops_by_name(plain([[0, 0], [3, 4], [5, 6]])) == {"1": [1], "2": [2]}
    instance = constrained(
        customers=on_a_line(3), shipments=[SHIPMENT, ON_BOARD], vehicles=[ONE], groups=[GROUP]
    )
    found = stops_by_name(instance)
    names = [[str(instance.ids[stop - 1]) for stop in found[name]] for name in ("1", "7", "b", "g")]
    assert names == [["1"], ["7:pickup", "7:delivery"], ["b:delivery"],
                     ["1", "7:pickup", "7:delivery"]]  # fmt: skip
    assert len(found["7:delivery"]) == 1
