import dataclasses
import json
import random

import pytest

from tests.vrpcore.driven_days import LONG, changed, morning, undrivable
from tests.vrpcore.formats.answers.written import answer_of
from vrpcore.api import Solver, read_instances
from vrpcore.formats.answers.solution_json import solution_to_line
from vrpcore.instance.plan import Goods
from vrpcore.referee.referee import check_solution

STOPS = {"a": (10, 3), "b": (20, 3), "c": (-10, 3), "e": (-20, 3)}
RELOADS = {"reloads": ["d"]}


def hand_day(*new, without=(), vans=({}, {}), keys=None, **changed):
    """Four stops on a line for `v1` (a, b) and `v2` (c, e), 6 of 10 on board, and new ones."""
    known = {name: own for name, own in STOPS.items() if name not in without}
    stops = [
        {"id": name, "x": x, "y": 0, "demand": changed.get(name, own)}
        for name, (x, own) in known.items()
    ]
    vehicles = [
        {"id": f"v{row}", "count": 1, "capacity": 10, **own}
        for row, own in enumerate(vans, start=1)
    ]
    more = {"vehicles": vehicles, "customers": [*stops, *new], **(keys or {})}
    (found,) = read_instances({"depots": [{"id": "d", "x": 0, "y": 0}], **more})
    return found


def hand_plan(**stated):
    """That plan, with what it was loaded with."""
    routes = [
        {
            "customers": names, "load": 6, "cost": 40, "vehicle": van, "start": "d", "end": "d",
            "departure": 0, "amounts": [3, 3], **stated,
        }
        for van, names in (("v1", ["a", "b"]), ("v2", ["c", "e"]))
    ]  # fmt: skip
    return answer_of({"name": "day", "status": "solved", "cost": 80, "routes": routes,
                           "gap": None, "warnings": []}, "plan")  # fmt: skip


def went_on(instance, plan=None, freeze=5.0, **options):
    (found,) = Solver().solve(
        [instance], warm_starts=[plan or hand_plan()], freeze=freeze, **options
    )
    assert found.fault is None
    return found


def routes_of(answer):
    return {route.schedule.vehicle: route.customers for route in answer.routes}


NEW = {"id": "n", "x": 15, "y": 0, "demand": 1}


def test_a_new_order_is_not_delivered_by_those_who_have_loaded():
    answer = went_on(hand_day(NEW))
    assert routes_of(answer) == {"v1": ("a", "b"), "v2": ("c", "e")}
    (left,) = answer.unserved
    assert (left.id, left.reason) == ("n", "LOADED")
    assert left.detail == "no vehicle that could serve it can still be loaded in time"
    # By the next trip, and by a vehicle that leaves at the time of the freeze, at the earliest.
    answer = went_on(hand_day(NEW, vans=(RELOADS, {})))
    assert routes_of(answer)["v1"] == ("a", "b", "n")
    assert answer.routes[0].schedule.reloads[0].after == 2
    answer = went_on(hand_day(NEW, vans=({}, {}, {})))
    assert routes_of(answer)["v3"] == ("n",)
    assert answer.routes[2].schedule.departure == 5.0


def test_what_is_not_loaded_moves_as_before():
    pickup, visit = {**NEW, "demand": 0, "pickup": 2}, {**NEW, "demand": 0}
    for each in (pickup, visit):
        assert routes_of(went_on(hand_day(each)))["v1"] == ("a", "n", "b")


def test_what_is_on_board_is_delivered_in_any_order_by_its_vehicle():
    # v2 is nearer to b, and a is next.
    answer = went_on(hand_day(b=2), hand_plan(departure=0), freeze=1.0)
    assert routes_of(answer)["v1"] == ("a", "b")
    late = hand_day(vans=({"window": [0, 39]}, {}))
    answer = went_on(late)
    assert [(each.id, each.reason) for each in answer.unserved] == [("b", "LOADED")]
    advice = "if that has broken down, name it as lost"
    detail = f"it is on board 'v1', which does not get there; {advice}"
    assert answer.unserved[0].detail == detail


def test_goods_of_changed_and_cancelled_orders_stay_on_board():
    (one, _) = went_on(hand_day(b=2)).routes
    assert (one.load, one.schedule.amounts) == (6, (3, 3))
    assert one.schedule.loaded == (Goods("a", (3,)), Goods("b", (3,)))
    more = went_on(hand_day(b=4, vans=({}, {}, {})))
    assert routes_of(more) == {"v1": ("a",), "v2": ("c", "e"), "v3": ("b",)}
    gone = went_on(hand_day({**NEW, "demand": 0, "pickup": 8}, without=["b"], vans=(RELOADS, {})))
    assert [each.reason for each in gone.unserved] == []
    (call,) = gone.routes[0].schedule.reloads  # 8 and 3 are more than 10
    assert (gone.routes[0].customers, call.return_load) == (("a", "n"), 3)
    # The next freeze knows of it, too.
    again = went_on(hand_day({**NEW, "demand": 0, "pickup": 8}, without=["b"]), gone, freeze=8.0)
    assert routes_of(again) == {"v1": ("a",), "v2": ("c", "e", "n")}
    assert again.routes[0].schedule.loaded == (Goods("a", (3,)), Goods("b", (3,)))


