from tests.build import constrained, on_a_line
from vrpcore.instance.plan import Route
from vrpcore.referee.trips import boards_of, most_on_board


def test_the_most_on_board_and_where():
    customers = on_a_line(1, 2, demand=[3, 1], pickup=[0, 4])
    instance = constrained(customers=customers, vehicles=[{}])
    assert most_on_board(boards_of(instance, Route(0, (1, 2)))) == [(4.0, "at the start")]
    assert most_on_board(boards_of(instance, Route(0, (2, 1)))) == [(7.0, "after customers[0]")]
