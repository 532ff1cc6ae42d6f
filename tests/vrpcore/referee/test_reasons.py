"""Why somebody is not served: by hand, and as the solver says on its own."""

import pytest

from tests.build import constrained, mixed_instance, on_a_line
from vrpcore.cost.timeline import Timeline
from vrpcore.referee.fleet_room import fleet_is_too_small
from vrpcore.referee.reasons import nobody_can_serve, reasons_of
from vrpcore.referee.route_limits import time_tolerance
from vrpcore.solve.answer import planned
from vrpcore.solve.unserved import is_proof, stop_groups, too_few_vehicles, why_unserved

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


@pytest.mark.parametrize(
    ("keys", "vehicles", "too_small"),
    [
        ({"demand": [4, 4]}, [{"count": 1, "capacity": 8}], False),
        ({"demand": [4, 4]}, [{"count": 1, "capacity": 7}], True),
        ({"demand": [4, 4], "prize": [1, None]}, [{"count": 1, "capacity": 7}], False),
        ({"pickup": [4, 4]}, [{"count": 1, "capacity": 7}], True),
        ({"pickup": [4, 4]}, [{"count": 1, "capacity": 7}, {"capacity": 1}], False),
        ({"pickup": [0, 0]}, [{"count": 0}], True),
        ({"demand": [[1, 4], [1, 4]]}, [{"count": 1, "capacity": [9, 7]}], True),
        ({"demand": [1, 1]}, [{"count": 0, "capacity": 9}, {"count": 1, "capacity": 1}], True),
    ],
)
def test_loads_that_all_vehicles_together_cannot_carry(keys, vehicles, too_small):
    instance = constrained(customers=on_a_line(1, 2, **keys), vehicles=vehicles)
    assert fleet_is_too_small(instance) == too_small
    assert (too_few_vehicles(instance) is not None) == too_small


def test_the_solver_and_the_referee_agree():
    found = set()
    for seed in range(400):
        instance = mixed_instance(seed, 14)
        timeline, slacks = Timeline(instance), time_tolerance(instance)
        assert fleet_is_too_small(instance) == (too_few_vehicles(instance) is not None)
        for name, stops in stop_groups(instance):
            reason = why_unserved(instance, timeline, name, stops).reason
            alone = None if reason in ("FLEET", "PRIZE") else reason
            assert alone in reasons_of(instance, stops, slacks), (seed, name)
            found.add(reason)
    assert found >= {"SKILLS", "CAPACITY", "WINDOW", "DURATION", "DISTANCE", "FLEET", "PRIZE"}


DETOUR = [[0, 1, 9], [1, 0, 1], [9, 1, 0]]  # to 2 by way of 1


@pytest.mark.parametrize(
    ("distances", "far", "vehicle", "proved"),
    [
        (DETOUR, {"window": [0, 3]}, {}, False),
        (DETOUR, {"window": [0, 1.9]}, {}, True),
        (DETOUR, {}, {"max_distance": 4}, False),
        (DETOUR, {}, {"max_distance": 3.9}, True),
        (DETOUR, {"demand": 2}, {"capacity": 1}, True),
        ([[0, 1, 9], [9, 0, 1], [1, 9, 0]], {}, {"max_duration": 3}, False),
        ([[0, 1, 9], [9, 0, 1], [9, 9, 0]], {}, {"max_duration": 10.9}, True),
    ],
)
def test_what_a_detour_allows_is_not_proved_impossible(distances, far, vehicle, proved):
    instance = constrained(
        depot={}, distances=distances, customers=[{}, far], vehicles=[{"count": 1, **vehicle}]
    )
    reason = why_unserved(instance, Timeline(instance), 2, (2,)).reason
    assert reason not in ("FLEET", "PRIZE")
    assert nobody_can_serve(instance, [2], time_tolerance(instance)) == proved
    assert is_proof(instance, reason, (2,)) == proved


@pytest.mark.parametrize("limit", ["window", "max_duration"])
@pytest.mark.parametrize("distances", [{}, {"distances": [[0, 3], [3, 0]]}])
@pytest.mark.parametrize(("late", "proved"), [(0.001, False), (0.09, False), (0.11, True)])
def test_what_the_tolerance_of_times_accepts_is_not_proved_impossible(
    limit, distances, late, proved
):
    depot = {"x": 0, "y": 0, "window": [0, 100_000]}  # 0.1 too late is in time for the referee
    window = {"window": [0, 3 - late]} if limit == "window" else {}
    longest = {"max_duration": 6 - late} if limit == "max_duration" else {}
    instance = constrained(
        depot=depot, customers=[{"x": 3, "y": 0, **window}],
        vehicles=[longest], **distances,
    )  # fmt: skip
    reason = why_unserved(instance, Timeline(instance), 1, (1,)).reason
    assert reason not in ("FLEET", "PRIZE")
    assert nobody_can_serve(instance, [1], time_tolerance(instance)) == proved
    assert is_proof(instance, reason, (1,)) == proved
    assert planned(instance, [], ()).status == ("infeasible" if proved else "partial")


@pytest.mark.parametrize("seed", range(40))
def test_the_solver_and_the_referee_prove_alike(seed):
    instance = mixed_instance(seed, 10)
    timeline, slacks = Timeline(instance), time_tolerance(instance)
    for name, stops in stop_groups(instance):
        reason = why_unserved(instance, timeline, name, stops).reason
        found = nobody_can_serve(instance, stops, slacks)
        assert found == is_proof(instance, reason, stops), (name, reason)


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
    assert nobody_can_serve(instance, [2], slacks) == (reason is not None)


def test_nobody_drives_through_whom_they_may_not_serve():
    customers = [{"skills": ["x"]}, {}, {}]
    instance = constrained(depots=[{}], customers=customers, vehicles=[{}], distances=RING)
    assert reasons_of(instance, [2], time_tolerance(instance)) == {"NO_ROAD"}
