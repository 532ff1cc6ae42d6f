"""Answers in VROOM's JSON."""

import itertools
import json

import pytest

from tests.vrpcore.vroom_judged import judged
from tests.vrpcore.vroom_oracle import check_vroom, ways_between
from tests.vrpcore.vroom_problems import vroom_problem
from vrpcore.api import RoadOptions, Roads, read_instances, with_matrices
from vrpcore.errors import InstanceError
from vrpcore.formats.vroom.vroom_answer import answer_to_dict, answer_to_line
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.search import rich_library
from vrpcore.solve.answer import refused, unsearchable

pytestmark = pytest.mark.skipif(not rich_library.is_built(), reason="the search was not built")
TIMES = [[0, 10, 20, 30], [11, 0, 21, 31], [12, 22, 0, 32], [13, 23, 33, 0]]
LENGTHS = [[100 * each for each in row] for row in TIMES]


@pytest.fixture
def answered(solver):
    def answer(document, **options):
        items = read_instances(document)
        (solution,) = solver.solve(items, workers=1, threads=1, **options)
        return answer_to_dict(items[0], solution)

    return answer


def problem(vehicle=None, **changes):
    document = {
        "vehicles": [
            {"id": 5, "start_index": 0, "end_index": 0, "capacity": [9]} | (vehicle or {})
        ],
        "jobs": [{"id": 7, "location_index": 1, "service": 60, "delivery": [2]}],
        "shipments": [
            {
                "amount": [1],
                "priority": 4,
                "pickup": {"id": 7, "location_index": 2, "service": 5, "description": "shop"},
                "delivery": {"id": 9, "location_index": 3, "time_windows": [[500, 600]]},
            }
        ],
        "matrices": {"car": {"durations": TIMES, "distances": LENGTHS}},
    }
    return document | changes


def test_a_vehicle_that_stayed_until_a_freeze_waited_before_the_next_step(solver):
    """The job that it was driving to is gone."""
    jobs = [{"id": job, "location_index": job, "service": 5} for job in (1, 2, 3)]
    van = {"id": 5, "start_index": 0, "end_index": 0}
    document = {"vehicles": [van], "jobs": jobs, "matrices": {"car": {"durations": TIMES}}}
    (item,) = read_instances(document)
    (before,) = solver.solve([item], workers=1, threads=1)
    first, second, _ = before.routes[0].customers
    freeze = before.routes[0].schedule.begins[1] - 3
    left = [job for job in jobs if job["id"] != int(second)]
    (item,) = read_instances(document | {"jobs": left})
    (found,) = solver.solve([item], warm_starts=[before], freeze=freeze, workers=1, threads=1)
    assert found.routes[0].customers[0] == first
    answer = answer_to_dict(item, found)
    steps = answer["routes"][0]["steps"]
    assert steps[2]["waiting_time"] > 0
    drive = steps[2]["duration"] - steps[1]["duration"]
    assert steps[2]["arrival"] == steps[1]["arrival"] + 5 + drive
    assert judged(document | {"jobs": left}, answer) == []


def test_all_that_an_answer_says(answered):
    found = answered(problem({"costs": {"fixed": 3, "per_km": 100}, "description": "van"}))
    (route,) = found.pop("routes")
    times = found["summary"].pop("computing_times")
    assert times.keys() == {"loading", "solving", "routing"}
    assert 0 < times["solving"] < 60_000 and isinstance(times["solving"], int)
    assert found == {
        "code": 0,
        "summary": {
            "cost": 839, "routes": 1, "unassigned": 0, "setup": 0, "service": 65,
            "duration": 76, "waiting_time": 0, "priority": 8, "delivery": [3], "amount": [3],
            "pickup": [1], "distance": 7600, "violations": [],
        },
        "unassigned": [],
    }  # fmt: skip
    assert [route.pop(key) for key in ("vehicle", "description")] == [5, "van"]
    steps = route.pop("steps")
    assert route == {
        "cost": 839, "setup": 0, "service": 65, "waiting_time": 0, "duration": 76,
        "priority": 8, "delivery": [3], "amount": [3], "pickup": [1], "distance": 7600,
        "violations": [],
    }  # fmt: skip
    assert [(step["type"], step.get("id")) for step in steps] == [
        ("start", None), ("job", 7), ("pickup", 7), ("delivery", 9), ("end", None),
    ]  # fmt: skip
    assert steps[2] == {
        "type": "pickup", "id": 7, "job": 7, "location_index": 2, "description": "shop",
        "setup": 0,
        "arrival": steps[0]["arrival"] + 10 + 60 + 21, "service": 5, "waiting_time": 0,
        "duration": 31, "distance": 3100, "load": [1], "violations": [],
    }  # fmt: skip
    assert [step["load"] for step in steps] == [[2], [0], [1], [0], [0]]
    assert 500 <= steps[3]["arrival"] <= 600


