"""Loads that a route states, and rules on whom it serves."""

from tests.build import on_a_line
from tests.vrpcore.referee.days import day, report
from vrpcore.instance.plan import Reload, Route
from vrpcore.referee.permits import Permits
from vrpcore.referee.stated_loads import broken_rules, is_close, overloads, unfit_load
from vrpcore.referee.trip_loads import boards_of

KEYS = {
    "depots": [{"id": "d", "x": 0, "y": 0}],
    "customers": on_a_line(1, 2, 3, demand=[[3, 0], [1, 0], [2, 5]]),
    "vehicles": [{"id": "van", "capacity": [5, 4]}],
}
ROUTE = Route(0, (1, 2, 3))
TWO = ROUTE._replace(reloads=(Reload(0, 2),))


def test_close():
    assert is_close(1.0, 1.0 + 1e-10, 0.0)
    assert not is_close(1.0, 1.1, 0.05)
    assert is_close(1.0, 1.1, 0.2)


def test_overloads_in_each_trip():
    instance = day(KEYS)
    assert list(overloads(instance, ROUTE, boards_of(instance, ROUTE))) == [
        "a load of 6.0 in dimension 0 at the start exceeds capacity 5.0",
        "a load of 5.0 in dimension 1 at the start exceeds capacity 4.0",
    ]
    assert list(overloads(instance, TWO, boards_of(instance, TWO))) == [
        "a load of 5.0 in dimension 1 after reloads[0] exceeds capacity 4.0"
    ]


def test_the_stated_load_is_the_most_in_any_trip():
    instance = day(KEYS)

    def found(load):
        return list(unfit_load(instance, TWO, boards_of(instance, TWO), report(1, load=load)))

    assert found((4.0, 5.0)) == []
    assert found((6.0, 5.0)) == [("load[0]", "6.0, expected 4.0")]
    assert found((6.0,)) == [("load", "a list of 1, expected 2")]
    assert found(4.0) == [("load", "4.0, expected a list of 2")]
    assert found(float("nan")) == []


def test_pickups_alone_and_backhauls():
    keys = {
        **KEYS,
        "customers": on_a_line(1, 2, 3, pickup=[1, 0, 1], demand=[0, 1, 0]),
        "vehicles": [{"id": "van", "max_customers": 2}],
        "backhauls": "last",
        "pickup_only_routes": False,
    }
    instance = day(keys)
    permits = Permits(instance)
    assert list(broken_rules(instance, ROUTE, permits)) == [
        (1, "a delivery after a pickup"),
        (None, "3 stops, max_customers is 2"),
    ]
    # A trip of pickups only is allowed where another trip delivers.
    trips = Route(0, (2, 3), (Reload(0, 1),))
    assert list(broken_rules(instance, trips, permits)) == []
    assert list(broken_rules(instance, Route(0, (1, 3)), permits)) == [
        (None, "only pickups, which pickup_only_routes does not allow")
    ]
