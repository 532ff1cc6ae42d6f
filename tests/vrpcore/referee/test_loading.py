"""Vehicles that unload first what was loaded last: what is accepted, and what is in the way."""

import json

import pytest

from tests.vrpcore.frozen_days import go_on
from vrpcore.api import Model, read_instances
from vrpcore.cost.route_schedule import route_report
from vrpcore.cost.timeline import Timeline
from vrpcore.formats.write import instance_to_dict
from vrpcore.instance.plan import Reload, Route
from vrpcore.instance.solution import Solution
from vrpcore.referee.referee import check_solution

# Customers 1 to 5, what is on board 6, then a 7 and 8, b 9 and 10, c 11 and 12, without amounts.
DOCUMENT = {
    "depot": [0, 0],
    "vehicles": [{"id": "van", "count": 1, "loading": "lifo", "reloads": ["0"]}],
    "customers": [
        {"id": "drop", "x": 1, "y": 0, "demand": 1},
        {"id": "fetch", "x": 2, "y": 0, "pickup": 1},
        {"id": "swap", "x": 3, "y": 0, "demand": 1, "pickup": 1},
        {"id": "look", "x": 4, "y": 0},
        {"id": "more", "x": 5, "y": 0, "demand": 2},
    ],
    "shipments": [
        {"id": "old", "amount": 1, "on_board": "van", "delivery": {"x": 6, "y": 0}},
        *(
            {"id": name, **amount, "pickup": {"x": x, "y": 0}, "delivery": {"x": x + 3, "y": 0}}
            for x, name, amount in ((7, "a", {"amount": 1}), (8, "b", {"amount": 1}), (9, "c", {}))
        ),
    ],
}
OTHERS = {"drop": 1, "fetch": 2, "swap": 3, "more": 5, "old:delivery": 6}


def read(document=DOCUMENT):
    (instance,) = read_instances(json.dumps(document).encode())
    return instance


def problems(stops, reloads=(), document=DOCUMENT):
    """What the referee says about the order of a route that serves everybody."""
    instance, route = read(document), Route(0, tuple(stops), tuple(reloads))
    report = route_report(instance, route, Timeline(instance).schedule(route))
    answer = Solution(name="x", status="solved", cost=report.cost, routes=(report,))
    found = check_solution(instance, answer).problems
    return [each for each in found if "lifo" in each or "trip" in each]


@pytest.mark.parametrize(
    "stops",
    [
        # Inside each other, one behind the other, and with what has no amount between the ends.
        (7, 9, 11, 12, 10, 8, 1, 2, 3, 4, 5, 6),
        (9, 7, 8, 10, 11, 4, 12, 6, 5, 3, 2, 1),
        (7, 4, 11, 4, 12, 8),
        # What is loaded at the depot or collected for it: in any order, where no shipment is.
        (2, 1, 6, 3, 5, 7, 8, 2, 1, 9, 10, 6),
    ],
)
def test_shipments_nest(stops):
    stops = tuple(dict.fromkeys(stops))
    assert problems(stops) == []


@pytest.mark.parametrize(
    ("stops", "position", "first"),
    [
        ((7, 9, 8, 10), 2, "b:delivery"),
        ((7, 9, 11, 10, 12, 8), 3, "c:delivery"),
        ((11, 7, 12, 8), 2, "a:delivery"),  # c has no amount, but is a shipment
        *(((7, stop, 8), 1, "a:delivery") for stop in OTHERS.values()),
        ((11, 1, 12), 1, "c:delivery"),
        ((7, 9, 1, 10, 8), 2, "b:delivery"),
        ((1, 7, 8, 9, 2, 10, 6), 4, "b:delivery"),
    ],
)
def test_who_is_in_the_way_is_said_once(stops, position, first):
    said = f"loading is 'lifo', and {first!r} has to come before it"
    assert problems(stops) == [f"routes[0].customers[{position}]: {said}"]
    free = {**DOCUMENT, "vehicles": [{**DOCUMENT["vehicles"][0], "loading": "any"}]}
    assert problems(stops, document=free) == []


def test_trips_begin_empty():
    # Deliveries of the second trip are loaded when nothing else is on board.
    assert problems((7, 8, 1, 9, 10, 5), [Reload(0, 2), Reload(0, 3)]) == []
    (said,) = problems((7, 1, 8), [Reload(0, 1)])
    assert "it was picked up in another trip" in said