def test_open_ends_have_steps_where_the_tasks_are(answered):
    open_start = {"id": 5, "end_index": 0, "capacity": [9], "start_index": None}
    (route,) = answered(problem(open_start, shipments=[]))["routes"]
    assert [(step["type"], step["location_index"]) for step in route["steps"]] == [
        ("start", 1), ("job", 1), ("end", 0),
    ]  # fmt: skip
    assert [step["duration"] for step in route["steps"]] == [0, 0, 11]
    (route,) = answered(problem({"end_index": None}, shipments=[]))["routes"]
    assert [step["arrival"] for step in route["steps"]] == [0, 10, 70]
    assert [step["distance"] for step in route["steps"]] == [0, 1000, 1000]


def test_who_is_unassigned_and_why(answered):
    """Both ends of a shipment; VROOM counts tasks."""
    found = answered(problem({"max_tasks": 1}))
    assert found["code"] == 0
    assert found["summary"]["unassigned"] == 2
    assert found["unassigned"][0] == {
        "type": "pickup", "id": 7, "location_index": 2, "description": "shop",
        "reason": "CAPACITY", "detail": "1 more stops than max_customers 1 of vehicle '5'",
    }  # fmt: skip
    assert [each["type"] for each in found["unassigned"]] == ["pickup", "delivery"]


def test_priorities_come_first_then_tasks_then_cost(answered):
    """A shipment counts twice in both: one of priority 5 is more than a job of 9."""
    vehicle = {"max_tasks": 2, "capacity": None}
    jobs = [{"id": each, "location_index": 1, "priority": 4} for each in (1, 2)]

    def served(priority, jobs=jobs):
        shipment = {
            "priority": priority,
            "pickup": {"id": 1, "location_index": 2},
            "delivery": {"id": 1, "location_index": 3},
        }
        found = answered(problem(vehicle, jobs=jobs, shipments=[shipment]))
        return {step["type"] for step in found["routes"][0]["steps"]} - {"start", "end"}

    assert served(5) == {"pickup", "delivery"}
    assert served(3) == {"job"}
    one = [{"id": 1, "location_index": 1, "priority": 9}]
    assert served(5, one) == {"pickup", "delivery"}
    assert served(0, [one[0] | {"priority": 0}]) == {"pickup", "delivery"}  # two tasks


def test_steps_are_kept_where_nothing_is_better(answered):
    steps = [{"type": "job", "id": 7}, {"type": "pickup", "id": 7}, {"type": "delivery", "id": 9}]
    found = answered(problem({"steps": steps}), improve="none")
    assert [step["type"] for step in found["routes"][0]["steps"][1:-1]] == [
        "job", "pickup", "delivery",
    ]  # fmt: skip
    assert found["warnings"] == ["POLICY_SKIPPED"]  # none constructs, as `none` asks for
    partial = answered(problem({"steps": steps[:1]}))
    assert "warnings" not in partial  # routes need not serve everybody
    broken = answered(problem({"steps": [steps[2], steps[1]]}))
    assert broken["warnings"] == ["WARM_START_REPAIRED"]


def test_breaks_are_steps_where_the_vehicle_is(answered):
    rest = {"id": 3, "service": 40, "time_windows": [[90, 95]], "description": "lunch"}
    (route,) = answered(problem({"breaks": [rest], "time_window": [0, 99999]}, shipments=[]))[
        "routes"
    ]
    steps = route["steps"]
    assert [step["type"] for step in steps] == ["start", "job", "break", "end"]
    begin = steps[2]["arrival"] + steps[2]["waiting_time"]
    assert 90 <= begin <= 95
    assert steps[2]["arrival"] == steps[1]["arrival"] + 60
    assert {key: steps[2][key] for key in ("id", "service", "duration", "load", "description")} == {
        "id": 3, "service": 40, "duration": 10, "load": [0], "description": "lunch",
    }  # fmt: skip
    assert steps[3]["arrival"] == begin + 40 + 11
    assert route["service"] == 100


