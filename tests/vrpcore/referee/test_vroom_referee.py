"""The referee of VROOM's documents: right answers pass, damaged ones do not."""

import copy
import json
import random

import pytest

from tests.vrpcore.vroom_problems import FEATURES, vroom_problem
from vrpcore.api import Solver, read_instances
from vrpcore.formats.vroom.vroom_answer import answer_to_dict
from vrpcore.referee.vroom_referee import check_vroom
from vrpcore.search import rich_library

EXACT = [name for name in FEATURES if name not in ("speed_factor", "steps")]
TASKS = ("job", "pickup", "delivery")


@pytest.fixture(scope="module")
def answered():
    solver = Solver(device="cpu")

    def answer(document):
        items = read_instances(document)
        (solution,) = solver.solve(items, workers=1, threads=1, improve="none")
        return answer_to_dict(items[0], solution)

    return answer


@pytest.fixture(scope="module")
def pairs(answered):
    """Problems of many features with right answers."""
    documents = [vroom_problem(seed, 14, EXACT, 0.7) for seed in range(12)]
    return [(document, answered(document)) for document in documents]


@pytest.mark.parametrize("example", [1, 2, 3])
def test_published_answers(test_data, example):
    """Without matrices, travel times are the answer's; the third is a plan that breaks limits."""
    folder = test_data / "variants/vroom_docs"
    document = json.loads((folder / f"example_{example}.json").read_text())
    answer = json.loads((folder / f"example_{example}_sol.json").read_text())
    assert check_vroom(document, answer, planned=example == 3) == []
    strict = check_vroom(document, answer)
    assert bool(strict) == (example == 3)
    if strict:
        assert "routes[0].steps[0]: a load of [7] exceeds [4]" in strict
        assert "summary.violations: limits are broken" in strict


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
    assert check_vroom(document, answer) == []


def damaged_answers(answer, draw):
    """What may be wrong with an answer, one at a time, each with its name."""
    row = draw.randrange(len(answer["routes"]))
    steps = answer["routes"][row]["steps"]
    places = [place for place, step in enumerate(steps) if step["type"] in TASKS]
    place = draw.choice(places)

    def change(name):
        changed = copy.deepcopy(answer)
        return name, changed, changed["routes"][row]

    for key in ("arrival", "duration", "service", "setup", "waiting_time"):
        for delta in (-1, 1, 1000):
            name, changed, route = change(f"{key} of a step")
            route["steps"][place][key] += delta
            yield name, changed
    for key in ("cost", "service", "setup", "duration", "waiting_time", "priority"):
        name, changed, route = change(f"{key} of a route")
        route[key] += 2
        yield name, changed
        name, changed, _ = change(f"{key} in the summary")
        changed["summary"][key] += 1
        yield name, changed
    name, changed, route = change("a task less")
    del route["steps"][place]
    yield name, changed
    name, changed, route = change("a task twice")
    route["steps"].insert(place, route["steps"][place])
    yield name, changed
    name, changed, route = change("an unknown task")
    route["steps"][place]["id"] += 10**6
    yield name, changed
    name, changed, route = change("an unknown vehicle")
    route["vehicle"] += 10**6
    yield name, changed
    name, changed, route = change("no steps")
    route["steps"] = []
    yield name, changed
    name, changed, route = change("an end less")
    del route["steps"][-1]
    yield name, changed
    name, changed, _ = change("served and unassigned")
    changed["unassigned"].append({"type": steps[place]["type"], "id": steps[place]["id"]})
    changed["summary"]["unassigned"] += 1
    yield name, changed
    if answer["unassigned"]:
        name, changed, _ = change("left out in silence")
        changed["unassigned"].pop()
        changed["summary"]["unassigned"] -= 1
        yield name, changed
    if "load" in steps[place]:
        name, changed, route = change("a load")
        route["steps"][place]["load"][0] += 1
        yield name, changed
        name, changed, route = change("amounts")
        route["delivery"][0] += 1
        yield name, changed
    if "distance" in steps[place]:
        name, changed, route = change("a distance")
        route["steps"][place]["distance"] += 1
        yield name, changed
    name, changed, _ = change("violations")
    changed["summary"]["violations"] = [{"cause": "delay"}]
    yield name, changed


