import math

from vrpcore.instance.plan import Plan, Route


def test_a_plain_plan_by_hand():
    plan = Plan.of([[3, 1], (2,)])
    assert plan.routes == [Route(0, (3, 1)), Route(0, (2,))]
    assert (plan.num_vehicles, plan.missing, plan.repaired, plan.unknown) == (2, 0, False, ())
    assert math.isnan(plan.cost)
    assert Plan.of([]).routes == []


def test_plans_of_equal_routes_are_equal():
    assert Plan.of([[1, 2]]) == Plan([Route(0, (1, 2))])
    assert Plan.of([[1, 2]]) != Plan([Route(1, (1, 2))])
