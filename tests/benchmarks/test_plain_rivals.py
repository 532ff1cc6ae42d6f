"""Rivals that are not installed here are skipped: `pip install -e '.[bench]'` brings them."""

import math
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.contender import judge
from benchmarks.plain_rivals import (
    hgs_solver,
    ortools_solver,
    pyvrp_solver,
    rival_problem,
    vroom_solver,
)
from benchmarks.rivals import HGS, ORTOOLS, PYVRP, VROOM
from tests.build import plain
from vrpcore.bench.problem_set import generated_set

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
        pytest.skip(f"{rival.package} is not installed: pip install -e '.[bench]'")


def instances():
    """Unit square, whole lengths, far from the origin, and a matrix alone."""
    (unit,) = generated_set("uniform12", 1, 3).instances
    (whole,) = generated_set("xstyle12", 1, 3).instances
    assert whole.metric == "euc_2d"
    far = replace(
        unit,
        name="far",
        coords=unit.coords * 1e5 - 7e5,
        demand=unit.demand + np.where(np.arange(13) > 0, 0.25, 0.0),
    )
    lengths = np.round(np.abs(np.subtract.outer(np.arange(13.0), np.arange(13.0))), 3)
    matrix = replace(unit, name="matrix", coords=None, distances=lengths)
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
    instance = plain([[0, 0], [1, 0], [2, 0], [3, 0]], capacity=2, max_vehicles=2)
    cost, failure = judge(instance, make()(instance).routes)
    assert failure is None
    assert cost == pytest.approx(2 + 6)


def test_lengths_get_five_digits_unless_they_are_whole():
    unit, whole, far, matrix = instances()
    for instance in (unit, far):
        longest = rival_problem(instance).lengths.max()
        assert 10_000 <= longest < 100_000
    for instance in (whole, matrix):
        lengths = rival_problem(instance).lengths
        assert np.array_equal(lengths, np.rint(lengths))
        assert lengths.max() == (instance.distances.max() if instance is matrix else lengths.max())
    assert rival_problem(far).points.min() == 0
    assert rival_problem(matrix).points is None


def test_the_fleet_leaves_room_and_keeps_the_limit():
    unit, *_ = instances()
    problem = rival_problem(unit)
    least = math.ceil(sum(problem.demand) / problem.limit)
    assert least + 3 <= problem.fleet <= 12
    assert rival_problem(replace(unit, max_vehicles=5)).fleet == 5
