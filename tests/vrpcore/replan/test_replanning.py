import math
import random

import numpy as np
import pytest

from tests.build import constrained
from tests.vrpcore.added_days import working_document
from tests.vrpcore.formats.sheets.days import read
from tests.vrpcore.frozen_days import VAN, day, go_on, stated, unfrozen
from tests.vrpcore.ride_days import ride_document
from tests.vrpcore.small_days import in_tenths, small_day
from tests.vrpcore.subsets import subset_day
from vrpcore.api import Solver, read_instances
from vrpcore.formats.sheets.sheet_routes import AnswerTable
from vrpcore.formats.solutions import read_solutions, with_own_ids
from vrpcore.instance.plan import Plan, Reload, Route
from vrpcore.referee.referee import check_solution
from vrpcore.replan.known_vehicles import Keep
from vrpcore.replan.replanning import Replanning


def test_a_plan_that_is_only_kept_loses_nothing():
    instance = day(5, 9, vehicles=[{**VAN, "id": "a"}, {**VAN, "id": "b"}])
    known = [Route(0, (1,)), Route(1, (2,))]
    left = Replanning.of(instance, Keep(Plan(known), 2.0), known)
    assert left.start.routes == [Route(2, (1,)), Route(3, (2,))]
    found = left.plan(Plan([Route(3, (2,)), Route(2, (1,))]))
    assert (found.routes, found.freeze) == (known, None)
    assert math.isnan(found.cost)


def test_what_is_left_is_planned_anew_behind_what_has_begun():
    instance = day(5, 9, -1, 7)
    answer = go_on(instance, 6.0, (0, (1, 2, 3)))
    (route,) = answer.routes
    assert route.customers == (1, 2, 4, 3)  # it is on its way to the second
    assert route.schedule.frozen == 1
    assert route.schedule.begins == (5.0, 9.0, 11.0, 19.0)
    assert answer.warnings == ()


def test_other_vehicles_leave_after_the_freeze():
    instance = day(5, -5, vehicles=[{**VAN, "count": 2, "max_distance": 11}])
    answer = go_on(instance, 3.0, (0, (1,)))
    assert stated(answer, "departure") == [3.0, 0.0]
    assert stated(answer, "frozen") == [0, 0]
    without = go_on(instance, 3.0)
    assert stated(without, "departure") == [3.0, 3.0]


@pytest.mark.parametrize("cost", [None, 5.0])
def test_of_routes_that_are_too_many_the_one_under_way_has_the_vehicle(cost):
    routes = (0, (2, 3)), (0, (1,))
    (route,) = go_on(day(5, -5, -6), 4.0, *routes, cost=cost, departures=(20.0, 0.0)).routes
    assert (route.customers[0], route.schedule.begins[0]) == (1, 5.0)


def test_a_vehicle_that_waits_leaves_after_the_freeze():
    vehicles = [{**VAN, "end": None}]
    instance = day(5, 8, window=[None, [40, 50]], vehicles=vehicles)
    (route,) = go_on(instance, 20.0, (0, (1,))).routes
    assert route.schedule.begins == (5.0, 40.0)
    (route,) = go_on(day(5, 8, vehicles=vehicles), 20.0, (0, (1,))).routes
    assert route.schedule.arrivals == (5.0, 23.0)  # not 8


def test_a_frozen_part_that_breaks_a_limit_stays_and_is_reported():
    vehicles = [{**VAN, "window": [0, 12]}, {**VAN, "id": "other"}]
    instance = day(5, 9, 8, window=[[0, 4], None, None], vehicles=vehicles)
    answer = go_on(instance, 6.0, (0, (1, 2, 3)))
    first = next(route for route in answer.routes if route.schedule.vehicle == "van")
    assert first.customers[:2] == (1, 2)
    assert first.schedule.return_ == 18.0
    (warning,) = answer.warnings
    assert warning.startswith("FROZEN_BREAKS_LIMIT: ")
    assert "begins at 5, after the last window closes" in warning
    assert "6 after the vehicle's shift" in warning


