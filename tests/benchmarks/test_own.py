import pytest

from benchmarks import own
from benchmarks.contender import PLAIN_ONLY, judge
from benchmarks.own import own_contenders
from tests.benchmarks.rich_cases import corners
from tests.vrpcore.variants import drawn
from vrpcore.bench.problem_set import generated_set
from vrpcore.formats.read import read_instances
from vrpcore.solve import searching


def test_every_point_answers(solver):
    contenders, notes = own_contenders(solver, (0.01,), 1)
    problems = generated_set("uniform8", 2, 1)
    assert not notes
    settings = {(found.method, found.setting) for found in contenders}
    assert {("vrp policy", "multistart"), ("vrp policy", "x8")} <= settings
    assert {("vrp batched", "multistart"), ("vrp batched", "x8")} <= settings
    assert {("vrp", "fast"), ("vrp timed", "0.01 s"), ("vrp batched", "fast")} <= settings
    for contender in contenders:
        assert contender.together is (contender.method == "vrp batched")
        for instance, attempt in zip(
            problems.instances, contender.solve(problems.instances), strict=True
        ):
            assert judge(instance, attempt.routes)[1] is None
            assert attempt.solver_s > 0


def test_without_the_extra_there_is_the_policy(solver, monkeypatch):
    monkeypatch.setattr(own, "is_built", lambda: False)
    contenders, notes = own_contenders(solver, (0.01,), 1)
    assert {found.method for found in contenders} == {"vrp policy", "vrp batched"}
    assert notes == ["vrp with search: not measured (vrp doctor says why)"]


def test_the_version_names_the_model_and_the_seed(solver):
    (first, *_), _ = own_contenders(solver, (0.01,), 1)
    assert solver.model.sha256[:12] in first.version
    assert first.version.endswith("seed 1")


def test_instances_with_constraints_are_for_time_limits_alone(solver):
    contenders, _ = own_contenders(solver, (0.02,), 1)
    (first, second) = drawn("mdovrpbltw", 2, 8)
    said = {found.method: found.refuses(first) for found in contenders}
    assert said == {
        "vrp policy": PLAIN_ONLY,
        "vrp": own.TIMED_ONLY,
        "vrp timed": None,
        "vrp batched": own.TIMED_ONLY,
    }
    (timed,) = [found for found in contenders if found.method == "vrp timed"]
    for instance in (first, second):
        (attempt,) = timed.solve([instance])
        assert judge(instance, attempt.routes)[1] is None


def test_fewer_vehicles_come_first_where_that_is_asked(solver):
    """One route is longer than two: the way between the corners is 30."""
    lengths = [[0, 3, 4], [3, 0, 30], [4, 30, 0]]
    (instance,) = read_instances([corners() | {"distances": lengths}])
    for fewest, cost in ((False, 14), (True, 37)):
        contenders, _ = own_contenders(solver, (0.02,), 1, fewest)
        (timed,) = [found for found in contenders if found.method == "vrp timed"]
        (attempt,) = timed.solve([instance])
        assert judge(instance, attempt.routes) == (cost, None)


@pytest.mark.parametrize(
    ("north", "east", "van", "cost"),
    [
        ({"demand": 9}, {"demand": 9}, {"count": 1, "reloads": ["0"]}, 14),
        ({"demand": 9, "split": True}, {"demand": 9, "split": True}, {"capacity": 6}, 6 + 8 + 12),
    ],
)
def test_trips_and_splits_are_judged_as_they_are(solver, north, east, van, cost):
    (instance,) = read_instances([corners(north, east, van)])
    contenders, _ = own_contenders(solver, (0.02,), 1)
    (timed,) = [found for found in contenders if found.method == "vrp timed"]
    (attempt,) = timed.solve([instance])
    assert judge(instance, attempt.routes) == (cost, None)
    assert attempt.num_routes == len(attempt.routes.routes)


def test_an_answer_that_leaves_somebody_out_is_none(solver):
    (instance,) = read_instances([corners(vehicle={"max_distance": 7})])
    contenders, _ = own_contenders(solver, (0.02,), 1)
    (timed,) = [found for found in contenders if found.method == "vrp timed"]
    assert timed.solve([instance])[0].routes is None


def test_an_answer_that_a_bug_has_changed_is_none(solver, monkeypatch):
    def fails(*_, **__):
        raise RuntimeError("boom")

    monkeypatch.setattr(searching, "search_instance", fails)
    (instance,) = read_instances([corners()])
    contenders, _ = own_contenders(solver, (0.02,), 1)
    (timed,) = [found for found in contenders if found.method == "vrp timed"]
    assert timed.solve([instance])[0].routes is None
