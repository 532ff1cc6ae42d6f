import dataclasses

import pytest

from tests.build import constrained, on_a_line
from vrpcore.instance.solution import RouteReport, RouteSchedule, Solution, Unserved
from vrpcore.referee.constrained_plan import check_constraints
from vrpcore.referee.referee import check_solution

# Out 3, wait to 10, serve 2, on 4, serve 1, home 7; alone to the third: out and home 1 each.
FLEET = constrained(
    depots=[{"id": "north", "x": 0, "y": 0, "window": [0, 100]}],
    customers=[
        {"id": "a", "x": 3, "y": 0, "demand": [4, 0], "window": [10, 20], "service": 2},
        {"id": "b", "x": 7, "y": 0, "pickup": [3, 1], "service": 1, "skills": ["cold"]},
        {"id": "c", "x": 1, "y": 0, "prize": 5},
    ],
    shipments=[
        {"id": "s", "amount": [2, 0], "pickup": {"x": 1, "y": 0}, "delivery": {"x": 2, "y": 0}}
    ],
    vehicles=[
        {"id": "van", "count": 1, "capacity": [6, 2], "skills": ["cold"], "duration_cost": 0.5},
        {"id": "bike", "count": 1, "capacity": [2, 2], "end": None, "fixed_cost": 10},
    ],
)
VAN = RouteReport(
    ("a", "b"),
    (4.0, 1.0),
    22.5,
    RouteSchedule(
        vehicle="van", start="north", end="north", distance=14.0, duration=17.0, departure=7.0,
        return_=24.0, arrivals=(10.0, 16.0), begins=(10.0, 16.0),
    ),
)  # fmt: skip
BIKE = RouteReport(
    ("s:pickup", "s:delivery"),
    (2.0, 0.0),
    12.0,
    RouteSchedule(
        vehicle="bike", start="north", end=None, distance=2.0, duration=2.0, departure=0.0,
        return_=2.0, arrivals=(1.0, 2.0), begins=(1.0, 2.0),
    ),
)  # fmt: skip
LEFT = Unserved("c", "PRIZE")
RIGHT = Solution(name="t", status="solved", cost=39.5, routes=(VAN, BIKE), unserved=(LEFT,))


def schedule(route, **changes):
    return dataclasses.replace(route, schedule=dataclasses.replace(route.schedule, **changes))


def answer(*routes, **changes):
    return dataclasses.replace(RIGHT, routes=routes or RIGHT.routes, **changes)


def found(instance, *routes, vehicle=None, **changes):
    """Problems of routes that state their customers alone."""
    start = instance.own_constraints.depots[0].id
    made = tuple(
        RouteReport(tuple(ids), NAN, NAN, RouteSchedule(vehicle=vehicle, start=start, end=start))
        for ids in routes
    )
    made = Solution(**{"name": "t", "status": "solved", "routes": made, **changes})
    return check_constraints(instance, made)[1]


NAN = float("nan")


def test_a_right_answer_is_accepted():
    assert check_constraints(FLEET, RIGHT) == (39.5, [])
    result = check_solution(FLEET, RIGHT)
    assert (result.ok, result.cost, result.problems) == (True, 39.5, ())