SHIPMENT = {"id": "s", "pickup": {"x": 1, "y": 0}, "delivery": {"x": 5, "y": 0}}


@pytest.mark.parametrize("time", [1.5, 2.5, 8.0])
def test_a_shipment_that_a_reload_has_divided_stays_and_is_reported(time):
    instance = day(9, vehicles=[{**VAN, "reloads": ["d"]}], keys={"shipments": [SHIPMENT]})
    answer = go_on(instance, time, Route(0, (2, 3), (Reload(0, 1),)))
    assert answer.status == "solved"
    (route,) = answer.routes
    assert (route.customers[0], route.schedule.departure) == ("s:pickup", 0.0)
    (warning,) = answer.warnings
    at = route.customers.index("s:delivery")
    problem = f"routes[0].customers[{at}]: it was picked up in another trip"
    assert warning == f"FROZEN_BREAKS_LIMIT: {problem}"


def test_what_was_on_board_and_is_delivered_after_a_reload_stays_and_is_reported():
    delivery = {"id": "s", "amount": 1, "delivery": {"x": 5, "y": 0}, "on_board": "van"}
    instance = day(1, vehicles=[{**VAN, "reloads": ["d"]}], keys={"shipments": [delivery]})
    answer = go_on(instance, 8.0, Route(0, (1, 2), (Reload(0, 1),)))
    assert [route.customers for route in answer.routes] == [(1, "s:delivery")]
    problem = "it is on board from the start, and delivered after a reload"
    assert answer.warnings == (f"FROZEN_BREAKS_LIMIT: routes[0].customers[1]: {problem}",)


def test_no_stop_is_left():
    instance = day(5, 9)
    answer = go_on(instance, 100.0, (0, (1, 2)))
    assert stated(answer, "frozen") == [2]
    assert math.isclose(answer.cost, 18.0)


def test_a_price_of_moving_goes_with_it():
    vehicles = [{**VAN, "id": name} for name in ("a", "b")]
    instance = day(5, -5, 6, -6, vehicles=vehicles)
    known = ((0, (1, 4)), (1, (2, 3)))
    assert {1, 3} <= set(go_on(instance, 0.5, *known).routes[0].customers)
    kept = go_on(instance, 0.5, *known, cost=1000.0)
    assert [set(route.customers) for route in kept.routes] == [{1, 4}, {2, 3}]


def boarded_day(seed, size):
    return small_day(size * seed, ("on_board", "groups"))


def day_in_tenths(seed, size):
    return in_tenths(small_day(size * seed))


@pytest.mark.parametrize(
    ("make", "days"),
    [
        (working_document, 8),
        (subset_day, 8),
        (ride_document, 24),
        (boarded_day, 40),
        (day_in_tenths, 40),
    ],
)
def test_random_days_go_on(make, days):
    solver, frozen = Solver(), 0
    for seed in range(days):
        draw = random.Random(seed)
        document = make(seed, draw.choice([4, 8, 15]))
        document.pop("routes", None)
        instance = read_instances(document)[0]
        if getattr(instance, "constraints", None) is None:
            continue
        (known,) = solver.solve([instance], seed=1)
        times = [
            time
            for route in known.routes
            for time in (route.schedule.departure, route.schedule.return_, *route.schedule.begins)
        ]
        if not times:
            continue
        time = draw.choice([min(times) + (max(times) - min(times)) * draw.random(), *times])
        (answer,) = solver.solve(
            [instance],
            warm_starts=[known],
            freeze=time,
            improve=draw.choice(["none", "fast"]),
            keep_cost=draw.choice([None, 3.0]),
        )
        assert list(unfrozen(instance, known, answer, time)) == [], seed
        assert not any("FROZEN" in each or "INTERNAL" in each for each in answer.warnings), seed
        assert answer.status == known.status or known.status != "solved", seed
        if instance.constraints.balance is None and len(answer.unserved) == len(known.unserved):
            assert answer.cost <= known.cost + 1e-6 * abs(known.cost), seed
        frozen += sum(route.schedule.frozen for route in answer.routes)
    assert frozen > 8


