import math

import pytest

from tests.vrpcore.formats.sheets.days import faults, read

STOPS = "id,lat,lon,demand\n1,52.5,13.4,3\n"
PLANE = "id,type,x,y,demand\nhub,depot,0,0,\nyard,depot,9,9,\n1,customer,1,2,3\n"


def ends(found):
    """Where each vehicle starts and ends."""
    return [(each.start, each.end) for each in found.own_constraints.vehicles]


def test_vehicles_have_what_their_cells_say():
    found = read(
        STOPS,
        "id,count,capacity,open,close,speed,fixed_cost,distance_cost,cost per hour,travel_cost,"
        "max_duration,max_travel_time,max_distance,max_stops,skills,latest_start\n"
        "van,2,40,7:00,15:30,30,50,2,24,0.5,8:00,300,120,20,cold|fast,9:30\n"
        "bike,any,,,,15,,,,,,,,,,\n",
        depot=(52.4, 13.3),
    )
    van, bike = found.own_constraints.vehicles
    assert (van.id, van.count, van.capacity) == ("van", 2, (40,))
    assert (van.window, van.latest_start, bike.latest_start) == ((420, 930), 570, math.inf)
    assert (van.speed, van.fixed_cost, van.distance_cost) == (30, 50, 0.002)
    assert (van.duration_cost, van.travel_cost) == (0.4, 0.5)
    assert (van.max_duration, van.max_travel_time, van.max_distance) == (480, 300, 120_000)
    assert (van.max_stops, van.skills) == (20, {"cold", "fast"})
    assert (bike.count, bike.capacity, bike.window) == (None, (math.inf,), (0, math.inf))
    assert (bike.distance_cost, bike.speed, bike.max_stops) == (0.001, 15, math.inf)
    assert found.own_constraints.speed == pytest.approx(1000 / 60)  # metres a minute at 1 km/h


def test_a_row_is_one_vehicle_unless_it_counts_more():
    found = read(STOPS, "van,capacity\na,5\nb,5\n", depot=(52.4, 13.3), speed=30)
    counts = [(each.id, each.count) for each in found.own_constraints.vehicles]
    assert counts == [("a", 1), ("b", 1)]
    found = read(STOPS, "count,capacity\n3,5\n*,5\n", depot=(52.4, 13.3), speed=30)
    counts = [(each.id, each.count) for each in found.own_constraints.vehicles]
    assert counts == [("1", 3), ("2", None)]
    for fleet in ("count,capacity\n1,5\n2,5\n", "id,Number,capacity\na,1,5\nb,2,5\n"):
        found = read(STOPS, fleet, depot=(52.4, 13.3), speed=30)
        assert [each.count for each in found.own_constraints.vehicles] == [1, 2]


def test_vehicles_at_one_place_start_at_the_depot_that_is_called_as_they_are():
    fleet = "id,capacity,x,y\nberta,9,4,4\nanton,1,4,4\n"
    found = read("id,x,y,demand\n1,2,3,5\n2,9,9,1\n", fleet)
    names = [each.id for each in found.own_constraints.depots]
    assert [names[each.start] for each in found.own_constraints.vehicles] == ["berta", "anton"]
    assert [names[each.end] for each in found.own_constraints.vehicles] == ["berta", "anton"]


def test_a_place_that_is_a_depot_already_is_that_one():
    fleet = "id,capacity,x,y\nhub,5,9,9\nvan,5,4,4\nyard,5,5,5\n"
    found = read(PLANE, fleet)
    names = [depot.id for depot in found.own_constraints.depots]
    assert names == ["hub", "yard", "van", "yard depot"]
    assert [start for start, _ in ends(found)] == [1, 2, 3]


def test_vehicles_name_their_depots():
    fleet = "id,capacity,start,end\na,5,yard,hub\nb,5,,\nc,5,none,yard\n"
    found = read(PLANE, fleet)
    assert ends(found) == [(1, 0), (0, 0), (None, 1)]


