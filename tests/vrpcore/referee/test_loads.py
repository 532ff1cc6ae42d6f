"""Trips and loads by hand, rules on stops, and goods of a plan that goes on."""

import pytest

from tests.build import on_a_line
from tests.vrpcore.referee.days import changed, cost, day, problems, report
from vrpcore.cost.no_road import Legs
from vrpcore.instance.plan import Goods, Reload, Route, Started
from vrpcore.instance.service_unit import units_of
from vrpcore.instance.solution import RouteReload, Unserved
from vrpcore.referee.loads import (
    Carried,
    added_up,
    boards_of,
    most_on_board,
    served_load,
    trips_of,
)
from vrpcore.referee.reasons import Reasons

KEYS = {
    "customers": on_a_line(
        1, 2, 3, demand=[[3, 0], [1, 0], [2, 5]], pickup=[[0, 1], [4, 0], [0, 0]]
    ),
    "vehicles": [{"id": "van", "capacity": [9, 9]}],
}
ROUTE = Route(0, (1, 2, 3), (Reload(0, 2),))


def test_trips_and_what_is_on_board_in_each():
    assert trips_of(ROUTE) == [(1, 2), (3,)]
    assert trips_of(Route(0, (1, 2))) == [(1, 2)]
    instance = day(KEYS, vehicles=[{"initial_load": (2.0, 0.0)}])
    boards = boards_of(instance, ROUTE)
    assert boards == [[[6, 0], [3, 1], [6, 1]], [[2, 5], [0, 5 - 5]]]
    assert most_on_board(boards) == [(6.0, "at the start"), (5.0, "after reloads[0]")]
    assert added_up(instance, ROUTE, None, 0) == 2 + 6 + 4
    assert served_load(instance, (1, 2, 3)) == 10.0


def test_who_is_on_board_from_the_start_is_so_even_if_it_is_left_out():
    instance = day(
        KEYS,
        on_board=[-1, -1, 0],
        shipment=[[0.0, 0.0], [0.0, 0.0], [-2.0, -5.0]],
        delivery=[[3.0, 0.0], [1.0, 0.0], [0.0, 0.0]],
    )
    assert boards_of(instance, Route(0, (3, 1))) == [[[5, 5], [3, 0], [0, 1]]]
    assert boards_of(instance, Route(0, (1,))) == [[[5, 5], [2, 6]]]
    assert served_load(instance, (3,)) == 2.0
    ends = {"pickup": {"x": 1, "y": 0}, "delivery": {"x": 2, "y": 0}}
    carried = day({**KEYS, "customers": [], "shipments": [{"id": "s", "amount": [3, 1], **ends}]})
    assert served_load(carried, (1, 2)) == 3.0


FULL = {
    "customers": on_a_line(1, 2, 3, demand=[[3, 0], [1, 0], [2, 5]]),
    "vehicles": [{"id": "van", "capacity": [5, 4]}],
}


def test_overloads_in_each_trip():
    assert problems(day(FULL), report(1, 2, 3)) == [
        "routes[0]: a load of 6.0 in dimension 0 at the start exceeds capacity 5.0",
        "routes[0]: a load of 5.0 in dimension 1 at the start exceeds capacity 4.0",
    ]


@pytest.mark.parametrize(
    ("load", "wrong"),
    [
        ((4.0, 5.0), []),
        ((6.0, 5.0), ["routes[0].load[0]: 6.0, expected 4.0"]),
        ((6.0,), ["routes[0].load: a list of 1, expected 2"]),
        (4.0, ["routes[0].load: 4.0, expected a list of 2"]),
        (float("nan"), []),
    ],
)
def test_the_stated_load_is_the_most_in_any_trip(load, wrong):
    trips = report(1, 2, 3, load=load, reloads=(RouteReload(depot="d", after=2),))
    over = "routes[0]: a load of 5.0 in dimension 1 after reloads[0] exceeds capacity 4.0"
    assert problems(day(FULL, vehicles=[{"reloads": (0,)}]), trips) == [over, *wrong]


