from tests.build import constrained, mixed_instance, on_a_line
from vrpcore.instance.plan import ANY_VEHICLE, Plan, Route
from vrpcore.search import rich_search
from vrpcore.search.constrained_search import with_types
from vrpcore.search.effort import Effort
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan
from vrpcore.search.search import search_instance


def test_an_instance_with_constraints_gets_the_plan_of_its_own_search():
    instance = mixed_instance(4, 12)
    known = search_plan(RichProblem(instance), Effort("none"))
    found = search_instance(instance, [known], seed=3)
    assert found == search_plan(RichProblem(instance), seed=3, starts=[known])


def test_a_plan_that_takes_long_has_its_seconds_whatever_the_limit(monkeypatch):
    customers = on_a_line(1, 2, window=[[0, 1], [0, 1]], late_cost=[1, 1])
    instance, over = constrained(customers=customers, vehicles=[{}]), Effort(end=0)
    known = [Plan([Route(0, (2,))])]
    for seconds, alone, started in ((1e9, 2, 2), (0.0, 0, 1)):
        monkeypatch.setattr(rich_search, "WHOLE_S", seconds)
        assert (
            sum(len(route.stops) for route in search_instance(instance, [], over).routes) == alone
        )
        found = search_instance(instance, known, over)
        assert sum(len(route.stops) for route in found.routes) == started


def test_a_route_without_a_type_has_the_one_that_it_fits():
    vehicles = [{"id": "small", "capacity": 1}, {"id": "large", "capacity": 3}]
    keys = {"customers": on_a_line(1, 2, 3, demand=[1, 1, 1]), "vehicles": vehicles}
    routes = [Route(ANY_VEHICLE, (1, 2)), Route(0, (3,))]
    assert [each.vehicle for each in with_types(constrained(**keys), routes)] == [1, 0]
    keys["vehicles"] = vehicles[1:]
    assert [each.vehicle for each in with_types(constrained(**keys), routes[:1])] == [0]
