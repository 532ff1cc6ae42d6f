import math
import time

import pytest

from vrpcore.cost.breaks import breaks_before, in_order, place_breaks
from vrpcore.cost.itinerary import Itinerary, Taken
from vrpcore.instance.vehicle_types import ALWAYS, Break, are_in_order


def itinerary(*windows, earliest=0.0, latest=math.inf, is_open=False):
    """Stops with one window each, 10 apart, and as far home."""
    size = len(windows)
    return Itinerary(
        earliest=earliest,
        latest=latest,
        is_open=is_open,
        num_visits=size,
        legs=[0.0 if is_open else 10.0, *[10.0] * size],
        windows=[*([window] for window in windows), [ALWAYS]],
        services=[1.0] * size + [0.0],
        lengths=[10.0] * (size + 1),
    )


def anywhere(index, after):
    return True


def rest(opens, closes, duration=5.0, name="0"):
    return Break(id=name, windows=((opens, closes),), duration=duration)


@pytest.mark.parametrize(
    ("own", "breaks", "expected"),
    [
        (itinerary(ALWAYS), [rest(0, 3)], [(0, 0)]),  # before it leaves
        (itinerary(ALWAYS, earliest=5), [rest(0, 3)], None),
        (itinerary((12, 30), ALWAYS), [rest(13, 20)], [(0, 1)]),
        (itinerary((0, 12), (40, 99)), [rest(0, 99)], [(0, 1)]),  # where it waits anyway
        (
            itinerary(ALWAYS, ALWAYS),
            [Break(id="0", duration=5.0)],
            [(0, 2)],
        ),  # all alike: the latest
        (itinerary(ALWAYS, (0, 24)), [rest(0, 99, 5), rest(0, 99, 6)], [(0, 2), (1, 2)]),
        (itinerary(ALWAYS, (0, 24)), [rest(20, 99), rest(0, 4, 2)], [(1, 0), (0, 2)]),
        (itinerary((0, 10), latest=26), [rest(0, 99)], [(0, 1)]),
        (itinerary((0, 10), latest=25), [rest(0, 99)], None),
        (itinerary((13, 14), is_open=True), [rest(8, 9)], [(0, 0)]),
    ],
)
def test_breaks_by_hand(own, breaks, expected):
    found = place_breaks(own, breaks, anywhere, 1e-9)
    assert (None if found is None else list(found)) == expected


def test_what_is_on_board_keeps_breaks_away():
    own, breaks = itinerary(ALWAYS, ALWAYS), [rest(0, 99)]
    assert place_breaks(own, breaks, lambda _, after: after == 1, 1e-9) == (Taken(0, 1),)
    assert place_breaks(own, breaks, lambda _, after: False, 1e-9) is None


def test_one_of_several_windows():
    twice = Break(id="0", windows=((0, 2), (25, 40)), duration=5.0)
    assert place_breaks(itinerary((10, 12), ALWAYS, earliest=2), [twice], anywhere, 1e-9) == (
        (0, 2),
    )


@pytest.mark.parametrize(("latest", "expected"), [(4.0, None), (5.0 - 1e-10, ((0, 2),))])
def test_who_may_leave_too_late_but_for_rounding_takes_breaks(latest, expected):
    own = itinerary(ALWAYS, ALWAYS, earliest=5.0)._replace(latest_start=latest)
    assert place_breaks(own, [rest(0, 99)], anywhere, 1e-9) == expected


def test_which_breaks_come_before_others():
    breaks = [rest(0, 5), rest(6, 9), rest(0, 5), rest(4, 9)]
    assert [breaks_before(breaks, index, 1e-9) for index in range(4)] == [0, 0b101, 0b1, 0]


def test_a_break_that_may_be_late_by_the_slack_does_not_come_first():
    breaks = [rest(0, 5), rest(5.5, 9)]
    assert breaks_before(breaks, 1, 0.4) == 0b1
    assert breaks_before(breaks, 1, 0.6) == 0


def test_seven_different_breaks_in_a_long_route():
    breaks = [rest(10 * k, 500 + k, 1.0, str(k)) for k in range(7)]
    found = place_breaks(itinerary(*[ALWAYS] * 12), breaks, anywhere, 1e-9)
    assert sorted(each.number for each in found) == list(range(7))


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


def test_ten_breaks_of_ten_windows_do_not_take_for_ever():
    many = [
        Break(id=str(row), windows=tuple((100.0 * k + row, 100.0 * k + 50) for k in range(10)))
        for row in range(10)
    ]
    route = itinerary(*[(0.0, 990.0)] * 30)
    begun = time.process_time()
    taken = place_breaks(route, many, anywhere, 1e-9)
    assert time.process_time() - begun < 30
    assert [each.number for each in taken] == list(range(10))


def test_more_than_ten_breaks_come_in_the_order_of_their_ends():
    many = [Break(id=str(row), windows=((0.0, 50.0 - row),), duration=1.0) for row in range(11)]
    assert in_order(many) == [*range(10, -1, -1)]
    assert breaks_before(many, 10, 0.0) == 0
    assert breaks_before(many, 8, 0.0) == 0b11000000000
    same = [Break(id=str(row)) for row in range(100)]
    assert breaks_before(same, 3, 0.0) == 0b111
    itinerary = Itinerary(
        earliest=0.0, latest=math.inf, is_open=False, num_visits=1, legs=[5.0, 5.0],
        windows=[[ALWAYS], [ALWAYS]], services=[0.0, 0.0], lengths=[5.0, 5.0],
    )  # fmt: skip
    taken = place_breaks(itinerary, same, lambda *_: True, 1e-9)
    assert [each.number for each in taken] == [*range(100)]
    days = [
        Break(id=str(row), windows=((24.0 * row, 24.0 * row + 2),), duration=8.0)
        for row in range(100)
    ]
    nights = place_breaks(
        itinerary._replace(windows=[[(1000.0, 1001.0)], [ALWAYS]]), days, lambda *_: True, 1e-9
    )
    assert [each.after for each in nights] == [0] * 42 + [1] * 58
