import math

from vrpcore.instance.plan import Plan, Reload, Route


def test_a_plain_plan_by_hand():
    plan = Plan.of([[3, 1], (2,)])
    assert plan.routes == [Route(0, (3, 1)), Route(0, (2,))]
    assert (plan.num_vehicles, plan.missing, plan.repaired, plan.unknown) == (2, 0, False, ())
    assert math.isnan(plan.cost)
    assert Plan.of([]).routes == []


def test_plans_of_equal_routes_are_equal():
    assert Plan.of([[1, 2]]) == Plan([Route(0, (1, 2))])
    assert Plan.of([[1, 2]]) != Plan([Route(1, (1, 2))])


def test_a_route_has_reloads_only_between_its_stops():
    visits = [Reload(1, 0), 3, Reload(0, 9), Reload(2, 9), 1, Reload(1, 2)]
    assert Route.of(4, visits) == Route(4, (3, 1), (Reload(0, 1),))
    assert list(Route.of(4, visits).visits) == [3, Reload(0, 1), 1]
    assert Route.of(4, [Reload(1, 0)]) == Route(4, ())
