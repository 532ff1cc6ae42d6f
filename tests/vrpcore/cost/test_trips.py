from tests.build import constrained, on_a_line
from vrpcore.cost.trips import boards_of, trip_at, trips_of
from vrpcore.instance.plan import Reload, Route

ROUTE = Route(0, (1, 2, 3, 4), (Reload(1, 1), Reload(0, 3)))


def test_visits_and_trips():
    assert list(ROUTE.visits) == [1, Reload(1, 1), 2, 3, Reload(0, 3), 4]
    assert trips_of(ROUTE) == [(1,), (2, 3), (4,)]
    assert [trip_at(ROUTE, number) for number in (1, 3)] == [(2, 3), ()]
    assert Route(0, (2, 1)).visits == (2, 1)
    assert trips_of(Route(0, (2, 1))) == [(2, 1)]


def test_what_is_on_board_in_each_trip():
    customers = on_a_line(1, 2, 3, 4, demand=[3, 1, 0, 2], pickup=[4, 0, 5, 1])
    vehicles = [{"id": "van", "initial_load": 2, "reloads": ["0"]}, {"id": "car"}]
    instance = constrained(customers=customers, vehicles=vehicles)
    (board,) = boards_of(instance.own_constraints, ROUTE)
    # 2 stay to the first reload: 2 + 3, then 2 + 4; the second trip loads 1, the third 2.
    assert board == [5, 6, 1, 0, 5, 2, 1]
    (whole,) = boards_of(instance.own_constraints, Route(0, (1, 2)))
    assert whole == [6, 7, 6]
    (other,) = boards_of(instance.own_constraints, Route(1, (1, 2)))
    assert other == [4, 5, 4]


def test_who_is_on_board_stays_until_the_delivery_or_the_first_reload():
    shipments = [
        {"id": name, "amount": amount, "on_board": "van", "delivery": {"x": 1, "y": 0}}
        for name, amount in (("a", 2), ("b", 7))
    ]
    vehicles = [{"id": "van", "count": 1, "reloads": ["0"]}, {"id": "car"}]
    instance = constrained(
        customers=on_a_line(3, 4, demand=[1, 1]), shipments=shipments, vehicles=vehicles
    )
    constraints = instance.own_constraints
    assert instance.ids == (1, 2, "a:delivery", "b:delivery")
    assert boards_of(constraints, Route(0, (1, 3))) == [[10, 9, 7]]
    assert boards_of(constraints, Route(0, (1, 3, 2), (Reload(0, 2),))) == [[10, 9, 7, 1, 0]]
    assert boards_of(constraints, Route(1, (1,))) == [[1, 0]]