def test_pickups_alone_and_backhauls():
    keys = {
        **FULL,
        "customers": on_a_line(1, 2, 3, pickup=[1, 0, 1], demand=[0, 1, 0]),
        "vehicles": [{"id": "van", "max_customers": 2}],
        "backhauls": "last",
        "pickup_only_routes": False,
    }
    instance = day(keys, vehicles=[{"reloads": (0,)}])
    assert problems(instance, report(1, 2, 3, reloads=())) == [
        "routes[0].customers[1]: a delivery after a pickup",
        "routes[0]: 3 stops, max_customers is 2",
    ]
    # A trip of pickups only is allowed where another trip delivers.
    left = {"status": "partial", "unserved": (Unserved(1, "FLEET"),)}
    trips = report(2, 3, reloads=(RouteReload(depot="d", after=1),))
    assert problems(instance, trips, **left) == []
    left = {"status": "partial", "unserved": (Unserved(2, "FLEET"),)}
    assert problems(instance, report(1, 3, reloads=()), **left) == [
        "routes[0]: only pickups, which pickup_only_routes does not allow"
    ]


FROZEN = {
    "customers": on_a_line(3, 7, 9, demand=[2, 2, 2]),
    "vehicles": [{"id": "van", "count": 2, "reloads": ["d"]}],
}
DAY = day(FROZEN)
LOADED = tuple(Goods(stop, (2.0,)) for stop in (1, 2))
VAN = report(
    1, 2, departure=0.0, arrivals=(3.0, 7.0), begins=(3.0, 7.0), return_=14.0, reloads=(),
    frozen=1, loaded=LOADED, amounts=(2, 2), load=4.0,
)  # fmt: skip
OTHER = report(
    3, departure=5.0, arrivals=(14.0,), begins=(14.0,), return_=23.0, reloads=(), frozen=0,
    amounts=(2,), load=2.0,
)  # fmt: skip


def test_right_goods():
    assert cost(DAY, VAN, OTHER, freeze=5.0) == 32.0
    # What was loaded for who is gone, or asks for less, stays on board.
    more = changed(
        VAN, loaded=(*LOADED[:1], Goods(2, (3.0,)), Goods("gone", (9.0,))), amounts=(2, 3)
    )
    assert cost(DAY, changed(more, load=14.0), OTHER, freeze=5.0) == 32.0


@pytest.mark.parametrize(
    ("routes", "problem"),
    [
        (
            [changed(VAN, loaded=LOADED[:1])],
            "customers[1]: it is delivered what was not loaded before",
        ),
        (
            [changed(VAN, loaded=(LOADED[0], Goods(2, (1.0,))))],
            "customers[1]: it is delivered what was",
        ),
        ([changed(VAN, loaded=None)], "customers[1]: it is delivered what was not loaded before 5"),
        (
            [changed(VAN, loaded=(Goods(1, (2.0, 1.0)),))],
            "loaded: expected amounts in as many load dimensions as",
        ),
        ([changed(VAN, amounts=(2, 1))], "amounts[1]: 1, expected 2.0"),
        ([changed(VAN, amounts=(2,))], "amounts: 1, expected one for each of 2 stops"),
        ([changed(VAN, frozen=2)], "frozen: 2, expected 1: the others begin later"),
        ([changed(VAN, is_lost=True)], "customers[1]: its vehicle was lost before it"),
        ([changed(OTHER, loaded=())], "loaded: not expected: no freeze is stated, or it leaves"),
        ([changed(OTHER, is_lost=True)], "lost: not expected: no freeze is stated, or it leaves"),
        ([changed(VAN, load=3.0)], "load: 3.0, expected 4.0"),
    ],
)
def test_each_wrong_statement_by_its_message(routes, problem):
    found = problems(DAY, *routes, freeze=5.0, status="partial")
    assert [text for text in found if text.startswith(f"routes[0].{problem}")], found


