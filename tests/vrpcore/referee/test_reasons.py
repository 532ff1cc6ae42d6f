"""Reasons why units are not served: by hand, and beside the timeline."""

import math

import pytest

from tests.build import constrained, mixed_instance, on_a_line, parts
from tests.vrpcore.formats.sheets.days import read
from tests.vrpcore.referee.days import day
from vrpcore.cost.no_road import Legs
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.plan import Route
from vrpcore.instance.service_unit import Unit, units_of
from vrpcore.instance.solution import Unserved
from vrpcore.referee import reasons as reasons_module
from vrpcore.referee.reasons import Reasons


def fitting(instance, *stops, prize=math.inf):
    """The reasons that fit a unit of which each stop, or pair of stops, is a member."""
    members = [(each, each if isinstance(each, tuple) else (each,)) for each in stops]
    unit = Unit("unit", tuple(members), prize)
    return Reasons(instance, Legs(instance)).fitting(unit)


def reasons(**keys):
    """The reasons of all units of an instance where nobody is served."""
    instance = constrained(**keys)
    found = Reasons(instance, Legs(instance))
    return [found.why(unit) for unit in units_of(instance)]


def why(customer, *vehicles, **keys):
    """The reason of a single customer, three away."""
    (found,) = reasons(
        customers=[{"id": "a", "x": 3, "y": 0, **customer}], vehicles=list(vehicles), **keys
    )
    return found


FAR = {"x": 5, "y": 0, "demand": 3, "window": [6, 8], "service": 1, "skills": ["cold"]}
ABLE = {"skills": ["cold"], "capacity": 3}


@pytest.mark.parametrize(
    ("vehicle", "reason"),
    [
        ({"max_customers": 0}, "CAPACITY"),
        ({"speed": 0.5}, "WINDOW"),
        ({"window": [0, 11]}, "WINDOW"),
        ({"window": [3.5, 99]}, "WINDOW"),
        ({"window": [3, 99], "latest_start": 2.5}, "WINDOW"),
        ({"window": [2, 99], "latest_start": 2}, "FLEET"),
        ({"latest_start": -1}, "WINDOW"),
        ({"max_duration": 10.9}, "DURATION"),
        ({"breaks": [{"max_load": 2, "window": [0, 6]}]}, "WINDOW"),
        ({"breaks": [{"window": [0, 3], "duration": 3}], "max_duration": 13.9}, "DURATION"),
        ({"breaks": [{"window": [0, 3], "duration": 3}]}, "FLEET"),
        ({"max_travel_time": 9.9}, "DURATION"),
        ({"max_distance": 9.9}, "DISTANCE"),
        ({"max_duration": 11, "max_travel_time": 10, "max_distance": 10}, "FLEET"),
    ],
)
def test_a_stop_that_opens_late(vehicle, reason):
    instance = constrained(customers=[FAR], vehicles=[ABLE | vehicle])
    assert fitting(instance, 1) == {reason}


def test_rounding_may_decide():
    late = constrained(customers=on_a_line(5, window=[[0, 5 - 1e-6]]), vehicles=[{}])
    between = {"WINDOW", "DURATION", "DISTANCE", "RIDE", "WAIT", "LOADED"}
    assert fitting(late, 1) == between | {"FLEET"}
    assert fitting(late, 1, prize=4.0) == between | {"PRIZE"}


def test_a_shipment_needs_both_of_its_stops():
    ends = {"pickup": {"x": 1, "y": 0}, "delivery": {"x": 2, "y": 0}}
    shipment = {"id": "s", "amount": 2, **ends}
    instance = constrained(shipments=[shipment], vehicles=[{"max_customers": 1, "capacity": 2}])
    assert fitting(instance, (1, 2)) == {"CAPACITY"}
    instance = constrained(shipments=[shipment], vehicles=[{"max_distance": 4, "capacity": 2}])
    assert fitting(instance, (1, 2)) == {"FLEET"}


