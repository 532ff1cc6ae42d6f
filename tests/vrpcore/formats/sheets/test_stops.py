import math

import numpy as np
import pytest

from tests.vrpcore.formats.sheets.days import faults, read
from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.relations import Group, Relation

PAIRS = "id,type,shipment,x,y,demand,open,close,service,prize,priority,skills\n"


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
    second = "" if each.of_shipment == "delivery" else 7
    rows = f"1,,,1,1,9,\n2,,,1,2,9,{second}\np,pickup,s,2,1,9,5\nd,delivery,s,2,2,9,\n"
    found = getattr(read(header + rows, depot=(0, 0)).own_constraints, each.name)
    nothing = each.default
    own = {"each_end": nothing, "both_ends": 5, "pickup": 0, "delivery": 5}
    first = nothing if each.of_shipment == "delivery" else 5
    assert found.tolist() == [nothing, second or nothing, first, own[each.of_shipment]]


def test_ids_are_numbers_if_all_of_them_are():
    assert read("id,x,y\n1,1,1\n02,1,1\n", depot=(0, 0)).ids == ("1", "02")
    assert read("id,x,y\n1,1,1\n-2,1,1\n", depot=(0, 0)).ids == (1, -2)
    assert read("id,x,y\na,1,1\n,1,1\n", depot=(0, 0)).ids == ("a", 2)


def test_several_windows():
    header = "id,x,y,open,close,open2,close2\n"
    found = read(f"{header}1,1,1,1,2,3,4\n2,1,1,1,2,,\n3,1,1,,,3,\n", depot=(0, 0))
    none = [math.inf, math.inf]
    windows = [[[1, 2], [3, 4]], [[1, 2], none], [[3, math.inf], none]]
    assert found.own_constraints.windows.tolist() == windows
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


PICKED = "1,pickup,s1,2,2,4,,,,3,,"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (PICKED, "row 2, column shipment: shipment 's1' has no delivery"),
        ("1,pickup,,2,2,4,,,,,,", "row 2, column type: a pickup of no shipment; what goes"),
        ("1,,s1,2,2,4,,,,,,", "row 2, columns type and shipment: a stop of a shipment; expected"),
        ("1,frozen,,2,2,4,,,,,,", "row 2, column type: 'frozen' is none of customer, depot, "),
        (
            f"{PICKED}\n{PICKED}\n3,delivery,s1,2,2,,,,,,,",
            "row 3, columns type and shipment: a second pickup of the shipment; the first is in",
        ),
        (f"{PICKED}\n2,delivery,s1,2,2,5,,,,,,", "row 3, column demand: not the demand of its pi"),
        (f"{PICKED}\n2,delivery,s1,2,2,,,,,4,,", "row 3, column prize: not the prize of its pick"),
    ],
)
def test_shipments_that_do_not_fit_together(rows, said):
    (found,) = faults(f"{PAIRS}{rows}\n", depot=(0, 0), capacity=(9,))
    assert found.startswith(f"input: {said}")


def test_what_a_shipment_is_may_stand_in_the_column_pickup():
    def rows(demand, pickup, other="", brought=""):
        head = "id,type,shipment,x,y,demand,pickup\n"
        return f"{head}1,pickup,s,1,1,{demand},{pickup}\n2,delivery,s,2,2,{other},{brought}\n"

    how = {"depot": (0, 0), "capacity": (9,)}
    assert read(rows("", 7), **how).own_constraints.shipment.ravel().tolist() == [7, -7]
    assert read(rows("", 7, 7), **how).num_customers == 2
    for cells, said in (
        ((6, 7), "row 2, columns demand and pickup: demand and pickup differ; a shipment has one"),
        (("", 7, 6), "row 3, column demand: not the demand of its pickup, row 2"),
        (("", 7, "", 3), "row 3, column pickup: a delivery picks nothing up; its pickup is in row"),
    ):
        (found,) = faults(rows(*cells), **how)
        assert found.startswith(f"input: {said}")


