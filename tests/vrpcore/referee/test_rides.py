"""Begins of routes whose rides or waits have limits: what is accepted, and each error."""

import dataclasses
import json

import pytest

from tests.vrpcore.ride_days import ride_document
from vrpcore.api import read_instances
from vrpcore.cost.route_schedule import route_report
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.plan import Route
from vrpcore.instance.solution import Solution
from vrpcore.referee.referee import check_solution

# 0 - a at 3 - b at 4 - a's end at 9, which opens at 50 - b's end at 12 - 0.
DOCUMENT = {
    "depot": [0, 0],
    "vehicles": [{"id": "van", "duration_cost": 1}],
    "shipments": [
        {"id": "a", "max_ride": 12, "pickup": {"x": 3, "y": 0, "service": 1},
         "delivery": {"x": 9, "y": 0, "window": [50, 60]}},
        {"id": "b", "pickup": {"x": 4, "y": 0, "max_wait": 2}, "delivery": {"x": 12, "y": 0}},
    ],
}  # fmt: skip
STOPS = (1, 3, 2, 4)


def read(document):
    (instance,) = read_instances(json.dumps(document).encode())
    return instance


def answered(instance, stops=STOPS, **changes):
    """The answer with one route through stops, at its best times unless they are changed."""
    route = Route(0, stops)
    report = route_report(instance, route, Timeline(instance).schedule(route))
    cost = changes.pop("cost", report.cost)
    schedule = dataclasses.replace(report.schedule, **changes)
    report = dataclasses.replace(report, cost=cost, schedule=schedule)
    return Solution(name=instance.name, status="solved", cost=cost, routes=(report,))


def problems(instance, **changes):
    return check_solution(instance, answered(instance, **changes)).problems


def test_the_best_begins_by_hand():
    instance = read(DOCUMENT)
    (route,) = answered(instance).routes
    # The shortest has no wait at all: at 50 at 9, so it leaves 4 + 5 + 1 before.
    assert route.schedule.begins == (43, 45, 50, 53)
    assert (route.schedule.departure, route.schedule.duration) == (40, 25)
    assert route.schedule.rides == (0, 0, 6, 0)
    assert problems(instance) == ()


def test_who_waits_does_it_where_limits_allow():
    early = {"vehicles": [{"id": "van", "latest_start": 10}]}
    instance = read(DOCUMENT | early)
    (route,) = answered(instance).routes
    # It leaves at 10 and waits at a, as long as the ride is too long; then it is in no hurry.
    assert route.schedule.begins == (37, 39, 50, 53)
    assert route.schedule.rides == (0, 0, 12, 0)
    assert problems(instance) == ()
    loaded = {"vehicles": [{"id": "van", "latest_start": 10, "max_wait_loaded": 1}]}
    (route,) = answered(read(DOCUMENT | loaded)).routes
    assert route.schedule.begins == (41, 44, 50, 53)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"departure": 39.0}, "routes[0].departure: 39.0, expected 39.99999"),
        ({"begins": (43.0, 46.0, 50.0, 53.0)}, "routes[0].begins[1]: 46.0, expected 44.99999"),
        ({"rides": None}, "routes[0].rides: missing, expected a list of 4"),
        ({"rides": (0.0, 0.0, 6.0)}, "routes[0].rides: 3 numbers, expected 4"),
        ({"rides": (0.0, 0.0, 7.0, 0.0)}, "routes[0].rides[2]: 7.0, expected 6"),
    ],
)
def test_what_is_wrong_is_said(changes, said):
    assert problems(read(DOCUMENT), **changes)[0].startswith(said)


def test_a_ride_that_is_too_long():
    stated, shorter = answered(read(DOCUMENT)), json.loads(json.dumps(DOCUMENT))
    shorter["shipments"][0]["max_ride"] = 5
    found = check_solution(read(shorter), stated).problems
    assert found[0] == "routes[0].rides[2]: 6 exceeds max_ride 5"
    shorter["shipments"][0] |= {"max_ride": 12, "delivery": {"x": 9, "y": 0, "max_wait": 0}}
    shorter["vehicles"][0]["latest_start"] = 10
    shorter["shipments"][0]["pickup"]["max_wait"] = 0
    shorter["shipments"][1]["delivery"] |= {"window": [90, 99], "max_wait": 0}
    found = check_solution(read(shorter), stated).problems
    assert found[0] == "routes[0]: no begins keep all limits on rides and waits"


def test_rides_are_not_expected_elsewhere():
    stated, free = answered(read(DOCUMENT)), json.loads(json.dumps(DOCUMENT))
    del free["shipments"][0]["max_ride"], free["shipments"][1]["pickup"]["max_wait"]
    found = check_solution(read(free), stated).problems
    assert "routes[0].rides: not expected, no ride has a limit" in found


