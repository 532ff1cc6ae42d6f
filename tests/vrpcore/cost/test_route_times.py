import time

import pytest

from tests.vrpcore.cost.cases import itinerary, late_route
from vrpcore.cost import route_times
from vrpcore.cost.itinerary import FREE, NEVER_LATE
from vrpcore.cost.route_times import times_of
from vrpcore.cost.timeline import Timeline
from vrpcore.errors import MissingSearchError
from vrpcore.instance.vehicle_types import ALWAYS, Break

SLACK = 1e-9


def rest(opens, closes, duration=5.0, name="0"):
    return Break(id=name, windows=((opens, closes),), duration=duration)


def prices(*dues, **changes):
    return FREE._replace(dues=dues, duration=1.0, **changes)


def places(own, *breaks, **others):
    """The breaks with the number of stops before each; None: the route is impossible."""
    found = times_of(own, SLACK, breaks, **others)
    return None if found is None else [each[:2] for each in found.rests]


def test_times_by_hand():
    own = itinerary([(15, 20)], [(0, 30)], earliest=2.0, latest_start=2.0)
    assert times_of(own, 0.0) == (2.0, 37.0, (12.0, 26.0, 37.0), (15.0, 26.0, 37.0), ())
    assert times_of(own._replace(windows=[[(15, 20)], [(0, 25)], [ALWAYS]]), 0.0) is None
    assert times_of(own._replace(loading=4.0), 0.0).arrivals == (16.0, 27.0, 38.0)
    assert times_of(own._replace(latest=37.0), 0.0).end == 37.0
    assert times_of(own._replace(latest=36.9), 0.0) is None


@pytest.mark.parametrize(
    ("own", "departure"),
    [
        (itinerary([(15, 20)]), 5.0),
        (itinerary([(15, 20)], loading=3.0), 2.0),  # loaded for 3, driven for 10
        (itinerary([(0, 12)], [(40, 50)]), 2.0),  # waits at the second all the same
        (itinerary([(15, 20)], latest_start=4.0), 4.0),
        (itinerary([(0, 5), (30, 40)]), 20.0),
        (itinerary([(0, 12), (29, 40)], [(40, 41)]), 19.0),
        (itinerary([(0, 5)]), None),
        (itinerary([(0, 50)], earliest=5.0, latest_start=4.0), None),
        (itinerary([(0, 50)], earliest=5.0, latest_start=5.0 - 1e-10), 5.0),  # but for rounding
        (itinerary([(0, 50), (60, 90)], earliest=5.0, latest_start=5.0 - 1e-10), 5.0),
        (itinerary([(15, 50)], is_open=True, latest_start=15.0 - 1e-10, legs=[0.0, 1.0]), 15.0),
        (itinerary([]), None),  # nothing may begin there
    ],
)
def test_the_least_duration(own, departure):
    found = times_of(own, SLACK)
    assert (None if found is None else found.departure) == departure


@pytest.mark.parametrize(
    ("own", "breaks", "expected"),
    [
        (itinerary([ALWAYS]), [rest(0, 3)], [(0, 0)]),  # before it leaves
        (itinerary([ALWAYS], earliest=5.0), [rest(0, 3)], None),
        (itinerary([(12, 30)], [ALWAYS]), [rest(13, 20)], [(0, 1)]),
        (itinerary([(0, 12)], [(40, 99)]), [rest(0, 99)], [(0, 1)]),  # where it waits anyway
        (itinerary([ALWAYS], [ALWAYS]), [Break(id="0", duration=5.0)], [(0, 2)]),  # the latest
        (itinerary([ALWAYS], [(0, 24)]), [rest(0, 99, 5), rest(0, 99, 6)], [(0, 2), (1, 2)]),
        (itinerary([ALWAYS], [(0, 24)]), [rest(20, 99), rest(0, 4, 2)], [(1, 0), (0, 2)]),
        (itinerary([(0, 10)], latest=26.0), [rest(0, 99)], [(0, 1)]),
        (itinerary([(0, 10)], latest=25.0), [rest(0, 99)], None),
        (itinerary([(13, 14)], is_open=True, legs=[0.0, 10.0]), [rest(8, 9)], [(0, 0)]),
        (
            itinerary([(10, 12)], [ALWAYS], earliest=2.0),
            [Break(id="0", windows=((0, 2), (25, 40)), duration=5.0)],
            [(0, 2)],
        ),
    ],
)
def test_breaks_by_hand(own, breaks, expected):
    assert places(own, *breaks) == expected


def test_breaks_are_where_they_fit_and_in_the_order_that_is_given():
    own, breaks = itinerary([ALWAYS], [ALWAYS]), [rest(0, 99), rest(0, 99, 6)]
    assert places(own, *breaks, fits=lambda _, after: after == 1) == [(0, 1), (1, 1)]
    assert places(own, *breaks, fits=lambda number, after: after == number) == [(0, 0), (1, 1)]
    assert places(own, *breaks, fits=lambda number, after: False) is None
    free = [Break(id=name, duration=5.0) for name in "ab"]
    assert places(own, *free) == [(0, 2), (1, 2)]
    assert places(own, *free, order=[1, 0]) == [(1, 2), (0, 2)]


@pytest.mark.parametrize(("latest", "expected"), [(4.0, None), (5.0 - 1e-10, [(0, 2)])])
def test_who_may_leave_too_late_but_for_rounding_takes_breaks(latest, expected):
    own = itinerary([ALWAYS], [ALWAYS], earliest=5.0, latest_start=latest)
    assert places(own, rest(0, 99)) == expected


