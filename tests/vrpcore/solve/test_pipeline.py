import dataclasses
import itertools
import time

import numpy as np
import pytest

from tests.vrpcore.solve.test_construct import NearestFirst, problems
from tests.vrpcore.solve.test_construction import Pairs
from vrpcore.cost.routes import route_cost
from vrpcore.errors import ConfigError, ModelError
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Route
from vrpcore.solve import stream
from vrpcore.solve.deadline import TimeLimit
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


@pytest.mark.parametrize(("metric", "written"), [("euclidean", "0.0"), ("euc_2d", "0")])
def test_nothing_to_serve_costs_a_number_of_the_metrics_own_kind(metric, written):
    empty = Instance(
        name="empty",
        capacity=1.0,
        coords=np.zeros((1, 2)),
        demand=np.zeros(1),
        ids=(),
        metric=metric,
    )
    assert str(solve([empty])[0].cost) == written


def test_search_gets_the_candidates_and_gives_the_answer():
    seen = {}

    def search(problem, candidates, end, cores):
        assert end is None
        seen[problem.name] = candidates
        return [[node] for node in range(problem.num_customers, 0, -1)]

    (problem,) = problems([5])
    (answer,) = solve([problem], search)
    assert seen["p-0"]
    assert [route.customers for route in answer.routes] == [(5,), (4,), (3,), (2,), (1,)]


@pytest.mark.parametrize("count, cores", [(1, {6}), (2, {3, 6}), (6, {1, 2, 3, 6})])
@pytest.mark.parametrize("seconds", [None, 60.0])
def test_few_instances_share_the_cores(count, cores, seconds):
    seen = []

    def search(problem, candidates, end, cores):
        seen.append(cores)
        return candidates[0]

    limit = TimeLimit(time.perf_counter, seconds and time.perf_counter() + seconds)
    options = SolveOptions(workers=6, time_limit_s=seconds)
    Pipeline(NearestFirst(), search, options, lambda _: None, limit).solve(problems([5] * count))
    assert len(seen) == count
    assert set(seen) <= cores
    assert min(seen) == min(cores)


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
    assert "max_vehicles: 1, but at least 2 vehicles of capacity 30" in answer.error


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


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("augment", 9),
        ("starts", 0),
        ("improve", "most"),
        ("decode", "x"),
        ("seed", -1),
        ("time_limit_s", -1.0),
        ("time_per_instance_s", float("nan")),
    ],
)
def test_options_out_of_range(option, value):
    with pytest.raises(ConfigError, match=option):
        SolveOptions(**{option: value})


@pytest.fixture
def small_windows(monkeypatch):
    monkeypatch.setattr(stream, "FIRST_WINDOW", 3)
    monkeypatch.setattr(stream, "WINDOW_INSTANCES", 5)


def test_a_stream_gives_the_answers_of_a_list(small_windows):
    instances = problems([9, 4, 1001, 7, 7, 30, 5, 6, 8, 9, 12, 4, 3, 11, 6])
    pipeline = Pipeline(Pairs(), None, SolveOptions(), lambda _: None)
    whole = [pipeline.solve([instance])[0] for instance in instances]
    assert list(pipeline.stream(iter(instances))) == whole
    assert pipeline.solve(instances) == whole


def test_searches_are_in_flight_for_a_few_windows_only(small_windows):
    taken = []

    def entries():
        for instance in problems([5] * 60):
            taken.append(instance)
            yield instance

    def search(problem, candidates, end, cores):
        return candidates[0]

    answers = Pipeline(NearestFirst(), search, SolveOptions(), lambda _: None).stream(entries())
    for count, _ in enumerate(answers, start=1):
        assert len(taken) <= count + 3 * 5
    assert count == 60


def test_a_stream_that_is_dropped_leaves_its_threads(small_windows):
    answers = Pipeline(NearestFirst(), None, SolveOptions(), lambda _: None).stream(
        problems([5] * 60)
    )
    next(answers)
    answers.close()
    assert list(answers) == []


def test_an_error_of_the_backend_ends_the_stream():
    class Broken(NearestFirst):
        def construct(self, batch, starts, temperature, seed):
            raise ModelError("broken")

    with pytest.raises(ModelError, match="broken"):
        Pipeline(Broken(), None, SolveOptions(), lambda _: None).solve(problems([5]))


def test_warm_starts_go_with_their_positions(small_windows):
    instances = [dataclasses.replace(item, capacity=1000.0) for item in problems([6] * 7)]
    reports = []
    pipeline = Pipeline(NearestFirst(), None, SolveOptions(), reports.append)
    plain = pipeline.solve(instances)
    joined = Route(customers=(1, 2, 3, 4, 5, 6), load=0.0, cost=0.0)
    warm = [None] * 3 + [
        dataclasses.replace(plain[3], routes=(joined,)),
        dataclasses.replace(plain[4], routes=(joined, joined)),
    ]
    found = pipeline.solve(instances, warm)
    assert found[:3] + found[5:] == plain[:3] + plain[5:]
    assert found[3].cost <= route_cost(instances[3], joined.customers)
    assert found[3].cost < plain[3].cost
    assert found[4].warnings == ("WARM_START_IGNORED",)
    assert found[4].routes == plain[4].routes
    (note,) = [stage.note for stage in reports if stage.note]
    assert "warm start ignored" in note


def test_time_per_instance_begins_with_each_search():
    clock = itertools.count()
    ends = []

    def search(problem, candidates, end, cores):
        ends.append(end)
        return candidates[0]

    limit = TimeLimit(lambda: next(clock))
    options = SolveOptions(time_per_instance_s=10, workers=1)
    Pipeline(NearestFirst(), search, options, lambda _: None, limit).solve(problems([5, 5, 5]))
    assert ends == [10, 11, 12]