def test_reasons(solver):
    document = json.loads(json.dumps(DOCUMENT))
    document["shipments"][0]["max_ride"] = 5
    document["shipments"][1]["pickup"]["max_wait"] = 0
    document["shipments"][1]["pickup"]["window"] = [20, 90]
    document["vehicles"][0]["latest_start"] = 10
    instance = read(document)
    (answer,) = solver.solve([instance], workers=1)
    assert [(each.id, each.reason) for each in answer.unserved] == [("a", "RIDE"), ("b", "WAIT")]
    assert "the ride takes 6, 1 above max_ride 5" in answer.unserved[0].detail
    assert check_solution(instance, answer).ok
    document["shipments"][0]["max_ride"] = 6
    document["shipments"][0]["delivery"]["window"] = [90, 99]
    document["shipments"][0]["pickup"]["window"] = [0, 50]
    (answer,) = solver.solve([read(document)], workers=1)
    assert "with its waits the ride takes longer than max_ride 6" in answer.unserved[0].detail


@pytest.mark.parametrize(("apart", "keys", "least"), [(99, {"max_ride": 10}, 4), (99.5, {}, 33.5)])
def test_of_sixty_windows_of_both_ends_the_last_are_nearest(solver, apart, keys, least):
    pickup = {"x": 1, "y": 0, "windows": [[1000 + 100 * at] * 2 for at in range(60)]}
    delivery = {"x": 2, "y": 0, "windows": [[1060 + apart * at] * 2 for at in range(60)]}
    pickup |= {} if keys else {"max_wait": 900}
    shipment = {"id": "s", "amount": 1, "pickup": pickup, "delivery": delivery, **keys}
    vehicles = [{"capacity": 1, "duration_cost": 1}]
    instance = read({"depot": [0, 0], "vehicles": vehicles, "shipments": [shipment]})
    (answer,) = solver.solve([instance], workers=1)
    assert answer.routes[0].schedule.duration == pytest.approx(least)
    assert check_solution(instance, answer).ok


def test_a_plan_goes_on_within_the_rides_of_who_is_on_board(solver):
    instance = read(DOCUMENT | {"vehicles": [{"id": "van", "latest_start": 10}]})
    known = answered(instance)  # a is picked up at 37, and has to be out by 50
    (answer,) = solver.solve([instance], warm_starts=[known], freeze=45.0, workers=1)
    assert answer.status == "solved"
    (route,) = answer.routes
    assert (route.schedule.frozen, route.schedule.begins) == (2, (37, 39, 50, 53))
    assert route.schedule.rides == (0, 0, 12, 0)
    assert check_solution(instance, answer).ok
    late = dataclasses.replace(route.schedule, rides=(0, 0, 13, 0))
    wrong = dataclasses.replace(route, schedule=late)
    found = check_solution(instance, dataclasses.replace(answer, routes=(wrong,))).problems
    assert found == ("routes[0].rides[2]: 13, expected 12.0",)


def test_who_stays_at_a_pickup_up_to_the_freeze_rides_meanwhile(solver):
    """A new stop must not keep who has just got on longer than the limit."""
    more = {"id": "c", "x": 3, "y": 4, "prize": 1}
    document = DOCUMENT | {"vehicles": [{"id": "van", "latest_start": 10}]}
    (known,) = solver.solve([read(document)], workers=1)
    for freeze in (37.5, 39.0, 41.0, 44.9):
        instance = read(document | {"customers": [more]})
        (answer,) = solver.solve([instance], warm_starts=[known], freeze=freeze, workers=1)
        assert max(answer.routes[0].schedule.rides) <= 12 + 1e-9
        assert check_solution(instance, answer).ok


def test_lateness_that_only_a_longer_day_would_save(solver):
    first = {"x": 1, "y": 0, "window": [0, 1], "max_late": 40, "late_cost": 1}
    second = {"x": 2, "y": 0, "window": [50, 60], "max_wait": 99}
    vehicles = [{"count": 1, "max_duration": 20, "max_overtime": 5}]
    instance = read({"depot": [0, 0], "vehicles": vehicles, "customers": [first, second]})
    (answer,) = solver.solve([instance], workers=1)
    (route,) = answer.routes
    assert (route.schedule.departure, route.schedule.late) == (27, (27, 0))
    assert check_solution(instance, answer).ok


def test_random_answers_are_accepted(solver):
    instances = [read(ride_document(seed, 2 + seed % 7)) for seed in range(40)]
    answers = solver.solve(instances, workers=1)
    assert {answer.status for answer in answers} <= {"solved", "partial", "infeasible"}
    stated = [route.schedule.rides for answer in answers for route in answer.routes]
    assert sum(each is not None for each in stated) > 5
