import dataclasses

import numpy as np
import pytest

from tests.vrpcore.solve.test_construct import NearestFirst, problems
from vrpcore.errors import ConfigError
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.solve.options import SolveOptions
from vrpcore.solve.pipeline import Pipeline


def solve(instances, search=None, reports=None, **options):
    said = [] if reports is None else reports
    return Pipeline(NearestFirst(), search, SolveOptions(**options), said.append).solve(instances)


def test_order_and_places_are_kept():
    invalid = InvalidInstance(name="bad", code="CAPACITY", error="instances[1].capacity: no")
    empty = Instance(
        name="empty", capacity=1.0, coords=np.zeros((1, 2)), demand=np.zeros(1), ids=()
    )
    first, second = problems([9, 4])
    reports = []
    answers = solve([first, invalid, second, empty], reports=reports)
    assert [answer.status for answer in answers] == ["solved", "invalid", "solved", "solved"]
    assert answers[1].error == "instances[1].capacity: no"
    assert answers[3].cost == 0
    assert answers[3].routes == ()
    done = {"construct": 2, "finish": 4}
    for name, count in done.items():
        assert sum(stage.done for stage in reports if stage.name == name) == count
    told = {row: answer for stage in reports for row, answer in stage.answers.items()}
    assert [told[row] for row in sorted(told)] == answers


def test_search_gets_the_candidates_and_gives_the_answer():
    seen = {}

    def search(problem, candidates, deadline):
        assert deadline is None
        seen[problem.name] = candidates
        return [[node] for node in range(problem.num_customers, 0, -1)]

    (problem,) = problems([5])
    (answer,) = solve([problem], search)
    assert seen["p-0"]
    assert [route.customers for route in answer.routes] == [(5,), (4,), (3,), (2,), (1,)]


def test_whole_costs_stay_whole():
    (problem,) = problems([5])
    rounded = dataclasses.replace(problem, coords=problem.coords * 100, metric="euc_2d")
    (answer,) = solve([rounded])
    assert isinstance(answer.cost, int)
    assert all(isinstance(route.cost, int) for route in answer.routes)


def test_too_few_vehicles_is_proved():
    (problem,) = problems([6])
    few = dataclasses.replace(problem, max_vehicles=1, demand=np.array([0.0] + [6.0] * 6))
    (answer,) = solve([few])
    assert answer.status == "infeasible"
    assert "1 vehicles of capacity 30 cannot carry a total demand of 36" in answer.error


def test_not_found_is_not_called_infeasible():
    (problem,) = problems([6])  # the backend makes six routes
    (answer,) = solve([dataclasses.replace(problem, max_vehicles=5, capacity=1000.0)])
    assert answer.status == "not_found"
    assert answer.code == "TOO_MANY_ROUTES"


def test_sizes_the_policy_does_not_know_are_marked():
    small, large = problems([9, 1001])
    known, unknown = solve([small, large])
    assert known.warnings == ()
    assert unknown.warnings == ("SIZE_OUT_OF_TRAINING", "POLICY_SKIPPED")
    assert unknown.status == "solved"


def test_a_wrong_answer_never_leaves():
    (problem,) = problems([5])
    with pytest.raises(RuntimeError, match="fails its check"):
        solve([problem], lambda *_: [[1, 2], [3, 4]])


def test_search_ends_with_the_time():
    clock = iter([False, True, True])
    searched = []

    def search(problem, candidates, deadline):
        searched.append(problem.name)
        return candidates[0]

    instances = problems([5, 6, 7])
    pipeline = Pipeline(
        NearestFirst(), search, SolveOptions(workers=1), lambda _: None, lambda: next(clock)
    )
    assert [answer.status for answer in pipeline.solve(instances)] == ["solved"] * 3
    assert len(searched) == 1


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("augment", 9),
        ("starts", 0),
        ("improve", "most"),
        ("decode", "x"),
        ("seed", -1),
        ("time_limit_s", -1.0),
    ],
)
def test_options_out_of_range(option, value):
    with pytest.raises(ConfigError, match=option):
        SolveOptions(**{option: value})
