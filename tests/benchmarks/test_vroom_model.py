"""Needs pyvroom: `pip install -e '.[bench]'` brings it."""

import pytest

from benchmarks.contender import judge
from benchmarks.vroom_model import check_expressible, vroom_constraints_solver
from benchmarks.whole import CannotExpressError
from tests.benchmarks.rich_cases import (
    CASES,
    check_case,
    check_generated,
    check_mixed,
    check_refused,
    corners,
)
from vrpcore.formats.read import read_instances

pytest.importorskip("vroom")

REFUSED = {
    "backhauls last beside nothing": "backhauls after all deliveries",
    "max_duration with waiting": "limits on durations together with waiting",
    "release": "releases",
    "open at both ends": "routes that are open at both ends",
    "backhauls last": "backhauls after all deliveries",
    "no routes of only pickups": "backhauls after all deliveries",
    "prizes": "prizes",
    "prizes of shipments": "prizes",
    "durations that cost": "durations that cost",
}


@pytest.mark.parametrize("name", [name for name in CASES if name not in REFUSED])
def test_small_instances_are_solved_optimally(name):
    check_case(vroom_constraints_solver(3), name)


@pytest.mark.parametrize("name", ["mdovrpmbltw", "ovrptw", "vrpl", "hfvrptw", "pdptw"])
def test_variants_are_answered(name):
    check_generated(vroom_constraints_solver(3), name)


def test_everything_together_is_answered_or_refused():
    check_mixed(vroom_constraints_solver(3), check_expressible, range(100))


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_has_nothing_for_is_refused(name):
    check_refused(check_expressible, name, REFUSED[name])


def test_numbers_beyond_its_range_are_refused():
    document = CASES["windows"][0] | {"distances": [[0, 5e9, 1], [5e9, 0, 1], [1, 1, 0]]}
    (instance,) = read_instances([document])
    with pytest.raises(CannotExpressError, match="more than 32 bits"):
        check_expressible(instance)


def test_vehicles_that_a_stop_names_are_refused():
    named = [{"id": name, "capacity": 9} for name in ("a", "b")]
    (instance,) = read_instances([corners({"vehicles": ["a"]}) | {"vehicles": named}])
    with pytest.raises(CannotExpressError, match="vehicles of a stop"):
        check_expressible(instance)


def test_costs_that_are_too_large_for_it_are_divided():
    document = CASES["windows"][0] | {"distances": [[0, 6e8, 4e8], [6e8, 0, 2e8], [4e8, 2e8, 0]]}
    document["customers"] = [{"x": 0, "y": 3}, {"x": 4, "y": 0}]
    (instance,) = read_instances([document])
    assert judge(instance, vroom_constraints_solver(1)(instance).routes) == (12e8, None)
