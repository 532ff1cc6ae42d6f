import dataclasses

import numpy as np
import pytest

from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Route
from vrpcore.solve.answer import not_found, rank_of, refused, settled, solved

# From the depot: 5, 3 and 4 away; from the first customer to the second 4, from there 5.
SQUARE = Instance(
    name="square",
    capacity=10.0,
    coords=np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0], [0.0, 4.0]]),
    demand=np.array([0.0, 6.0, 4.0, 6.0]),
    ids=("a", "b", "c"),
)
EMPTY = Instance(name="empty", capacity=1.0, coords=np.zeros((1, 2)), demand=np.zeros(1), ids=())


def test_routes_become_an_answer():
    answer = solved(SQUARE, [[1, 2], [3]], ["CODE"])
    first = Route(customers=("a", "b"), load=10.0, cost=12.0)
    assert answer.routes == (first, Route(customers=("c",), load=6.0, cost=8.0))
    assert (answer.name, answer.status, answer.cost) == ("square", "solved", 20.0)
    assert answer.warnings == ("CODE",)


@pytest.mark.parametrize(("metric", "kind"), [("euclidean", float), ("euc_2d", int)])
def test_costs_are_numbers_of_the_metrics_own_kind(metric, kind):
    answer = solved(dataclasses.replace(SQUARE, metric=metric), [[1, 2], [3]], [])
    nothing = settled(dataclasses.replace(EMPTY, metric=metric))
    assert (answer.cost, nothing.cost, nothing.routes) == (20, 0, ())
    costs = [answer.cost, nothing.cost, *(route.cost for route in answer.routes)]
    assert {type(cost) for cost in costs} == {kind}


@pytest.mark.parametrize("routes", [[[1, 2]], [[1, 2], [3, 1]], [[1, 3], [2]]])
def test_a_wrong_answer_never_leaves(routes):
    with pytest.raises(RuntimeError, match="square: the answer fails its check"):
        solved(SQUARE, routes, [])


def test_too_few_vehicles_is_proved():
    assert settled(SQUARE) is None
    assert settled(dataclasses.replace(SQUARE, max_vehicles=2)) is None
    answer = settled(dataclasses.replace(SQUARE, max_vehicles=1))
    assert (answer.status, answer.code) == ("infeasible", "TOO_FEW_VEHICLES")
    assert "max_vehicles: 1, but at least 2 vehicles of capacity 10 are needed" in answer.error


def test_not_found_is_not_called_infeasible():
    limited = dataclasses.replace(SQUARE, max_vehicles=2)
    for searched in (True, False):
        answer = not_found(limited, ["CODE"], searched=searched)
        assert (answer.status, answer.code) == ("partial", "TOO_MANY_ROUTES")
        assert "no solution with at most 2 routes was found" in answer.error
        assert answer.error.endswith("; try --improve fast") is not searched
        assert answer.warnings == ("CODE",)


def test_the_fleet_comes_before_the_cost():
    limited = dataclasses.replace(SQUARE, max_vehicles=2)
    alone, joined, dearer = [[1], [2], [3]], [[1, 2], [3]], [[1], [2, 3]]
    assert rank_of(limited, alone) == (True, 10.0 + 6.0 + 8.0)
    assert rank_of(limited, joined) == (False, 12.0 + 8.0)
    assert rank_of(limited, dearer) == (False, 10.0 + 12.0)
    assert rank_of(SQUARE, alone) == (False, 24.0)


def test_what_could_not_be_understood_says_why():
    answer = refused(InvalidInstance(name="x", code="PARSE", error="line 1: what is this"))
    assert (answer.name, answer.status, answer.code) == ("x", "invalid", "PARSE")
    assert (answer.error, answer.cost, answer.routes) == ("line 1: what is this", None, ())
