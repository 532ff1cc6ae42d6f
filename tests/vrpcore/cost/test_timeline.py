import numpy as np
import pytest

from tests.build import constrained, on_a_line
from tests.vrpcore.cost.cases import random_times
from vrpcore.cost.leg_matrices import matrices_of
from vrpcore.cost.timeline import Timeline, time_span
from vrpcore.instance.plan import Reload, Route
from vrpcore.instance.solution import RouteBreak, RouteReload


def schedule(instance, *stops, vehicle=0):
    return Timeline(instance).schedule(Route(vehicle, stops))


def test_a_route_by_hand():
    # Out 3, wait to 10, serve 2, on 4, serve 1, home 7.
    customers = on_a_line(3, 7, window=[[10, 20], [0, 99]], service=[2, 1], demand=[4, 5])
    instance = constrained(
        customers=customers, vehicles=[{"fixed_cost": 100, "duration_cost": 0.5, "travel_cost": 2}]
    )
    found = schedule(instance, 1, 2)
    assert (found.departure, found.end, found.duration) == (7.0, 24.0, 17.0)
    assert (found.arrivals, found.begins) == ((10.0, 16.0), (10.0, 16.0))
    assert (found.distance, found.travel, found.load) == (14.0, 14.0, (9.0,))
    assert found.cost == 100 + 14 + 0.5 * 17 + 2 * 14


def test_who_must_wait_leaves_as_late_as_it_may():
    customers = on_a_line(1, 2, window=[[0, 5], [20, 30]])
    found = schedule(constrained(customers=customers, capacity=1, demands=None), 1, 2)
    assert (found.departure, found.arrivals, found.begins) == (4.0, (5.0, 6.0), (5.0, 20.0))
    assert found.duration == 18.0


def test_of_several_windows_the_one_with_the_least_duration():
    customers = on_a_line(1, 2, windows=[[[0, 5], [19, 30]], [[20, 30], [40, 50]]])
    found = schedule(constrained(customers=customers, vehicles=[{}]), 1, 2)
    assert (found.departure, found.begins, found.duration) == (18.0, (19.0, 20.0), 4.0)


@pytest.mark.parametrize(
    ("latest", "departure", "duration"),
    [(8, 7, 17), (7, 7, 17), (4, 4, 20), (0, 0, 24)],
)
def test_nobody_leaves_later_than_the_latest_start(latest, departure, duration):
    # As above, where leaving at 7 is best.
    customers = on_a_line(3, 7, window=[[10, 20], [0, 99]], service=[2, 1])
    for windows in ({"window": [10, 20]}, {"windows": [[10, 20], [90, 99]]}):
        customers[0] = {"x": 3, "y": 0, "service": 2, **windows}
        instance = constrained(customers=customers, vehicles=[{"latest_start": latest}])
        found = schedule(instance, 1, 2)
        assert (found.departure, found.duration) == (departure, duration)


def test_a_vehicle_that_cannot_leave_in_time_has_no_schedule():
    vehicles = [{"latest_start": 4}, {"latest_start": 4, "start": None}]
    released = constrained(customers=on_a_line(1, release=[5]), vehicles=vehicles)
    assert schedule(released, 1) is None
    assert schedule(released, 1, vehicle=1) is None
    just = constrained(customers=on_a_line(1, release=[4]), vehicles=vehicles)
    assert schedule(just, 1).departure == 4.0


def test_who_begins_with_a_stop_or_a_break_does_so_by_the_latest_start():
    customers = on_a_line(1, 2, window=[[0, 3], [6, 9]])
    first = {"latest_start": 4, "start": None, "end": None}
    rests = {**first, "breaks": [{"window": [2, 5], "duration": 1}]}
    instance = constrained(customers=customers, vehicles=[first, rests])
    assert schedule(instance, 1, 2).departure == 3.0
    assert schedule(instance, 2) is None
    found = schedule(instance, 2, vehicle=1)
    assert (found.departure, found.begins, found.breaks[0].after) == (4.0, (6.0,), 0)


def test_open_ends():
    customers = on_a_line(3, 7, window=[[10, 20], [15, 99]], service=[0, 2])
    instance = constrained(
        customers=customers, vehicles=[{"start": None, "end": "0"}, {"end": None}, {"start": None}]
    )
    found = schedule(instance, 1, 2)
    assert (found.departure, found.arrivals, found.end) == (11.0, (11.0, 15.0), 24.0)
    assert (found.distance, found.begins) == (11.0, (11.0, 15.0))
    found = schedule(instance, 1, 2, vehicle=1)
    assert (found.departure, found.end, found.distance) == (8.0, 17.0, 7.0)
    found = schedule(instance, 1, vehicle=2)
    assert (found.departure, found.end, found.distance, found.duration) == (10.0, 10.0, 0.0, 0.0)


