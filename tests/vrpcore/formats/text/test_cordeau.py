import math

import pytest

from tests.vrpcore.formats.json.refusals import refusal
from vrpcore.cost.timeline import Timeline
from vrpcore.formats.text.cordeau import read_cordeau
from vrpcore.instance.plan import Route

MANY = """2 3 2 2
50 80
0 60
 1 0 4 5 12 1 2 1 2
 2 3 4 0 20 1 2 1 2
 3 0 0 0 0 0 0
 4 3 0 0 0 0 0
"""
TIMED = """4 3 2 1
50 80
 0 0 0 0 0 0 0 0 100
 1 0 4 5 12 1 1 1 10 20
 2 3 4 0 20 1 1 1 0 90
"""


def test_several_depots_by_hand():
    found = read_cordeau(MANY, "file")
    constraints = found.own_constraints
    assert (found.name, found.ids, found.num_depots) == ("file", (1, 2), 2)
    assert found.coords.tolist() == [[0, 0], [3, 0], [0, 4], [3, 4]]
    assert [depot.id for depot in constraints.depots] == ["3", "4"]
    types = [
        (v.id, v.count, v.capacity, v.start, v.end, v.max_duration) for v in constraints.vehicles
    ]
    assert types == [("0", 3, (80,), 0, 0, 50), ("1", 3, (60,), 1, 1, math.inf)]
    assert constraints.delivery.tolist() == [[12], [20]]
    schedule = Timeline(found).schedule(Route(1, (1, 2)))
    assert (schedule.distance, schedule.duration) == (5 + 3 + 4, 12 + 5)


def test_windows_by_hand():
    found = read_cordeau(TIMED, "file")
    constraints = found.own_constraints
    assert (found.ids, constraints.depots[0].window) == ((1, 2), (0, 100))
    assert constraints.windows.tolist() == [[[10, 20]], [[0, 90]]]
    assert (constraints.vehicles[0].max_duration, found.max_vehicles) == (50, 3)


def test_the_same_with_windows_and_several_depots_or_with_neither():
    text = (
        MANY.replace("2 3", "6 3", 1).replace(" 1 2\n", " 1 2 0 9\n").replace("0 0\n", "0 0 0 9\n")
    )
    found = read_cordeau(text, "file").own_constraints
    assert ([d.window for d in found.depots], found.windows[0].tolist()) == ([(0, 9)] * 2, [[0, 9]])
    plain = "0 3 1 1\n0 80\n0 0 0 0 0 0 0\n1 3 4 0 7 1 1 1\n"
    assert read_cordeau(plain, "file").coords.tolist() == [[0, 0], [3, 4]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2 3 2 2", "1 3 2 2", "line 1: type: 1 (PVRP) is not supported, expected one of 0 (VRP)"),
        ("2 3 2 2", "3 3 2 2", "line 1: type: 3 (SDVRP) is not supported"),
        ("2 3 2 2", "5 3 2 2", "line 1: type: 5 (PVRPTW) is not supported"),
        ("2 3 2 2", "7 3 2 2", "line 1: type: 7 (SDVRPTW) is not supported"),
        ("2 3 2 2", "9 3 2 2", "line 1: type: 9 is not supported"),
        ("2 3 2 2", "0 3 2 2", "line 1: depots: 2 depots or days, the limit is 1 for this type"),
        ("2 3 2 2", "2 3 2 1001", "line 1: depots: 1001 depots or days, the limit is 1000"),
        ("2 3 2 2", "2 3 10001 2", "line 1: customers: 10001 customers, the limit is 10000"),
        ("2 3 2 2", "2 3 3 2", "line 6: frequency: 0 visits are not supported, expected 1"),
        ("2 3 2 2", "2 3 1 2", "line 7: '4 3 0 0 0 0 0' after the last row that line 1"),
        ("2 3 2 2", "2 0 2 2", "line 1: vehicles: 0, expected a whole number of at least 1"),
        ("50 80", "-5 80", "line 2: duration: -5 is negative, expected at least 0"),
        ("50 80", "50 0", "line 2: load: 0 is not a positive number"),
        ("50 80", "50 80 1", "line 2: 3 columns, expected 2 (duration load)"),
        ("12 1 2 1 2", "81 1 2 1 2", "line 4: demand: 81 exceeds capacity 80"),
        ("12 1 2 1 2", "-1 1 2 1 2", "line 4: demand: -1 is negative"),
        ("12 1 2 1 2", "12 2 2 1 2", "line 4: frequency: 2 visits are not supported, expected 1"),
        ("12 1 2 1 2", "12 0 0", "line 4: frequency: 0 visits are not supported, expected 1"),
        ("12 1 2 1 2", "12 1 1 1", "line 4: combinations: 1: customers of only some depots"),
        ("12 1 2 1 2", "12 1 0", "line 4: combinations: none: customers of only some depots"),
        ("12 1 2 1 2", "12 1 2 1 x", "line 4: combination: 'x' is not a finite number"),
        ("12 1 2 1 2", "12 1 2 1", "line 4: 1 numbers behind no x y service demand"),
        (" 3 0 0 0 0", " 3 0 0 0 5", "line 6: the depot has a demand of 5, expected 0"),
        (" 4 3 0", " 3 3 0", "line 7: number 3 is also on line 6"),
    ],
)
def test_each_error_by_its_message(old, new, message):
    assert refusal(read_cordeau, MANY, old, new).startswith(message)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("10 20", "21 20", "line 4: open: opens at 21, after it closes at 20"),
        (
            " 10 20",
            " 10",
            "line 4: 2 numbers behind no x y service demand frequency combinations, "
            "expected 1 combinations, open and close",
        ),
        (" 0 0 0 0 0 0 0", " 5 0 0 0 0 0 0", "line 3: row 5, expected row 0, the depot, first"),
    ],
)
def test_errors_of_windows(old, new, message):
    assert refusal(read_cordeau, TIMED, old, new).startswith(message)