def test_a_depot_has_the_time_that_loading_takes_and_no_amounts():
    header = "id,type,x,y,demand,service,prize\n"
    rows = "hub,depot,0,0,{},8,{}\n1,,1,1,2,5,\n"
    (depot,) = read(header + rows.format("0", ""), capacity=(9,)).own_constraints.depots
    assert depot.service == 8
    assert faults(header + rows.format("3", "4"), capacity=(9,)) == [
        "input: row 2, columns demand and prize: a depot has no demand and no prize; leave it empty"
    ]


def test_a_depot_has_nothing_of_what_is_served():
    words = ("skills", "only_vehicle", "one_of", "before_stop", "shipment", "split")
    header = f"id,type,x,y,demand,{','.join(words)}\n"
    stop = "1,,1,1,2" + "," * len(words) + "\n"
    assert read(f"{header}hub,depot,0,0,,,,,,,no\n{stop}", capacity=(9,)).num_customers == 1
    (said,) = faults(f"{header}hub,depot,0,0,,a,b,c,1,s,yes\n{stop}", capacity=(9,))
    assert said.startswith(f"input: row 2, columns {' and '.join(words)}: ")


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


TIED = """id,type,x,y,demand,only_vehicle,one_of,before_stop,shipment
depot,depot,0,0,,,,,
1,,1,0,2,van,home,,
2,,2,0,3,,home,3,
3,,3,0,1,,,s:delivery,
a,pickup,4,0,1,bike,,,s
b,delivery,5,0,,,,,s
"""
VANS = "id,capacity\nvan,5\nbike,4\n"


def test_alternatives_orders_and_vehicles():
    constraints = read(TIED, VANS).own_constraints
    assert constraints.groups == (Group("home", (1, 2)),)
    for name in ("1", "s", "a", "s:pickup"):  # ids of others
        groups = read(TIED.replace("home", name), VANS).own_constraints.groups
        assert groups == (Group(f"one_of {name}", (1, 2)),)
    assert constraints.relations == (Relation("order", (2, 3)), Relation("order", (3, 5)))
    assert constraints.allowed.tolist() == [
        [True, True, True, False, False],
        [False, True, True, True, True],
    ]


def test_words_for_nothing_are_no_group_and_no_skill():
    rows = "".join(
        f"{n},1,1,{word},{word}\n" for n, word in enumerate(("-", "None", "nein", "n/a"))
    )
    found = read(f"id,x,y,one_of,skills\n{rows}9,1,1,n,a | -\n", depot=(0, 0)).own_constraints
    assert found.groups == (Group("n", (5,)),)
    assert found.skills == (*[frozenset()] * 4, {"a"})


def test_stops_by_their_row_and_shipments_by_their_name():
    stops = TIED.replace("id,type", "note,type").replace(",s:delivery,", ",,")
    constraints = read(stops, VANS).own_constraints
    assert constraints.groups == (Group("home", (1, 2)),)
    assert constraints.relations == (Relation("order", (2, 3)),)
    by_row = TIED.replace("s:delivery", "b")
    relations = read(by_row, VANS).own_constraints.relations
    assert relations[1] == Relation("order", (3, 5))
    tied = TIED.replace("5,0,,,,,s", "5,0,,,home,,s")
    assert read(tied, VANS).own_constraints.groups == (Group("home", (1, 2, 4)),)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (",van,", ",vam,", "input: row 3, column only_vehicle: 'vam' is no id of the fleet"),
        ("home,3", "home,9", "input: row 4, column before_stop: '9' is no id of a stop"),
        ("home,3", "home,2", "input: row 4, column before_stop: a stop before itself"),
        ("s:delivery", "2", "input: row 5: a circle: '2' before '3' before '2', with input: row 4"),
        ("b,delivery,5,0,,", "b,delivery,5,0,,van", "row 7, column only_vehicle: not the vehicles"),
    ],
)
def test_what_is_wrong_is_reported_by_row_and_column(old, new, said):
    assert said in faults(TIED.replace(old, new), VANS)[0]