@pytest.mark.parametrize(
    ("fleet", "said"),
    [
        ("id,capacity\n", "row 1: no vehicle below this row"),
        ("id,capacity,start\na,5,nowhere\n", "row 2, column start: no depot has the id 'nowhere'"),
        ("id,capacity,start\na,5,08:00\n", "row 2, column start: '08:00' is no depot; a shift has"),
        ("id,capacity,x,y,start\na,5,1,1,hub\n", "row 2, column start: with a location of its own"),
        ("id,capacity,x,y\na,5,1,\n", "row 2, column y: empty; expected a number"),
        ("id,capacity,open,close\na,5,9,8\n", "row 2, columns open and close: opens at 9, after"),
        ("id,capacity,close\na,5,-8\n", "row 2, column close: opens at 0, after it closes at -8"),
        ("id,capacity,count\na,5,-1\n", "row 2, column count: -1, expected at least 0"),
        ("id,capacity,cost_per_hour\na,5,20\n", "row 2, column cost_per_hour: the unit of time is"),
        ("id,capacity\na,5\na,5\n", "row 3, column id: duplicate id 'a', also in row 2"),
        ("id,capacity\na,5\nTotal:,5\n", "row 3, column id: is it a row of totals? Delete it; a"),
        ("Number,capacity\n1,5\n2,5\n", "row 2, column Number: 1, 2, ...: how many there are, or"),
        ("id,capacity,speed\na,5,0\n", "row 2, column speed: 0 is not a positive number"),
        ("id,capacity,x\na,5,1\n", "row 1: a column x, but no column y"),
    ],
)  # fmt: skip
def test_a_fleet_that_is_wrong_is_reported_by_row_and_column(fleet, said):
    (found,) = faults(PLANE, fleet)
    assert found.startswith(f"vans.csv: {said}")


def test_time_costs_are_said_once():
    fleet = "capacity,cost_per_hour,duration_cost\n5,20,1\n"
    (said,) = faults(STOPS, fleet, depot=(52.4, 13.3), speed=30)
    assert "columns cost_per_hour and duration_cost: both say what time costs" in said


def test_each_vehicle_has_a_speed():
    fleet = "capacity,speed\n5,\n5,30\n"
    (said,) = faults(STOPS, fleet, depot=(52.4, 13.3))
    assert said == "vans.csv: row 2, column speed: empty; give a speed here, or --speed"
    found = read(STOPS, fleet, depot=(52.4, 13.3), speed=25)
    assert [each.speed for each in found.own_constraints.vehicles] == [25, 30]


def test_a_vehicle_without_a_place_to_start():
    (said,) = faults(STOPS, "capacity,lat,lon\n5,52,13\n5,,\n", speed=30)
    assert said == (
        "vans.csv: row 3: no place to start: give lat and lon, a row of type depot among the "
        "stops, or --depot"
    )


def test_capacities_by_dimension():
    stops = "id,x,y,demand_a,demand_b\n1,1,1,1,2\n"
    found = read(stops, "id,capacity_b,capacity_a\nv,5,6\nw,,\n", depot=(0, 0))
    capacities = [each.capacity for each in found.own_constraints.vehicles]
    assert capacities == [(6, 5), (math.inf, math.inf)]
    (said,) = faults(stops, "id,capacity_b,capacity_a\nv,5,\n", depot=(0, 0))
    assert said == ("vans.csv: row 2: capacity in only some load dimensions; write a large number")


def breaks_of(row, heading, **options):
    """Breaks of a vehicle with a shift from 7 to 16."""
    fleet = f"id,capacity,open,close,{heading}\nvan,5,7:00,16:00,{row}\n"
    found = read(STOPS, fleet, **{"depot": (52.4, 13.3), "speed": 30} | options)
    (van,) = found.own_constraints.vehicles
    return [(each.id, each.windows, each.duration) for each in van.breaks]


@pytest.mark.parametrize(
    ("heading", "row", "window", "duration"),
    [
        ("break_start,break_end,break_duration", "11:00,13:00,0:30", (660, 750), 30),
        ("Break from,Break until,Break (min)", "11:00,13:00,45", (660, 735), 45),
        ("lunch start,lunch end", "12:00,12:30", (720, 720), 30),
        ("pause_begin,pause_to", "12:00,12:30", (720, 720), 30),
        ("lunch", "0:30", (-math.inf, math.inf), 30),
        ("break_start,break", "12:00,20", (720, math.inf), 20),
        ("pause_end,pause", "13:00,20", (-math.inf, 760), 20),
        ("break start,break end,break", "12:00,12:30,0:30", (720, 720), 30),
    ],
)
def test_a_break_lies_between_its_start_and_its_end(heading, row, window, duration):
    assert breaks_of(row, heading) == [("break", (window,), duration)]


def test_several_breaks_have_numbers():
    heading = "break1_start,break1_end,break_start_2,break_2_duration,break3"
    assert breaks_of("9:00,9:15,12:00,30,0:10", heading) == [
        ("break", ((540, 540),), 15),
        ("break 2", ((720, math.inf),), 30),
        ("break 3", ((-math.inf, math.inf),), 10),
    ]


def test_breaks_in_plain_numbers():
    fleet = "id,capacity,break_start,break_end,break_duration\nvan,5,0.1,0.5,0.4\n"
    (van,) = read(PLANE, fleet).own_constraints.vehicles
    assert van.breaks[0].windows == ((0.1, 0.1),)  # 0.5 - 0.4 is less


