import math

import pytest

from vrpcore.cost.itinerary import FREE, NEVER_LATE, Itinerary
from vrpcore.instance.vehicle_types import ALWAYS


def two_stops():
    """Two stops 10 apart, and 10 home."""
    return Itinerary(
        earliest=100.0, latest=math.inf, is_open=False, num_visits=2, legs=[10.0] * 3,
        windows=[[(1, 2)], [(3, 4)], [ALWAYS]], services=[1.0, 1.0, 0.0], lengths=[10.0] * 3,
        loading=8.0,
    )  # fmt: skip


def test_rounding_grows_with_all_times():
    assert two_stops().rounding == pytest.approx(1e-13 * (100 + 30 + 2 + 8))


def test_the_largest_price():
    own = FREE._replace(duration=2.0, overtime=3.0)
    assert own.largest == 5.0
    assert own._replace(late=6.0).largest == 6.0
    assert own._replace(dues=[(4.0, 7.0), NEVER_LATE]).largest == 7.0