def test_a_vehicle_needs_a_fleet():
    stops = "id,x,y,only_vehicle\n1,1,0,van\n"
    said = "input: row 2, column only_vehicle: names a vehicle, but there is no fleet; give --fleet"
    assert faults(stops, depot=(0, 0)) == [said]


def test_lateness_has_a_price_or_a_limit():
    stops = "id,x,y,close,late_cost,max_late\n1,1,0,9,2,\n2,1,0,9,,4\n3,1,0,9,,\n"
    constraints = read(stops, VANS, depot=(0, 0)).own_constraints
    assert constraints.max_late.tolist() == [np.inf, 4, 0]
    open_ends = "id,x,y,open,close,max_late\n1,1,0,5,9,2\n2,1,0,5,,2\n3,1,0,,,2\n"
    fleet = "id,x,y,open,close,max_late\na,0,0,1,,3\nb,0,0,1,9,3\n"
    other = read(open_ends, fleet).own_constraints
    assert other.max_late.tolist() == [2, 0, 0]
    assert [each.max_late for each in other.vehicles] == [0, 3]
    assert constraints.late_cost.tolist() == [2, 0, 0]


RIDES = "id,pickup_x,pickup_y,delivery_x,delivery_y,seats"


def test_a_ride_in_one_row_is_a_shipment_behind_the_customers():
    found = read(
        f"{RIDES},pickup_open,pickup_close,delivery_window,pickup_service,delivery_service,"
        "max_ride,pickup_max_wait,skills,prize,x,y,name\n"
        "a,1,2,3,4,2,10,20,30-40,5,6,25,7,wheelchair,,,,Ann\n"
        ",,,,,1,,,,,,,,,,8,9,shop\n"
        "b,5,6,7,8,,,,,,,,,,9,,,Bob\n",
        depot=(0, 0),
        capacity=(9,),
    )
    own = found.own_constraints
    assert found.ids == (1, "a:pickup", "a:delivery", "b:pickup", "b:delivery")
    assert found.coords[1:].tolist() == [[8, 9], [1, 2], [3, 4], [5, 6], [7, 8]]
    assert own.shipment.ravel().tolist() == [0, 2, -2, 0, 0]
    assert own.windows.tolist()[1:3] == [[[10, 20]], [[30, 40]]]
    assert own.service.tolist() == [0, 5, 6, 0, 0]
    assert own.max_ride.tolist() == [math.inf, math.inf, 25, math.inf, math.inf]
    assert own.max_wait.tolist() == [math.inf, 7, math.inf, math.inf, math.inf]
    assert own.skills[1:3] == ({"wheelchair"}, {"wheelchair"})
    assert own.prize.tolist()[3] == 9
    assert [row.number for row in found.origin.rows] == [3, 2, 2, 4, 4]
    assert found.origin.names["a:pickup"] == found.origin.names["a:delivery"] == "Ann"


def test_each_end_of_a_ride_may_have_several_windows():
    head = f"{RIDES},pickup_open,pickup_close,pickup_open2,pickup_close_2,Zielort Zeitfenster 2"
    found = read(f"{head}\na,1,2,3,4,,1,2,5,6,7-8\n", depot=(0, 0), capacity=(9,))
    assert found.own_constraints.windows.tolist() == [
        [[1, 2], [5, 6]],
        [[7, 8], [math.inf, math.inf]],
    ]
    (said,) = faults(f"{head}\na,1,2,3,4,,5,6,1,2,\n", depot=(0, 0), capacity=(9,))
    assert "columns pickup_open and pickup_close and pickup_open2 and pickup_close_2" in said


@pytest.mark.parametrize(("head", "row"), [(RIDES, ",1,2,3,4,"), (RIDES[3:], "1,2,3,4,")])
def test_a_ride_has_an_id(head, row):
    """Else a plan would be read with other passengers once a row has moved."""
    (found,) = faults(f"{head}\n{row}\n", depot=(0, 0), capacity=(9,))
    assert "row 2" in found and "a ride has an id, by which plans name its ends" in found


