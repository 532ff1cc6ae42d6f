"""Why somebody is not served: by hand, and as the solver says on its own."""

import math

import pytest

from tests.build import constrained, mixed_instance, on_a_line
from tests.vrpcore.referee.days import day
from vrpcore.cost.no_road import Legs
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.relations import Relation
from vrpcore.instance.service_unit import stop_groups
from vrpcore.referee.reasons import reasons_of, unit_reasons
from vrpcore.referee.route_limits import time_tolerance
from vrpcore.referee.served_units import Unit
from vrpcore.solve.unserved import why_unserved

FAR = {"x": 5, "y": 0, "demand": 3, "window": [6, 8], "service": 1, "skills": ["cold"]}
ABLE = {"skills": ["cold"], "capacity": 3}


@pytest.mark.parametrize(
    ("vehicle", "reason"),
    [
        ({}, "SKILLS"),
        (ABLE | {"capacity": 2.9}, "CAPACITY"),
        (ABLE | {"max_customers": 0}, "CAPACITY"),
        (ABLE | {"speed": 0.5}, "WINDOW"),
        (ABLE | {"window": [0, 11]}, "WINDOW"),
        (ABLE | {"window": [3.5, 99]}, "WINDOW"),
        (ABLE | {"window": [3, 99], "latest_start": 2.5}, "WINDOW"),
        (ABLE | {"window": [2, 99], "latest_start": 2}, None),
        (ABLE | {"latest_start": -1}, "WINDOW"),
        (ABLE | {"max_duration": 10.9}, "DURATION"),
        (ABLE | {"breaks": [{"window": [0, 4], "duration": 5}]}, "WINDOW"),
        (ABLE | {"breaks": [{"max_load": 2, "window": [0, 6]}]}, "WINDOW"),
        (ABLE | {"breaks": [{"window": [0, 3], "duration": 3}], "max_duration": 13.9}, "DURATION"),
        (ABLE | {"breaks": [{"window": [0, 3], "duration": 3}]}, None),
        (ABLE | {"max_travel_time": 9.9}, "DURATION"),
        (ABLE | {"max_distance": 9.9}, "DISTANCE"),
        (ABLE | {"count": 0}, None),
        (ABLE | {"max_duration": 11, "max_travel_time": 10, "max_distance": 10}, None),
    ],
)
def test_each_reason(vehicle, reason):
    instance = constrained(customers=[FAR], vehicles=[{"capacity": 9, **vehicle}])
    assert reasons_of(instance, [1], time_tolerance(instance)) == {reason}


def test_the_vehicle_that_comes_nearest_gives_the_reason():
    vehicles = [{"capacity": 9}, ABLE | {"max_distance": 3}, ABLE | {"capacity": 1}]
    instance = constrained(customers=[FAR], vehicles=vehicles)
    assert reasons_of(instance, [1], time_tolerance(instance)) == {"DISTANCE"}
    instance = constrained(customers=[FAR], vehicles=[*vehicles, ABLE])
    assert reasons_of(instance, [1], time_tolerance(instance)) == {None}


def test_rounding_may_decide():
    late = constrained(customers=on_a_line(5, window=[[0, 5 - 1e-6]]), vehicles=[{}])
    between = {"WINDOW", "DURATION", "DISTANCE", None}
    assert reasons_of(late, [1], time_tolerance(late)) == between


def test_a_shipment_needs_both_of_its_stops():
    ends = {"pickup": {"x": 1, "y": 0}, "delivery": {"x": 2, "y": 0}}
    shipment = {"id": "s", "amount": 2, **ends}
    instance = constrained(shipments=[shipment], vehicles=[{"max_customers": 1, "capacity": 2}])
    assert reasons_of(instance, [1, 2], (0.0,)) == {"CAPACITY"}
    instance = constrained(shipments=[shipment], vehicles=[{"max_distance": 4, "capacity": 2}])
    assert reasons_of(instance, [1, 2], (0.0,)) == {None}


