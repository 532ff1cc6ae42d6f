"""Routes of VROOM's with breaks, types, costs and speed factors, by its description."""

import pytest

from tests.vrpcore.vroom_judged import judged
from vrpcore.referee.stated_steps import wrong_totals

TIMES = {"durations": [[0, 100], [100, 0]]}
NOTHING = {"setup": 0, "service": 0, "waiting_time": 0}


def checked(vehicle, job, route, tables=TIMES):
    """What is wrong with the only route."""
    problem = {
        "vehicles": [{"id": 1, "start_index": 0, "end_index": 0, **vehicle}],
        "jobs": [{"id": 1, "location_index": 1, **job}],
        "matrices": {"car": tables},
    }
    kept = ("cost", "duration", "priority", "distance", "delivery", "pickup", *NOTHING)
    summary = {key: route[key] for key in kept if key in route} | {"routes": 1, "unassigned": 0}
    return judged(problem, {"code": 0, "summary": summary, "unassigned": [], "routes": [route]})


def there_and_back(way=100, service=0, **changes):
    steps = [
        {"type": "start", "arrival": 0, "duration": 0, **NOTHING},
        {"type": "job", "id": 1, "arrival": way, "duration": way, **NOTHING, "service": service},
        {"type": "end", "arrival": 2 * way + service, "duration": 2 * way, **NOTHING},
    ]
    totals = {"cost": 2 * way, "duration": 2 * way, "priority": 0, **NOTHING, "service": service}
    return {"vehicle": 1, "steps": steps, **totals, **changes}


def test_limits():
    late = "routes[0].steps[2]: ends at 200, after the shift at 150"
    assert checked({"time_window": [0, 150]}, {}, there_and_back()) == [late]
    early = "routes[0].steps[0]: begins at 0, before the shift at 1"
    assert checked({"time_window": [1, 900]}, {}, there_and_back()) == [early]
    windows = {"time_windows": [[0, 9], [110, 120]]}
    outside = "routes[0].steps[1]: begins at 100, expected 0 to 9, 110 to 120"
    assert checked({}, windows, there_and_back()) == [outside]
    assert checked({}, {"time_windows": [[0, 9], [100, 120]]}, there_and_back()) == []
    reported = there_and_back(violations=[{"cause": "delay", "duration": 50}])
    assert checked({}, {}, reported) == ["routes[0].violations: delay; expected none"]


def test_numbers_of_steps_and_routes():
    route = there_and_back(duration=207)
    route["steps"][1]["arrival"] = 99
    assert checked({}, {}, route) == [
        "routes[0].steps[1].arrival: 99, expected 100",
        "routes[0].steps[2].arrival: 200, expected 199",
        "routes[0].duration: 207, expected 200",
    ]
    route = there_and_back()
    route["steps"][1]["duration"] = 201
    assert checked({}, {}, route) == [
        "routes[0].steps[1].duration: 201, expected 100",
        "routes[0].steps[1].arrival: 100, expected 201",
        "routes[0].steps[2].duration: 200, less than one step before",
        "routes[0].steps[2].arrival: 200, expected 99",
    ]


def test_open_ends_have_a_step_or_none():
    """The vehicle is where the job is; the other end is open."""
    route = there_and_back(cost=100, duration=100)
    for step in route["steps"][:2]:
        step |= {"arrival": 0, "duration": 0}
    route["steps"][2] |= {"arrival": 100, "duration": 100}
    problem = {"start_index": None}
    assert checked(problem, {}, route) == []
    del route["steps"][0]
    assert checked(problem, {}, route) == []
    assert "routes[0].steps[0]: job 1, expected start" in checked({}, {}, route)
    del route["steps"][1]
    assert "routes[0].steps[1]: nothing, expected end" in checked(problem, {}, route)


def test_services_of_types():
    job = {"service": 30, "service_per_type": {"van": 20}}
    assert checked({"type": "van"}, job, there_and_back(service=20)) == []
    assert checked({"type": "car"}, job, there_and_back(service=30)) == []
    assert checked({"type": "van"}, job, there_and_back(service=30)) == [
        "routes[0].steps[1].service: 30, expected 20"
    ]
    wrong = "routes[0].steps[1].setup: 0, expected 5"
    assert checked({}, {"setup": 5}, there_and_back()) == [wrong]


