"""Columns of stops that tie them to each other and to vehicles."""

import numpy as np
import pytest

from tests.vrpcore.formats.sheets.days import faults, read
from vrpcore.instance.relations import Group, Relation

STOPS = """id,type,x,y,demand,only_vehicle,one_of,before_stop,shipment
depot,depot,0,0,,,,,
1,,1,0,2,van,home,,
2,,2,0,3,,home,3,
3,,3,0,1,,,s:delivery,
a,pickup,4,0,1,bike,,,s
b,delivery,5,0,,,,,s
"""
FLEET = "id,capacity\nvan,5\nbike,4\n"


def test_alternatives_orders_and_vehicles(tmp_path):
    constraints = read(STOPS, FLEET, tmp_path).own_constraints
    assert constraints.groups == (Group("home", (1, 2)),)
    assert constraints.relations == (Relation("order", (2, 3)), Relation("order", (3, 5)))
    assert constraints.allowed.tolist() == [
        [True, True, True, False, False],
        [False, True, True, True, True],
    ]


def test_stops_by_their_row_and_shipments_by_their_name(tmp_path):
    stops = STOPS.replace("id,", "name,").replace(",s:delivery,", ",,")
    stops = stops.replace("3,,3,0", "3,,3,0").replace("name,type", "note,type")
    constraints = read(stops, FLEET, tmp_path).own_constraints
    assert constraints.groups == (Group("home", (1, 2)),)
    assert constraints.relations == (Relation("order", (2, 3)),)
    by_row = STOPS.replace("s:delivery", "b")
    relations = read(by_row, FLEET, tmp_path).own_constraints.relations
    assert relations[1] == Relation("order", (3, 5))
    tied = STOPS.replace("5,0,,,,,s", "5,0,,,home,,s")
    assert read(tied, FLEET, tmp_path).own_constraints.groups == (Group("home", (1, 2, 4)),)


def test_what_is_not_asked_for(tmp_path):
    stops = "id,x,y,demand,vehicle,group,driver\n1,1,0,2,van,a,Eva\n2,2,0,1,van,a,Eva\n"
    constraints = read(stops, FLEET, tmp_path, depot=(0, 0)).own_constraints
    assert (constraints.groups, constraints.relations, constraints.allowed) == ((), (), None)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (",van,", ",vam,", "input: row 3, column only_vehicle: 'vam' is no id of the fleet"),
        ("home,3", "home,9", "input: row 4, column before_stop: '9' is no id of a stop"),
        ("home,3", "home,2", "input: row 4, column before_stop: a stop before itself"),
        ("s:delivery", "2", "input: row 5: a circle: '2' before '3' before '2', with input: row 4"),
        ("b,delivery,5,0,,", "b,delivery,5,0,,van", "row 7, column only_vehicle: not the vehicles"),
        (",home,", ",s,", "input: row 3, column id: duplicate id 's'"),
    ],
)
def test_what_is_wrong_is_reported_by_row_and_column(old, new, said, tmp_path):
    assert said in faults(STOPS.replace(old, new), FLEET, tmp_path)[0]


def test_a_vehicle_needs_a_fleet():
    stops = "id,x,y,only_vehicle\n1,1,0,van\n"
    said = "input: row 2, column only_vehicle: names a vehicle, but there is no fleet; give --fleet"
    assert faults(stops, depot=(0, 0)) == [said]


def test_lateness_has_a_price_or_a_limit(tmp_path):
    stops = "id,x,y,close,late_cost,max_late\n1,1,0,9,2,\n2,1,0,9,,4\n3,1,0,9,,\n"
    constraints = read(stops, FLEET, tmp_path, depot=(0, 0)).own_constraints
    assert constraints.max_late.tolist() == [np.inf, 4, 0]
    open_ends = "id,x,y,open,close,max_late\n1,1,0,5,9,2\n2,1,0,5,,2\n3,1,0,,,2\n"
    fleet = "id,x,y,open,close,max_late\na,0,0,1,,3\nb,0,0,1,9,3\n"
    other = read(open_ends, fleet, tmp_path).own_constraints
    assert other.max_late.tolist() == [2, 0, 0]
    assert [each.max_late for each in other.vehicles] == [0, 3]
    assert constraints.late_cost.tolist() == [2, 0, 0]