WRONG = [
    (answer(dataclasses.replace(VAN, cost=22.4), BIKE), "routes[0].cost: 22.4, expected 22.5"),
    (answer(cost=39.4), "cost: 39.4, expected 39.5"),
    (answer(dataclasses.replace(VAN, load=(4.0, 0.0)), BIKE), "routes[0].load[1]: 0.0, expected 1"),
    (answer(dataclasses.replace(VAN, load=4.0), BIKE), "routes[0].load: 4.0, expected a list of 2"),
    (
        answer(dataclasses.replace(VAN, load=(4.0,)), BIKE),
        "routes[0].load: a list of 1, expected 2",
    ),
    (answer(schedule(VAN, distance=13.0), BIKE), "routes[0].distance: 13.0, expected 14.0"),
    (answer(schedule(VAN, duration=16.0), BIKE), "routes[0].duration: 16.0, expected 17.0"),
    (answer(schedule(VAN, return_=25.0), BIKE), "routes[0].return: 25.0, expected 24.0"),
    (answer(schedule(VAN, departure=6.0), BIKE), "routes[0].departure: 6.0, expected 7.0 for the"),
    (answer(schedule(VAN, departure=8.0), BIKE), "routes[0].departure: 8.0, expected 7.0 for the"),
    (answer(VAN, schedule(BIKE, departure=-1.0)), "routes[1].departure: -1.0, expected 0.0"),
    (answer(schedule(VAN, arrivals=(9.0, 16.0)), BIKE), "routes[0].arrivals[0]: 9.0, expected 10"),
    (answer(schedule(VAN, begins=(10.0, 15.0)), BIKE), "routes[0].begins[1]: 15.0, expected 16.0"),
    (answer(schedule(VAN, begins=(10.0,)), BIKE), "routes[0].begins: 1 times, expected 2"),
    (answer(schedule(VAN, start="south"), BIKE), "routes[0].start: 'south', expected 'north'"),
    (answer(VAN, schedule(BIKE, end="north")), "routes[1].end: 'north', expected null"),
    (answer(schedule(VAN, vehicle="tram"), BIKE), "routes[0].vehicle: 'tram' is no type of the"),
    (answer(schedule(VAN, vehicle=None), BIKE), "routes[0].vehicle: missing, expected one of van"),
    (answer(VAN, BIKE, VAN), "routes: 2 vehicles of type 'van' are used, there are 1"),
    (answer(VAN, BIKE, VAN), "routes[2].customers[0]: customer 'a' is visited twice"),
    (answer(schedule(VAN, vehicle="bike"), BIKE), "routes[0].customers[1]: needs 'cold', which"),
    (answer(schedule(VAN, vehicle="bike"), BIKE), "routes[0]: a load of 4.0 in dimension 0 at the"),
    (
        answer(VAN, dataclasses.replace(BIKE, customers=("s:delivery", "s:pickup"))),
        "routes[1]: shipment 's' is delivered before it is picked up",
    ),
    (
        answer(VAN, dataclasses.replace(BIKE, customers=("s:pickup",))),
        "routes: shipment 's' is never delivered",
    ),
    (
        answer(
            dataclasses.replace(VAN, customers=("a", "b", "s:delivery")),
            dataclasses.replace(BIKE, customers=("s:pickup",)),
        ),
        "routes: shipment 's' is picked up in routes[1] and delivered in routes[0]",
    ),
    (
        answer(VAN, dataclasses.replace(BIKE, customers=("s:pickup", "x"))),
        "routes[1].customers[1]: 'x' is not a customer of the instance",
    ),
    (answer(VAN), "routes: customer 's' is required and not served"),
    (answer(unserved=()), "unserved: 'c' is not served and not reported"),
    (answer(unserved=(LEFT, LEFT)), "unserved[1]: 'c' is reported twice"),
    (answer(unserved=(LEFT, Unserved("a", "FLEET"))), "unserved[1]: 'a' is served"),
    (answer(unserved=(LEFT, Unserved("s:pickup", "FLEET"))), "unserved[1]: 's:pickup' is no custo"),
    (answer(unserved=(Unserved("c", "FLEET"),)), "unserved[0].reason: FLEET, expected PRIZE"),
    (answer(status="partial"), "status: partial, but all required customers are served"),
    (answer(VAN, status="partial"), "unserved: 's' is not served and not reported"),
    (
        answer(VAN, status="partial", unserved=(LEFT, Unserved("s", "PRIZE"))),
        "unserved[1].reason: PRIZE, expected FLEET",
    ),
    (
        answer(VAN, status="infeasible", unserved=(LEFT, Unserved("s", "FLEET"))),
        "status: infeasible, but nothing proves it; expected partial",
    ),
]


@pytest.mark.parametrize(("solution", "message"), WRONG)
def test_each_broken_answer_by_its_message(solution, message):
    problems = check_constraints(FLEET, solution)[1]
    assert [text for text in problems if text.startswith(message)], problems
    assert not check_solution(FLEET, solution).ok


def test_what_is_left_out_and_said_is_right():
    unserved = (LEFT, Unserved("s", "FLEET"))
    told = Solution(name="t", status="partial", cost=27.5, routes=(VAN,), unserved=unserved)
    assert check_constraints(FLEET, told) == (27.5, [])
    assert check_solution(FLEET, told).ok


def test_infeasible_is_right_where_somebody_fits_no_vehicle():
    instance = constrained(customers=on_a_line(3, window=[[0, 2]]), vehicles=[{}])
    unserved = (Unserved(1, "WINDOW"),)
    told = Solution(name="t", status="infeasible", cost=0.0, routes=(), unserved=unserved)
    assert check_constraints(instance, told) == (0.0, [])


