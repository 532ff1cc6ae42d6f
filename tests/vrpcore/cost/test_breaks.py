import pytest

from vrpcore.cost.breaks import breaks_before, in_order
from vrpcore.instance.vehicle_types import Break, are_in_order


def rest(opens, closes):
    return Break(id="0", windows=((opens, closes),), duration=5.0)


def test_which_breaks_come_before_others():
    breaks = [rest(0, 5), rest(6, 9), rest(0, 5), rest(4, 9)]
    assert [breaks_before(breaks, index, 1e-9) for index in range(4)] == [0, 0b101, 0b1, 0]


def test_a_break_that_may_be_late_by_the_slack_does_not_come_first():
    breaks = [rest(0, 5), rest(5.5, 9)]
    assert breaks_before(breaks, 1, 0.4) == 0b1
    assert breaks_before(breaks, 1, 0.6) == 0


@pytest.mark.parametrize(
    ("count", "windows", "in_order"), [(7, 1, False), (8, 1, True), (4, 16, False), (4, 17, True)]
)
def test_many_breaks_or_windows_are_in_order(count, windows, in_order):
    times = [(100 * number, 100 * number + 50) for number in range(windows)]
    late, soon = [(9000, 9002)], [(9000, 9001)]
    many = [
        Break(id=str(row), windows=(*times[1:], *(soon if row else late))) for row in range(count)
    ]
    assert are_in_order(many) is in_order
    assert breaks_before(many, 0, 0.0) == (2**count - 2 if in_order else 0)


def test_more_than_ten_breaks_come_in_the_order_of_their_ends():
    many = [Break(id=str(row), windows=((0.0, 50.0 - row),), duration=1.0) for row in range(11)]
    assert in_order(many) == [*range(10, -1, -1)]
    assert breaks_before(many, 10, 0.0) == 0
    assert breaks_before(many, 8, 0.0) == 0b11000000000
    same = [Break(id=str(row)) for row in range(100)]
    assert breaks_before(same, 3, 0.0) == 0b111
