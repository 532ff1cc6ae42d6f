"""VROOM's answers: right ones pass, and whatever the oracle finds in wrong ones is found."""

import copy
import json
import random

import pytest

from tests.vrpcore.vroom_judged import damaged, judged
from tests.vrpcore.vroom_oracle import check_vroom as oracle
from tests.vrpcore.vroom_problems import FEATURES, vroom_problem
from vrpcore.api import Solver, read_instances
from vrpcore.formats.vroom.vroom_answer import answer_to_dict
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.referee.vroom_check import check_vroom, wrong_totals
from vrpcore.search import rich_library

TASKS = ("job", "pickup", "delivery")
needs_search = pytest.mark.skipif(not rich_library.is_built(), reason="the search was not built")


@pytest.fixture(scope="module")
def answered():
    solver = Solver(device="cpu")

    def answer(document):
        items = read_instances(document)
        (solution,) = solver.solve(items, workers=1, threads=1, improve="none")
        return json.loads(json.dumps(answer_to_dict(items[0], solution)))

    return answer


@pytest.mark.parametrize("seed", range(30))
def test_answers_of_vroom_itself(tmp_path, seed):
    """To problems of all that its format has."""
    vroom = pytest.importorskip("vroom", reason="needs pyvroom")
    features = [name for name in FEATURES if name != "steps"]
    document = vroom_problem(seed, 4 + seed, features)
    path = tmp_path / "problem.json"
    path.write_text(json.dumps(document))
    model = vroom.Input.from_json(path, geometry=False)
    answer = model.solve(exploration_level=1, nb_threads=1).to_dict()
    assert oracle(document, answer) == judged(document, answer) == []


def compared(document, answer, draw, number):
    """How many damaged documents the oracle refuses; all of these are refused."""
    assert oracle(document, answer) == judged(document, answer) == []
    found = 0
    for _ in range(number):
        changed = damaged(answer, draw)
        problems = judged(document, changed)
        if any(each.startswith("input: ") for each in problems):
            continue  # not read
        found += bool(wrong := oracle(document, changed))
        assert problems or not wrong, wrong
    for _ in range(number):
        changed = damaged(document, draw)
        (item,) = read_instances(changed)
        if isinstance(item, InvalidInstance):
            continue
        found += bool(wrong := oracle(changed, answer))
        assert judged(changed, answer) or not wrong, wrong
    return found


SOME = [vroom_problem(seed, 3 + 2 * seed, chance=0.6) for seed in range(4)]
MANY = [vroom_problem(seed, 2 + seed % 30) for seed in range(1000, 1030)]


@needs_search
@pytest.mark.parametrize(
    ("documents", "number", "least"),
    [(SOME, 8, 15), pytest.param(MANY, 30, 300, marks=pytest.mark.slow)],
    ids=["some", "many"],
)
def test_whatever_the_oracle_finds_is_found(answered, documents, number, least):
    draw = random.Random(number)
    assert sum(compared(each, answered(each), draw, number) for each in documents) > least


def broken(document, answer):
    """Harder problems, each with the limit that its answer breaks then, and how it is called."""
    for row, route in enumerate(answer["routes"]):
        index = next(
            place for place, each in enumerate(document["vehicles"])
            if each["id"] == route["vehicle"]
        )  # fmt: skip
        tasks = [step for step in route["steps"] if step["type"] in TASKS]
        arrivals = [step["arrival"] for step in route["steps"]]

        def change(key, value, index=index):
            changed = copy.deepcopy(document)
            changed["vehicles"][index][key] = value
            return changed

        place, last = f"routes[{row}]", len(arrivals) - 1
        number = len(tasks)
        yield change("max_tasks", number - 1), f"{place}: {number} stops, max_tasks is"
        if limit := route["duration"]:
            yield change("max_travel_time", limit - 1), f"{place}: travel time {limit}"
        if limit := route.get("distance"):
            yield change("max_distance", limit - 1), f"{place}: distance {limit}.0 exceeds"
        if sum(route.get("delivery", [])):
            none = [0] * len(route["delivery"])
            yield change("capacity", none), f"{place}: a load of"
        early = f"{place}.steps[0]: begins at {arrivals[0]}, before the shift at {arrivals[0] + 1}"
        yield change("time_window", [arrivals[0] + 1, 2**40]), early
        late = f"{place}.steps[{last}]: ends at {arrivals[-1]}, after the shift at"
        yield change("time_window", [0, arrivals[-1] - 1]), late


@needs_search
def test_broken_limits_are_named(answered):
    found = 0
    features = [name for name in FEATURES if name not in ("speed_factor", "open_ends")]
    for seed in range(3):
        document = vroom_problem(seed, 14, features, 0.7)
        answer = answered(document)
        for changed, message in broken(document, answer):
            problems = judged(changed, answer)
            assert any(each.startswith(message) for each in problems), (message, problems)
            found += 1
    assert found > 12