@pytest.mark.skipif(not rich_library.is_built(), reason="the search was not built")
def test_damaged_answers_are_refused(pairs):
    draw, names = random.Random(1), set()
    for document, answer in pairs:
        assert check_vroom(document, answer) == []
        for name, changed in damaged_answers(answer, draw) if answer["routes"] else ():
            names.add(name)
            open_end = name == "an end less" and "end_index" not in next(
                each for each in document["vehicles"]
                if each["id"] in {route["vehicle"] for route in answer["routes"]}
            )  # fmt: skip
            assert check_vroom(document, changed) != [] or open_end, name
    assert {"left out in silence", "a load", "a distance"} <= names


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

        place = f"routes[{row}]"
        yield change("max_tasks", len(tasks) - 1), f"{place}.steps[0]", "more than max_tasks"
        if route["duration"]:
            limit = route["duration"] - 1
            yield change("max_travel_time", limit), place, f"{route['duration']}.0 is too long"
        if route.get("distance"):
            yield change("max_distance", route["distance"] - 1), place, "is too long"
        if sum(route.get("delivery", [])):
            none = [0] * len(route["delivery"])
            yield change("capacity", none), place, "exceeds"
        yield change("time_window", [arrivals[0] + 1, 2**40]), place, "begins before the shift"
        yield change("time_window", [0, arrivals[-1] - 1]), place, "ends after the shift"


@pytest.mark.skipif(not rich_library.is_built(), reason="the search was not built")
def test_broken_limits_are_named(pairs):
    found = 0
    for document, answer in pairs:
        for changed, place, message in broken(document, answer):
            problems = check_vroom(changed, answer)
            assert any(each.startswith(place) and message in each for each in problems), message
            found += 1
    assert found > 50


def one_job(**changes):
    """A job at ten seconds, and its answer."""
    document = {
        "vehicles": [{"id": 1, "start_index": 0, "end_index": 0}],
        "jobs": [{"id": 1, "location_index": 1, **changes}],
        "matrices": {"car": {"durations": [[0, 10], [10, 0]]}},
    }
    times = {"setup": 0, "service": 0, "waiting_time": 0}
    steps = [
        {"type": "start", "arrival": 0, "duration": 0, **times},
        {"type": "job", "id": 1, "arrival": 10, "duration": 10, **times},
        {"type": "end", "arrival": 20, "duration": 20, **times},
    ]
    route = {"vehicle": 1, "cost": 20, "duration": 20, "priority": 0, **times, "steps": steps}
    summary = {"cost": 20, "routes": 1, "unassigned": 0, "duration": 20, "priority": 0, **times}
    return document, {"code": 0, "summary": summary, "unassigned": [], "routes": [route]}


def test_skills_and_windows():
    assert check_vroom(*one_job()) == []
    assert check_vroom(*one_job(skills=[3])) == ["routes[0].steps[1]: the vehicle lacks a skill"]
    late = ["routes[0].steps[1]: begins at 10, outside its windows"]
    assert check_vroom(*one_job(time_windows=[[0, 9], [11, 12]])) == late
    assert check_vroom(*one_job(time_windows=[[0, 9], [10, 12]])) == []


def test_setup_is_needed_where_the_vehicle_comes_from_elsewhere():
    wrong = ["routes[0].steps[1].setup: 0, expected 5"]
    assert check_vroom(*one_job(setup=5)) == wrong
    document, answer = one_job(setup=5)
    document["vehicles"][0] |= {"start_index": 1, "end_index": 1}
    document["jobs"][0]["location_index"] = 1
    for key in ("arrival", "duration"):
        for step in answer["routes"][0]["steps"]:
            step[key] = 0
    for owner in (answer["routes"][0], answer["summary"]):
        owner |= {"cost": 0, "duration": 0}
    assert check_vroom(document, answer) == []


def test_shipments_go_together_and_in_order():
    document, answer = one_job()
    document["jobs"] = []
    ends = {kind: {"id": 1, "location_index": 1} for kind in ("pickup", "delivery")}
    document["shipments"] = [ends]
    steps = answer["routes"][0]["steps"]
    steps[1]["type"] = "pickup"
    assert "routes: pickup 1 and delivery 1 are not in one route" in check_vroom(document, answer)
    steps.insert(2, steps[1] | {"type": "delivery"})
    assert check_vroom(document, answer) == []
    steps[1], steps[2] = steps[2], steps[1]
    assert check_vroom(document, answer) == ["routes[0]: delivery 1 comes before pickup 1"]
