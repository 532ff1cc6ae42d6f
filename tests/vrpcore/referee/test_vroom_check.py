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
from vrpcore.referee.vroom_check import check_vroom
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


@needs_search
def test_whatever_the_oracle_finds_is_found(answered):
    draw, found = random.Random(1), 0
    for seed in range(10):
        document = vroom_problem(seed, 3 + seed, chance=0.6)
        found += compared(document, answered(document), draw, 12)
    assert found > 60


@needs_search
@pytest.mark.slow
def test_whatever_the_oracle_finds_is_found_in_many_answers(answered):
    draw, found = random.Random(2), 0
    for seed in range(1000, 1030):
        document = vroom_problem(seed, 2 + seed % 30)
        found += compared(document, answered(document), draw, 30)
    assert found > 300


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
    for seed in range(8):
        document = vroom_problem(seed, 14, features, 0.7)
        answer = answered(document)
        for changed, message in broken(document, answer):
            problems = judged(changed, answer)
            assert any(each.startswith(message) for each in problems), (message, problems)
            found += 1
    assert found > 30


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