def test_answers_without_routes_state_nothing():
    silent = Solution(name="t", status="partial")
    assert check_solution(FLEET, silent).problems == ("status is partial, there is no solution",)


def test_infeasible_says_who_is_not_served_and_is_proved():
    silent = Solution(name="t", status="infeasible", code="TOO_FEW_VEHICLES")
    found = check_solution(FLEET, silent).problems
    assert found[0] == "unserved: 'a' is not served and not reported"
    assert found[-1] == "status: infeasible, but nothing proves it; expected partial"


def test_too_late():
    late = constrained(customers=on_a_line(3, window=[[0, 2]]), vehicles=[{}])
    message = "routes[0]: customers[0]: arrives at 3, 1 after the last window closes"
    assert found(late, [1]) == [message]
    shift = constrained(customers=on_a_line(3), vehicles=[{"window": [0, 5]}])
    assert found(shift, [1]) == ["routes[0]: return: ends at 6, 1 after the vehicle's shift"]
    depot = constrained(depots=[{"x": 0, "y": 0, "window": [0, 5]}], customers=on_a_line(3),
                        vehicles=[{}])  # fmt: skip
    assert "return: arrives at 6, 1 after" in found(depot, [1])[0]
    release = constrained(customers=on_a_line(3, release=[4], window=[[0, 6]]), vehicles=[{}])
    assert "customers[0]: arrives at 7, 1 after" in found(release, [1])[0]


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ({"max_duration": 9}, "routes[0]: duration 10.0 exceeds max_duration 9"),
        ({"max_travel_time": 5}, "routes[0]: travel time 6.0 exceeds max_travel_time 5"),
        ({"max_distance": 5.5}, "routes[0]: distance 6.0 exceeds max_distance 5.5"),
        ({"max_customers": 1}, "routes[0]: 2 stops, max_customers is 1"),
        ({"count": 0}, "routes: 1 vehicles of type '0' are used, there are 0"),
    ],
)
def test_limits(limit, message):
    customers = on_a_line(1, 3, service=[1, 3])
    assert found(constrained(customers=customers, vehicles=[{}]), [1, 2]) == []
    (problem,) = found(constrained(customers=customers, vehicles=[limit]), [1, 2])
    assert problem.startswith(message)


def test_the_short_form_has_one_type():
    short = constrained(customers=on_a_line(1, 2, demand=[1, 1], service=[1, 1]), capacity=1,
                        max_vehicles=1)  # fmt: skip
    problems = found(short, [1, 2])
    assert problems == ["routes[0]: a load of 2.0 at the start exceeds capacity 1.0"]
    assert found(short, [1], [2]) == ["routes: 2 vehicles are used, there are 1"]


def test_overloaded_on_one_leg_in_one_dimension():
    customers = on_a_line(1, 2, demand=[[2, 0], [2, 1]], pickup=[[0, 3], [0, 0]])
    instance = constrained(customers=customers, vehicles=[{"capacity": [4, 3]}])
    assert found(instance, [2, 1]) == []
    (problem,) = found(instance, [1, 2])
    assert problem == (
        "routes[0]: a load of 4.0 in dimension 1 after customers[0] exceeds capacity 3.0"
    )


def test_backhauls():
    customers = on_a_line(1, 2, demand=[1, 0], pickup=[0, 1])
    last = constrained(customers=customers, vehicles=[{}], backhauls="last")
    assert found(last, [1, 2]) == []
    assert found(last, [2, 1]) == ["routes[0].customers[1]: a delivery after a pickup"]
    assert found(last, [2], [1]) == []
    never = constrained(customers=customers, vehicles=[{}], pickup_only_routes=False)
    assert found(never, [2, 1]) == []
    message = "routes[0]: only pickups, which pickup_only_routes does not allow"
    assert found(never, [2], [1]) == [message]