def test_setups_and_times_of_types(answered):
    jobs = [
        {"id": each, "location_index": 1, "setup": 7, "service": 5, "service_per_type": {"van": 3}}
        for each in (1, 2)
    ]
    found = answered(problem({"type": "van"}, jobs=jobs, shipments=[]))
    steps = found["routes"][0]["steps"]
    assert [(step["setup"], step["service"]) for step in steps] == [(0, 0), (7, 3), (0, 3), (0, 0)]
    assert [found["summary"][key] for key in ("setup", "service")] == [7, 6]
    costs = {"per_hour": 0, "per_task_hour": 7200}
    paid = answered(problem({"costs": costs}, jobs=jobs, shipments=[]))
    assert paid["summary"]["cost"] == 2 * (7 + 10)


def test_costs_of_legs(answered):
    matrices = {"car": {"durations": TIMES, "costs": [[3] * 4] * 4}}
    found = answered(problem(matrices=matrices, shipments=[]))
    assert (found["summary"]["cost"], found["summary"]["duration"]) == (6, 21)


def test_vehicles_of_one_kind_get_their_own_ids(answered):
    document = problem({"max_tasks": 1, "capacity": None}, shipments=[])
    document["vehicles"] += [{"id": 2, "start_index": 0, "end_index": 0, "max_tasks": 1}]
    document["jobs"] = [{"id": 1, "location_index": 1}, {"id": 2, "location_index": 2}]
    assert [route["vehicle"] for route in answered(document)["routes"]] == [5, 2]


def test_errors_in_kind():
    invalid = InvalidInstance(
        name="a", code="SHAPE", error="instances[0].jobs: wrong", kind="vroom"
    )
    assert answer_to_dict(invalid, refused(invalid)) == {
        "code": 2,
        "error": "instances[0].jobs: wrong",
    }
    apart = InvalidInstance(name="a", code="ROADS", error="no segment", kind="vroom")
    assert answer_to_dict(apart, refused(apart)) == {"code": 3, "error": "no segment"}
    (item,) = read_instances(problem())
    assert answer_to_dict(item, unsearchable(item))["code"] == 1


def test_setups_where_places_are_known_by_their_coordinates(solver):
    places = [(8.1, 49.0), (8.2, 49.0), (8.2, 49.0)]
    jobs = [{"id": row, "location": at, "setup": 40} for row, at in enumerate(places)]
    document = {"vehicles": [{"id": 1, "start": places[0]}], "jobs": jobs}
    (item,) = read_instances(document, roads=True)
    with Roads(RoadOptions(matrix="haversine"), 36.0) as roads:
        item = with_matrices(item, roads)
        ways = ways_between(item)
    (solution,) = solver.solve([item], workers=1, threads=1)
    found = answer_to_dict(item, solution)
    assert [step["setup"] for step in found["routes"][0]["steps"]] == [0, 0, 40, 0, 0]
    assert all("location_index" not in step for step in found["routes"][0]["steps"])
    assert check_vroom(document, found, ways) == []


def test_other_instances_have_no_such_answer():
    document = {"name": "monday", "capacity": 1, "depot": [0, 0], "coords": [], "demands": []}
    (item,) = read_instances([document])
    with pytest.raises(InstanceError, match="monday: not a problem of VROOM's") as raised:
        answer_to_line(item, Solution(name="monday", status="solved", cost=0))
    assert raised.value.code == "NOT_WRITABLE"
    broken = InvalidInstance(name="monday", code="a", error="b")
    assert json.loads(answer_to_line(broken, refused(broken))) == {"code": 2, "error": "b"}


@pytest.mark.parametrize("seed", range(40))
def test_answers_to_random_problems_are_right(answered, seed):
    """By the referee that knows the description of the format alone."""
    document = vroom_problem(seed, 2 + seed % 19)
    found = answered(document)
    assert found["code"] == 0
    assert check_vroom(document, json.loads(json.dumps(found))) == []


