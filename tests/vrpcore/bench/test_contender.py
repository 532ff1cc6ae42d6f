import numpy as np
import pytest

from vrpcore.bench.contender import judge
from vrpcore.instance.instance import Instance


def square(metric="euclidean", **more):
    """Depot in a corner of a 3 by 4 rectangle; capacity for two customers."""
    return Instance(
        name="square",
        capacity=2.0,
        coords=np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 4.0], [0.0, 4.0]]),
        demand=np.array([0.0, 1.0, 1.0, 1.0]),
        ids=("a", "b", "c"),
        metric=metric,
        **more,
    )


def test_costs_are_recomputed():
    assert judge(square(), [[1, 2], [3]]) == (3 + 4 + 5 + 8, None)
    assert judge(square("euc_2d"), [[1, 2], [3]]) == (20.0, None)


@pytest.mark.parametrize(
    ("routes", "reason"),
    [
        (None, "gave no routes"),
        ([[1, 2, 3]], "a load of 3"),
        ([[1, 2]], "customer 'c' is not visited"),
        ([[1, 2], [3], [1]], "visited twice"),
        ([[1, 2], [4]], "names a customer that is not in 1..3"),
        ([[1, 2], [3, 0]], "names a customer that is not in 1..3"),
    ],
)
def test_wrong_answers_have_a_reason_and_no_cost(routes, reason):
    cost, failure = judge(square(), routes)
    assert cost is None
    assert reason in failure


def test_the_fleet_is_a_limit():
    cost, failure = judge(square(max_vehicles=1), [[1, 2], [3]])
    assert cost is None
    assert "2 vehicles are used" in failure
