"""Which vehicle types may serve whom."""

from tests.build import on_a_line
from tests.vrpcore.referee.days import day, problems, report
from vrpcore.instance.relations import Relation
from vrpcore.referee.permits import Permits

KEYS = {
    "depots": [{"id": "d", "x": 0, "y": 0}],
    "customers": on_a_line(3, 7, 8, demand=[1, 1, 1]),
    "vehicles": [{"id": "van"}, {"id": "bike"}],
}
MIXED = day(
    KEYS,
    allowed=[[True, False, True], [True, True, True]],
    relations=(Relation("order", (3, 1), vehicle=1),),
)


def test_permits_by_hand():
    permits = Permits(MIXED)
    assert [permits.may(0, (stop,)) for stop in (1, 2, 3)] == [False, False, False]
    assert [permits.may(1, (stop,)) for stop in (1, 2, 3)] == [True, True, True]
    on_board = day(
        KEYS,
        on_board=[-1, -1, 1],
        shipment=[[0.0], [0.0], [-1.0]],
        delivery=[[1.0], [1.0], [0.0]],
    )
    assert [Permits(on_board).may(0, (stop,)) for stop in (1, 2, 3)] == [True, True, False]
    assert Permits(on_board).obstacle(0, (1, 3)) == "it is on board 'bike'"


def test_a_route_of_the_wrong_type():
    assert problems(MIXED, report(3, 2, 1)) == [
        "routes[0].customers[0]: relations[0] asks for vehicle 'bike'",
        "routes[0].customers[1]: the vehicle is not among its vehicles",
        "routes[0].customers[2]: relations[0] asks for vehicle 'bike'",
    ]
    assert problems(MIXED, report(3, 2, 1, vehicle="bike")) == []
