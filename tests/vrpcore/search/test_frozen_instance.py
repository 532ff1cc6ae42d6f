import pytest

from tests.vrpcore.frozen_days import VAN, day, go_on, stated
from vrpcore.api import Solver
from vrpcore.instance.plan import Reload, Route


def test_trips_that_are_over_leave_their_limits():
    vehicles = [{**VAN, "capacity": 2, "reloads": ["d"], "max_reloads": 2, "max_distance": 40}]
    instance = day(5, 4, 3, 2, 6, demand=[2, 2, 2, 2, 2], vehicles=vehicles)
    known = Route(0, (1, 2, 3), (Reload(0, 1), Reload(0, 2)))
    answer = go_on(instance, 13.0, known)  # its second trip has begun
    (route,) = answer.routes
    assert route.customers[:2] == (1, 2)
    assert len(route.customers) == 3
    assert route.schedule.distance <= 40
    assert len(answer.unserved) == 2


def test_who_is_late_may_leave_a_reload_after_the_shift():
    vehicles = [
        {**VAN, "window": [0, 25], "max_late": 50, "late_cost": 1, "reloads": ["d"], "capacity": 1}
    ]
    instance = day(20, 15, demand=[1, 1], vehicles=vehicles)
    known = Route(0, (2, 1), (Reload(0, 1),))
    for time in (10.0, 20.0, 29.0, 31.0, 60.0):
        answer = go_on(instance, time, known)
        assert answer.status == "solved"
        assert answer.routes[0].customers == (2, 1)
        assert answer.cost == 70.0 + 45.0


def test_a_break_in_progress_ends_before_one_that_was_missed():
    breaks = [
        {"id": "x", "window": [0, 12], "duration": 5}, {"id": "y", "window": [0, 14], "duration": 5}
    ]  # fmt: skip
    vehicles = [{**VAN, "window": [0, 100], "breaks": breaks}, {**VAN, "id": "other"}]
    instance = day(10, 20, vehicles=vehicles)
    known = Route(0, (1, 2), departure=13.0)
    for time in (25.0, 32.0, 33.5, 36.0, 39.0):
        answer = go_on(instance, time, known)
        assert [route.schedule.vehicle for route in answer.routes] == ["van"]
        assert stated(answer, "begins") == [(23.0, 33.0)]
        assert answer.warnings[0].startswith("FROZEN_BREAKS_LIMIT")


@pytest.mark.parametrize("change", [{"max_reloads": 0}, {"reloads": []}, {"reloads": None}])
def test_a_reload_that_has_begun_stays_where_none_is_allowed_any_more(change):
    van = {**VAN, "capacity": 4, "reloads": ["d"], **change}
    van = {key: value for key, value in van.items() if value is not None}
    instance = day(10, 20, -10, -9, demand=[2, 2, 3, 1], vehicles=[van])
    answer = go_on(instance, 45.0, Route(0, (2, 1, 4, 3), (Reload(0, 2),)))
    (route,) = answer.routes
    assert route.schedule.reloads[0].begin == 40.0
    assert route.schedule.begins[:3] == (20.0, 30.0, 49.0)
    assert answer.warnings[0].startswith("FROZEN_BREAKS_LIMIT")


def test_a_frozen_overload_lets_nobody_else_exceed_the_capacity():
    van = {**VAN, "capacity": 3, "reloads": ["d"]}
    instance = day(10, 20, -10, demand=[2, 2, 4], vehicles=[van])
    answer = go_on(instance, 25.0, Route(0, (2, 1)))
    assert [route.customers for route in answer.routes] == [(2, 1)]
    assert [each.reason for each in answer.unserved] == ["CAPACITY"]


def test_what_is_left_on_board_weighs_nothing_after_the_first_trip():
    van = {**VAN, "capacity": 5, "reloads": ["d"]}
    left = {"id": "s", "amount": 2, "on_board": "van", "prize": 1, "delivery": {"x": 500, "y": 0}}
    instance = day(3, -4, -6, demand=[3, 4, 1], vehicles=[van], keys={"shipments": [left]})
    known = Route(0, (1, 2, 3), (Reload(0, 1),))
    for time in (1.0, 4.0, 7.0, 8.0, 11.0):
        answer = go_on(instance, time, known)
        assert [route.customers for route in answer.routes] == [(1, 2, 3)], time
        assert [each.id for each in answer.unserved] == ["s"]
        assert (answer.status, answer.cost) == ("solved", 19.0)


@pytest.mark.parametrize("first", [(), (1,)])
def test_what_is_on_board_stays_there_where_its_alternative_was_served(first):
    vehicles = [{**VAN, "capacity": 5}, {**VAN, "id": "other"}]
    given = {"id": "s", "amount": 2, "on_board": "van", "delivery": {"x": 11, "y": 0}}
    keys = {"shipments": [given], "groups": [{"id": "g", "members": [4, "s"]}]}
    pickup = [0, 3, 2, 0]
    instance = day(1, 9, 10, -3, pickup=pickup, vehicles=vehicles, keys=keys)
    known = [(1, (4,)), Route(0, (*first, 2), departure=0.0 if first else 4.0)]
    answer = go_on(instance, 2.0, *known)
    assert answer.warnings == ()
    assert all(route.load <= 5 for route in answer.routes if route.schedule.vehicle == "van")
    assert "g" not in [each.id for each in answer.unserved]


def test_a_stop_that_is_gone_makes_others_no_sooner():
    (known,) = Solver().solve([day(10, 20, 5)])
    assert known.routes[0].customers == (2, 1, 3)
    left = day(10, 5, id=[1, 3])
    (answer,) = Solver().solve([left], warm_starts=[known], freeze=25.0)
    assert answer.routes[0].schedule.frozen == 0
    assert answer.routes[0].schedule.begins == (30.0, 35.0)