@pytest.mark.parametrize(
    ("freeze", "van", "options", "departures"),
    [
        (30.0, {}, {}, {}),  # it is on its way to its end
        (15.0, {}, {}, {}),
        (5.0, {}, {}, {"v1": 5}),  # it was at the depot
        (30.0, RELOADS, {}, {}),
        (30.0, RELOADS, {"keep_cost": 2.0}, {}),
        (50.0, RELOADS, {}, {"v1": 50}),
        (30.0, RELOADS, {"lost": "route:1"}, {}),
        (5.0, {}, {"lost": "1"}, {}),
    ],
)
def test_a_vehicle_whose_stops_are_all_gone_is_still_away(freeze, van, options, departures):
    plan = hand_plan(begins=[10, 20], **{"return": 40})
    answer = went_on(hand_day(NEW, without=["a", "b"], vans=(van, {})), plan, freeze, **options)
    found = {each.schedule.vehicle: each.schedule.departure for each in answer.routes}
    assert found == {"v2": 0} | departures


@pytest.mark.parametrize(("freeze", "stops"), [(30.0, ("a",)), (40.0, ("a", "n"))])
def test_a_vehicle_whose_last_stop_is_gone_reloads_when_it_is_back_from_there(freeze, stops):
    plan = hand_plan(begins=[10, 20], **{"return": 40})
    answer = went_on(hand_day(NEW, without=["b"], vans=(RELOADS, {})), plan, freeze)
    assert routes_of(answer)["v1"] == stops


@pytest.mark.parametrize("lost", ["v1", "route:1", " route:1 ,v1"])
def test_what_a_lost_vehicle_has_not_delivered_is_loaded_anew(lost):
    day = hand_day(vans=({}, {}, {}))
    answer = went_on(day, freeze=12.0, lost=lost)
    assert routes_of(answer) == {"v1": ("a",), "v2": ("c", "e"), "v3": ("b",)}
    assert [route.schedule.is_lost for route in answer.routes] == [True, False, False]
    assert answer.routes[2].schedule.departure == 12.0
    assert routes_of(went_on(day, answer, freeze=13.0))["v3"] == ("b",)  # it stays lost
    before = went_on(hand_day(vans=({"lost": True}, {}, {})), freeze=3.0)
    assert routes_of(before) == {"v2": ("c", "e"), "v3": ("a", "b")}
    idle = went_on(hand_day(NEW, vans=({}, {}, {"lost": True})))
    assert [each.id for each in idle.unserved] == ["n"]


def test_a_shipment_on_a_lost_vehicle_is_picked_up_again():
    shipment = {"id": "s", "pickup": {"x": 5, "y": 0}, "delivery": {"x": 30, "y": 0}}
    day = hand_day(without="abce", vans=({}, {}), keys={"shipments": [shipment]})
    (plan,) = Solver().solve([day])
    (route,) = went_on(day, plan, freeze=20.0, lost=plan.routes[0].schedule.vehicle).routes
    assert route.customers == ("s:pickup", "s:delivery")
    assert (route.schedule.departure, route.schedule.is_lost) == (20.0, False)


@pytest.mark.parametrize(
    ("vans", "said"),
    [
        (["v1"], "only lost vehicles could serve it: 'v1'"),
        (["v1", "v2"], "by itself it could be served"),
    ],
)
def test_it_is_said_whom_only_a_lost_vehicle_could_serve(vans, said):
    new = {"id": "n", "x": 15, "y": 0, "pickup": 1, "window": [15, 15], "vehicles": vans}
    (unserved,) = went_on(hand_day(new, without=["a", "b"]), lost="v1").unserved
    assert (unserved.reason, unserved.detail) == ("FLEET", said)


def test_amounts_that_a_plan_states_for_ends_of_shipments_do_not_count():
    shipment = {"id": "s", "pickup": {"x": 5, "y": 0}, "delivery": {"x": 30, "y": 0}}
    day = hand_day(without="bce", keys={"shipments": [shipment]})
    plan = hand_plan(customers=["a", "s:delivery", "s:pickup"], amounts=[3, 3, 0])
    answer = went_on(day, dataclasses.replace(plan, routes=plan.routes[:1]), freeze=70.0)
    assert routes_of(answer) == {"v1": ("a",), "v2": ("s:pickup", "s:delivery")}


