import dataclasses

import numpy as np

from tests.vrpcore.solve.test_construct import problems
from vrpcore.cost.routes import route_cost
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.solution import Route, Solution
from vrpcore.solve.job import WARM_START_IGNORED, Job, admit

SIZES = (1, 9)


def earlier(problem, routes):
    found = tuple(
        Route(tuple(problem.ids[node - 1] for node in route), load=0.0, cost=0.0)
        for route in routes
    )
    return Solution(name=problem.name, status="solved", cost=0.0, routes=found)


def one_each(problem):
    return [[node] for node in range(1, problem.num_customers + 1)]


def test_what_needs_no_work_is_answered():
    (problem,) = problems([6])
    few = dataclasses.replace(problem, max_vehicles=1, demand=np.array([0.0] + [6.0] * 6))
    invalid = InvalidInstance(name="bad", code="CAPACITY", error="no")
    assert admit(0, few, None, SIZES).status == "infeasible"
    assert admit(0, invalid, None, SIZES).code == "CAPACITY"


def test_sizes_out_of_training_are_marked():
    known, larger = problems([9, 10])
    assert admit(0, known, None, SIZES).warnings == []
    assert admit(0, larger, None, SIZES).warnings == ["SIZE_OUT_OF_TRAINING"]


def test_known_routes_are_candidates_by_their_cost():
    (problem,) = problems([6])
    own = ((1, 2), (3, 4), (5, 6))
    own_routes = [list(route) for route in own]
    with_routes = dataclasses.replace(problem, routes=own, capacity=100.0)
    job = admit(0, with_routes, earlier(with_routes, one_each(problem)), SIZES)
    assert job.known == [own_routes, one_each(problem)]
    middle = [[1], [2], [3, 4], [5, 6]]
    job.take([middle], 16)
    cost = {
        str(routes): sum(route_cost(problem, route) for route in routes)
        for routes in (own_routes, one_each(problem), middle)
    }
    assert [str(routes) for routes in job.candidates] == sorted(cost, key=cost.__getitem__)


def test_an_answer_is_never_dearer_than_what_was_known():
    (problem,) = problems([6])
    roomy = dataclasses.replace(problem, capacity=100.0)
    joined = [[1, 2, 3, 4, 5, 6]]
    for known, found in ((joined, one_each(problem)), (one_each(problem), joined)):
        job = admit(0, roomy, earlier(roomy, known), SIZES)
        job.take([one_each(problem)], 16)
        costs = [sum(route_cost(roomy, r) for r in routes) for routes in (known, found)]
        answer = job.answer(found, searched=True)
        assert answer.cost <= min(costs) * (1 + 1e-12)


def test_a_useless_warm_start_is_told_and_does_no_harm():
    (problem,) = problems([6])
    own = dataclasses.replace(problem, routes=((1, 2, 3), (4, 5, 6)), capacity=100.0)
    job = admit(0, own, earlier(own, [[1, 2]]), SIZES)
    assert job.warnings == [WARM_START_IGNORED]
    assert "p-0: warm start ignored" in job.note
    assert job.known == [[[1, 2, 3], [4, 5, 6]]]
    job = admit(0, problem, Solution(name="x", status="invalid"), SIZES)
    assert job.warnings == [WARM_START_IGNORED]


def test_too_many_routes_come_last_and_are_not_found():
    (problem,) = problems([6])
    limited = dataclasses.replace(problem, max_vehicles=5, capacity=1000.0)
    job = Job(position=0, instance=limited)
    job.take([one_each(problem)], 16)
    answer = job.answer(None, searched=False)
    assert (answer.status, answer.code) == ("not_found", "TOO_MANY_ROUTES")
    assert "try --improve fast" in answer.error
