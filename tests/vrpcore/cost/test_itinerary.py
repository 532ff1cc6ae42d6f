import math

import pytest

from vrpcore.cost.itinerary import NEVER_LATE, Itinerary, Prices, Taken
from vrpcore.instance.vehicle_types import ALWAYS, Break


def two_stops():
    """Two stops 10 apart, and 10 home."""
    return Itinerary(
        earliest=100.0, latest=math.inf, is_open=False, num_visits=2, legs=[10.0] * 3,
        windows=[[(1, 2)], [(3, 4)], [ALWAYS]], services=[1.0, 1.0, 0.0], lengths=[10.0] * 3,
        loading=8.0,
    )  # fmt: skip


def test_breaks_become_positions_without_a_leg_to_them():
    breaks = [Break(id="a", windows=((0, 9),), duration=5.0), Break(id="b", duration=6.0)]
    found = two_stops().with_breaks(breaks, [Taken(1, 0), Taken(0, 2)])
    assert found.legs == (0.0, 10.0, 10.0, 0.0, 10.0)
    assert found.services == (6.0, 1.0, 1.0, 5.0, 0.0)
    assert [*map(tuple, found.windows)] == [
        (ALWAYS,), ((1, 2),), ((3, 4),), ((0, 9),), (ALWAYS,)
    ]  # fmt: skip
    assert sum(found.lengths) == 30


def test_rounding_grows_with_all_times():
    assert two_stops().rounding == pytest.approx(1e-13 * (100 + 30 + 2 + 8))


def test_the_largest_price():
    none = Prices([NEVER_LATE], math.inf, 0.0, 2.0, 9.0, 3.0, math.inf)
    assert none.largest == 5.0
    assert none._replace(late=6.0).largest == 6.0
    assert none._replace(dues=[(4.0, 7.0), NEVER_LATE]).largest == 7.0
