import dataclasses

import numpy as np

from tests.build import constrained, on_a_line, random_instance
from tests.vrpcore.solve.doubles import problems
from vrpcore.formats.read import read_instances
from vrpcore.instance.instance import InvalidInstance
from vrpcore.search import hgs_library, rich_library
from vrpcore.solve.admission import NO_ROAD_SUSPECTED, PLACE_SUSPECTED, admit
from vrpcore.solve.order import Task
from vrpcore.solve.solve_options import SolveOptions


def test_what_needs_no_work_is_answered():
    (problem,) = problems([6])
    few = dataclasses.replace(problem, max_vehicles=1, demand=np.array([0.0] + [6.0] * 6))
    invalid = InvalidInstance(name="bad", code="CAPACITY", error="no")
    assert admit(0, few, None).status == "infeasible"
    assert admit(0, invalid, None).code == "CAPACITY"


def test_constraints_without_the_compiled_search_are_refused_alone(monkeypatch, tmp_path):
    instance = constrained(customers=on_a_line(1, 2), vehicles=[{}])
    assert isinstance(admit(0, instance, None), Task)
    load = rich_library.load_library
    monkeypatch.setattr(rich_library, "load_library", lambda *_: load(tmp_path / "none.so"))
    answer = admit(0, instance, None)
    assert (answer.status, answer.code) == ("invalid", "NOT_INSTALLED")
    assert "vrp doctor" in answer.error
    assert isinstance(admit(0, problems([6])[0], None), Task)


def test_plain_instances_beyond_the_policy_are_refused_alone_without_the_search(
    monkeypatch, tmp_path
):
    few, many = random_instance(0, 1000), random_instance(0, 1001)
    assert isinstance(admit(0, many, None), Task)
    load = hgs_library.load_library
    monkeypatch.setattr(hgs_library, "load_library", lambda *_: load(tmp_path / "none.so"))
    assert isinstance(admit(0, few, None), Task)
    answer = admit(0, many, None)
    assert (answer.status, answer.code) == ("invalid", "NOT_INSTALLED")
    assert answer.error.startswith("1001 customers need the compiled search, which was not built")


def test_a_number_that_looks_like_no_road_is_reported():
    matrix = [[0, 1, 2, 9e6], [1, 0, 1, 9e6], [2, 1, 0, 9e6], [9e6, 9e6, 9e6, 0]]
    document = {"name": "a", "capacity": 9, "demands": [1, 1, 1], "distances": matrix}
    (instance,) = read_instances(document)
    task = admit(0, instance, None)
    told = "distances from the depot to 3: 9e+06, all smaller ones are at most 2; write null"
    assert task.warnings == [f"{NO_ROAD_SUSPECTED}: {told} where there is no road"]
    assert task.notes == [f"a: {told} where there is no road"]
    document["distances"] = [[each if each < 9e6 else None for each in row] for row in matrix]
    (instance,) = read_instances(document)
    assert admit(0, instance, None).warnings == []


def test_a_place_that_is_hardly_meant_is_reported():
    coords = [[13.4, 52.5], [13.5, 52.5], [13.4, 52.4], [0, 0]]
    document = {"name": "a", "capacity": 9, "demands": [1] * 4, "coords": coords}
    (instance,) = read_instances({**document, "depot": [13.4, 52.5], "metric": "haversine"})
    task = admit(0, instance, None)
    said = "4 is at latitude 0 and longitude 0; give its location"
    assert (task.warnings, task.notes) == ([f"{PLACE_SUSPECTED}: {said}"], [f"a: {said}"])
    (instance,) = read_instances({**document, "depot": [13.4, 52.5]})
    assert admit(0, instance, None).warnings == []


def test_no_plan_is_kept_where_customers_are_split():
    instance = constrained(capacity=3, split=True, customers=on_a_line(1, demand=[5]))
    assert isinstance(admit(0, instance, None, options=SolveOptions()), Task)
    for options in (SolveOptions(keep_cost=2.0), SolveOptions(freeze=5.0)):
        answer = admit(0, instance, None, options=options)
        assert (answer.status, answer.code) == ("invalid", "CONFLICT")
        assert answer.error.startswith("no plan is kept, or goes on, where customers may be split")
