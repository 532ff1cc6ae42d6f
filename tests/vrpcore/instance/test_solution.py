import math
from collections import Counter

from vrpcore.instance.solution import Route, Solution, Summary, Unserved, summarise


def test_a_summary_by_hand():
    status = Counter(["solved", "solved", "invalid", "infeasible", "partial"])
    assert Summary.of(status, 12.5, 2.0000004, "fast") == Summary(
        instances=5,
        solved=2,
        invalid=1,
        infeasible=1,
        cost=12.5,
        seconds=2.0,
        instances_per_second=2.5,
        improve="fast",
        partial=1,
    )
    assert Summary.of(status, 0.0, 0.0, "none").instances_per_second == 0.0


def test_answers_in_routes():
    def answers(**fields):
        return Solution(name="a", **fields).has_routes

    assert answers(status="solved")
    assert answers(status="partial", cost=0.0)
    assert answers(status="infeasible", unserved=(Unserved(7, "FLEET"),))
    assert not answers(status="partial")
    assert not answers(status="invalid")


def test_loads_that_are_stated():
    assert Route((1,), 0.0, 1.0).states_load
    assert Route((1,), (1.0, 0.0), 1.0).states_load
    assert not Route((1,), math.nan, 1.0).states_load


def test_costs_are_summed_exactly_and_stay_whole():
    def total(*costs):
        solutions = [Solution(name="a", status="solved", cost=cost) for cost in costs]
        return summarise([Solution(name="b", status="invalid"), *solutions], 1.0, "none").cost

    assert total(*[0.1] * 10) == 1.0  # one after the other: 0.9999999999999999
    assert total(10**17, 1) == 10**17 + 1
    assert [type(total(*costs)) for costs in ((2, 3), (2, 3.0), ())] == [int, float, int]
