import pytest

from vrpcore.api import Solver
from vrpcore.bench import own
from vrpcore.bench.contender import judge
from vrpcore.bench.own import own_contenders
from vrpcore.bench.problem_set import generated_set
from vrpcore.improve.native import is_built


@pytest.fixture(scope="module")
def solver():
    return Solver(device="cpu")


def test_every_point_answers(solver):
    contenders, notes = own_contenders(solver, (0.01,), 1)
    problems = generated_set("uniform8", 2, 1)
    installed = is_built()
    assert bool(notes) is not installed
    settings = {(found.method, found.setting) for found in contenders}
    assert {("vrp policy", "multistart"), ("vrp policy", "x8")} <= settings
    assert {("vrp batched", "multistart"), ("vrp batched", "x8")} <= settings
    if installed:
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