@pytest.mark.parametrize("part", parts(8))
def test_the_timeline_agrees(part):
    """By itself it could be served where one of its routes keeps all limits by the timeline."""
    seen = set()
    for seed in range(50 * part, 50 * part + 50):
        instance = mixed_instance(seed, 14)
        own, timeline = instance.own_constraints, Timeline(instance)
        found = Reasons(instance, Legs(instance))

        def able(kind, stops, own=own, timeline=timeline):
            van, route = own.vehicles[kind], Route(kind, stops)
            loads = zip(timeline.load(route), van.capacity, strict=True)
            if len(stops) > van.max_stops or any(load > most + 1e-6 for load, most in loads):
                return False
            if not all(own.may_serve(kind, stop) for stop in stops):
                return False
            times = timeline.schedule(route)
            return times is not None and all(
                value <= most + 1e-6
                for value, most in (
                    (times.duration, van.max_duration),
                    (times.travel, van.max_travel_time),
                    (times.distance, van.max_distance),
                )
            )

        kinds = [kind for kind, van in enumerate(own.vehicles) if van.count != 0]
        for unit in units_of(instance):
            reason = found.why(unit).reason
            seen.add(reason)
            assert reason in found.fitting(unit)
            alone = any(able(kind, stops) for kind in kinds for _, stops in unit.members)
            assert not kinds or alone == (reason in ("FLEET", "PRIZE")), (seed, unit)
    assert len(seen) > 3


RING = [[0, 1, None, None], [None, 0, 1, None], [None, None, 0, 1], [1, None, None, 0]]
CUT = [RING[0], [None, 0, None, None], *RING[2:]]


@pytest.mark.parametrize(
    ("matrix", "middle", "vehicle", "reason"),
    [
        (RING, {}, {}, "FLEET"),
        (RING, {"window": [0, 0]}, {}, "FLEET"),
        (RING, {"demand": 2}, {"capacity": 1}, "CAPACITY"),
        (CUT, {"demand": 2}, {"capacity": 1}, "CAPACITY"),
        (CUT, {"window": [0, 0]}, {}, "NO_ROAD"),
        (CUT, {}, {"start": None}, "FLEET"),
        (CUT, {}, {"distance_cost": 0}, "NO_ROAD"),
    ],
)
@pytest.mark.parametrize("key", ["distances", "durations", "costs"])
def test_no_road(matrix, middle, vehicle, reason, key):
    whole = [[1] * 4] * 4
    keys = {"distances": whole, "durations": whole, key: matrix}
    instance = constrained(depots=[{}], customers=[{}, middle, {}], vehicles=[vehicle], **keys)
    assert fitting(instance, 2) == {reason}


def test_nobody_drives_through_whom_they_may_not_serve():
    customers = [{"skills": ["x"]}, {}, {}]
    instance = constrained(depots=[{}], customers=customers, vehicles=[{}], distances=RING)
    assert fitting(instance, 2) == {"NO_ROAD"}


# Reasons of a working day.
LINE = {"customers": on_a_line(3, 7, demand=[4, 1])}
TYPES = [
    {"id": "van", "capacity": 5, "skills": ["cold"]},
    {"id": "bike", "capacity": 1, "count": 1},
]


def test_a_group_has_the_reason_that_comes_last_among_its_members():
    many = day({**LINE, "vehicles": [{"id": "bike", "capacity": 1}]})
    assert fitting(many, 1) == fitting(many, 1, prize=4.0) == {"CAPACITY"}
    assert fitting(many, 1, 2) == {"FLEET"}
    assert fitting(many, 1, 2, prize=4.0) == {"PRIZE"}


