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
    known = Route(0, (1, 2))
    for time in (25.0, 32.0, 33.5, 36.0, 39.0):
        answer = go_on(instance, time, known, departures=[13.0])
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
    known = [(1, (4,)), Route(0, (*first, 2))]
    answer = go_on(instance, 2.0, *known, departures=[None, 0.0 if first else 4.0])
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


@pytest.mark.parametrize(("time", "begins"), [(12.0, (25.0, 26.0, 28.0)), (45.0, (72.0, 74.0))])
def test_who_is_on_the_way_to_a_stop_that_is_gone_is_free(time, begins):
    (known,) = Solver().solve([day(10, 40, 12, window=[None, [44, 44], [20, 99]])])
    assert known.routes[0].customers == (2, 3, 1)
    left = day(10, 12, 13, id=[1, 3, 4], window=[None, [20, 99], [0, 60]])
    (answer,) = Solver().solve([left], warm_starts=[known], freeze=time)
    assert answer.routes[0].schedule.begins == begins  # what follows one that was served waits


def test_who_is_on_the_way_to_a_last_stop_that_is_gone_is_not_on_the_way_home():
    (known,) = Solver().solve([day(10, 40, window=[[0, 20], [44, 44]])])
    left = day(10, 5, id=[1, 4])
    (answer,) = Solver().solve([left], warm_starts=[known], freeze=30.0)
    assert answer.routes[0].schedule.begins == (14.0, 35.0)


RESTS = {**VAN, "end": None, "breaks": [{"window": [30, 35], "duration": 5}]}
LOADS = {**VAN, "end": None, "capacity": 1, "reloads": ["e"]}
OPEN = {**VAN, "start": None, "end": "d"}
BOTH = ({"id": "d", "x": 0, "y": 0, "service": 4}, {"id": "e", "x": 20, "y": 0})


@pytest.mark.parametrize(
    ("places", "windows", "van", "known", "begins"),
    [
        ((30, 10, 32), [None] * 3, RESTS, (2, 1, 3), (14.0, 41.0)),  # the break was there
        ((10, 25), [None] * 2, LOADS, (1, 2), (29.0,)),  # a whole trip
        ((20, 10, 5), [[0, 0], None, [30, 99]], OPEN, (1, 2, 3), (10.0, 30.0)),  # it began there
    ],
)
def test_what_began_behind_a_stop_that_is_gone_began_then(places, windows, van, known, begins):
    columns = {"vehicles": [van], "depots": BOTH}
    demand, numbers = [1] * len(places), [*range(1, len(places) + 1)]
    whole = day(*places, id=numbers, window=windows, demand=demand, **columns)
    (plan,) = Solver().solve([whole])
    assert plan.routes[0].customers == known
    left = day(*places[1:], id=numbers[1:], window=windows[1:], demand=demand[1:], **columns)
    (answer,) = Solver().solve([left], warm_starts=[plan], freeze=45.0)
    assert answer.routes[0].schedule.begins == begins
    assert stated(answer, "frozen") == [len(begins)]


def test_relations_and_groups_of_what_has_begun():
    vehicles = [{**VAN, "count": 2}]
    relations = [
        {"kind": "together", "stops": ["1", "2"]},
        {"kind": "apart", "stops": ["1", "3"]},
        {"kind": "order", "stops": ["4", "1"]},
    ]
    keys = {"relations": relations, "groups": [{"id": "g", "members": ["5", "6"]}]}
    instance = day(5, 6, 7, 8, 4, 3, vehicles=vehicles, keys=keys)
    answer = go_on(instance, 5.5, (0, (1, 5)))
    routes = {stop: row for row, route in enumerate(answer.routes) for stop in route.customers}
    assert routes[1] == routes[2] != routes[3]
    assert 4 not in routes  # it comes before 1 in its route, or not at all
    assert 6 not in routes
    broken = [{"kind": "apart", "stops": ["1", "2"]}, {"kind": "together", "stops": ["2", "3"]}]
    instance = day(5, 6, 7, vehicles=vehicles, keys={"relations": broken})
    answer = go_on(instance, 5.5, (0, (1, 2)))
    (warning,) = answer.warnings
    assert "1 and 2 are both in routes[0]" in warning
    assert any(route.customers[:3] == (1, 2, 3) for route in answer.routes)


def test_relations_with_trips_that_are_over():
    vehicles = [{**VAN, "count": 2, "capacity": 4, "reloads": ["d"]}]
    relations = [
        {"kind": "chain", "stops": ["1", "3"]},
        {"kind": "together", "stops": ["1", "4"]},
        {"kind": "apart", "stops": ["1", "5"]},
        {"kind": "order", "stops": ["6", "1"]},
        {"kind": "chain", "stops": ["7", "8"], "at": "start"},
    ]
    places = (5, 4, 3, 2, 6, 7, 8, 9)
    instance = day(*places, demand=[1] * 8, vehicles=vehicles, keys={"relations": relations})
    known = Route(0, (1, 2), (Reload(0, 1),))
    answer = go_on(instance, 10.5, known)  # at the second trip's first stop soon
    routes = {stop: row for row, route in enumerate(answer.routes) for stop in route.customers}
    assert routes[1] == routes[2] == routes[4]
    assert 3 not in routes  # 2 came between
    assert 6 not in routes
    assert routes[5] != routes[1]
    assert routes[7] != routes[1]
    assert routes[7] == routes[8]


@pytest.mark.parametrize("time", [4.0, 6.0])  # on the way to the pickup, and to the delivery
def test_a_delivery_that_is_due_cannot_begin_a_route_that_has_left(time):
    shipment = {"id": "s", "pickup": {"x": 5, "y": 0}, "delivery": {"x": 8, "y": 0}}
    first = {"kind": "chain", "stops": ["s:delivery"], "at": "start"}
    keys = {"shipments": [shipment], "relations": [first]}
    instance = day(3, 9, vehicles=[{**VAN, "count": 2}], keys=keys)
    answer = go_on(instance, time, Route(0, (1, 3, 4, 2)))
    assert answer.status == "solved"
    row = next(row for row, route in enumerate(answer.routes) if 1 in route.customers)
    assert answer.routes[row].customers[:3] == (1, "s:pickup", "s:delivery")
    problem = f"relations[0]: 's:delivery' is not the first stop of routes[{row}]"
    assert answer.warnings == (f"FROZEN_BREAKS_LIMIT: {problem}",)