def test_an_open_start_begins_with_its_first_service():
    # Arriving between the first stop's windows would be a departure before the begin.
    customers = on_a_line(0, 2, windows=[[[0, 10], [50, 60]], [[12, 13], [52, 55]]])
    customers[1]["windows"][0] = [20, 21]
    instance = constrained(customers=customers, vehicles=[{"start": None, "end": None}])
    found = schedule(instance, 1, 2)
    assert found.departure == found.arrivals[0] == found.begins[0] == 50.0
    assert found.duration == 2.0


def test_depots_shifts_and_releases():
    customers = on_a_line(2, 3, release=[4, 9])
    instance = constrained(
        depots=[{"x": 0, "y": 0, "window": [6, 30]}, {"x": 10, "y": 0, "window": [0, 17]}],
        customers=customers,
        vehicles=[{}, {"end": "1"}, {"window": [0, 14]}],
    )
    assert schedule(instance, 1).departure == 6.0
    assert schedule(instance, 2).departure == 9.0
    assert schedule(instance, 2, vehicle=1) is None  # back at 19
    assert schedule(instance, 2, vehicle=2) is None  # back at 15, the shift is over


def test_who_is_back_early_waits():
    instance = constrained(
        depots=[{"x": 0, "y": 0}, {"x": 4, "y": 0, "window": [50, 60]}],
        customers=on_a_line(2, window=[[0, 10]]),
        vehicles=[{"end": "1"}],
    )
    found = schedule(instance, 1)
    assert (found.departure, found.begins, found.end) == (8.0, (10.0,), 50.0)


def test_loads_by_leg_and_dimension():
    customers = on_a_line(1, 2, demand=[[3, 0], [1, 2]], pickup=[[0, 4], [2, 0]])
    shipment = {"id": "s", "amount": [5, 0]} | {
        key: {"x": 3, "y": 0} for key in ("pickup", "delivery")
    }
    instance = constrained(customers=customers, shipments=[shipment], vehicles=[{}])
    load = Timeline(instance).load
    assert load(Route(0, (1, 2))) == (4.0, 6.0)
    assert load(Route(0, (3, 4, 1))) == (8.0, 4.0)
    assert load(Route(0, (1, 3, 4))) == (5.0, 4.0)


def test_the_span_of_times():
    assert time_span(constrained(customers=on_a_line(1), vehicles=[{}]).own_constraints) == 1.0
    soon = constrained(customers=on_a_line(1, window=[[0, 1e-30]]), vehicles=[{}])
    assert time_span(soon.own_constraints) == 1e-30
    customers = on_a_line(1, 2, windows=[[[5, 9]], [[7, 8], [10, 90]]])
    assert time_span(constrained(customers=customers, vehicles=[{}]).own_constraints) == 85.0
    shift = [{"window": [0, 60]}]
    assert time_span(constrained(customers=customers, vehicles=shift).own_constraints) == 90.0
    for end in (1e9, 1e12):  # which means no limit
        shift = [{"window": [0, end]}]
        assert time_span(constrained(customers=customers, vehicles=shift).own_constraints) == 90.0
    far = constrained(customers=on_a_line(1), vehicles=[{"window": [-1e12, 5 - 1e12]}])
    assert time_span(far.own_constraints) == 1e8
    for key in ("max_duration", "max_travel_time"):
        for limit, span in ((10, 1.0), (1e8, 1e4)):
            long = constrained(customers=on_a_line(1), vehicles=[{key: limit}, {key: 1e9}, {}])
            assert time_span(long.own_constraints) == span
    unlimited = constrained(customers=customers, vehicles=[{"max_duration": 1e9}])
    assert time_span(unlimited.own_constraints) == 85.0


def by_brute_force(instance, stops):
    """Least duration over all whole departures, and the earliest with it; all times are whole."""
    constraints, vehicle = instance.own_constraints, instance.own_constraints.vehicles[0]
    durations = matrices_of(instance, vehicle).durations
    best = None
    for departure in range(100):
        early = departure < vehicle.window[0] or any(
            departure < constraints.release[s - 1] for s in stops
        )
        if early or (vehicle.start is not None and departure < constraints.depots[0].window[0]):
            continue
        now, node, late, waits = departure, 0, False, False
        for place, stop in enumerate(stops):
            now += 0 if place == 0 and vehicle.start is None else durations[node, stop]
            after = [row[0] for row in constraints.windows[stop - 1].tolist() if now <= row[1]] + [
                np.inf
            ]
            late = late or after[0] == np.inf
            waits = waits or (place == 0 and now < after[0])
            now = max(now, after[0]) + constraints.service[stop - 1]
            node = stop
        if vehicle.end is not None:
            opens, closes = constraints.depots[0].window
            now += durations[node, 0]
            late = late or now > closes
            now = max(now, opens)
        if late or now > vehicle.window[1] or (vehicle.start is None and waits):
            continue
        if best is None or now - departure < best[0]:
            best = (now - departure, departure)
    return best


