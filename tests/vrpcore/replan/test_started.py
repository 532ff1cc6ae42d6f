import pytest

from tests.vrpcore.frozen_days import VAN, day
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.plan import KnownDay, Reload, Route, Started
from vrpcore.replan.started import started_at


def started_of(instance, route, time, **day):
    return started_at(Timeline(instance), route, KnownDay(**day), time)


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (0.0, None),
        (2.0, Started(2.0, 0.0, (3.0,))),  # on its way
        (3.0, Started(3.0, 0.0, (3.0,))),
        (3.5, Started(3.5, 0.0, (3.0,), (), 1)),  # in service
        (5.0, Started(5.0, 0.0, (3.0,), (), 1)),  # about to leave
        (6.0, Started(6.0, 0.0, (3.0, 10.0), (), 1)),
        (13.0, Started(13.0, 0.0, (3.0, 10.0), (), 2, is_over=True)),  # on its way home
    ],
)
def test_what_had_begun(time, expected):
    instance = day(3, 8, service=[2, 2])
    found = started_of(instance, Route(0, (1, 2)), time)
    assert found == expected


def test_times_follow_from_the_stated_departure():
    instance = day(3, 8)
    route = Route(0, (1, 2))
    found = started_of(instance, route, 8.0, departure=4.0)
    assert found == Started(8.0, 4.0, (7.0, 12.0), (), 1)
    found = started_of(instance, route, 10.0, departure=4.0, begins=(9.0,))  # frozen before
    assert found == Started(10.0, 4.0, (9.0, 14.0), (), 1)


def test_a_stated_departure_may_be_rounded():
    """It left at 3.6, to be there at 6.6, and states 4."""
    instance = day(3, 8, window=[[6.6, 6.6], [0, 100]])
    route, rounded = Route(0, (1, 2)), {"departure": 4.0, "rounding": 0.5}
    found = started_of(instance, route, 8.0, begins=(7.0, 12.0), **rounded)
    assert found == Started(8.0, pytest.approx(3.6), (6.6, pytest.approx(11.6)), (), 1)
    waited = started_of(instance, route, 25.0, begins=(7.0, 20.0), **rounded)
    assert waited.begins == (6.6, 19.5)
    closed = day(3, 8, window=[[0, 6], [0, 100]])
    found = started_of(closed, route, 8.0, begins=(9.0, 14.0), **rounded)
    assert found.begins == (8.5,)


def test_a_rounded_departure_is_in_the_shift():
    instance = day(3, 8, vehicles=[{**VAN, "window": [4, 100], "latest_start": 4}])
    found = started_of(instance, Route(0, (1, 2)), 8.0, departure=4.0, rounding=0.5)
    assert found == Started(8.0, 4.0, (7.0, 12.0), (), 1)


def test_a_known_route_may_be_late():
    vehicles = [{**VAN, "window": [0, 5]}]
    instance = day(3, 8, window=[[0, 1], [0, 100]], vehicles=vehicles)
    found = started_of(instance, Route(0, (1, 2)), 6.0)
    assert found == Started(6.0, 0.0, (3.0, 8.0), (), 1)


def test_breaks_and_reloads_have_begun_too():
    vehicles = [{**VAN, "reloads": ["d"], "breaks": [{"window": [7, 7], "duration": 2}]}]
    instance = day(3, 2, 9, vehicles=vehicles)
    route = Route(0, (1, 2, 3), (Reload(0, 1),))
    found = started_of(instance, route, 7.5, departure=0.0)
    assert found == Started(7.5, 0.0, (3.0, 6.0), ((0, 2, 7.0),), 1, trip=1)


def test_breaks_are_where_a_route_states_them():
    vehicles = [{**VAN, "breaks": [{"window": [0, 50], "duration": 5}]}]
    instance = day(10, 4, vehicles=vehicles)
    route = Route(0, (1, 2))
    for after, begins in ((0, (15.0,)), (1, (10.0,))):
        found = started_of(instance, route, 15.5, departure=0.0, breaks=((0, after, None),))
        assert found.begins[:1] == begins
        assert found.breaks[0][:2] == (0, after)
    frozen = {"departure": 0.0, "breaks": ((0, 0, 7.0),), "begins": (30.0, 40.0)}
    found = started_of(instance, route, 35.0, **frozen)
    assert found == Started(35.0, 0.0, (30.0, 40.0), ((0, 0, 7.0),), 1)


def test_breaks_that_are_new_come_between_those_that_are_stated():
    breaks = [{"id": "a", "window": [10, 10], "duration": 5}, {"id": "b", "duration": 1}]
    instance = day(20, 10, vehicles=[{**VAN, "breaks": breaks}])
    stated = {"departure": 10.0, "breaks": ((0, 0, None),)}
    found = started_of(instance, Route(0, (1, 2)), 12.0, **stated)
    assert (0, 0, 10.0) in found.breaks


def test_who_may_reload_at_home_is_not_over():
    instance = day(5, vehicles=[{**VAN, "reloads": ["d"]}])
    assert started_of(instance, Route(0, (1,)), 8.0) == Started(8.0, 0.0, (5.0,), (), 1, home=10.0)