@pytest.mark.parametrize("row", [",,", ",,0", "12:00,13:00,0:00"])
def test_who_has_no_break(row):
    assert breaks_of(row, "break_start,break_end,break") == []


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("12:00,,", "column break_start: how long is the break? Give its duration, too"),
        (",13:00,", "column break_end: how long is the break? Give its duration, too"),
        ("13:00,12:00,", "columns break_start and break_end: a break has no room from 13:00 to "),
        ("12:00,12:20,0:30", "columns break_start and break_end and break: a break of 0:30 has "),
        (",,12:00", "column break: a break of 12:00 has no room in the shift, 7:00 to 16:00; lea"),
        ("15:50,,30", "columns break_start and break: a break of 30 has no room from 15:50 in the"),
        ("noon,13:00,30", "column break_start: 'noon' is not a time (write HH:MM or a number)"),
        ("12:00,25:99,30", "column break_end: '25:99' is not a time (write HH:MM or a number)"),
        ("12:00,13:00,-5", "column break: -5 is negative, expected at least 0"),
    ],
)
def test_a_break_that_is_wrong_is_reported_by_row_and_column(row, said):
    fleet = f"id,capacity,open,close,break_start,break_end,break\nvan,5,7:00,16:00,{row}\n"
    (found,) = faults(STOPS, fleet, depot=(52.4, 13.3), speed=30)
    assert found.startswith(f"vans.csv: row 2, {said}")


DEPOTS = "id,type,x,y,demand\nhome,depot,0,0,\nfar,depot,9,0,\n1,,1,0,2\n"


def test_the_working_day():
    fleet = (
        "id,capacity,start,end,reload,max_reloads,initial_load,close,max_duration,max_overtime,"
        "overtime_cost,late_cost,max_late,lost,loading\n"
        "a,5,far,,yes,2,1,50,40,,3,1,,Yes,LIFO\n"
        "b,5,none,home,YES,,,50,40,5,,,7,no,any\n"
        "c,5,none,none,yes,,,,,,,,,,\n"
        'd,5,,,"home;far",0,,,,,,,,,\n'
        "e,5,,,no,2,,,,,,,,,\n"
    )
    a, b, c, d, e = read(DEPOTS, fleet).own_constraints.vehicles
    assert [each.reloads for each in (a, b, c, d, e)] == [(1,), (0,), (0, 1), (0, 1), None]
    assert [each.max_reloads for each in (a, b, d, e)] == [2, math.inf, 0, math.inf]
    assert (a.initial_load, b.initial_load) == ((1,), None)
    assert [each.is_lost for each in (a, b, c)] == [True, False, False]
    assert [each.loading for each in (a, b, c)] == ["lifo", "any", "any"]
    assert (a.max_overtime, a.overtime_cost, b.max_overtime) == (math.inf, 3, 5)
    assert (a.max_late, a.late_cost, b.max_late, b.late_cost) == (math.inf, 1, 7, 0)


@pytest.mark.parametrize(
    ("stops", "options", "zero", "one"),
    [
        ("id,x,y,demand\n1,1,0,2\n", {"depot": (0, 0)}, None, (0,)),
        (DEPOTS, {}, None, (0,)),
        (DEPOTS.replace("home", "0").replace("far", "1").replace("\n1,,", "\na,,"), {}, (0,), (1,)),
    ],
)
def test_0_and_1_are_no_and_yes_unless_depots_are_called_so(stops, options, zero, one):
    fleet = "id,capacity,reload\na,5,0\nb,5,1\n"
    assert [each.reloads for each in read(stops, fleet, **options).own_constraints.vehicles] == [
        zero,
        one,
    ]


def test_what_is_on_board_from_the_start_in_several_load_dimensions():
    stops = "id,x,y,demand_kg,demand_boxes\n1,1,0,2,1\n"
    fleet = "id,capacity_kg,capacity_boxes,initial_load_kg\na,5,3,2\nb,5,3,\n"
    a, b = read(stops, fleet, depot=(0, 0)).own_constraints.vehicles
    assert (a.initial_load, b.initial_load) == ((2, 0), None)
    (said,) = faults(stops, fleet.replace("load_kg", "load_bags"), depot=(0, 0))
    assert said == (
        "vans.csv: row 1: a column initial_load_bags, but no column demand_bags; call it "
        "initial_load_kg, or say --ignore-columns initial_load_bags if it is no amount"
    )


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ("sea,,", "column reload: 'sea' is no depot; write yes, no, or ids of depots"),
        (",2,", "column max_reloads: the vehicle has no 'reloads'"),
        (",,3", "column max_overtime: "),
        ("home;sea,,", "column reload: 'sea' is no depot"),
        (",,,perhaps", "column lost: 'perhaps', expected yes or no"),
        (",,,,fifo", "column loading: 'fifo', expected lifo or any"),
    ],
)
def test_what_is_wrong_with_trips(cells, said):
    fleet = f"id,capacity,reload,max_reloads,max_overtime,lost,loading\na,5,{cells}\n"
    (found,) = faults(DEPOTS, fleet)
    assert said in found