def test_the_solver_and_the_referee_agree():
    found = set()
    for seed in range(400):
        instance = mixed_instance(seed, 14)
        timeline, slacks = Timeline(instance), time_tolerance(instance)
        for name, stops in stop_groups(instance):
            reason = why_unserved(instance, timeline, name, stops).reason
            alone = None if reason in ("FLEET", "PRIZE") else reason
            assert alone in reasons_of(instance, stops, slacks), (seed, name)
            found.add(reason)
    assert found >= {"SKILLS", "CAPACITY", "WINDOW", "DURATION", "DISTANCE", "FLEET", "PRIZE"}


RING = [[0, 1, None, None], [None, 0, 1, None], [None, None, 0, 1], [1, None, None, 0]]
CUT = [RING[0], [None, 0, None, None], *RING[2:]]


@pytest.mark.parametrize(
    ("matrix", "middle", "vehicle", "reason"),
    [
        (RING, {}, {}, None),
        (RING, {"window": [0, 0]}, {}, None),
        (RING, {"demand": 2}, {"capacity": 1}, "CAPACITY"),
        (CUT, {"demand": 2}, {"capacity": 1}, "CAPACITY"),
        (CUT, {"window": [0, 0]}, {}, "NO_ROAD"),
        (CUT, {}, {"start": None}, None),
        (CUT, {}, {"distance_cost": 0}, "NO_ROAD"),
    ],
)
@pytest.mark.parametrize("key", ["distances", "durations", "costs"])
def test_no_road(matrix, middle, vehicle, reason, key):
    whole = [[1] * 4] * 4
    keys = {"distances": whole, "durations": whole, key: matrix}
    instance = constrained(depots=[{}], customers=[{}, middle, {}], vehicles=[vehicle], **keys)
    slacks = time_tolerance(instance)
    assert reasons_of(instance, [2], slacks) == {reason}


def test_nobody_drives_through_whom_they_may_not_serve():
    customers = [{"skills": ["x"]}, {}, {}]
    instance = constrained(depots=[{}], customers=customers, vehicles=[{}], distances=RING)
    assert reasons_of(instance, [2], time_tolerance(instance)) == {"NO_ROAD"}


# Reasons of a working day.
LINE = {"depots": [{"id": "d", "x": 0, "y": 0}], "customers": on_a_line(3, 7, demand=[4, 1])}
TYPES = [
    {"id": "van", "capacity": 5, "skills": ["cold"]},
    {"id": "bike", "capacity": 1, "count": 1},
]


def test_reasons_narrow_one_after_the_other():
    cold = on_a_line(3, 7, demand=[4, 1], skills=[["cold"], []])
    only_bikes = [[False, True], [True, True]]
    # Only vans are cold, and only bikes may serve it; without the skill a bike is too small.
    narrow = day({**LINE, "customers": cold, "vehicles": TYPES}, allowed=only_bikes)
    assert reasons_of(narrow, [1], (0.0,)) == {"RELATION"}
    small = day({**LINE, "vehicles": TYPES}, allowed=only_bikes)
    assert reasons_of(small, [1], (0.0,)) == {"CAPACITY"}
    tied = day({**LINE, "vehicles": TYPES}, relations=(Relation("order", (1, 2), vehicle=1),))
    assert reasons_of(tied, [1], (0.0,)) == {"CAPACITY"}
    assert reasons_of(tied, [2], (0.0,)) == {None}
    both = day(
        {**LINE, "vehicles": TYPES},
        allowed=[[False, True], [True, True]],
        relations=(Relation("together", (1, 2), vehicle=0),),
    )
    assert reasons_of(both, [1], (0.0,)) == {"RELATION"}