def test_the_least_duration_is_that_of_all_departures():
    for seed in range(200):
        instance = random_times(seed)
        stops = tuple(range(1, instance.num_customers + 1))
        found = schedule(instance, *stops)
        expected = by_brute_force(instance, stops)
        assert (None if found is None else (found.duration, found.departure)) == expected, seed


def test_breaks_setups_and_given_costs_by_hand():
    # Out 3, set up 1, serve 2, rest until 12, on 4, serve 5 without a setup, home 7.
    customers = on_a_line(3, 7, setup=[1, 4], service=[2, 1], window=[[0, 5], [0, 99]])
    customers[1] |= {"setup_by_vehicle": {"van": 0}, "service_by_vehicle": {"van": 5}}
    rest = {"id": "rest", "windows": [[0, 1], [9, 10]], "duration": 3}
    instance = constrained(
        customers=customers,
        vehicles=[{"id": "van", "service_cost": 10, "window": [2, 99], "breaks": [rest]}],
        costs=[[0, 2, 9], [9, 0, 3], [4, 9, 0]],
    )
    found = schedule(instance, 1, 2)
    assert (found.departure, found.arrivals, found.begins) == (2.0, (5.0, 16.0), (5.0, 16.0))
    assert (found.end, found.cost, found.travel) == (28.0, 9 + 10 * 8, 14.0)
    assert found.breaks == (RouteBreak(id="rest", begin=9.0, after=1),)
    assert Timeline(instance).services(Route(0, (1, 2))) == [3.0, 5.0]


def test_a_setup_is_dropped_at_the_place_of_the_stop_before_or_of_the_start():
    customers = on_a_line(0, 5, 5, setup=[1, 2, 4])
    instance = constrained(customers=customers, vehicles=[{}, {"start": None}])
    services = Timeline(instance).services
    assert services(Route(0, (1, 2, 3))) == [0.0, 2.0, 0.0]
    assert services(Route(0, (3, 2, 1))) == [4.0, 0.0, 1.0]
    assert services(Route(1, (1, 2, 3))) == [1.0, 2.0, 0.0]


def test_a_break_of_an_open_start_begins_the_route():
    instance = constrained(
        customers=on_a_line(3, window=[[20, 30]]),
        vehicles=[{"start": None, "breaks": [{"window": [9, 12], "duration": 5}]}],
    )
    found = schedule(instance, 1)
    assert (found.departure, found.arrivals, found.begins) == (12.0, (17.0,), (20.0,))
    assert (found.end, found.breaks) == (20.0, (RouteBreak(id="0", begin=12.0, after=0),))


def test_a_break_alone_makes_a_route_impossible():
    customers = on_a_line(3, window=[[0, 4]])
    vehicles = [{"breaks": [{"window": [0, 5], "duration": 2}]}]
    instance = constrained(customers=customers, vehicles=vehicles)
    assert schedule(instance, 1).breaks == (RouteBreak(id="0", begin=3.0, after=1),)
    vehicles[0]["breaks"][0]["window"] = [0, 2]
    instance = constrained(customers=customers, vehicles=vehicles)
    assert schedule(instance, 1) is None


def test_a_day_with_two_trips_by_hand():
    # Load 4, out 3 to 7, serve 2, back 3 to 12, wait for the release at 15, load 4, out 5 to 24,
    # serve 1, home 5 to 30.
    customers = on_a_line(3, 5, demand=[2, 3], pickup=[1, 0], service=[2, 1], release=[0, 15])
    depot = {"id": "hub", "x": 0, "y": 0, "window": [0, 20], "service": 4}
    van = {"reloads": ["hub"], "initial_load": 1, "service_cost": 10, "duration_cost": 0.5}
    depots, van["end"] = [depot, {"id": "home", "x": 0, "y": 0}], "home"
    instance = constrained(depots=depots, customers=customers, vehicles=[van])
    found = Timeline(instance).schedule(Route(0, (1, 2), (Reload(0, 1),)))
    assert (found.departure, found.end, found.duration) == (3.0, 30.0, 27.0)
    assert (found.arrivals, found.begins) == ((10.0, 24.0), (10.0, 24.0))
    call = RouteReload(depot="hub", after=1, arrival=15.0, begin=15.0, return_load=2.0)
    assert found.reloads == (call,)
    assert (found.load, found.distance, found.travel) == ((3.0,), 16.0, 16.0)
    assert found.cost == 16 + 27 * 0.5 + 3 * 10  # loading is no service
    assert Timeline(instance).nodes(Route(0, (1, 2), (Reload(0, 1),))) == [0, 2, 0, 3, 1]
    # Loading for the second trip would begin after the hub is closed.
    depots[0] = depot | {"window": [0, 14]}
    late = constrained(depots=depots, customers=customers, vehicles=[van])
    assert Timeline(late).schedule(Route(0, (1, 2), (Reload(0, 1),))) is None