def with_ride(ride, *customers):
    """A van from 0 that a ride and customers need, all on a line but for their `y`."""
    return constrained(
        depots=[{"x": 0, "y": 0}],
        vehicles=[{"id": "van", "capacity": 9, "end": None, "speed": 1, "count": 1}],
        customers=[{"y": 0, **each} for each in customers],
        shipments=[{"amount": 1, **ride}],
    )


def on_the_way(instance, known, time):
    (answer,) = Solver().solve([instance], warm_starts=[known], freeze=time)
    return answer


def test_a_passenger_rides_while_the_vehicle_stays_where_it_is():
    ride = {
        "id": "a", "pickup": {"x": 10, "y": 0, "service": 2, "window": [10, 10]},
        "delivery": {"x": 20, "y": 0, "window": [25, 1000]}, "max_ride": 15,
    }  # fmt: skip
    waits = {"id": "w", "x": 15, "window": [20, 1000], "demand": 1}
    (known,) = Solver().solve([with_ride(ride, waits)])
    assert known.routes[0].customers == ("a:pickup", "w", "a:delivery")
    # It has too little for w, so that it stays at the pickup until the freeze: 4 of 15 are gone.
    added = {**waits, "demand": 3, "prize": 5}, {"id": "x", "x": 10, "y": 4, "pickup": 1}
    answer = on_the_way(with_ride(ride, *added), known, 16.0)
    assert answer.routes[0].customers == ("a:pickup", "a:delivery", "x")
    assert answer.routes[0].schedule.rides == (0.0, 14.0, 0.0)
    shorter = check_solution(with_ride({**ride, "max_ride": 13}, *added), answer)
    assert shorter.problems == ("routes[0].rides[1]: 14 exceeds max_ride 13",)


@pytest.mark.parametrize(("time", "most", "frozen"), [(5.5, 15, 1), (55.0, 15, 3), (55.0, 30, 3)])
def test_a_pickup_that_waits_for_its_ride_began_when_it_did(time, most, frozen):
    ride = {
        "id": "b", "pickup": {"x": 10, "y": 0, "service": 2},
        "delivery": {"x": 20, "y": 0, "window": [60, 1000]}, "max_ride": 15,
    }  # fmt: skip
    first = {"id": "f", "x": 5, "window": [0, 5]}, {"id": "z", "x": 8, "window": [0, 50]}
    (known,) = Solver().solve([with_ride(ride, *first)])
    answer = on_the_way(with_ride({**ride, "max_ride": most}, *first), known, time)
    assert answer.routes[0].schedule.begins == (5.0, 8.0, 43.0, 60.0)
    assert stated(answer, "frozen") == [frozen]


def test_a_wait_that_is_too_long_today_is_found_behind_a_freeze():
    ride = {"id": "c", "pickup": {"x": 10, "y": 0}, "delivery": {"x": 20, "y": 0}, "max_ride": 99}
    first, late = {"id": "f", "x": 5, "window": [0, 5]}, {"id": "l", "x": 30, "window": [40, 99]}
    known = on_the_way((day := with_ride(ride, first, late)), Solver().solve([day])[0], 7.0)
    assert known.routes[0].schedule.begins == (5.0, 10.0, 20.0, 40.0)
    nowhere = {key: {**ride[key], "max_wait": 0} for key in ("pickup", "delivery")}
    today = with_ride({**ride, **nowhere}, first, {**late, "max_wait": 4})
    (problem,) = check_solution(today, known).problems
    assert problem.endswith("a wait of 10 exceeds 4")


