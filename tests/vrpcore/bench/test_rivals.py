"""Rivals that are not installed here are skipped: `pip install 'vrp[bench]'` brings them."""

import math

import numpy as np
import pytest

from vrpcore.bench import rivals
from vrpcore.bench.contender import judge
from vrpcore.bench.problem_set import generated_set
from vrpcore.bench.rivals import (
    HGS,
    ORTOOLS,
    PYVRP,
    RIVALS,
    VROOM,
    Rival,
    hgs_solver,
    ortools_solver,
    pyvrp_solver,
    reference_contender,
    rival_contenders,
    vroom_solver,
)
from vrpcore.instance.instance import Instance

SOLVERS = [
    (HGS, lambda: hgs_solver(0.02, 1, None)),
    (HGS, lambda: hgs_solver(0.02, 1, 3)),
    (PYVRP, lambda: pyvrp_solver(0.02, 1)),
    (VROOM, lambda: vroom_solver(1)),
    (ORTOOLS, lambda: ortools_solver(None)),
    (ORTOOLS, lambda: ortools_solver(0.05)),
]
IDS = ["hgs", "hgs-mu-3", "pyvrp", "vroom", "ortools-first", "ortools-guided"]
# OR-Tools' bindings warn when they are imported, and warnings are errors here.
quiet = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def needs(rival):
    if not rival.installed:
        pytest.skip(f"{rival.package} is not installed: pip install 'vrp[bench]'")


def instances():
    """Unit square, whole lengths, far from the origin, and a matrix alone."""
    (unit,) = generated_set("uniform12", 1, 3).instances
    (whole,) = generated_set("xstyle12", 1, 3).instances
    assert whole.metric == "euc_2d"
    far = Instance(
        name="far",
        capacity=unit.capacity,
        coords=unit.coords * 1e5 - 7e5,
        demand=unit.demand + np.where(np.arange(13) > 0, 0.25, 0.0),
        ids=unit.ids,
    )
    lengths = np.round(np.abs(np.subtract.outer(np.arange(13.0), np.arange(13.0))), 3)
    matrix = Instance(
        name="matrix",
        capacity=unit.capacity,
        coords=None,
        demand=unit.demand,
        ids=unit.ids,
        distances=lengths,
    )
    return [unit, whole, far, matrix]


@quiet
@pytest.mark.parametrize(("rival", "make"), SOLVERS, ids=IDS)
def test_answers_are_feasible_in_every_unit(rival, make):
    needs(rival)
    solve = make()
    for instance in instances():
        attempt = solve(instance)
        cost, failure = judge(instance, attempt.routes)
        assert failure is None, instance.name
        assert cost > 0
        assert attempt.solver_s >= 0


@quiet
@pytest.mark.parametrize(("rival", "make"), SOLVERS, ids=IDS)
def test_three_customers_on_a_line_are_solved_optimally(rival, make):
    needs(rival)
    instance = Instance(
        name="line",
        capacity=2.0,
        coords=np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]),
        demand=np.array([0.0, 1.0, 1.0, 1.0]),
        ids=(1, 2, 3),
        max_vehicles=2,
    )
    cost, failure = judge(instance, make()(instance).routes)
    assert failure is None
    assert cost == pytest.approx(2 + 6)


def test_lengths_get_five_digits_unless_they_are_whole():
    unit, whole, far, matrix = instances()
    for instance in (unit, far):
        longest = rivals._problem(instance).lengths.max()
        assert 10_000 <= longest < 100_000
    for instance in (whole, matrix):
        lengths = rivals._problem(instance).lengths
        assert np.array_equal(lengths, np.rint(lengths))
        assert lengths.max() == (instance.distances.max() if instance is matrix else lengths.max())
    assert rivals._problem(far).points.min() == 0
    assert rivals._problem(matrix).points is None


def test_the_fleet_leaves_room_and_keeps_the_limit():
    unit, *_ = instances()
    problem = rivals._problem(unit)
    least = math.ceil(sum(problem.demand) / problem.limit)
    assert least + 3 <= problem.fleet <= 12
    limited = Instance(
        name="limited",
        capacity=unit.capacity,
        coords=unit.coords,
        demand=unit.demand,
        ids=unit.ids,
        max_vehicles=5,
    )
    assert rivals._problem(limited).fleet == 5


def test_what_is_missing_is_said_and_left_out(monkeypatch):
    monkeypatch.setattr(Rival, "installed", property(lambda _self: False))
    contenders, notes = rival_contenders((0.1,), 1)
    assert contenders == []
    assert [note.split(":")[0] for note in notes] == [rival.name for rival in RIVALS]
    assert "pip install 'vrp[bench]'" in notes[0]
    assert reference_contender(1.0, 1) is None


def test_points_of_the_installed(monkeypatch):
    monkeypatch.setattr(Rival, "installed", property(lambda _self: True))
    monkeypatch.setattr(Rival, "version", property(lambda self: f"{self.package} 1"))
    contenders, notes = rival_contenders((0.1, 1.0), 7)
    assert notes == []
    curves = {}
    for contender in contenders:
        curves.setdefault(contender.method, []).append(contender.setting)
        assert contender.version.endswith(" 1, seed 7")
    assert curves == {
        "HGS": ["0.1 s", "1 s"],
        "HGS mu=3": ["0.1 s", "1 s"],
        "PyVRP": ["0.1 s", "1 s"],
        "VROOM": [f"level {level}" for level in range(6)],
        "OR-Tools": ["first solution", "0.1 s", "1 s"],
    }
    assert reference_contender(5.0, 7).method == "reference (HGS)"