def test_what_is_on_board_is_delivered_by_nobody_else():
    loaded = changed(VAN, loaded=(*LOADED, Goods(3, (2.0,))))
    said = "routes[1].customers[0]: it is on board in the trip of routes[0]"
    assert said in problems(DAY, loaded, OTHER, freeze=5.0)
    one = report(
        1, departure=0.0, arrivals=(3.0,), begins=(3.0,), return_=6.0, reloads=(), frozen=1,
        loaded=(*LOADED, Goods(3, (2.0,))), amounts=(2,), load=4.0, is_lost=True,
    )  # fmt: skip
    assert problems(DAY, one, OTHER, freeze=5.0, status="partial") == [
        "routes[0].load: 4.0, expected 6.0", "unserved: 2 is not served and not reported"
    ]  # fmt: skip
    # Not even by the same vehicle in a later trip.
    call = RouteReload(depot="d", after=1, arrival=6.0, begin=6.0, return_load=2.0)
    later = changed(VAN, begins=(3.0, 13.0), arrivals=(3.0, 13.0), reloads=(call,), return_=20.0)
    said = "routes[0].customers[1]: it is on board in the trip of routes[0]"
    assert said in problems(DAY, later, OTHER, freeze=5.0)


def test_a_freeze_and_a_lost_type_are_stated():
    assert problems(DAY, changed(VAN, loaded=None), OTHER, freeze=None) == [
        "freeze: missing, though routes state how much of them is frozen"
    ]
    lost = day(FROZEN, vehicles=[{"is_lost": True}])
    said = "routes[0].lost: missing, expected true: its vehicle is lost"
    assert said in problems(lost, VAN, OTHER, freeze=5.0)


def test_goods_that_are_alike():
    alike = {"freeze": 5.0, "goods": "any"}
    anybody = changed(VAN, loaded=(Goods("gone", (4.0,)),))
    assert cost(DAY, anybody, OTHER, **alike) == 32.0
    few = changed(VAN, loaded=(Goods("gone", (3.0,)),))
    said = "routes[0].customers[1]: it is delivered what was not loaded before 5"
    assert said in problems(DAY, changed(few, load=3.0), OTHER, **alike)
    full = day(FROZEN, vehicles=[{"initial_load": (1.0,)}])
    other = changed(OTHER, load=3.0)
    assert cost(full, few, other, **alike) == 32.0


@pytest.mark.parametrize(
    ("vehicles", "started", "held"),
    [
        ({}, 2, "by itself it could be served"),  # it may reload
        ({"reloads": None}, 1, "by itself it could be served"),  # one is left
        ({"reloads": None, "count": None}, 2, "by itself it could be served"),
        ({"reloads": None}, 2, "no vehicle that could serve it can still be loaded in time"),
        ({"max_reloads": 0}, 2, "no vehicle that could serve it can still be loaded in time"),
    ],
)
def test_who_can_still_be_loaded(vehicles, started, held):
    instance = day(FROZEN, vehicles=[vehicles])
    _, other, third = units_of(instance)
    begun = Route(0, (1,)), Started(5.0, 0.0, loaded=LOADED)

    def why(unit, instance=instance, freeze=5.0):
        goods = Carried(instance, freeze, dict.fromkeys(range(started), begun))
        return Reasons(instance, Legs(instance), goods).why(unit).detail

    assert why(third) == held
    assert why(third, freeze=None) == "by itself it could be served"
    on_board = "it is on board 'van', which does not get there"
    assert why(other).startswith(f"{on_board}; if that has broken")
    early = day({**FROZEN, "customers": on_a_line(3, 7, 9, demand=[2] * 3, window=[[0, 13]] * 3)})
    assert why(third, early) == "no vehicle that could serve it can still be loaded in time"


def test_the_reason_of_who_is_left_out():
    instance = day(FROZEN, vehicles=[{"count": 1, "reloads": None}])
    van = changed(VAN, reloads=None)
    left = {"freeze": 5.0, "status": "partial"}
    right = problems(instance, van, unserved=(Unserved(3, "LOADED"),), **left)
    assert right == []
    wrong = problems(instance, van, unserved=(Unserved(3, "FLEET"),), **left)
    assert wrong == ["unserved[0].reason: FLEET, expected LOADED"]
