from tests.build import constrained, on_a_line
from tests.vrpcore.referee.days import day
from vrpcore.instance.plan import Reload, Route
from vrpcore.referee.trip_loads import added_up, boards_of, most_on_board, served_load, trips_of


def test_the_most_on_board_and_where():
    customers = on_a_line(1, 2, demand=[3, 1], pickup=[0, 4])
    instance = constrained(customers=customers, vehicles=[{}])
    assert most_on_board(boards_of(instance, Route(0, (1, 2)))) == [(4.0, "at the start")]
    assert most_on_board(boards_of(instance, Route(0, (2, 1)))) == [(7.0, "after customers[0]")]


KEYS = {
    "depots": [{"id": "d", "x": 0, "y": 0}],
    "customers": on_a_line(
        1, 2, 3, demand=[[3, 0], [1, 0], [2, 5]], pickup=[[0, 1], [4, 0], [0, 0]]
    ),
    "vehicles": [{"id": "van", "capacity": [9, 9]}],
}
ROUTE = Route(0, (1, 2, 3), (Reload(0, 2),))


def test_trips_and_what_is_on_board_in_each():
    assert trips_of(ROUTE) == [(1, 2), (3,)]
    assert trips_of(Route(0, (1, 2))) == [(1, 2)]
    instance = day(KEYS, vehicles=[{"initial_load": (2.0, 0.0)}])
    boards = boards_of(instance, ROUTE)
    assert boards == [[[6, 0], [3, 1], [6, 1]], [[2, 5], [0, 5 - 5]]]
    assert most_on_board(boards) == [(6.0, "at the start"), (5.0, "after reloads[0]")]
    assert added_up(instance, ROUTE, 0) == 2 + 6 + 4
    assert served_load(instance, (1, 2, 3)) == 10.0


def test_who_is_on_board_from_the_start_is_so_even_if_it_is_left_out():
    instance = day(
        KEYS,
        on_board=[-1, -1, 0],
        shipment=[[0.0, 0.0], [0.0, 0.0], [-2.0, -5.0]],
        delivery=[[3.0, 0.0], [1.0, 0.0], [0.0, 0.0]],
    )
    assert boards_of(instance, Route(0, (3, 1))) == [[[5, 5], [3, 0], [0, 1]]]
    assert boards_of(instance, Route(0, (1,))) == [[[5, 5], [2, 6]]]
    assert served_load(instance, (3,)) == 2.0
    ends = {"pickup": {"x": 1, "y": 0}, "delivery": {"x": 2, "y": 0}}
    carried = day({**KEYS, "customers": [], "shipments": [{"id": "s", "amount": [3, 1], **ends}]})
    assert served_load(carried, (1, 2)) == 3.0
