"""Needs pyvrp: `pip install -e '.[bench]'` brings it."""

import pytest

from benchmarks.pyvrp_model import check_expressible, pyvrp_constraints_solver, pyvrp_model
from tests.benchmarks.rich_cases import (
    CASES,
    check_case,
    check_generated,
    check_mixed,
    check_refused,
)
from vrpcore.formats.read import read_instances

pytest.importorskip("pyvrp")

REFUSED = {
    "backhauls last beside nothing": "backhauls after all deliveries and stops with neither",
    "several windows": "several windows",
    "a gap between windows": "several windows",
    "missed windows": "several windows",
    "max_travel_time": "max_travel_time",
    "max_customers": "max_customers",
    "travel times that cost": "travel_cost",
}


@pytest.mark.parametrize("name", [name for name in CASES if name not in REFUSED])
def test_small_instances_are_solved_optimally(name):
    check_case(pyvrp_constraints_solver(0.02, 1), name)


@pytest.mark.parametrize("name", ["mdovrpbltw", "ovrpmbtw", "vrpl", "hfvrptw", "pcvrptw", "pdptw"])
def test_variants_are_answered(name):
    check_generated(pyvrp_constraints_solver(0.02, 1), name)


def test_everything_together_is_answered_or_refused():
    check_mixed(pyvrp_constraints_solver(0.02, 1), check_expressible, range(60))


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_has_nothing_for_is_refused(name):
    check_refused(check_expressible, name, REFUSED[name])


def test_numbers_that_cannot_be_whole_are_rounded_on_the_safe_side():
    document = CASES["windows"][0] | {"distances": None}
    document["customers"] = [
        {"x": 0, "y": 1 / 3, "service": 2 / 3, "window": [1 / 7, 5 / 7]},
        {"x": 1, "y": 1},
    ]
    (instance,) = read_instances([document])
    strict, lenient = pyvrp_model(instance), pyvrp_model(instance, lenient=True)
    for model, harder in ((strict, True), (lenient, False)):
        scale = model.whole.scale
        first = model.data.client(0)
        assert not model.whole.exact
        assert bool(first.service_duration >= 2 / 3 * scale) is harder
        assert bool(first.tw_early >= 1 / 7 * scale) is harder
        assert bool(first.tw_late <= 5 / 7 * scale) is harder
        assert bool(model.data.duration_matrix(0)[0, 2] >= 2**0.5 * scale) is harder
