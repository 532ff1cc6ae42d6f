import math
from collections import Counter

import pytest

from vrpcore.formats.read import read_instances
from vrpcore.instance.solution import (
    RouteBreak,
    RouteReload,
    RouteReport,
    RouteSchedule,
    Solution,
    Summary,
    Unserved,
    route_nodes,
    summarise,
)


def read_one(**keys):
    (instance,) = read_instances([keys])
    return instance


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


def test_schedules_that_state_the_same_are_equal():
    def stated(**more):
        rest = RouteBreak(id="lunch", begin=float("nan"), after=1)
        return RouteSchedule(vehicle="van", start="n", end="n", breaks=(rest,), **more)

    assert stated() == stated(distance=float("nan"))
    assert hash(stated()) == hash(stated(distance=float("nan")))
    assert stated() != stated(distance=0.0)
    assert stated() != "van"


def test_answers_in_routes():
    def answers(**fields):
        return Solution(name="a", **fields).has_routes

    assert answers(status="solved")
    assert answers(status="partial", cost=0.0)
    assert answers(status="infeasible", unserved=(Unserved(7, "FLEET"),))
    assert not answers(status="partial")
    assert not answers(status="invalid")


def test_who_constructed_is_no_part_of_the_answer():
    found = Solution(name="a", status="solved", constructor="base")
    assert found == Solution(name="a", status="solved", constructor="savings")


def test_loads_that_are_stated():
    assert RouteReport((1,), 0.0, 1.0).states_load
    assert RouteReport((1,), (1.0, 0.0), 1.0).states_load
    assert not RouteReport((1,), math.nan, 1.0).states_load


def test_loads_by_dimension():
    assert RouteReport((1,), 2.0, 1.0).loads == (2.0,)
    assert RouteReport((1,), (1.0, 0.0), 1.0).loads == (1.0, 0.0)


def test_costs_are_summed_exactly_and_stay_whole():
    def total(*costs):
        solutions = [Solution(name="a", status="solved", cost=cost) for cost in costs]
        return summarise([Solution(name="b", status="invalid"), *solutions], 1.0, "none").cost

    assert total(*[0.1] * 10) == 1.0  # one after the other: 0.9999999999999999
    assert total(10**17, 1) == 10**17 + 1
    assert [type(total(*costs)) for costs in ((2, 3), (2, 3.0), ())] == [int, float, int]


def test_places_of_a_route():
    plain = read_one(capacity=5, depot=[0, 0], coords=[[1, 1], [2, 2]], demands=[1, 1])
    assert route_nodes(plain, [2, 1], None) == [0, 2, 1, 0]
    open_end = read_one(
        capacity=5, depot=[0, 0], coords=[[1, 1]], demands=[1], return_to_depot=False
    )
    assert route_nodes(open_end, [1], None) == [0, 1]
    depots = [{"id": "a", "x": 0, "y": 0}, {"id": "b", "x": 1, "y": 0}]
    two = read_one(depots=depots, vehicles=[{"start": "b"}], coords=[[1, 1]])

    def places(start, end):
        return route_nodes(two, [1], RouteSchedule(vehicle="0", start=start, end=end))

    assert route_nodes(two, [1], None) == [1, 2, 1]
    assert places("a", "b") == [0, 2, 1]
    assert places(None, "a") == [2, 0]
    assert places(None, None) == [2]
    with pytest.raises(KeyError, match="c"):
        places("c", None)


def test_a_plan_states_reloads_without_their_times():
    reload = RouteReload(depot="d", after=1, arrival=4.0, begin=5.0, return_load=2.0)
    schedule = RouteSchedule(vehicle="van", start="d", end=None, reloads=(reload,), frozen=1)
    route = RouteReport((1, 2), 2.0, 9.0, schedule)
    (own,) = Solution(name="t", status="solved", routes=(route,)).planned().routes
    bare = RouteReload(depot="d", after=1)
    assert own.schedule == RouteSchedule(vehicle="van", start="d", end=None, reloads=(bare,))
