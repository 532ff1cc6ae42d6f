"""Needs ortools: `pip install -e '.[bench]'` brings it."""

import importlib.util

import pytest

from benchmarks.ortools_model import check_expressible, ortools_constraints_solver
from tests.benchmarks.rich_cases import (
    CASES,
    check_case,
    check_generated,
    check_mixed,
    check_refused,
    quiet,
)

if importlib.util.find_spec("ortools") is None:
    pytest.skip("needs ortools", allow_module_level=True)

REFUSED = {
    "backhauls last beside nothing": "backhauls after all deliveries and stops with neither",
    "release": "releases",
}


@quiet
@pytest.mark.parametrize("name", [name for name in CASES if name not in REFUSED])
def test_small_instances_are_solved_optimally(name):
    budget = 0.2 if name == "fleet" else None  # there the guided search finds the better type
    check_case(ortools_constraints_solver(budget), name)


@quiet
@pytest.mark.parametrize("name", ["mdovrpbltw", "ovrpmbtw", "vrpl", "hfvrptw", "pcvrptw", "pdptw"])
def test_variants_are_answered(name):
    check_generated(ortools_constraints_solver(None), name)


@quiet
def test_everything_together_is_answered_or_refused():
    check_mixed(ortools_constraints_solver(None), check_expressible, range(60))


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_has_nothing_for_is_refused(name):
    check_refused(check_expressible, name, REFUSED[name])