def two_jobs(**changes):
    """A job ten seconds away and another, which is left out; and the answer."""
    jobs = [{"id": 7, "location_index": 1, **changes}, {"id": 8, "location_index": 1}]
    ends = {"start_index": 0, "end_index": 0}
    document = {
        "vehicles": [{"id": 3, **ends, "max_tasks": 1}, {"id": 4, **ends, "max_tasks": 1}],
        "jobs": jobs,
        "matrices": {"car": {"durations": [[0, 10], [10, 0]]}},
    }
    times = {"setup": 0, "service": 0, "waiting_time": 0}
    steps = [
        {"type": "start", "arrival": 0, "duration": 0, **times},
        {"type": "job", "id": 7, "arrival": 10, "duration": 10, **times},
        {"type": "end", "arrival": 20, "duration": 20, **times},
    ]
    route = {"vehicle": 3, "cost": 20, "duration": 20, "priority": 0, **times, "steps": steps}
    summary = {"cost": 20, "routes": 1, "unassigned": 1, "duration": 20, "priority": 0, **times}
    unassigned = [{"type": "job", "id": 8}]
    return document, {"code": 0, "summary": summary, "unassigned": unassigned, "routes": [route]}


def changed(change, **problem):
    """What is wrong with the answer after a change."""
    document, answer = two_jobs(**problem)
    change(answer)
    return judged(document, answer)


def test_who_drives_and_whom_they_serve():
    assert judged(*two_jobs()) == []
    found = judged(*two_jobs(skills=[5]))
    assert found == ["routes[0].steps[1]: needs '5', which the vehicle does not have"]
    found = changed(lambda answer: answer["routes"][0].update(vehicle=9))
    assert "routes[0].vehicle: 9 is unknown, or has another route, too" in found
    found = changed(lambda answer: answer["routes"].append(answer["routes"][0]))
    assert "routes[1].vehicle: 3 is unknown, or has another route, too" in found
    found = changed(lambda answer: answer["routes"][0]["steps"].pop(1))
    assert "routes[0].steps: no task; leave out vehicles that are not used" in found
    found = changed(lambda answer: answer["routes"][0]["steps"][1].update(id=9))
    assert "routes[0].steps[1]: 'job 9' is not a customer of the instance" in found
    assert "unassigned: job 7 is not served and not reported" in found


def test_who_is_unassigned():
    found = changed(lambda answer: answer["unassigned"][0].update(id=7))
    assert "unassigned[0]: job 7 is unknown, served or listed twice" in found
    assert "unassigned: job 8 is not served and not reported" in found
    assert changed(lambda answer: answer["unassigned"][0].update(reason="FLEET")) == []
    assert changed(lambda answer: answer["unassigned"][0].update(reason="LOADED")) == []
    assert changed(lambda answer: answer["unassigned"][0].update(reason="SKILLS")) == [
        "unassigned: 8 has the reason SKILLS, expected FLEET or LOADED"
    ]
    document, _ = two_jobs()
    times = dict.fromkeys(("setup", "service", "waiting_time", "duration"), 0)
    summary = {"cost": 0, "routes": 0, "unassigned": 2, "priority": 0, **times}
    both = [{"type": "job", "id": job} for job in (7, 8)]
    answer = {"code": 0, "summary": summary, "unassigned": both, "routes": []}
    assert judged(document, answer) == []
    summary["cost"] = 3
    assert judged(document, answer) == ["summary.cost: 3, expected 0"]


def test_what_had_begun_may_break_limits():
    """It may, but numbers are what they are."""
    limit = {"skills": [5], "time_windows": [[0, 9]]}
    late = "routes[0].steps[1]: begins at 10, expected 0 to 9"
    assert late in judged(*two_jobs(**limit))
    document, answer = two_jobs(**limit)
    answer["warnings"] = ["FROZEN_BREAKS_LIMIT: routes[0]"]
    assert judged(document, answer) == []
    answer["routes"][0]["steps"][1]["service"] = 4
    assert "routes[0].steps[1].service: 4, expected 0" in judged(document, answer)


def test_only_answers_of_vrooms():
    (item,) = read_instances(two_jobs()[0])
    with pytest.raises(ValueError, match="instance-0: the problem or its answer is not VROOM's"):
        check_vroom(item, Solution(name="n", status="solved", cost=0))


@pytest.mark.parametrize(
    ("vehicle", "times", "message"),
    [
        (3, {"service_at": 10}, None),
        (4, {"service_after": 0}, "routes[0].steps[1]: the vehicle is not among its vehicles"),
        (3, {"service_after": 11}, "routes[0].steps[1]: begins at 10, expected 11 to inf"),
        (3, {"service_before": 9}, "routes[0].steps[1]: begins at 10, expected -inf to 9"),
    ],
)
def test_pins_say_who_and_when(vehicle, times, message):
    document, answer = two_jobs()
    steps = [{"type": "job", "id": 7, **times}]
    document["vehicles"][vehicle - 3]["steps"] = steps
    assert bool(oracle(document, answer)) == (message is not None)
    assert judged(document, answer) == ([] if message is None else [message])


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
