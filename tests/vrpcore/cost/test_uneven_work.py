from tests.build import constrained, on_a_line
from vrpcore.cost.timeline import Timeline
from vrpcore.cost.uneven_work import uneven_work_cost
from vrpcore.instance.plan import Reload, Route


def cost(balance, *routes):
    shipment = {"id": "s", "amount": 4, "pickup": {"x": 1, "y": 0}, "delivery": {"x": 2, "y": 0}}
    customers = on_a_line(3, 5, 6, demand=[2, 3, 0], pickup=[0, 1, 2], service=[7, 0, 0])
    keys = {"balance": balance} if balance else {}
    instance = constrained(
        customers=customers, shipments=[shipment], vehicles=[{"reloads": ["0"]}], **keys
    )
    schedules = [Timeline(instance).schedule(route) for route in routes]
    return uneven_work_cost(instance.own_constraints, routes, schedules)


def test_the_largest_values_cost():
    first, second = Route(0, (1,)), Route(0, (2, 3))
    assert cost(None, first) is None
    assert cost({"duration": 2}) == 0
    assert cost({"duration": 2}, first, second) == 2 * 13
    assert cost({"distance": 0.5}, first, second) == 0.5 * 12
    assert cost({"customers": 3}, first, second) == 3 * 2
    assert cost({"load": 1}, first, second) == 3 + 1 + 2
    assert cost({"distance": 1, "duration": 1}, first, second) == 12 + 13


def test_the_load_is_all_that_is_served_in_all_trips():
    two = Route(0, (1, 2), (Reload(0, 1),))
    assert cost({"load": 2}, two) == 2 * (2 + 3 + 1)
    assert cost({"load": 1}, Route(0, (4, 5, 1))) == 4 + 2