@pytest.mark.parametrize(
    ("reloads", "more", "reason"),
    [((1,), {}, "FLEET"), ((), {}, "NO_ROAD"), ((1,), {"max_reloads": 0.0}, "NO_ROAD")],
)
def test_ways_lead_through_reloads_between_two_stops(reloads, more, reason):
    # Depots d and e, stops 1 and 2: to 1 only d - 2 - e - 1 leads.
    ways = [[0, 1, None, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, None, 0]]
    keys = {
        "depots": [{"id": "d"}, {"id": "e"}],
        "customers": [{}, {}],
        "distances": ways,
    }
    instance = day(keys, vehicles=[{"reloads": reloads, **more}])
    assert fitting(instance, 1) == {reason}
    # From e nobody comes to 1 who has served nobody before.
    alone = [[0, 1, None, None], *ways[1:]]
    instance = day({**keys, "distances": alone}, vehicles=[{"reloads": reloads, **more}])
    assert fitting(instance, 1) == {"NO_ROAD"}


def test_of_types_that_are_alike_one_is_tried(monkeypatch):
    tried, looked = [], reasons_module.first_miss

    def noting(instance, route, *others):
        tried.append(route.vehicle)
        return looked(instance, route, *others)

    monkeypatch.setattr(reasons_module, "first_miss", noting)
    vans = [{"id": "none", "count": 0, "capacity": 7}, *({"id": f"v{row}", "capacity": 7}
            for row in range(3)), {"id": "other", "capacity": 6}]  # fmt: skip
    found = why({"demand": 9}, *vans)
    assert found.detail == "9 is 2 above capacity 7 of vehicle 'v0'"
    assert tried == [1, 4]


@pytest.mark.parametrize(
    ("customer", "vehicles", "reason", "detail"),
    [
        ({"skills": ["x", "y"]}, [{"skills": ["x"]}, {}], "SKILLS", "'y' missing from"),
        ({"demand": 9}, [{"capacity": 5}, {"id": "b", "capacity": 7}], "CAPACITY",
         "9 is 2 above capacity 7 of vehicle 'b'"),
        ({"demand": [1, 9]}, [{"capacity": [5, 8]}], "CAPACITY", "9 is 1 above capacity[1] 8 of"),
        ({}, [{"max_customers": 0}], "CAPACITY", "1 more stops than max_customers 0"),
        ({"window": [0, 1]}, [{}], "WINDOW", "2 too late at a of vehicle '0'"),
        ({"service": 5}, [{"window": [0, 10]}], "WINDOW", "1 too late at the end"),
        ({"release": 5}, [{"latest_start": 3}], "WINDOW", "2 too late at the start of vehicle"),
        ({"window": [5, 9]}, [{"latest_start": 3, "start": None}], "WINDOW", "2 too late at the"),
        ({"window": [5, 9]}, [{"latest_start": 3}], "FLEET", "by itself it could be served"),
        ({}, [{"breaks": [{"window": [0, 2], "duration": 4}, {"window": [0, 2], "duration": 3}]}],
         "WINDOW", "no room for the breaks of vehicle '0'"),
        ({"demand": 2}, [{"breaks": [{"window": [0, 2], "max_load": 1}]}], "WINDOW", "no room"),
        ({}, [{"breaks": [{"duration": 4}], "max_duration": 9}], "DURATION", "10 is 1 above max"),
        ({"setup": 5}, [{"max_duration": 10}], "DURATION", "11 is 1 above max_duration 10"),
        ({"service": 5}, [{"max_duration": 10}], "DURATION", "11 is 1 above max_duration 10"),
        ({}, [{"max_travel_time": 4}], "DURATION", "6 is 2 above max_travel_time 4"),
        ({}, [{"max_distance": 5}], "DISTANCE", "6 is 1 above max_distance 5"),
        ({}, [{}], "FLEET", "by itself it could be served"),
        ({}, [{"count": 0}], "FLEET", "there are no vehicles"),
        ({"prize": 2.5}, [{}], "PRIZE", "leaving it out costs 2.5"),
        ({"prize": 1, "demand": 9}, [{"capacity": 5}], "CAPACITY", "9 is 4 above capacity 5"),
        # The furthest that any vehicle gets; one that there is not does not count.
        ({"skills": ["x"], "demand": 9}, [{}, {"skills": ["x"], "capacity": 8}], "CAPACITY", "9"),
        ({"demand": 9}, [{"capacity": 8}, {"count": 0}], "CAPACITY", "9 is 1 above"),
        ({"skills": ["x"]}, [{}, {"skills": ["x"]}], "FLEET", "by itself"),
        # Who has the skills may not serve it; who may and has them is too small.
        ({"skills": ["x"], "vehicles": ["b"]}, [{"id": "a", "skills": ["x"]}, {"id": "b"}],
         "RELATION", "its vehicles are 'b'"),
        ({"demand": 9, "vehicles": ["b"]}, [{"id": "a"}, {"id": "b", "capacity": 8}],
         "CAPACITY", "9 is 1 above capacity 8 of vehicle 'b'"),
        ({"window": [0, 1], "max_late": 1}, [{}], "WINDOW", "1 too late at a"),
        ({"window": [0, 1], "max_late": 2}, [{}], "FLEET", "by itself"),
        ({}, [{"window": [0, 5], "max_late": 1}], "FLEET", "by itself"),
        ({}, [{"max_duration": 4, "max_overtime": 1}], "DURATION",
         "6 is 1 above max_duration with max_overtime 5"),
        ({"demand": 5}, [{"capacity": 8, "initial_load": 4, "reloads": ["0"]}], "CAPACITY",
         "9 is 1 above capacity 8"),
    ],
)  # fmt: skip
def test_each_reason(customer, vehicles, reason, detail):
    found = why(customer, *vehicles)
    assert (found.id, found.reason) == ("a", reason)
    assert found.detail.startswith(detail), found.detail