def test_a_group_has_the_reason_that_comes_last_among_its_members():
    many = day({**LINE, "vehicles": [{"id": "bike", "capacity": 1}]})
    legs = Legs(many)

    def found(prize, *members):
        return unit_reasons(many, Unit("g", [[each] for each in members], prize), (0.0,), legs)

    assert found(math.inf, 1) == {"CAPACITY"}
    assert found(math.inf, 1, 2) == {"FLEET"}
    assert found(4.0, 1, 2) == {"PRIZE"}
    assert found(4.0, 1) == {"CAPACITY"}


def test_what_is_on_board_at_first_leaves_no_room():
    van = {"id": "van", "capacity": 5}
    full = day({**LINE, "vehicles": [van]}, vehicles=[{"initial_load": (2.0,)}])
    assert reasons_of(full, [1], (0.0,)) == {"CAPACITY"}
    # In a second trip it may be served, behind somebody else.
    trips = day({**LINE, "vehicles": [van]}, vehicles=[{"initial_load": (2.0,), "reloads": (0,)}])
    assert reasons_of(trips, [1], (0.0,)) == {"CAPACITY"}
    # What is on board for somebody else is delivered before.
    columns = {
        "on_board": [-1, 0],
        "shipment": [[0.0], [-2.0]],
        "delivery": [[0.0], [0.0]],
        "pickup": [[4.0], [0.0]],
    }
    shared = day({**LINE, "vehicles": [van]}, **columns)
    assert reasons_of(shared, [1], (0.0,)) == {"CAPACITY"}
    assert reasons_of(shared, [2], (0.0,)) == {None}


def test_limits_that_may_be_exceeded_at_a_price():
    late = {**LINE, "customers": on_a_line(3, 7, window=[[0, 2], [0, 9]])}
    van = {"id": "van", "max_duration": 5}
    assert reasons_of(day({**late, "vehicles": [van]}), [1], (0.0,)) == {"WINDOW"}
    may_be = {"max_late": [1.0, 0.0], "late_cost": [0.0, 0.0]}
    assert reasons_of(day({**late, "vehicles": [van]}, **may_be), [1], (0.0,)) == {"DURATION"}
    over = day({**late, "vehicles": [van]}, vehicles=[{"max_overtime": 1.0}], **may_be)
    assert reasons_of(over, [1], (0.0,)) == {None}
    shift = {"id": "van", "window": [0, 5]}
    assert reasons_of(day({**LINE, "vehicles": [shift]}), [1], (0.0,)) == {"WINDOW"}
    back = day({**LINE, "vehicles": [shift]}, vehicles=[{"max_late": 1.0}])
    assert reasons_of(back, [1], (0.0,)) == {None}


def test_a_trip_that_is_loaded_later_may_save_a_release():
    keys = {**LINE, "customers": on_a_line(3, 7, release=[9, 0])}
    van = {"id": "van", "latest_start": 5}
    trips = day({**keys, "vehicles": [van]}, vehicles=[{"reloads": (0,)}])
    assert reasons_of(trips, [1], (0.0,)) == {"WINDOW"}


@pytest.mark.parametrize(
    ("reloads", "more", "reason"),
    [((1,), {}, None), ((), {}, "NO_ROAD"), ((1,), {"max_reloads": 0.0}, "NO_ROAD")],
)
def test_ways_lead_through_reloads_between_two_stops(reloads, more, reason):
    # Depots d and e, stops 1 and 2: to 1 only d - 2 - e - 1 leads.
    ways = [[0, 1, None, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, None, 0]]
    keys = {
        "depots": [{"id": "d"}, {"id": "e"}],
        "customers": [{}, {}],
        "vehicles": [{"id": "van"}],
        "distances": ways,
    }
    instance = day(keys, vehicles=[{"reloads": reloads, **more}])
    assert reasons_of(instance, [1], (0.0,)) == {reason}
    # From e nobody comes to 1 who has served nobody before.
    alone = [[0, 1, None, None], *ways[1:]]
    instance = day({**keys, "distances": alone}, vehicles=[{"reloads": reloads, **more}])
    assert reasons_of(instance, [1], (0.0,)) == {"NO_ROAD"}
