import pytest

from benchmarks.contender import PLAIN_ONLY, judge, plain_only
from tests.benchmarks.rich_cases import CASES
from tests.build import plain
from vrpcore.formats.read import read_instances
from vrpcore.instance.plan import Route


def square(metric="euclidean", **more):
    """Depot in a corner of a 3 by 4 rectangle; capacity for two customers."""
    corners = [[0, 0], [3, 0], [3, 4], [0, 4]]
    return plain(corners, capacity=2, name="square", ids=("a", "b", "c"), metric=metric, **more)


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


def test_plain_only_tells_plain_instances_from_others():
    (windows,) = read_instances([CASES["windows"][0]])
    assert (plain_only(square()), plain_only(windows)) == (None, PLAIN_ONLY)


def test_answers_with_constraints_are_costed_and_checked():
    (windows,) = read_instances([CASES["windows"][0]])
    assert judge(windows, [Route(0, (1,)), Route(0, (2,)), Route(0, ())]) == (14.0, None)
    (prizes,) = read_instances([CASES["prizes"][0]])
    assert judge(prizes, [Route(0, (2,))]) == (7.0, None)
    (pairs,) = read_instances([CASES["prizes of shipments"][0]])
    assert judge(pairs, [Route(0, (1, 2))]) == (15.0, None)


@pytest.mark.parametrize(
    ("case", "routes", "reason"),
    [
        ("windows", None, "gave no routes"),
        ("windows", [Route(0, (1, 2))], "does not meet all windows"),
        ("windows", [Route(0, (1,))], "required customers left out: 1"),
        ("windows", [Route(0, (1,)), Route(0, (3,))], "names a stop that is not in 1..2"),
        ("windows", [Route(0, (1,)), Route(0, (2,)), Route(0, (1,))], "visited twice"),
        ("prizes of shipments", [Route(0, (3, 4))], "required customers left out: 1"),
        ("shipments", [Route(0, (2, 1, 3, 4))], "delivered before it is picked up"),
        ("limited fleet", [Route(0, (1,)), Route(0, (2,))], "2 vehicles of type"),
        ("skills", [Route(1, (1, 2))], "needs 'cold'"),
        ("loads", [Route(0, (1, 2))], "capacity"),
    ],
)
def test_wrong_answers_with_constraints_have_a_reason_and_no_cost(case, routes, reason):
    (instance,) = read_instances([CASES[case][0]])
    cost, failure = judge(instance, routes)
    assert cost is None
    assert reason in failure