@pytest.mark.parametrize(
    ("customer", "detail"),
    [
        ({"pickup": 1}, "no route may have only pickups"),
        ({"pickup": 1, "demand": 1}, "by itself it could be served"),
        ({}, "by itself it could be served"),
    ],
)
def test_pickups_that_may_not_be_alone(customer, detail):
    assert why(customer, {}, pickup_only_routes=False) == Unserved("a", "FLEET", detail)


def test_the_short_form_names_no_vehicle():
    customers = on_a_line(3, window=[[0, 1]], demand=[1])
    assert reasons(customers=customers, capacity=1) == [Unserved(1, "WINDOW", "2 too late at 1")]


@pytest.mark.parametrize(
    ("places", "cells", "limits", "detail"),
    [
        ("lat,lon", "0:01,", "40,100,3:00", "15.6793 min too late at 1"),
        ("lat,lon", ",", "40,10,", "22.239 km is 12.239 km above max_distance 10 km"),
        ("lat,lon", ",", "40,,0:10", "33.3585 min is 23.3585 min above max_duration 10 min"),
        ("y,x", "0:01,", "1,,", "5 min too late at 1"),
        ("y,x", ",", "1,0.1,", "0.2 is 0.1 above max_distance 0.1"),
        ("y,x", "0.01,", "1,,", "0.09 too late at 1"),
    ],
)
def test_spreadsheets_are_told_their_units(places, cells, limits, detail):
    stops = f"id,{places},close,open\n1,0.1,0,{cells}\n"
    fleet = f"{places},speed,max_distance,max_duration\n0,0,{limits}\n"
    instance = read(stops, fleet)
    (unit,) = units_of(instance)
    found = Reasons(instance, Legs(instance)).why(unit)
    assert found.detail == f"{detail} of vehicle '1'"


def of_ring(customer, *vehicles, matrix=RING, **keys):
    """Why the second of three is not served, to whom the only way leads through the first."""
    _, reason, _ = reasons(
        depots=[{}], customers=[{}, customer, {}], vehicles=list(vehicles), distances=matrix, **keys
    )
    return reason.reason, reason.detail


