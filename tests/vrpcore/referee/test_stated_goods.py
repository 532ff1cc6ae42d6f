"""What vehicles have on board when a plan is frozen, and who delivers it."""

import dataclasses

import pytest

from tests.build import on_a_line
from tests.vrpcore.referee.days import cost, day, problems, report
from vrpcore.instance.plan import Begun, Goods, Route
from vrpcore.instance.solution import RouteReload, Unserved
from vrpcore.referee.stated_goods import Carried, begun_of

KEYS = {
    "depots": [{"id": "d", "x": 0, "y": 0}],
    "customers": on_a_line(3, 7, 9, demand=[2, 2, 2]),
    "vehicles": [{"id": "van", "count": 2, "reloads": ["d"]}],
}
DAY = day(KEYS)
LOADED = tuple(Goods(stop, (2.0,)) for stop in (1, 2))
VAN = report(
    1, 2, departure=0.0, arrivals=(3.0, 7.0), begins=(3.0, 7.0), return_=14.0, reloads=(),
    frozen=1, loaded=LOADED, amounts=(2, 2), load=4.0,
)  # fmt: skip
OTHER = report(
    3, departure=5.0, arrivals=(14.0,), begins=(14.0,), return_=23.0, reloads=(), frozen=0,
    amounts=(2,), load=2.0,
)  # fmt: skip


def changed(route=VAN, **stated):
    return dataclasses.replace(route, schedule=dataclasses.replace(route.schedule, **stated))


def test_right_goods():
    assert cost(DAY, VAN, OTHER, freeze=5.0) == 32.0
    # What was loaded for who is gone, or asks for less, stays on board.
    more = changed(loaded=(*LOADED[:1], Goods(2, (3.0,)), Goods("gone", (9.0,))), amounts=(2, 3))
    assert cost(DAY, dataclasses.replace(more, load=14.0), OTHER, freeze=5.0) == 32.0


@pytest.mark.parametrize(
    ("routes", "problem"),
    [
        ([changed(loaded=LOADED[:1])], "customers[1]: it is delivered what was not loaded before"),
        ([changed(loaded=(LOADED[0], Goods(2, (1.0,))))], "customers[1]: it is delivered what was"),
        ([changed(loaded=None)], "customers[1]: it is delivered what was not loaded before 5"),
        (
            [changed(loaded=(Goods(1, (2.0, 1.0)),))],
            "loaded: expected amounts in as many load dimensions as",
        ),
        ([changed(amounts=(2, 1))], "amounts[1]: 1, expected 2.0"),
        ([changed(amounts=(2,))], "amounts: 1, expected one for each of 2 stops"),
        ([changed(frozen=2)], "frozen: 2, expected 1: the others begin later"),
        ([changed(is_lost=True)], "customers[1]: its vehicle was lost before it"),
        ([changed(OTHER, loaded=())], "loaded: not expected: no freeze is stated, or it leaves"),
        ([changed(OTHER, is_lost=True)], "lost: not expected: no freeze is stated, or it leaves"),
        ([dataclasses.replace(VAN, load=3.0)], "load: 3.0, expected 4.0"),
    ],
)
def test_each_wrong_statement_by_its_message(routes, problem):
    found = problems(DAY, *routes, freeze=5.0, status="partial")
    assert [text for text in found if text.startswith(f"routes[0].{problem}")], found


def test_what_is_on_board_is_delivered_by_nobody_else():
    loaded = changed(loaded=(*LOADED, Goods(3, (2.0,))))
    said = "routes[1].customers[0]: it is on board in the trip of routes[0]"
    assert said in problems(DAY, loaded, OTHER, freeze=5.0)
    one = dataclasses.replace(loaded, customers=(1,))
    one = changed(one, is_lost=True, begins=(3.0,), arrivals=(3.0,), return_=6.0, amounts=(2,))
    assert problems(DAY, one, OTHER, freeze=5.0, status="partial") == [
        "routes[0].load: 4.0, expected 6.0", "unserved: 2 is not served and not reported"
    ]  # fmt: skip
    # Not even by the same vehicle in a later trip.
    call = RouteReload(depot="d", after=1, arrival=6.0, begin=6.0, return_load=2.0)
    later = changed(begins=(3.0, 13.0), arrivals=(3.0, 13.0), reloads=(call,), return_=20.0)
    said = "routes[0].customers[1]: it is on board in the trip of routes[0]"
    assert said in problems(DAY, later, OTHER, freeze=5.0)


def test_a_freeze_and_a_lost_type_are_stated():
    assert problems(DAY, changed(loaded=None), OTHER) == [
        "freeze: missing, though routes state how much of them is frozen"
    ]
    lost = day(KEYS, vehicles=[{"is_lost": True}])
    said = "routes[0].lost: missing, expected true: its vehicle is lost"
    assert said in problems(lost, VAN, OTHER, freeze=5.0)


def test_goods_that_are_alike():
    alike = {"freeze": 5.0, "goods": "any"}
    anybody = changed(loaded=(Goods("gone", (4.0,)),))
    assert cost(DAY, anybody, OTHER, **alike) == 32.0
    few = changed(loaded=(Goods("gone", (3.0,)),))
    said = "routes[0].customers[1]: it is delivered what was not loaded before 5"
    assert said in problems(DAY, dataclasses.replace(few, load=3.0), OTHER, **alike)
    full = day(KEYS, vehicles=[{"initial_load": (1.0,)}])
    other = dataclasses.replace(OTHER, load=3.0)
    assert cost(full, few, other, **alike) == 32.0


def test_what_had_begun_by_stated_times():
    assert begun_of(VAN.schedule, None, 0.0, 1) is None
    assert begun_of(OTHER.schedule, 5.0, 0.0, 1) is None
    found = begun_of(VAN.schedule, 5.0, 0.0, 1)
    assert found == Begun(5.0, 0.0, stops=1, loaded=LOADED)


@pytest.mark.parametrize(
    ("vehicles", "begun", "held"),
    [
        ({}, 2, None),  # may reload
        ({"reloads": None}, 1, None),  # one is left
        ({"reloads": None, "count": None}, 2, None),
        ({"reloads": None}, 2, "no vehicle that could serve it can still be loaded in time"),
        ({"max_reloads": 0}, 2, "no vehicle that could serve it can still be loaded in time"),
    ],
)
def test_who_can_still_be_loaded(vehicles, begun, held):
    instance = day(KEYS, vehicles=[vehicles])
    route = Route(0, (1,), begun=Begun(5.0, 0.0, loaded=LOADED))
    goods = Carried(instance, 5.0, dict.fromkeys(range(begun), route))
    assert goods.holds_back([3], [0], [True], [True]) == held
    on_board = "it is on board 'van', which does not get there"
    assert goods.holds_back([2], [0], [True], [True]).startswith(f"{on_board}; if that has broken")
    late = goods.holds_back([3], [0], [True], [False])
    assert late == "no vehicle that could serve it can still be loaded in time"
    assert Carried(instance, None, {}).holds_back([3], [0], [True], [True]) is None


def test_the_reason_of_who_is_left_out():
    instance = day(KEYS, vehicles=[{"count": 1, "reloads": None}])
    van = changed(reloads=None)
    left = {"freeze": 5.0, "status": "partial"}
    right = problems(instance, van, unserved=(Unserved(3, "LOADED"),), **left)
    assert right == []
    wrong = problems(instance, van, unserved=(Unserved(3, "FLEET"),), **left)
    assert wrong == ["unserved[0].reason: FLEET, expected LOADED"]