def test_a_vehicle_that_only_finishes_what_it_has_leaves_after_the_freeze_too():
    """It has too little for w, and stays at the pickup for longer than the ride may last."""
    ride = {
        "id": "a", "pickup": {"x": 10, "y": 0, "window": [10, 10]},
        "delivery": {"x": 20, "y": 0}, "max_ride": 20,
    }  # fmt: skip
    waits = {"id": "w", "x": 15, "window": [22, 1000], "demand": 1}
    (known,) = Solver().solve([with_ride(ride, waits)])
    assert known.routes[0].schedule.begins == (10.0, 22.0, 27.0)
    answer = on_the_way(with_ride(ride, {**waits, "demand": 3, "prize": 5}), known, 21.0)
    assert answer.routes[0].schedule.begins == (10.0, 31.0)
    (warning,) = answer.warnings
    assert warning == "FROZEN_BREAKS_LIMIT: routes[0].rides[1]: 21 exceeds max_ride 20"


def test_a_wait_where_a_stop_is_gone_frees_no_other_of_its_limit():
    rides = [
        {"id": "s", "pickup": {"x": 5, "y": 0, "window": [5, 5]}, "delivery": {"x": 20, "y": 0}},
        {"id": "t", "pickup": {"x": 10, "y": 0}, "delivery": {"x": 30, "y": 0, "window": [50, 50]}},
    ]
    vehicles = [{**VAN, "end": None, "max_wait_loaded": 7}]
    (known,) = Solver().solve([day(8, service=[10], vehicles=vehicles, keys={"shipments": rides})])
    assert known.routes[0].schedule.begins == (5.0, 8.0, 20.0, 33.0, 50.0)
    left = day(vehicles=vehicles, keys={"shipments": rides})
    (route,) = on_the_way(left, known, 12.0).routes
    assert route.schedule.begins == (5.0, 20.0, 33.0, 50.0)


def rides_in_minutes(seed):
    """Seven rides by the minute, one row each, whose begins the limits decide."""
    draw = random.Random(seed)
    rows = ["id,pickup_lat,pickup_lon,delivery_lat,delivery_lon,seats,pickup_window,delivery_open"]
    rows[0] += ",max_ride,pickup_service"
    for number in range(7):
        places = [f"{52.45 + draw.random() / 8:.5f},{13.3 + draw.random() / 5:.5f}" for _ in "ab"]
        opens, hours = 480 + draw.randint(0, 180), "{:02}:{:02}".format
        window = f"{hours(*divmod(opens, 60))}-{hours(*divmod(opens + 60, 60))}"
        ready = hours(*divmod(opens + draw.randint(20, 60), 60))
        row = [number, *places, draw.randint(1, 2), window, ready, f"0:{draw.randint(25, 45)}", 2]
        rows.append(",".join(map(str, row)))
    vans = "id,count,capacity,lat,lon,speed,duration_cost\nvan,any,4,52.5,13.4,30,0.1\n"
    return read("\n".join(rows), vans)


def test_rides_of_rounded_times_go_on():
    solver, frozen = Solver(), 0
    for seed in range(12):
        instance = rides_in_minutes(seed)
        (known,) = solver.solve([instance], improve="none")
        (again,) = read_solutions(AnswerTable().text(instance, known).encode())
        begins = sorted(begin for route in known.routes for begin in route.schedule.begins)
        (answer,) = solver.solve(
            [instance],
            warm_starts=[with_own_ids(instance, again)],
            freeze=float(round(random.Random(seed).uniform(begins[0], begins[-1]))),
            improve="none",
        )
        assert len(answer.unserved) == len(known.unserved), seed
        assert not any("FROZEN" in each for each in answer.warnings), seed
        for route in answer.routes:
            rows = [instance.numbers[name] - 1 for name in route.customers]
            longest = instance.constraints.max_ride[rows] + 1e-6
            assert (np.array(route.schedule.rides) <= longest).all(), seed
        frozen += sum(stated(answer, "frozen"))
    assert frozen > 12