def common(expected, found):
    """What both tell, of the same keys."""
    return {key: found[key] for key in expected if key in found}


def test_the_published_answer_to_a_published_problem(answered, test_data):
    folder = test_data / "variants/vroom_docs"
    expected = json.loads((folder / "example_2_sol.json").read_text())
    found = answered(json.loads((folder / "example_2.json").read_text()))
    del found["summary"]["computing_times"]
    assert found["summary"] == expected["summary"]
    (route,), (known,) = found["routes"], expected["routes"]
    steps = zip(route.pop("steps"), known.pop("steps"), strict=True)
    assert route == known
    for step, right in steps:
        assert step == right


@pytest.mark.parametrize(("example", "row"), [(1, 0), (1, 1), (3, 0), (3, 1)])
def test_published_routes_on_their_own_roads(answered, test_data, example, row):
    """Each route alone; its order is the only one that is short."""
    folder = test_data / "variants/vroom_docs"
    source = json.loads((folder / f"example_{example}.json").read_text())
    expected = json.loads((folder / f"example_{example}_sol.json").read_text())["routes"][row]
    steps = expected["steps"]
    document = alone(source, expected)
    (route,) = answered(document)["routes"]
    keys = ("type", "id", "location", "service", "waiting_time", "duration", "distance", "load")
    for step, right in zip(route["steps"], steps, strict=True):
        assert common(keys, step) == common(keys, right)
        if example == 1:  # the other knows when to leave
            assert step["arrival"] == right["arrival"]
    for key in ("cost", "service", "duration", "priority", "delivery", "pickup"):
        assert route[key] == expected[key]


def alone(source, route):
    """One route's part of a problem, with matrices from what the route tells."""
    steps = route["steps"]
    places = {(step["type"], step.get("id")): place for place, step in enumerate(steps)}
    vehicle = next(each for each in source["vehicles"] if each["id"] == route["vehicle"])
    vehicle = {key: value for key, value in vehicle.items() if key != "steps"}
    ends = {"start_index": 0, "end_index": len(steps) - 1, "capacity": [9]}
    found = {"vehicles": [vehicle | ends], "matrices": {"car": {}}}
    found["jobs"] = [
        job | {"location_index": places["job", job["id"]]}
        for job in source["jobs"]
        if ("job", job["id"]) in places
    ]
    found["shipments"] = [
        shipment | {
            kind: shipment[kind] | {"location_index": places[kind, shipment[kind]["id"]]}
            for kind in ("pickup", "delivery")
        }
        for shipment in source.get("shipments", ())
        if ("pickup", shipment["pickup"]["id"]) in places
    ]  # fmt: skip
    if any(step["violations"] for step in steps):
        found["vehicles"][0]["time_window"] = [0, 2 * 10**9]
        for job in found["jobs"]:
            job.pop("time_windows", None)
    for name, key in (("durations", "duration"), ("distances", "distance")):
        matrix = [[10**6] * len(steps) for _ in steps]
        for first, last in itertools.combinations(range(len(steps)), 2):
            matrix[first][last] = steps[last][key] - steps[first][key]
        found["matrices"]["car"][name] = matrix
    return found


def test_tasks_stay_with_the_vehicles_that_they_are_given(answered):
    def step(job):
        return {"type": "job", "id": job}

    far = [[0, 9, 9, 9], [9, 0, 1, 18], [9, 1, 0, 18], [9, 18, 18, 0]]
    jobs = [{"id": 40 + place, "location_index": place} for place in (1, 2, 3)]
    for given in itertools.permutations((5, 6, 7), 2):
        steps = dict(zip(given, ([step(41), step(42)], [step(43)]), strict=True))
        vehicles = [
            {
                "id": van,
                "start_index": 0,
                "end_index": 0,
                "max_tasks": 2,
                "steps": steps.get(van, []),
            }
            for van in (5, 6, 7)
        ]
        document = {"vehicles": vehicles, "jobs": jobs, "matrices": {"car": {"durations": far}}}
        routes = answered(document)["routes"]
        stops = {
            route["vehicle"]: [step["id"] for step in route["steps"] if step["type"] == "job"]
            for route in routes
        }
        assert stops == {given[0]: [41, 42], given[1]: [43]}
        assert [*stops] == sorted(given)
