import pytest

from tests.vrpcore.frozen_days import VAN, day, go_on, stated
from vrpcore.instance.plan import Route


def test_who_is_on_the_way_home_gets_nothing_more():
    instance = day(5, 4, 9)
    answer = go_on(instance, 8.0, (0, (1,)))
    assert [route.customers for route in answer.routes] == [(1,)]
    assert [each.id for each in answer.unserved] == [2, 3]
    assert stated(answer, "return_") == [10.0]


def test_who_is_on_the_way_home_may_reload_there():
    instance = day(5, 4, 9, release=[0, 0, 30], vehicles=[{**VAN, "reloads": ["d"]}])
    for time in (8.0, 25.0):
        (route,) = go_on(instance, time, (0, (1,))).routes
        assert route.customers[0] == 1
        assert sorted(route.customers) == [1, 2, 3]
        reload = route.schedule.reloads[0]
        assert reload.arrival == 10.0
        assert reload.begin >= max(time, 10.0)


def test_a_shipment_that_was_picked_up_is_delivered_by_its_vehicle():
    shipment = {"id": "s", "pickup": {"x": 5, "y": 0}, "delivery": {"x": -5, "y": 0}}
    keys = {"shipments": [shipment]}
    instance = day(9, 8, vehicles=[{**VAN, "count": 2}], keys=keys)
    answer = go_on(instance, 6.0, (0, (3, 1, 4)))
    (route,) = [each for each in answer.routes if "s:pickup" in each.customers]
    assert route.customers[:2] == ("s:pickup", 1)
    assert "s:delivery" in route.customers
    late = {**shipment, "delivery": {**shipment["delivery"], "window": [0, 1]}}
    instance = day(9, 8, vehicles=[{**VAN, "count": 2}], keys={"shipments": [late]})
    answer = go_on(instance, 6.0, (0, (3, 1, 4)))
    (route,) = [each for each in answer.routes if "s:pickup" in each.customers]
    assert route.customers == ("s:pickup", 1, "s:delivery")
    assert "s:delivery" not in [each.id for each in answer.unserved]
    assert answer.warnings[0].startswith("FROZEN_BREAKS_LIMIT")


@pytest.mark.parametrize("time", [2.0, 7.0])
def test_who_cannot_go_on_keeps_what_it_has_on_board(time):
    vehicles = [{**VAN}, {**VAN, "id": "other"}]
    keys = {"backhauls": "last", "pickup_only_routes": False}
    instance = day(
        10, 5, 20, -10, demand=[1, 0, 1, 1], pickup=[0, 2, 0, 0], vehicles=vehicles, keys=keys
    )
    answer = go_on(instance, time, Route(0, (2, 1, 3)), departures=[0.0])
    carried = [(each, "LOADED") for each in (1, 3)[time > 5 :]]
    assert [(each.id, each.reason) for each in answer.unserved] == carried
    (own,) = (route for route in answer.routes if route.schedule.vehicle == "van")
    assert own.customers == ((2,) if time < 5 else (2, 1))
    assert own.schedule.departure == 0.0
    assert answer.warnings[0].startswith("FROZEN_BREAKS_LIMIT: routes[")


def test_the_leg_to_a_first_stop_is_kept_where_it_breaks_a_limit():
    instance = day(5, -4, vehicles=[{**VAN, "max_distance": 9}])
    answer = go_on(instance, 4.0, Route(0, (1,)), departures=[0.0])
    (route,) = answer.routes
    assert (route.customers, route.schedule.begins, route.schedule.frozen) == ((1,), (5.0,), 0)
    assert [each.id for each in answer.unserved] == [2]
    (warning,) = answer.warnings
    assert warning == ("FROZEN_BREAKS_LIMIT: routes[0]: distance 10.0 exceeds max_distance 9.0")


def test_a_limit_that_is_met_but_for_rounding_is_kept():
    vehicles = [{**VAN, "max_distance": 0.3}, {**VAN, "id": "other"}]
    legs = [[0, 0.1, 1], [0.2, 0, 1], [1, 1, 0]]
    instance = day(1, 2, vehicles=vehicles, keys={"distances": legs})
    answer = go_on(instance, 0.05, Route(0, (1,)), departures=[0.0])
    assert {route.schedule.vehicle: route.customers for route in answer.routes} == {
        "van": (1,), "other": (2,)
    }  # fmt: skip
    assert answer.warnings == ()


def test_who_missed_a_break_while_it_was_loaded_takes_it_at_once():
    depots = [{"id": "d", "x": 0, "y": 0, "service": 10}]
    breaks = [{"id": "lunch", "window": [0, 5], "duration": 2}]
    vehicles = [{**VAN, "breaks": breaks, "max_distance": 9}]
    instance = day(5, 4, depots=depots, vehicles=vehicles)
    answer = go_on(instance, 7.0, Route(0, (1,)), departures=[0.0])  # one of 10, which is too long
    assert [route.customers for route in answer.routes] == [(2,)]
    assert stated(answer, "departure") == [0.0]
    assert [each.id for each in answer.unserved] == [1]
    assert "breaks[0]: begins at 10, after the last window closes" in answer.warnings[0]


# With what is on board from the start, the break can only be taken behind a reload.
RESTING = {
    **VAN,
    "reloads": ["d"],
    "initial_load": 2,
    "breaks": [{"id": "rest", "max_load": 1, "duration": 1}],
}


def test_a_break_that_is_too_heavy_now_takes_nothing_from_what_has_begun():
    instance = day(3, demand=[1], vehicles=[RESTING])
    answer = go_on(instance, 4.0, Route(0, (1,)))
    (route,) = answer.routes
    assert (route.customers, route.schedule.departure, route.schedule.frozen) == ((1,), 0.0, 1)
    assert [each.after for each in route.schedule.breaks] == [1]
    problem = "routes[0].breaks[0]: a load of 2.0 exceeds max_load 1.0"
    assert answer.warnings == (f"FROZEN_BREAKS_LIMIT: {problem}",)


def test_a_break_is_taken_where_it_is_not_too_heavy_if_there_is_such_a_place():
    instance = day(3, -1, demand=[1, 1], vehicles=[RESTING])
    answer = go_on(instance, 4.0, Route(0, (1,)))
    (route,) = answer.routes
    assert (route.customers, route.schedule.departure) == ((1, 2), 0.0)
    assert [each.after for each in route.schedule.reloads] == [1]
    assert answer.warnings == ()