def test_nobody_leaves_later_than_the_latest_start():
    # Leaving at 7 is best, and the latest that is allowed: 5.
    customers = on_a_line(3, window=[[10, 1010]])
    vehicle = {"duration_cost": 3, "latest_start": 5}
    instance = constrained(customers=customers, vehicles=[vehicle])

    def problems(instance, departure, cost):
        stated = RouteSchedule(vehicle="0", start="0", end="0", departure=departure)
        solution = Solution(
            name="t", status="solved", cost=cost, routes=(RouteReport((1,), 0.0, NAN, stated),)
        )
        return check_constraints(instance, solution)[1]

    assert problems(instance, 5.0, 6 + 3 * 8.0) == []
    assert problems(instance, NAN, 6 + 3 * 8.0) == []
    for departure in (7.0, 5.01, 4.0):
        (problem, *_) = problems(instance, departure, 6 + 3 * 8.0)
        assert problem.startswith(f"routes[0].departure: {departure}, expected 5")
        assert problem.endswith("for the least duration up to 5.0")
    never = constrained(customers=on_a_line(3, release=[6]), vehicles=[vehicle])
    expected = ["routes[0]: leaves at 6 or later, latest_start is 5.0"]
    assert problems(never, NAN, 6.0) == expected


def test_without_a_depot_the_first_stop_or_break_begins_in_time():
    customers = on_a_line(1, 2, window=[[0, 3], [6, 9]])
    first = {"latest_start": 4, "start": None, "end": None}
    rests = {**first, "id": "r", "breaks": [{"window": [2, 5], "duration": 1}]}
    instance = constrained(customers=customers, vehicles=[{**first, "id": "v"}, rests])

    def problems(vehicle, *stops):
        stated = RouteSchedule(vehicle=vehicle, start=None, end=None)
        solution = Solution(
            name="t", status="solved", routes=(RouteReport(stops, NAN, NAN, stated),)
        )
        found = check_constraints(instance, solution)[1]
        return [each for each in found if each.startswith("routes[")]

    assert problems("v", 1, 2) == []
    assert problems("v", 2) == ["routes[0]: leaves at 6 or later, latest_start is 4.0"]
    assert problems("r", 2) == []


def test_tolerances():
    customers = on_a_line(3, window=[[10, 1010]])
    instance = constrained(customers=customers, vehicles=[{"duration_cost": 3}])
    times = {"departure": 7.0, "return_": 13.0, "duration": 6.0, "distance": 6.0}

    def problems(cost=24.0, **changes):
        stated = RouteSchedule(vehicle="0", start="0", end="0", **{**times, **changes})
        routes = (RouteReport((1,), 0.0, cost, stated),)
        solution = Solution(name="t", status="solved", cost=cost, routes=routes)
        return check_constraints(instance, solution)[1]

    assert problems() == []
    assert problems(departure=7.0009) == []  # a millionth of the span is 0.001
    assert problems(departure=7.0011) != []
    assert problems(return_=13.0009) == []
    assert problems(return_=13.0011) != []
    assert problems(cost=24.0 * (1 + 9e-10)) == []
    assert problems(cost=24.0 * (1 + 2e-9)) != []
    assert problems(distance=6.0 * (1 + 2e-9)) != []
    # The cost is that of the stated duration, where that is right.
    assert problems(duration=6.0009, cost=24.0027) == []


def test_a_file_of_routes_alone_states_nothing():
    routes = (RouteReport((1,), NAN, NAN),)
    customers = on_a_line(3, 4, prize=[None, 2])
    instance = constrained(customers=customers, vehicles=[{}])
    solution = Solution(name="t", status="solved", routes=routes)
    assert check_constraints(instance, solution) == (8.0, [])
    wrong = dataclasses.replace(solution, cost=9)
    assert check_constraints(instance, wrong)[1] == ["cost: 9, expected 8.0"]


def test_empty_routes_use_no_vehicle():
    instance = constrained(customers=on_a_line(3), vehicles=[{"count": 1, "fixed_cost": 4}])
    assert found(instance, [1], [], cost=10) == []


MUTATIONS = [
    *(("schedule", key) for key in ("departure", "return_", "duration", "distance")),
    *(("schedule", key) for key in ("arrivals", "begins")),
    ("route", "cost"),
]


@pytest.mark.parametrize(("part", "key"), MUTATIONS)
@pytest.mark.parametrize("sign", [-1, 1])
def test_every_stated_number_is_looked_at(part, key, sign):
    for route in (VAN, BIKE):
        value = getattr(route.schedule if part == "schedule" else route, key)
        off = sign * 2e-4  # the span is 100
        wrong = (*value[:-1], value[-1] + off) if isinstance(value, tuple) else value + off
        if part == "schedule":
            made = schedule(route, **{key: wrong})
        else:
            made = dataclasses.replace(route, **{key: wrong})
        routes = [made if each is route else each for each in RIGHT.routes]
        assert check_constraints(FLEET, answer(*routes))[1], (route, key)