def test_goods_that_are_alike_are_delivered_to_anybody():
    any_goods = {"keys": {"goods": "any"}}
    two = {**NEW, "demand": 2}
    answer = went_on(hand_day(two, without=["b"], **any_goods))
    assert (answer.goods, routes_of(answer)["v1"]) == ("any", ("a", "n"))
    four = went_on(hand_day({**NEW, "demand": 4}, without=["b"]), goods="any")
    assert [(each.id, each.reason) for each in four.unserved] == [("n", "FLEET")]
    seven = went_on(hand_day({**NEW, "demand": 7}, **any_goods))
    assert [(each.id, each.reason) for each in seven.unserved] == [("n", "LOADED")]
    first = hand_day(two, vans=({"initial_load": 2}, {}), **any_goods)
    assert routes_of(went_on(first))["v1"] == ("a", "n", "b")
    # 5 are collected while 6 are on board, 3 of them no more.
    full = hand_day({**NEW, "demand": 1, "pickup": 5}, without=["b"], **any_goods)
    assert [each.id for each in went_on(full).unserved] == ["n"]


def test_who_has_delivered_more_than_it_had_may_still_collect():
    """The order that it has served asks for more by now, of goods that are alike."""
    new = {"id": "n", "x": 15, "y": 0, "pickup": 1}
    day = hand_day(new, a=8, without="bce", keys={"goods": "any"})
    plan = hand_plan(customers=["a", "n"], amounts=[3, 0])
    answer = went_on(day, dataclasses.replace(plan, routes=plan.routes[:1]), freeze=12.0)
    assert routes_of(answer) == {"v1": ("a", "n")}


def test_an_earlier_trip_that_is_gone_was_not_that_of_those_who_are_left():
    vans, stated = ({**RELOADS}, {}), {"reloads": [{"depot": "d", "after": 1, "begin": 20}]}
    plan = hand_plan(arrivals=[10, 40], begins=[10, 40], **stated)
    day = hand_day(without=["a", "c"], vans=vans)
    early = went_on(day, plan, freeze=15.0)  # on its way with the goods of a
    assert early.routes[0].schedule.departure >= 15.0
    late = went_on(day, plan, freeze=25.0)
    assert late.routes[0].schedule.loaded == (Goods("b", (3,)),)


def go_on(solver, draw, plan, day, time, lost):
    """The answer that goes on with a plan, as it is written; it has passed its check."""
    told, options = {}, {}
    if lost and draw.random() < 0.5:
        options["lost"] = ", ".join(lost)
    elif lost:
        vans = [{**each, "lost": each["id"] in lost} for each in day["vehicles"]]
        told = {"vehicles": vans}
    (instance,) = read_instances({**day, **told})
    known = None if plan is None else answer_of(plan, "plan")
    options |= {} if plan is None else {"freeze": time, "warm_starts": [known]}
    improve, keep = draw.choice(["none", "fast"]), draw.choice([None, 3.0])
    (found,) = solver.solve([instance], improve=improve, keep_cost=keep, **options)
    assert found.fault is None
    written = json.loads(solution_to_line(found))
    result = check_solution(read_instances(day)[0], answer_of(written, "answer"))
    assert result.problems == ()
    return written


def random_day(solver, seed):
    """A day with two freezes: numbers of those left out over goods, lost vans, reloads."""
    draw = random.Random(seed)
    day, lost, time = morning(draw), [], 0.0
    plan = go_on(solver, draw, None, day, time, lost)
    counts = [0, 0, 0]
    for name in ("n", "m"):
        time += draw.uniform(10, LONG / 3)
        day = changed(draw, day, name)
        vans = [each["id"] for each in day["vehicles"] if each["id"] not in lost]
        if draw.random() < 0.4 and len(vans) > 1:
            lost = [*lost, draw.choice(vans)]
        answer = go_on(solver, draw, plan, day, time, lost)
        assert list(undrivable(plan, day, answer, time, lost)) == [], seed
        counts[0] += sum(each["reason"] == "LOADED" for each in answer["unserved"])
        counts[1] += any(route.get("lost") for route in answer["routes"])
        counts[2] += sum(len(route.get("reloads", ())) for route in answer["routes"])
        plan = answer
    return counts


@pytest.mark.parametrize("seeds", [range(5), pytest.param(range(5, 100), marks=pytest.mark.slow)])
def test_no_van_delivers_what_it_cannot_have(seeds):
    solver = Solver()
    found = [random_day(solver, seed) for seed in seeds]
    loaded, lost, reloads = map(sum, zip(*found, strict=True))
    assert min(loaded, lost, reloads) > 0