def test_many_breaks_take_more_room_and_not_for_ever():
    seven = [rest(10 * k, 500 + k, 1.0, str(k)) for k in range(7)]
    found = places(itinerary(*[[ALWAYS]] * 12), *seven)
    assert sorted(number for number, _ in found) == list(range(7))
    ten = [
        Break(id=str(row), windows=tuple((100.0 * k + row, 100.0 * k + 50) for k in range(10)))
        for row in range(10)
    ]
    started = time.process_time()
    found = places(itinerary(*[[(0.0, 990.0)]] * 30), *ten)
    assert time.process_time() - started < 3
    assert [number for number, _ in found] == list(range(10))
    days = [rest(24.0 * row, 24.0 * row + 2, 8.0, str(row)) for row in range(100)]
    nights = places(itinerary([(1000.0, 1001.0)], legs=[5.0, 5.0]), *days)
    assert nights == [(row, int(row >= 42)) for row in range(100)]


@pytest.mark.parametrize(
    ("own", "costs", "expected"),
    [
        # Arrives at 10 or later, due at 12; the second waits to 40: 1 late costs 2, a wait 1.
        (itinerary([(0, 32)], [(40, 50)]), prices((12, 2), NEVER_LATE), (2, 51)),
        (itinerary([(0, 32)], [(40, 50)]), prices((12, 0.5), NEVER_LATE), (19, 51)),
        # As cheap as each other: the least duration, then the earliest.
        (itinerary([(0, 32)], [(40, 50)]), prices((12, 1), NEVER_LATE), (19, 51)),
        (itinerary([(0, 32)]), prices((12, 1)), (0, 21)),
        # Nothing waits: leaving earlier than it can costs 3 for each unit.
        (itinerary([(0, 32)], earliest=5.0), prices((12, 3)), (5, 26)),
        # Loading comes before.
        (itinerary([(0, 32)], earliest=5.0, loading=2.0), prices((12, 3)), (5, 28)),
        # Too late, even at a price.
        (itinerary([(0, 32)], earliest=25.0), prices((12, 3)), None),
        # Overtime costs 4: it leaves later, and the stop is late.
        (
            itinerary([(0, 32)], [(40, 50)]),
            prices((12, 2), NEVER_LATE, overtime_from=40.0, overtime=4.0),
            (11, 51),
        ),
        # No route takes longer than 35: it leaves at 16 and is 14 late.
        (itinerary([(0, 32)], [(40, 50)]), prices((12, 2), NEVER_LATE, longest=35.0), (16, 51)),
        (itinerary([(0, 32)], [(40, 50)]), prices((12, 2), NEVER_LATE, longest=31.0), None),
        # The return costs 5 from 20 on; only the first is late else.
        (itinerary([(15, 32)]), prices(NEVER_LATE, late_from=20.0, late=5.0), (5, 26)),
        # The last of two windows may be late; the first not.
        (itinerary([(0, 5), (20, 60)], earliest=20.0), prices((25, 1)), (20, 41)),
        # An open start begins with its first service.
        (itinerary([(15, 32)], is_open=True, legs=[0.0, 10.0]), prices((20, 1)), (15, 26)),
    ],
)
def test_the_least_cost_by_hand(own, costs, expected):
    assert (times_of(own._replace(prices=costs), SLACK) or (None,))[:2] == (expected or (None,))


def test_breaks_are_placed_so_that_the_cost_is_least():
    own = itinerary([(0, 32)], [(0, 90)], prices=prices((12, 2), (25, 1)))
    assert places(own, rest(0, 40)) == [(0, 2)]  # at the last stop, late for nobody
    # Before it leaves: 3 late at the first; behind the first: 1 late at the second.
    assert places(own, rest(0, 15)) == [(0, 1)]
    assert places(own, rest(0, 15), fits=lambda _, after: after == 0) == [(0, 0)]


def cost_of(own, departure):
    """What depends on a departure; None where it is too late or too long."""
    fixed = own._replace(earliest=departure, latest_start=departure, prices=FREE)
    run, costs = times_of(fixed, SLACK), own.prices
    if run is None or run.end - departure > costs.longest + SLACK:
        return None
    late = [price * max(0.0, begin - due) for (due, price), begin in zip(
        costs.dues, run.begins, strict=False) if price]  # fmt: skip
    late.append(costs.late * max(0.0, run.end - costs.late_from) if costs.late else 0.0)
    duration = run.end - departure
    over = max(0.0, duration - costs.overtime_from) if costs.overtime else 0.0
    return sum(late) + costs.duration * duration + costs.overtime * over, duration, departure


def test_no_other_departure_costs_less():
    for seed in range(100):
        instance, route = late_route(seed)
        own = Timeline(instance).itinerary(route)
        if own.prices is FREE:
            continue
        found = times_of(own, SLACK)
        last = min(own.latest_start, own.earliest + 200)
        halves = range(int(2 * (last - own.earliest)) + 1)
        tried = [cost_of(own, own.earliest + each / 2) for each in halves]
        known = min((each for each in tried if each is not None), default=None)
        if found is None:
            assert known is None, seed
            continue
        best = cost_of(own, found.departure)
        assert best is not None and best[1] == pytest.approx(found.end - found.departure), seed
        if known is not None:
            assert best[0] <= known[0] + 1e-6, seed
            assert best[0] < known[0] - 1e-6 or best[1:] <= (known[1] + 1e-6, known[2] + 1e-6), seed


def test_without_the_library_there_are_no_times(monkeypatch, tmp_path):
    load = route_times.load_library
    monkeypatch.setattr(route_times, "load_library", lambda: load(tmp_path / "gone.so"))
    with pytest.raises(MissingSearchError, match=r"the compiled search is missing \(.*gone.so"):
        times_of(itinerary([ALWAYS]), SLACK)
