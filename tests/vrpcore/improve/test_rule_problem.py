"""Instances with constraints as the search reads them."""

import pytest

from tests.vrpcore.cost.cases import constrained
from vrpcore.improve import native_rules
from vrpcore.improve.rule_problem import RuleProblem

pytestmark = pytest.mark.skipif(not native_rules.is_built(), reason="the search was not built")


def test_equal_durations_take_no_memory_of_their_own():
    vehicles = [{"speed": 1}, {"id": "b", "capacity": 4}]
    alike = constrained(customers=[{"x": 3, "y": 4}], vehicles=vehicles)
    arrays = RuleProblem(alike).rules.arrays
    assert arrays["distances"].shape == (1, 3, 3)
    for name in ("durations", "distances_to", "durations_to"):
        assert arrays[name] is arrays["distances"]
    slower = constrained(customers=[{"x": 3, "y": 4}], vehicles=[*vehicles, {"speed": 0.5}])
    arrays = RuleProblem(slower).rules.arrays
    assert arrays["distances"][:, 0, 1].tolist() == [5.0, 5.0]
    assert arrays["durations"][:, 0, 1].tolist() == [5.0, 10.0]
    assert arrays["profile"].tolist() == [0, 0, 1]


def test_limits_include_half_of_what_the_referee_lets_pass():
    vehicles = [{"capacity": 4, "max_distance": 100, "count": 9}]
    problem = RuleProblem(constrained(customers=[{"x": 3, "y": 4}], vehicles=vehicles))
    arrays = problem.rules.arrays
    assert 4 < arrays["capacity"][0] < 4 * (1 + 1e-8)
    assert 100 < arrays["max_distance"][0] < 100 * (1 + 1e-8)
    assert arrays["count"].tolist() == [1]
    assert problem.instance.num_customers == problem.rules.num_stops == 1