def test_rides_stand_with_shipments_of_two_rows():
    rows = "a,1,2,3,4,,,,,\nb,,,,,,pickup,s,1,1\nc,,,,,,delivery,s,2,2\n"
    found = read(f"{RIDES},type,shipment,x,y\n{rows}", depot=(0, 0), capacity=(9,))
    assert found.ids == ("a:pickup", "a:delivery", "s:pickup", "s:delivery")


def test_a_ride_before_another_is_over_before():
    found = read(f"{RIDES},before_stop\na,1,2,3,4,,b\nb,1,2,3,4,,\n", depot=(0, 0), capacity=(9,))
    assert [each.stops for each in found.own_constraints.relations] == [(1, 3), (2, 3)]


@pytest.mark.parametrize(
    ("columns", "row", "said"),
    [
        (
            "",
            "a,1,2,3,,",
            "column delivery_y: empty; a ride has two places, and a stop that is none has y and x",
        ),
        (
            ",x,y",
            "a,1,2,3,4,,5,5",
            "columns x and y: of which end of the ride? Leave it empty, or call the column "
            "pickup_x or delivery_x",
        ),
        (
            ",window",
            "a,1,2,3,4,,1-2",
            "column window: of which end of the ride? Leave it empty, or call the column "
            "pickup_window or delivery_window",
        ),
        (
            ",window2",
            "a,1,2,3,4,,1-2",
            "column window2: of which end of the ride? Leave it empty, or call the column "
            "pickup_window2 or delivery_window2",
        ),
        (
            ",open2,close2",
            "a,1,2,3,4,,1,2",
            "columns open2 and close2: of which end of the ride? Leave it empty, or call the "
            "column pickup_open2 or delivery_open2",
        ),
        (",split", "a,1,2,3,4,,yes", "column split: a shipment is not split; leave it empty"),
        (
            ",type",
            "a,1,2,3,4,,pickup",
            "columns pickup_x and pickup_y and delivery_x and delivery_y: a pickup has one place; "
            "leave it empty",
        ),
        (
            ",type,x,y",
            "a,,,,,1,pickup,1,2",
            "column type: a pickup of no shipment; what goes to the depot is a ride to it",
        ),
        (",pickup_service", "a,1,2,3,4,,-1", "column pickup_service: -1 is negative"),
        (",delivery_window", "a,1,2,3,4,,3-2", "column delivery_window: opens at 3, after it"),
        (",only_vehicle", "a,1,2,3,4,,v", "column only_vehicle: names a vehicle, but there is no"),
        ("", "a,1,2,3,4,-1", "column seats: -1 is negative"),
        (",x", "a,,,,,3,", "no ride, but there are no columns y and x for a stop or a depot"),
    ],
)
def test_errors_of_rides(columns, row, said):
    (found,) = faults(f"{RIDES}{columns}\n{row}\n", depot=(0, 0), capacity=(9,))
    assert found.startswith("input: row 2") and said in found


def test_who_may_be_split():
    stops = "id,x,y,demand,may split\n1,1,0,9,yes\n2,2,0,3,\n3,3,0,4,No\n"
    constraints = read(stops, "id,capacity\nvan,5\n", depot=(0, 0)).own_constraints
    assert constraints.split.tolist() == [True, False, False]
    said = "input: row 3, column may split: 'perhaps', expected yes or no"
    assert faults(stops.replace("3,\n", "3,perhaps\n"), depot=(0, 0), capacity=(5,)) == [said]
    tied = (
        stops.replace("may split", "split,one_of").replace("yes", "yes,g").replace("3,\n", "3,,g\n")
    )
    (said,) = faults(tied.replace("No", "No,"), depot=(0, 0), capacity=(20,))
    assert said.endswith("given with 'groups'; leave one of them out")
    pair = "id,type,shipment,x,y,demand,split\n1,pickup,s,1,0,9,no\n2,delivery,s,2,0,,yes\n"
    assert faults(pair, depot=(0, 0), capacity=(9,)) == [
        "input: row 3, column split: a shipment is not split; leave it empty"
    ]
