import math

import pytest

from tests.vrpcore.formats.sheets.days import faults, read
from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.constraints import Constraints

PAIRS = "id,type,shipment,x,y,demand,open,close,service,prize,priority,skills\n"
SPEED = {"speed": 60.0}


def test_customers_have_what_their_cells_say():
    found = read(
        "id,x,y,demand,pickup,open,close,service,release,prize,priority,skills\n"
        '7,1,2,3,1,10,20,5,4,9,,"cold, tail lift"\n'
        "8,2,1,,,,30,,,,80,\n"
        "9,2,2,1,,40,,,,,,\n",
        depot=(0, 0),
        capacity=(9,),
    )
    constraints = found.own_constraints
    assert found.ids == (7, 8, 9)
    assert found.coords.tolist() == [[0, 0], [1, 2], [2, 1], [2, 2]]
    assert constraints.delivery.ravel().tolist() == [3, 0, 1]
    assert constraints.pickup.ravel().tolist() == [1, 0, 0]
    assert constraints.windows.tolist() == [[[10, 20]], [[-math.inf, 30]], [[40, math.inf]]]
    assert constraints.service.tolist() == [5, 0, 0]
    assert constraints.release.tolist() == [4, -math.inf, -math.inf]
    assert constraints.prize.tolist() == [9, math.inf, math.inf]
    assert constraints.priority.tolist() == [0, 80, 0]
    assert constraints.skills == ({"cold", "tail lift"}, set(), set())
    assert not constraints.listed_vehicles


@pytest.mark.parametrize(
    "each", [each for each in attributes_of(Constraints) if each.column], ids=lambda each: each.name
)
def test_each_number_of_a_stop_has_a_column_that_shipments_have_too(each):
    header = f"id,type,shipment,x,y,close,{each.column}\n"  # lateness needs a close
    rows = "1,,,1,1,9,\n2,,,1,2,9,7\np,pickup,s,2,1,9,5\nd,delivery,s,2,2,9,\n"
    found = getattr(read(header + rows, depot=(0, 0)).own_constraints, each.name)
    nothing = each.default
    own = {"each_end": nothing, "both_ends": 5, "pickup": 0}[each.of_shipment]
    assert found.tolist() == [nothing, 7, 5, own]


def test_places_and_demands_alone_are_a_plain_instance():
    found = read("x,y,demand\n1,2,3\n2,1,4\n", depot=(5, 6), capacity=(9,))
    assert found.constraints is None
    assert found.ids == (1, 2)
    assert found.coords.tolist() == [[5, 6], [1, 2], [2, 1]]
    assert found.demand.tolist() == [0, 3, 4]


def test_ids_are_numbers_if_all_of_them_are():
    assert read("id,x,y\n1,1,1\n02,1,1\n", depot=(0, 0)).ids == ("1", "02")
    assert read("id,x,y\n1,1,1\n-2,1,1\n", depot=(0, 0)).ids == (1, -2)
    assert read("id,x,y\na,1,1\n,1,1\n", depot=(0, 0)).ids == ("a", 2)


def test_several_windows():
    header = "id,x,y,open,close,open2,close2\n"
    found = read(f"{header}1,1,1,1,2,3,4\n2,1,1,1,2,,\n3,1,1,,,3,\n", depot=(0, 0))
    none = [math.inf, math.inf]
    assert found.own_constraints.windows.tolist() == [
        [[1, 2], [3, 4]],
        [[1, 2], none],
        [[3, math.inf], none],
    ]
    (said,) = faults(f"{header}1,1,1,3,4,1,2\n", depot=(0, 0))
    assert said == (
        "input: row 2, columns open and close and open2 and close2: windows overlap, "
        "or are not in order"
    )


def test_depots_are_rows_of_their_own():
    found = read("id,type,x,y,open,close\nhub,Depot,1,2,8,18\n5,customer,3,4,,\n")
    (depot,) = found.own_constraints.depots
    assert (depot.id, depot.window) == ("hub", (8, 18))
    assert found.coords.tolist() == [[1, 2], [3, 4]]
    assert found.ids == (5,)