def test_loading_begins_while_the_start_depot_is_open():
    depot = {"id": "hub", "x": 0, "y": 0, "window": [0, 3], "service": 4}
    customers = on_a_line(3, release=[3])
    opened = [depot, {"id": "home", "x": 0, "y": 0}]
    instance = constrained(depots=opened, customers=customers, vehicles=[{"end": "home"}])
    found = schedule(instance, 1)
    assert (found.departure, found.begins, found.end) == (3.0, (10.0,), 13.0)
    customers[0]["release"] = 4
    instance = constrained(depots=opened, customers=customers, vehicles=[{"end": "home"}])
    assert schedule(instance, 1) is None
    opened[0] = depot | {"service": 0}  # without loading it may leave later
    instance = constrained(depots=opened, customers=customers, vehicles=[{"end": "home"}])
    assert schedule(instance, 1).departure == 4.0


def test_lateness_and_overtime_by_hand():
    # Due at 2 and 25, there at 3 and 27: 1 and 2 late; back at 34, 4 after the shift, 9 overtime.
    customers = on_a_line(3, 7, window=[[0, 2], [0, 25]], late_cost=[2, 3])
    van = {
        "window": [0, 30], "late_cost": 5, "max_duration": 25, "max_overtime": 10,
        "overtime_cost": 7,
    }  # fmt: skip
    customers[0]["service"], customers[0]["vehicle_cost"] = 20, {"0": 11}
    instance = constrained(customers=customers, vehicles=[van])
    found = schedule(instance, 1, 2)
    assert (found.departure, found.begins, found.end) == (0.0, (3.0, 27.0), 34.0)
    assert (found.late, found.late_return, found.overtime) == ((1.0, 2.0), 4.0, 9.0)
    assert found.cost == 14 + 1 * 2 + 2 * 3 + 4 * 5 + 9 * 7 + 11
    hard = constrained(customers=customers, vehicles=[van | {"max_late": 3}])
    assert schedule(hard, 1, 2) is None


def test_who_may_be_late_leaves_within_the_shift():
    customers = on_a_line(3, release=[31])
    van = {"window": [0, 30], "late_cost": 1}
    assert schedule(constrained(customers=customers, vehicles=[van]), 1) is None
    customers[0]["release"] = 30
    assert schedule(constrained(customers=customers, vehicles=[van]), 1).late_return == 6.0


def test_a_break_at_a_reload_comes_after_the_loading():
    customers = on_a_line(3, 5, demand=[4, 1], window=[[0, 3], [0, 99]])
    depot = {"id": "hub", "x": 0, "y": 0, "service": 2}
    van = {
        "reloads": ["hub"], "start": None,
        "breaks": [{"window": [4, 30], "duration": 6, "max_load": 1}],
    }  # fmt: skip
    instance = constrained(depots=[depot], customers=customers, vehicles=[van])
    found = Timeline(instance).schedule(Route(0, (1, 2), (Reload(0, 1),)))
    # Begins at 0, at the hub at 3, loads to 5, out 5 to 10, rests there.
    assert found.breaks == (RouteBreak(id="0", begin=10.0, after=2),)
    van["breaks"][0]["window"] = [4, 9]
    instance = constrained(depots=[depot], customers=customers, vehicles=[van])
    found = Timeline(instance).schedule(Route(0, (1, 2), (Reload(0, 1),)))
    assert found.breaks == (RouteBreak(id="0", begin=5.0, after=1, at_reload=True),)
    assert (found.reloads[0].arrival, found.reloads[0].begin) == (3.0, 3.0)
    assert found.begins == (0.0, 16.0)


def test_a_reload_is_the_place_before_the_next_stop():
    customers = on_a_line(3, 0, setup=[4, 4])
    instance = constrained(customers=customers, vehicles=[{"reloads": ["0"]}])
    services = Timeline(instance).services
    assert services(Route(0, (1, 2))) == [4.0, 4.0]
    assert services(Route(0, (1, 2), (Reload(0, 1),))) == [4.0, 0.0]
    assert services(Route(0, (2, 1), (Reload(0, 1),))) == [0.0, 4.0]