def test_who_is_reached_through_others_could_be_served():
    assert of_ring({}, {}) == ("FLEET", "together with others it could be served")
    assert of_ring({"window": [0, 0]}, {}) == ("FLEET", "together with others it could be served")
    assert of_ring({"prize": 3}, {}) == ("PRIZE", "leaving it out costs 3")
    assert of_ring({"demand": 2}, {"capacity": 1})[0] == "CAPACITY"
    assert of_ring({"skills": ["x"]}, {})[0] == "SKILLS"


def test_whom_no_way_leads_to():
    told = ("NO_ROAD", "no road leads from the depot to 2 for vehicle '0'")
    assert of_ring({"window": [0, 0]}, {}, matrix=CUT) == told
    assert of_ring({"prize": 3}, {}, matrix=CUT) == told
    back = [*RING[:2], [None] * 4, RING[3]]
    told = ("NO_ROAD", "no road leads from 2 to the depot for vehicle '0'")
    assert of_ring({}, {}, matrix=back) == told
    assert of_ring({"window": [0, 0]}, {"end": None}, matrix=back)[0] == "FLEET"


def test_no_road_comes_behind_capacity_and_before_windows():
    full = [[1] * 4] * 4
    truck = {"id": "truck", "matrix": "truck"}
    named = {"matrices": {"truck": {"distances": full}}}
    late = {"window": [0, 0], "demand": 2}
    assert of_ring(late, {}, truck | {"capacity": 1}, matrix=CUT, **named)[0] == "NO_ROAD"
    found = of_ring(late, {"capacity": 1}, truck, matrix=CUT, **named)
    assert found == ("WINDOW", "1 too late at 2 of vehicle 'truck'")


def test_a_group_has_the_last_reason_of_its_members():
    customers = on_a_line(3, 4, 5, demand=[9, 1, 1], window=[[0, 99], [0, 1], [0, 99]])
    groups = [{"id": "either", "members": [1, 2], "priority": 3}]
    found = reasons(customers=customers, vehicles=[{"capacity": 8}], groups=groups)
    own, group = found
    assert (own.id, own.reason, group.id, group.reason) == (3, "FLEET", "either", "WINDOW")
    assert group.detail == "2: 3 too late at 2 of vehicle '0'"
    groups[0]["prize"] = 7
    groups[0]["members"] = [1, 3]
    found = reasons(customers=customers, vehicles=[{"capacity": 8}], groups=groups)
    assert (found[1].reason, found[1].detail) == ("PRIZE", "leaving it out costs 7")


def test_relations_that_name_different_vehicles():
    relations = [
        {"kind": "order", "stops": [1, 2], "vehicle": "a"},
        {"kind": "chain", "stops": [1], "vehicle": "b"},
    ]
    found = reasons(
        customers=on_a_line(3, 4), vehicles=[{"id": "a"}, {"id": "b"}], relations=relations
    )
    assert [item.reason for item in found] == ["RELATION", "FLEET"]
    assert found[0].detail == (
        "relations[0] asks for vehicle 'a'; relations[1] asks for vehicle 'b'"
    )


def test_what_is_on_board_for_others_takes_room():
    shipments = [
        {"id": name, "amount": 4, "on_board": "van", "delivery": {"x": 1, "y": 0}}
        for name in ("s", "t")
    ]
    found = reasons(
        customers=on_a_line(3, pickup=[3]),
        shipments=shipments,
        vehicles=[{"id": "van", "count": 1, "capacity": 9}],
    )
    assert [(item.id, item.reason) for item in found] == [
        (1, "CAPACITY"), ("s", "FLEET"), ("t", "FLEET")
    ]  # fmt: skip


def test_a_later_trip_may_serve_what_the_first_cannot():
    van = {"capacity": 8, "initial_load": 4, "reloads": ["0"], "latest_start": 2}
    found = reasons(customers=on_a_line(3, 4, demand=[5, 0], release=[0, 5]), vehicles=[van])
    assert [item.reason for item in found] == ["CAPACITY", "WINDOW"]
