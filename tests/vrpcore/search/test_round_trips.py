"""Routes to start from, through others to whom no road of their own leads."""

from vrpcore.formats.read import read_instances
from vrpcore.instance.plan import Route
from vrpcore.search.effort import Effort
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan
from vrpcore.search.round_trips import routes_by_others

RING = [[0, 1, None, None], [None, 0, 1, None], [None, None, 0, 1], [1, None, None, 0]]


def read(customers, matrix, **keys):
    document = {"depots": [{}], "vehicles": [{}], "distances": matrix, "customers": customers}
    (instance,) = read_instances({**document, **keys})
    assert not hasattr(instance, "error"), instance.error
    return instance


def test_one_route_through_all_of_a_ring():
    instance = read([{}, {}, {}], RING)
    assert routes_by_others(instance) == [Route(0, (1, 2, 3))]
    plan = search_plan(RichProblem(instance), Effort("none"))
    assert [route.stops for route in plan.routes] == [(1, 2, 3)]


def test_whoever_has_roads_of_their_own_or_none_gets_no_route():
    assert routes_by_others(read([{}], [[0, 1], [1, 0]])) == []
    assert routes_by_others(read([{}], [[0, None], [1, 0]])) == []


def test_open_routes_and_shipments():
    ends = {"vehicles": [{"start": None, "end": "0"}]}
    assert routes_by_others(read([{}, {}, {}], RING, **ends)) == [Route(0, (1, 2, 3))]
    shipment = {"id": "s", "pickup": {}, "delivery": {}}
    matrix = [[0, None, 1, None], [None, 0, None, 1], [None, 1, 0, None], [1, None, None, 0]]
    assert routes_by_others(read([{}], matrix, shipments=[shipment])) == [Route(0, (2, 1, 3))]


def test_no_more_vehicles_than_there_are():
    two = [[0, 1, None, 1, None], [None, 0, 1, None, None], [1, None, 0, None, None],
           [None, None, None, 0, 1], [1, None, None, None, 0]]  # fmt: skip
    customers = [{}, {}, {}, {}]
    assert routes_by_others(read(customers, two)) == [Route(0, (1, 2)), Route(0, (3, 4))]
    assert routes_by_others(read(customers, two, vehicles=[{"count": 1}])) == [Route(0, (1, 2))]
