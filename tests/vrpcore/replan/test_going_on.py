import math

import pytest

from tests.vrpcore.frozen_days import VAN, day
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.plan import Route, Started
from vrpcore.replan.going_on import breaks_to_take, going_on, late_windows

BREAKS = [
    {"id": "x", "window": [0, 12], "duration": 5},
    {"id": "y", "window": [0, 40], "duration": 4},
    {"id": "z", "window": [0, 14], "duration": 3},
]


def test_what_has_begun_has_its_times_and_then_the_vehicle_waits():
    instance = day(5, 8, service=[1, 2])
    bare = Timeline(instance).itinerary(Route(0, (1, 2)))
    found = going_on(bare, Started(20.0, 0.0, (5.0,), (), 1))
    assert (found.earliest, found.latest_start, found.latest) == (0.0, 0.0, math.inf)
    assert found.windows[0] == [(5.0, 5.0)]
    assert found.services == [15.0, 2.0, 0.0]
    found = going_on(bare, Started(20.0, 0.0, (5.0, 30.0), (), 1))
    assert found.services == [1.0, 2.0, 0.0]


@pytest.mark.parametrize("over", [False, True])
def test_breaks_that_were_missed_are_taken_at_once(over):
    instance = day(5, 8, vehicles=[{**VAN, "breaks": BREAKS}])
    breaks = instance.constraints.vehicles[0].breaks
    started = Started(12.0, 0.0, (5.0,), ((0, 1, 10.0),), 1, over)
    itinerary = going_on(Timeline(instance).itinerary(Route(0, (1, 2))), started)
    found = [each.windows for each in breaks_to_take(breaks, started, itinerary)]
    last = math.inf if over else 15.0
    assert found == [((10.0, 10.0),), ((15.0, 40.0),), ((15.0, last),)]


def test_the_last_window_never_closes_for_who_may_be_late():
    assert late_windows([]) == [(-math.inf, math.inf)]
    assert late_windows([(0, 1), (5, 6)]) == [(0, 1), (5, math.inf)]
