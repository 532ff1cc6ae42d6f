import math

import pytest

from tests.vrpcore.formats.json.refusals import refusal
from vrpcore.cost.timeline import Timeline
from vrpcore.formats.text.shipments import read_darp, read_lilim
from vrpcore.instance.plan import Route

TEXT = """25\t200\t2
0\t0\t0\t0\t0\t100\t0\t0\t0
1\t3\t4\t-10\t20\t30\t7\t3\t0
2\t3\t0\t20\t0\t50\t8\t0\t4
3\t0\t4\t10\t0\t60\t5\t0\t1
4\t6\t0\t-20\t0\t70\t1\t2\t0
"""


def test_by_hand():
    found = read_lilim(TEXT, "file")
    assert found.ids == ("2-4:pickup", "2-4:delivery", "3-1:pickup", "3-1:delivery")
    assert (found.name, found.max_vehicles, found.capacity) == ("file", 25, 200)
    assert found.coords.tolist() == [[0, 0], [3, 0], [6, 0], [0, 4], [3, 4]]
    constraints = found.own_constraints
    assert constraints.shipment.tolist() == [[20], [-20], [10], [-10]]
    assert constraints.windows[:, 0].tolist() == [[0, 50], [0, 70], [0, 60], [20, 30]]
    assert constraints.service.tolist() == [8, 1, 5, 7]
    assert (
        constraints.num_shipments,
        constraints.speed,
        constraints.partner(3),
        constraints.partner(4),
    ) == (2, 2, 4, 3)
    schedule = Timeline(found).schedule(Route(0, (3, 4)))
    # 4 away at speed 2, 5 of service, 3 away: ready at 11.5 + 8.5 = 20.
    assert (schedule.departure, schedule.begins, schedule.end) == (11.5, (13.5, 20), 29.5)
    assert (schedule.distance, schedule.load) == (12, (10,))


def test_a_speed_of_0_is_not_stated():
    assert read_lilim(TEXT.replace("200\t2", "200\t0"), "file").own_constraints.speed == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("25\t", "0\t", "line 1: vehicles: 0, expected a whole number of at least 1"),
        ("\t200\t", "\t-1\t", "line 1: capacity: -1 is not a positive number"),
        ("200\t2", "200\t-2", "line 1: speed: -2 is negative, expected at least 0"),
        ("200\t2", "200", "line 1: 2 columns, expected 3 (vehicles capacity speed)"),
        ("0\t0\t0\t0\t0\t100", "5\t0\t0\t0\t0\t100", "line 2: row 5, expected row 0, the depot"),
        ("100\t0\t0\t0", "100\t0\t1\t0", "line 2: the depot has a pickup or a delivery"),
        ("0\t0\t100", "3\t0\t100", "line 2: the depot has a demand of 3, expected 0"),
        ("7\t3\t0", "7\t0\t0", "line 3: pickup 0 and delivery 0, expected one of them to be 0"),
        ("7\t3\t0", "7\t3\t2", "line 3: pickup 3 and delivery 2, expected one of them to be 0"),
        ("7\t3\t0", "7\t9\t0", "line 3: its partner, 9, is no row of a customer"),
        ("7\t3\t0", "7\t2\t0", "line 3: its partner, 2 on line 4, does not point back"),
        ("7\t3\t0", "7\t0\t3", "line 3: its partner, 3 on line 5, does not point back"),
        ("8\t0\t4", "8\t0\t2", "line 4: its partner, 2 on line 4, does not point back"),
        ("\t-10\t", "\t-11\t", "line 3: a demand of -11, its pickup on line 5 has 10"),
        ("\t10\t", "\t-10\t", "line 5: a pickup with a demand of -10, expected at least 0"),
        ("200\t2", "15\t2", "line 4: demand 20 exceeds capacity 15"),
        ("20\t30", "31\t30", "line 3: open: opens at 31, after it closes at 30"),
        ("7\t3\t0", "7\t3.5\t0", "line 3: pickup: 3.5, expected a whole number of at least 0"),
        ("7\t3\t0", "7\t3", "line 3: 8 columns, expected 9"),
    ],
)
def test_each_error_by_its_message(old, new, message):
    assert refusal(read_lilim, TEXT, old, new).startswith(message)


RIDES = """2 2 90 3 30.5
 0   0.000   0.000   0   0    0  100
 1  -1.198  -5.164   3   1    0 1440
 2   5.573   7.114   3   2    0 1440
 3  -6.614   0.072   4  -1   10   25
 4   1.000   0.072   3  -2    0 1440
 5   0.000   0.000   0   0    0  100
"""


def test_rides_by_hand():
    found = read_darp(RIDES, "small")
    constraints, (vehicle,) = found.own_constraints, found.own_constraints.vehicles
    assert found.ids == ("1-3:pickup", "1-3:delivery", "2-4:pickup", "2-4:delivery")
    assert found.coords[:3].tolist() == [[0, 0], [-1.198, -5.164], [-6.614, 0.072]]
    assert (vehicle.count, vehicle.capacity, vehicle.max_duration) == (2, (3.0,), 90)
    assert constraints.max_ride.tolist() == [math.inf, 30.5, math.inf, 30.5]
    assert constraints.shipment.ravel().tolist() == [1, -1, 2, -2]
    assert constraints.windows.tolist()[:2] == [[[0, 1440]], [[10, 25]]]
    assert constraints.service.tolist() == [3, 4, 3, 3]
    assert constraints.depots[0].window == (0, 100)


def test_a_duration_of_the_whole_day_is_no_limit():
    found = read_darp(RIDES.replace("2 2 90", "2 2 100"), "day")
    assert found.own_constraints.vehicles[0].max_duration == math.inf


def test_the_end_depot_may_be_missing():
    without = RIDES[: RIDES.rindex(" 5")]
    assert read_darp(without, "x").own_constraints.num_stops == 4


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2 2 90", "0 2 90", "line 1: vehicles: 0, expected a whole number of at least 1"),
        ("2 2 90", "2 3 90", "line 1: requests: 5 stops, expected 1 to 6"),
        ("30.5", "-1", "line 1: ride: -1"),
        ("3  -2", "3  -1", "line 6: a demand of -1, its pickup on line 4 has 2"),
        (" 5   0.0", " 5   1.0", "line 7: the end depot differs from row 0, expected the same"),
    ],
)
def test_each_error_of_a_ride_by_its_message(old, new, message):
    assert refusal(read_darp, RIDES, old, new).startswith(message)
