"""Routes with breaks, types, costs and speed factors, against VROOM's description."""

import math

import pytest

from vrpcore.referee.vroom_route import Profile, Task, check_route, is_scaled

TIMES = {"car": {"durations": [[0, 100], [100, 0]]}}
NOTHING = {"setup": 0, "service": 0, "waiting_time": 0}


def checked(vehicle, job, route, matrices=TIMES, may_break="none"):
    job = {"id": 1, "location_index": 1, **job}
    vehicle = {"id": 1, "start_index": 0, "end_index": 0, **vehicle}
    tasks = {("job", 1): Task("job", job, job)}
    return check_route(
        Profile((matrices or {}).get("car", {})), vehicle, route, tasks, may_break=may_break
    )


def there_and_back(way=100, service=0, **changes):
    steps = [
        {"type": "start", "arrival": 0, "duration": 0, **NOTHING},
        {"type": "job", "id": 1, "arrival": way, "duration": way, **NOTHING, "service": service},
        {"type": "end", "arrival": 2 * way + service, "duration": 2 * way, **NOTHING},
    ]
    totals = {"cost": 2 * way, "duration": 2 * way, "priority": 0, **NOTHING, "service": service}
    return {"vehicle": 1, "steps": steps, **totals, **changes}


def test_limits_that_may_be_broken():
    late = {"cause": "delay", "duration": 50}
    for violations, may_break, wrong in (
        ([], "none", [".steps[2]: ends after the shift at 150"]),
        ([], "reported", [".steps[2]: ends after the shift at 150"]),
        ([late], "reported", []),
        ([], "all", []),
    ):
        route = there_and_back(violations=violations)
        assert checked({"time_window": [0, 150]}, {}, route, may_break=may_break) == wrong
    wrong = [".duration: 7, expected 200"]
    assert checked({}, {}, there_and_back(duration=7), may_break="all") == wrong


def test_services_of_types():
    job = {"service": 30, "service_per_type": {"van": 20}}
    assert checked({"type": "van"}, job, there_and_back(service=20)) == []
    assert checked({"type": "car"}, job, there_and_back(service=30)) == []
    assert checked({"type": "van"}, job, there_and_back(service=30)) == [
        ".steps[1].service: 30, expected 20"
    ]


def test_costs():
    costs = {"fixed": 7, "per_hour": 1800, "per_task_hour": 3600}
    vehicle, job = {"costs": costs}, {"service": 60}
    assert checked(vehicle, job, there_and_back(service=60, cost=167)) == []
    found = checked(vehicle, job, there_and_back(service=60, cost=200))
    assert found == [".cost: 200, expected 167.0"]
    matrices = {"car": TIMES["car"] | {"costs": [[0, 3], [4, 0]]}}
    assert checked({}, {}, there_and_back(cost=7), matrices) == []


def test_speed_factors_make_hundredths():
    vehicle = {"speed_factor": 1.5}
    assert is_scaled(vehicle)
    assert not is_scaled({"speed_factor": 1})
    assert checked(vehicle, {}, there_and_back(way=67, cost=134)) == []
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
    late = [".steps[1]: begins at 40, outside its windows"]
    assert checked(*with_break(1, 40, 40, time_windows=[[30, 39]])) == late
    vehicle, job, _ = with_break(1, 40, 40)
    assert checked(vehicle, job, there_and_back()) == [".steps[0]: break 4 is taken 0 times"]


def test_breaks_with_little_on_board():
    vehicle, job, route = with_break(1, 40, 40, max_load=[1])
    vehicle["capacity"] = [5]
    route |= {"delivery": [2], "pickup": [0]}
    for step, load in zip(route["steps"], ([2], [2], [0], [0]), strict=True):
        step["load"] = load
    wrong = [".steps[1]: a break with [2] on board"]
    assert checked(vehicle, job | {"delivery": [2]}, route) == wrong


@pytest.mark.parametrize("none", [None, math.inf, 2**31 - 1, 2**32 - 1])
@pytest.mark.parametrize("key", ["durations", "distances", "costs"])
def test_no_road(none, key):
    whole = {"durations": [[0, 100], [100, 0]]}
    found = checked({}, {}, there_and_back(), {"car": {**whole, key: [[0, none], [100, 0]]}})
    assert ".steps[1]: no road leads there from the location before" in found
    assert not any("steps[2]: no road" in each for each in found)
    same = {"car": {"durations": [[0, 100], [100, none]]}}
    assert checked({}, {}, there_and_back(), same) == []