def test_costs():
    costs = {"fixed": 7, "per_hour": 1800, "per_task_hour": 3600}
    vehicle, job = {"costs": costs}, {"service": 60}
    assert checked(vehicle, job, there_and_back(service=60, cost=167)) == []
    found = checked(vehicle, job, there_and_back(service=60, cost=200))
    assert found == ["routes[0].cost: 200, expected 167"]
    tables = TIMES | {"costs": [[0, 3], [4, 0]]}
    assert checked({}, {}, there_and_back(cost=7), tables) == []


def test_speed_factors_make_hundredths():
    vehicle = {"speed_factor": 1.5}
    assert checked(vehicle, {}, there_and_back(way=67, cost=134)) == []
    assert checked(vehicle, {}, there_and_back(way=66, cost=133)) != []
    assert checked(vehicle, {}, there_and_back(way=70, cost=140)) != []


def with_break(at, arrival, duration, **own):
    route = there_and_back(service=0)
    step = {"type": "break", "id": 4, "arrival": arrival, "duration": duration, **NOTHING}
    route["steps"].insert(at, step | {"service": 30})
    for later in route["steps"][at + 1 :]:
        later["arrival"] += 30
    route["service"] = 30
    return {"breaks": [{"id": 4, "service": 30, **own}]}, {}, route


def test_breaks_may_be_on_the_way():
    assert checked(*with_break(1, 40, 40)) == []
    assert checked(*with_break(1, 40, 40, time_windows=[[30, 40]])) == []
    late = ["routes[0].steps[1]: begins at 40, expected 30 to 39"]
    assert checked(*with_break(1, 40, 40, time_windows=[[30, 39]])) == late
    vehicle, job, route = with_break(1, 40, 40)
    missing = ["routes[0].steps: break 4 is not taken"]
    assert checked(vehicle, job, there_and_back()) == missing
    assert "routes[0].steps[1]: break 4, expected job 1" in checked({}, job, route)
    route["steps"].insert(1, route["steps"][1])
    assert "routes[0].steps[2]: break 4 is taken twice" in checked(vehicle, job, route)


def test_breaks_with_little_on_board():
    vehicle, job, route = with_break(1, 40, 40, max_load=[1])
    vehicle["capacity"] = [5]
    route |= {"delivery": [2], "pickup": [0]}
    for step, load in zip(route["steps"], ([2], [2], [0], [0]), strict=True):
        step["load"] = load
    wrong = ["routes[0].steps[1]: a load of [2] exceeds max_load [1]"]
    assert checked(vehicle, job | {"delivery": [2]}, route) == wrong
    route["steps"][2]["load"] = [1]
    wrong.insert(0, "routes[0].steps[2].load: [1], expected [0]")
    assert checked(vehicle, job | {"delivery": [2]}, route) == wrong


@pytest.mark.parametrize("none", [None, 2**31 - 1, 2**32 - 1])
@pytest.mark.parametrize("key", ["durations", "distances", "costs"])
def test_no_road(none, key):
    found = checked({}, {}, there_and_back(), TIMES | {key: [[0, none], [100, 0]]})
    assert found == ["routes[0]: no road leads from the start of vehicle 1 to job 1"]


def test_totals():
    routes = [{"cost": cost, "delivery": [cost, 1]} for cost in (3, 4)]
    summary = {"routes": 2, "unassigned": 0, "cost": 7, "delivery": [7, 2]}
    document = {"routes": routes, "unassigned": [], "summary": summary}
    assert list(wrong_totals(document, is_scaled=False)) == []
    summary |= {"cost": 9, "delivery": [7, 3], "violations": [{"cause": "delay"}]}
    wrong = ["summary.delivery: [7, 3], expected [7, 2]"]
    wrong.append("summary.violations: delay; expected none")
    assert list(wrong_totals(document, is_scaled=True)) == wrong
    assert list(wrong_totals(document, is_scaled=False)) == [
        "summary.cost: 9, expected 7",
        *wrong,
    ]