def test_each_trip_has_its_order():
    first, second = problems((7, 9, 8, 10, 1, 11, 5, 12), [Reload(0, 4)])
    assert first.startswith("routes[0].customers[2]: loading is 'lifo', and 'b:delivery'")
    assert second.startswith("routes[0].customers[6]: loading is 'lifo', and 'c:delivery'")


def on_a_line(*ends, amount=1, **vehicle):
    """Shipments between places on a line, and a van that stays where it ends."""
    shipments = [
        {"id": f"s{number}", "amount": amount, "pickup": {"x": first, "y": 0},
         "delivery": {"x": last, "y": 0}}
        for number, (first, last) in enumerate(ends)
    ]  # fmt: skip
    van = {"id": "van", "count": 1, "end": None, "loading": "lifo", **vehicle}
    return {"depot": [0, 0], "vehicles": [van], "shipments": shipments}


@pytest.mark.parametrize(
    ("document", "cost"),
    [
        (on_a_line((1, 3), (2, 4), loading="any"), 4),
        (on_a_line((1, 3), (2, 4)), 5),  # 1, 2, 4 and back to 3
        (on_a_line((1, 4), (2, 3)), 4),
        (on_a_line((1, 3), (3, 4)), 4),
        (on_a_line((1, 3), (2, 4), amount=0), 5),
    ],
)
def test_the_best_answers_by_hand(solver, document, cost):
    instance = read(document)
    (answer,) = solver.solve([instance], workers=1)
    assert answer.cost == cost
    assert check_solution(instance, answer).ok
    assert (
        instance_to_dict(instance)["vehicles"][0].get("loading", "any")
        == (document["vehicles"][0]["loading"])
    )


def test_who_is_left_out_for_the_order_could_be_served_alone(solver):
    document = on_a_line((1, 3), (2, 4), max_distance=4)
    instance = read(document)
    (answer,) = solver.solve([instance], workers=1)
    assert [each.reason for each in answer.unserved] == ["FLEET"]
    assert answer.status == "partial"
    assert check_solution(instance, answer).ok


def test_a_model_says_it():
    model = Model()
    model.add_depot(x=0, y=0)
    model.add_vehicle(end=None, loading="lifo")
    for x in (1, 2):
        ends = {"pickup": {"x": x, "y": 0}, "delivery": {"x": x + 2, "y": 0}}
        model.add_shipment(id=f"s{x}", amount=1, **ends)
    assert model.solve(workers=1).cost == 5


LINE = read(on_a_line((10, 30), (20, 40), (12, 14)))
A, A_END, B, B_END, C, C_END = range(1, 7)


@pytest.mark.parametrize(
    ("known", "time", "expected"),
    [
        # Both are on board, or b is not yet: it is delivered first, or comes later.
        ((A, B, A_END, B_END), 15, (A, B, B_END, A_END)),
        ((A, A_END, B, B_END), 15, (A, A_END, B, B_END)),
        # It had stopped at b with c on board already; then c comes first.
        ((A, C, B, B_END, C_END, A_END), 25, (A, C, B, B_END, C_END, A_END)),
        # A driver has unloaded what lay below: his order holds no more.
        ((A, B, A_END, B_END), 35, (A, B, A_END, B_END)),
    ],
)
def test_plans_go_on_with_what_is_on_board(known, time, expected):
    answer = go_on(LINE, time, (0, known))
    stops = tuple(LINE.numbers[name] for name in answer.routes[0].customers)
    assert tuple(stop for stop in stops if stop in expected) == expected
    assert check_solution(LINE, answer).ok


def test_a_broken_order_asks_for_nothing_more():
    """Else nothing could be done with the van but what it had begun."""
    answer = go_on(LINE, 35, (0, (A, B, A_END, B_END)))
    assert {C, C_END} <= {LINE.numbers[name] for name in answer.routes[0].customers}


@pytest.mark.parametrize("since", [5e-4, 2e-3])
def test_a_van_that_has_just_left_has_its_goods(since):
    """Whatever tolerance times have, the answer says what is on board, and passes its check."""
    day = read(
        {
            "depot": [0, 0],
            "vehicles": [{"id": "v", "count": 1, "capacity": 5, "window": [0, 1000]}],
            "customers": [
                {"id": "a", "x": 30, "y": 0, "demand": 1, "window": [40, 40]},
                {"id": "b", "x": 40, "y": 0, "demand": 1},
            ],
        }
    )
    answer = go_on(day, 10 + since, (0, (1, 2)))
    assert answer.status == "solved" and answer.routes[0].schedule.loaded
    assert check_solution(day, answer).ok
