import math

import pytest

from tests.vrpcore.cost.cases import itinerary, late_route
from vrpcore.cost.departure import run_from
from vrpcore.cost.itinerary import NEVER_LATE, Prices, Taken
from vrpcore.cost.late_departure import least_cost
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.vehicle_types import Break

SLACK = 1e-9


def prices(*dues, **changes):
    own = Prices(
        dues=dues, late_from=math.inf, late=0.0, duration=1.0, overtime_from=math.inf,
        overtime=0.0, longest=math.inf,
    )  # fmt: skip
    return own._replace(**changes)


def found(own, costs, *breaks, fits=lambda index, after: True):
    best = least_cost(own, costs, breaks, fits, SLACK)
    return None if best is None else (best.time, best.duration, pytest.approx(best.cost))


@pytest.mark.parametrize(
    ("own", "costs", "expected"),
    [
        # Arrives at 10 or later, due at 12; the second waits to 40: 1 late costs 2, a wait 1.
        (itinerary([(0, 32)], [(40, 50)]), prices((12, 2), NEVER_LATE), (2, 49, 49)),
        (itinerary([(0, 32)], [(40, 50)]), prices((12, 0.5), NEVER_LATE), (19, 32, 32 + 8.5)),
        # As cheap as each other: the least duration, then the earliest.
        (itinerary([(0, 32)], [(40, 50)]), prices((12, 1), NEVER_LATE), (19, 32, 49)),
        (itinerary([(0, 32)]), prices((12, 1)), (0, 21, 21)),
        # Nothing waits: leaving earlier than it can costs 3 for each unit.
        (itinerary([(0, 32)], earliest=5.0), prices((12, 3)), (5, 21, 21 + 9)),
        # Loading comes before.
        (itinerary([(0, 32)], earliest=5.0, loading=2.0), prices((12, 3)), (5, 23, 23 + 15)),
        # Too late, even at a price.
        (itinerary([(0, 32)], earliest=25.0), prices((12, 3)), None),
        # Overtime costs 4: it leaves later, and the stop is late.
        (
            itinerary([(0, 32)], [(40, 50)]),
            prices((12, 2), NEVER_LATE, overtime_from=40.0, overtime=4.0),
            (11, 40, 40 + 18),
        ),
        # No route takes longer than 35: it leaves at 16 and is 14 late.
        (itinerary([(0, 32)], [(40, 50)]), prices((12, 2), NEVER_LATE, longest=35.0),
         (16, 35, 35 + 28)),
        (itinerary([(0, 32)], [(40, 50)]), prices((12, 2), NEVER_LATE, longest=31.0), None),
        # The return costs 5 from 20 on; only the first is late else.
        (itinerary([(15, 32)]), prices(NEVER_LATE, late_from=20.0, late=5.0), (5, 21, 21 + 30)),
        # The last of two windows may be late; the first not.
        (itinerary([(0, 5), (20, 60)], earliest=20.0), prices((25, 1)), (20, 21, 26)),
        # An open start begins with its first service.
        (itinerary([(15, 32)], is_open=True, legs=[0.0, 10.0]), prices((20, 1)), (15, 11, 11)),
    ],
)  # fmt: skip
def test_the_least_cost_by_hand(own, costs, expected):
    assert found(own, costs) == expected


def test_breaks_are_placed_so_that_the_cost_is_least():
    own, costs = itinerary([(0, 32)], [(0, 90)]), prices((12, 2), (25, 1))
    rest = Break(id="0", windows=((0, 40),), duration=5.0)
    best = least_cost(own, costs, [rest], lambda index, after: True, SLACK)
    assert best == (37.0, 37.0, 0.0, (Taken(0, 2),))  # at the last stop, late for nobody
    early = Break(id="0", windows=((0, 15),), duration=5.0)
    best = least_cost(own, costs, [early], lambda index, after: True, SLACK)
    # Before it leaves: 3 late at the first; behind the first: 1 late at the second.
    assert ([each.after for each in best.trail], best.cost) == ([1], 38.0)
    best = least_cost(own, costs, [early], lambda index, after: after == 0, SLACK)
    assert ([each.after for each in best.trail], best.cost) == ([0], 37.0 + 3 * 2 + 1)


def cost_of(own, costs, departure):
    """What depends on a departure; None where it is too late or too long."""
    run = run_from(own, departure, SLACK)
    if run is None or (own.is_open and run.begins[0] > departure):
        return None
    end = run.begins[-1] + own.services[-1]
    duration = end - departure
    if duration > costs.longest + SLACK:
        return None
    late = [price * max(0.0, begin - due) for (due, price), begin in zip(
        costs.dues, run.begins, strict=False) if price]  # fmt: skip
    late.append(costs.late * max(0.0, end - costs.late_from) if costs.late else 0.0)
    over = max(0.0, duration - costs.overtime_from) if costs.overtime else 0.0
    return sum(late) + costs.duration * duration + costs.overtime * over, duration, departure


@pytest.mark.parametrize("seed", range(300))
def test_no_other_departure_costs_less(seed):
    instance, route = late_route(seed)
    timeline = Timeline(instance)
    own, costs = timeline.itinerary(route), timeline.prices(route)
    if costs is None:
        return
    best = least_cost(own, costs, [], lambda index, after: True, SLACK)
    last = min(own.latest_start, own.earliest + 200)
    halves = range(int(2 * (last - own.earliest)) + 1)
    tried = [cost_of(own, costs, own.earliest + each / 2) for each in halves]
    known = min((each for each in tried if each is not None), default=None)
    if best is None:
        assert known is None
        return
    assert cost_of(own, costs, best.time) == pytest.approx((best.cost, best.duration, best.time))
    if known is not None:
        assert best.cost <= known[0] + 1e-6
        assert best.cost < known[0] - 1e-6 or best[1:3] <= (known[1] + 1e-6, known[2] + 1e-6)