def test_shipments_are_two_rows():
    found = read(
        f"{PAIRS}1,delivery,s1,3,3,,5,9,1,,,cold\n2,,,1,1,2,,,,,,\n3,Pickup,s1,2,2,4,,,2,7,,\n",
        depot=(0, 0),
        capacity=(9,),
    )
    assert found.ids == (2, "s1:pickup", "s1:delivery")
    assert found.coords.tolist() == [[0, 0], [1, 1], [2, 2], [3, 3]]
    assert found.own_constraints.shipment.ravel().tolist() == [0, 4, -4]
    assert found.own_constraints.service.tolist() == [0, 2, 1]
    assert found.own_constraints.prize.tolist() == [math.inf, 7, 0]
    assert found.own_constraints.skills[1:] == ({"cold"}, {"cold"})
    assert [row.number for row in found.origin.rows] == [3, 4, 2]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("1,pickup,s1,2,2,4,,,,,,", "row 2, column shipment: shipment 's1' has no delivery"),
        ("1,pickup,,2,2,4,,,,,,", "row 2, column type: a pickup without a shipment; what goes"),
        ("1,,s1,2,2,4,,,,,,", "row 2, columns type and shipment: a stop of a shipment; expected"),
        ("1,frozen,,2,2,4,,,,,,", "row 2, column type: 'frozen' is none of customer, depot, "),
        (
            "1,pickup,s1,2,2,4,,,,,,\n2,pickup,s1,2,2,4,,,,,,\n3,delivery,s1,2,2,,,,,,,",
            "row 3, columns type and shipment: a second pickup of the shipment; the first is in "
            "row 2",
        ),
        (
            "1,pickup,s1,2,2,4,,,,,,\n2,delivery,s1,2,2,5,,,,,,",
            "row 3, column demand: not the demand of its pickup, row 2",
        ),
        (
            "1,pickup,s1,2,2,4,,,,3,,\n2,delivery,s1,2,2,,,,,4,,",
            "row 3, column prize: not the prize of its pickup, row 2",
        ),
    ],
)
def test_shipments_that_do_not_fit_together(rows, said):
    (found,) = faults(f"{PAIRS}{rows}\n", depot=(0, 0), capacity=(9,))
    assert found.startswith(f"input: {said}")


def test_what_a_shipment_is_may_stand_in_the_column_pickup():
    header = "id,type,shipment,x,y,demand,pickup\n"
    rows = "1,pickup,s,1,1,,7\n2,delivery,s,2,2,,\n"
    found = read(header + rows, depot=(0, 0), capacity=(9,))
    assert found.own_constraints.shipment.ravel().tolist() == [7, -7]
    both = rows.replace("1,1,,7", "1,1,6,7")
    assert faults(header + both, depot=(0, 0), capacity=(9,)) == [
        "input: row 2, columns demand and pickup: demand and pickup differ; a shipment has "
        "one amount"
    ]
    other = rows.replace("2,2,,", "2,2,7,")
    assert read(header + other, depot=(0, 0), capacity=(9,)).num_customers == 2
    assert faults(header + other.replace("2,2,7", "2,2,6"), depot=(0, 0), capacity=(9,)) == [
        "input: row 3, column demand: not the demand of its pickup, row 2"
    ]
    back = rows.replace("2,2,,", "2,2,,3")
    assert faults(header + back, depot=(0, 0), capacity=(9,)) == [
        "input: row 3, column pickup: a delivery picks nothing up; its pickup is in row 2"
    ]


def test_a_depot_has_the_time_that_loading_takes_and_no_amounts():
    header = "id,type,x,y,demand,service,prize\n"
    rows = "hub,depot,0,0,{},8,{}\n1,,1,1,2,5,\n"
    (depot,) = read(header + rows.format("0", ""), capacity=(9,)).own_constraints.depots
    assert depot.service == 8
    assert faults(header + rows.format("3", "4"), capacity=(9,)) == [
        "input: row 2, columns demand and prize: a depot has no demand and no prize; leave it empty"
    ]


def test_several_load_dimensions():
    found = read(
        "id,x,y,demand_weight,demand_volume,pickup_volume\n1,1,1,5,,2\n2,1,1,,,\n",
        depot=(0, 0),
        capacity=(9, 4),
    )
    assert found.own_constraints.delivery.tolist() == [[5, 0], [0, 0]]
    assert found.own_constraints.pickup.tolist() == [[0, 2], [0, 0]]
    assert found.own_constraints.vehicles[0].capacity == (9, 4)


def test_a_depot_has_one_window():
    header = "id,type,x,y,open,close,open2,close2\n"
    (said,) = faults(f"{header}a,depot,0,0,1,2,3,4\n1,,1,1,,,,\n")
    assert said == "input: row 2, columns open2 and close2: a depot has one window"
