import pytest

from tests.vrpcore.frozen_days import VAN, day, go_on
from vrpcore.instance.plan import Reload, Route


def test_relations_and_groups_of_what_has_begun():
    vehicles = [{**VAN, "count": 2}]
    relations = [
        {"kind": "together", "stops": ["1", "2"]},
        {"kind": "apart", "stops": ["1", "3"]},
        {"kind": "order", "stops": ["4", "1"]},
    ]
    keys = {"relations": relations, "groups": [{"id": "g", "members": ["5", "6"]}]}
    instance = day(5, 6, 7, 8, 4, 3, vehicles=vehicles, keys=keys)
    answer = go_on(instance, 5.5, (0, (1, 5)))
    routes = {stop: row for row, route in enumerate(answer.routes) for stop in route.customers}
    assert routes[1] == routes[2] != routes[3]
    assert 4 not in routes  # it comes before 1 in its route, or not at all
    assert 6 not in routes
    broken = [{"kind": "apart", "stops": ["1", "2"]}, {"kind": "together", "stops": ["2", "3"]}]
    instance = day(5, 6, 7, vehicles=vehicles, keys={"relations": broken})
    answer = go_on(instance, 5.5, (0, (1, 2)))
    (warning,) = answer.warnings
    assert "1 and 2 are both in routes[0]" in warning
    assert any(route.customers[:3] == (1, 2, 3) for route in answer.routes)


def test_relations_with_trips_that_are_over():
    vehicles = [{**VAN, "count": 2, "capacity": 4, "reloads": ["d"]}]
    relations = [
        {"kind": "chain", "stops": ["1", "3"]},
        {"kind": "together", "stops": ["1", "4"]},
        {"kind": "apart", "stops": ["1", "5"]},
        {"kind": "order", "stops": ["6", "1"]},
        {"kind": "chain", "stops": ["7", "8"], "at": "start"},
    ]
    places = (5, 4, 3, 2, 6, 7, 8, 9)
    instance = day(*places, demand=[1] * 8, vehicles=vehicles, keys={"relations": relations})
    known = Route(0, (1, 2), (Reload(0, 1),))
    answer = go_on(instance, 10.5, known)  # at the second trip's first stop soon
    routes = {stop: row for row, route in enumerate(answer.routes) for stop in route.customers}
    assert routes[1] == routes[2] == routes[4]
    assert 3 not in routes  # 2 came between
    assert 6 not in routes
    assert routes[5] != routes[1]
    assert routes[7] != routes[1]
    assert routes[7] == routes[8]


@pytest.mark.parametrize("time", [4.0, 6.0])  # on the way to the pickup, and to the delivery
def test_a_delivery_that_is_due_cannot_begin_a_route_that_has_left(time):
    shipment = {"id": "s", "pickup": {"x": 5, "y": 0}, "delivery": {"x": 8, "y": 0}}
    first = {"kind": "chain", "stops": ["s:delivery"], "at": "start"}
    keys = {"shipments": [shipment], "relations": [first]}
    instance = day(3, 9, vehicles=[{**VAN, "count": 2}], keys=keys)
    answer = go_on(instance, time, Route(0, (1, 3, 4, 2)))
    assert answer.status == "solved"
    row = next(row for row, route in enumerate(answer.routes) if 1 in route.customers)
    assert answer.routes[row].customers[:3] == (1, "s:pickup", "s:delivery")
    problem = f"relations[0]: 's:delivery' is not the first stop of routes[{row}]"
    assert answer.warnings == (f"FROZEN_BREAKS_LIMIT: {problem}",)
