import pytest

from tests.vrpcore.formats.sheets.days import faults, read
from vrpcore.plot.gantt import has_times

PLANE = "id,x,y,demand\n1,1,1,2\n"
CLOCK = "id,x,y,demand,close\n1,1,1,2,12:00\n"
GLOBE = "id,lat,lon,demand,service\n1,52.5,13.4,2,5\n"


@pytest.mark.parametrize(
    ("stops", "fleet", "options", "said"),
    [
        ("id,demand\n1,2\n", None, {}, "input: row 1: no columns lat and lon, or x and y; addr"),
        ("id,lat,x\n1,2,3\n", None, {}, "input: row 1: no columns lat and lon, or x and y"),
        ("lat,lon,x,y\n1,2,3,4\n", None, {}, "input: row 1: both lat and lon, and x and y"),
        (GLOBE, None, {"capacity": (9,)}, "input: lat and lon need a speed in km/h, for straight"),
        (CLOCK, None, {"capacity": (9,)}, "input: times are HH:MM, so x and y need a speed"),
        (PLANE, None, {}, "input: stops have demands, but vehicles no capacity: give --capacity"),
        (PLANE, "id\na\n", {}, "input: stops have demands, but vehicles no capacity: give the fl"),
        (PLANE, "id\na\n", {"capacity": (9,)}, "--capacity: given with --fleet; give the fleet a"),
        (PLANE, None, {"capacity": (9, 9)}, "--capacity: 2 numbers, but the stops have 1 load"),
        (PLANE, "id,capacity,lat,lon\na,9,,\n", {}, "vans.csv: row 1: a column lon, but the stops"),
        (PLANE, "id,capacity\na,9\n", {"capacity": (9,)}, "--capacity: given with --fleet"),
    ],
)  # fmt: skip
def test_what_is_missing_or_does_not_fit(stops, fleet, options, said):
    assert faults(stops, fleet, depot=(0, 0), **options)[0].startswith(said)


@pytest.mark.parametrize(
    ("stops", "fleet", "said"),
    [
        ("demand_a", "capacity", "vans.csv: row 1: a column capacity, but other amounts have nam"),
        ("demand", "capacity_a", "input: row 1: a column demand, but other amounts have names of"),
        ("demand_a", "capacity_b", "vans.csv: row 1: no column capacity_a"),
        ("demand_a,pickup", "capacity_a", "input: row 1: a column pickup, but other amounts"),
        ("demand,pickup_b,pickup_kg", "capacity", "a column pickup_kg, but no column demand_kg; c"),
        ("demand_kg,pickup_b", "capacity_kg", "a column pickup_b, but no column demand_b"),
        ("demand,pickup_time", "capacity", "pickup_time, but no column demand_time; call it pick"),
        ("demand", "capacity,initial_load_x", "initial_load_x, but no column demand_x; call it in"),
    ],
)
def test_load_dimensions_are_named_alike(stops, fleet, said):
    rows = f"x,y,{stops}\n1,1" + ",1" * len(stops.split(",")) + "\n"
    vans = f"id,{fleet}\na" + ",9" * len(fleet.split(",")) + "\n"
    found = faults(rows, vans, depot=(0, 0))
    assert any(said in line for line in found)


@pytest.mark.parametrize("names", ["delivery_qty,pickup_qty", "demand,Pickup weight (kg)"])
def test_a_pickup_that_alone_says_what_it_is_in_is_a_pickup(names):
    rows = f"id,x,y,{names}\n1,1,1,2,5\n2,1,2,0,4\n"
    for fleet, options in (
        (None, {"capacity": (9,)}),
        ("id,capacity,initial_load_kg\na,9,1\n", {}),
    ):
        found = read(rows, fleet, depot=(0, 0), **options).own_constraints
        assert found.pickup.ravel().tolist() == [5, 4]
        assert found.delivery.ravel().tolist() == [2, 0]
        assert found.vehicles[0].initial_load == ((1,) if fleet else None)
    (said,) = faults(f"id,x,y,{names.split(',')[1]}\n1,1,1,2\n", depot=(0, 0))
    assert said.startswith("input: stops have demands, but vehicles no capacity: give --capacity")


@pytest.mark.parametrize(
    ("stops", "fleet", "said"),
    [
        ("Gewicht (t)", "Nutzlast (kg)", "kg, but in t in input: row 1, column Gewicht (t); conve"),
        ("Gewicht (kg)", "Nutzlast [kgs]", None),
        ("weight_lbs", "capacity", None),
        ("demand_a (t),demand_b", "capacity_a (t),capacity_b (kg)", None),
        ("demand_a (t),demand_b", "capacity_a (kg),capacity_b", "kg, but in t in input: row 1, c"),
        ("demand_kg,demand_l", "capacity_kg,capacity_l", None),
    ],
)
def test_amounts_are_in_the_same_unit(stops, fleet, said):
    size = stops.count(",") + 1
    rows, vans = f"x,y,{stops}\n1,1{',1' * size}\n", f"id,{fleet}\na{',9' * size}\n"
    if said is None:
        assert read(rows, vans, depot=(0, 0)).num_customers == 1
    else:
        (found,) = faults(rows, vans, depot=(0, 0))
        assert f": amounts in {said}" in found


def test_units():
    plane = read(PLANE, depot=(0, 0), capacity=(9,), speed=2).own_constraints
    assert (plane.speed, plane.vehicles[0].speed) == (2, 1)  # distance per unit of time
    clock = read(CLOCK, depot=(0, 0), capacity=(9,), speed=30).own_constraints
    assert clock.speed * clock.vehicles[0].speed == pytest.approx(0.5)  # a minute
    globe = read(GLOBE, depot=(52, 13), capacity=(9,), speed=30).own_constraints
    assert globe.speed * globe.vehicles[0].speed == pytest.approx(500)  # metres a minute
    assert globe.vehicles[0].distance_cost == 0.001  # 1 a kilometre


def test_by_road_no_speed_is_needed_and_none_counts():
    fleet = "id,capacity,speed\na,9,30\nb,9,\n"
    options = {"depot": (52, 13), "roads": True}
    found = read(GLOBE, fleet, **options)
    assert [vehicle.speed for vehicle in found.own_constraints.vehicles] == [1, 1]
    (note,) = found.origin.notes
    assert note.endswith("vans.csv: column speed is not used: matrices give the durations")
    assert read(GLOBE, fleet.replace("30", ""), **options).origin.notes == []
    (vehicle,) = read(
        GLOBE, depot=(52, 13), capacity=(9,), speed=30, roads=True
    ).own_constraints.vehicles
    assert vehicle.speed == 1
    assert faults(GLOBE, fleet.replace("30", "-1"), **options) == [
        "vans.csv: row 2, column speed: -1 is not a positive number"
    ]
    assert read(CLOCK, depot=(0, 0), capacity=(9,), roads=True).origin.geographic is False


def test_lengths_of_time_make_the_unit_a_minute_too():
    stops = "id,x,y,service,open\n1,1,1,0:15,480\n"
    found = read(stops, depot=(0, 0), speed=60)
    assert found.own_constraints.service.tolist() == [15]
    assert found.own_constraints.windows[0][0][0] == 480
    assert (found.origin.notation.clock, found.origin.notation.spans) == ("", "HH:MM")
    assert found.origin.time_in_words(5) == "5 min"


ROUND = "id,lat,lon,demand\n1,52.5,13.4,2\n2,52.6,13.4,2\n"


def test_where_nothing_concerns_time_no_speed_is_needed():
    found = read(ROUND, depot=(52, 13), capacity=(9,))
    assert (found.origin.timed, found.own_constraints.vehicles[0].distance_cost) == (False, 0.001)
    assert not has_times(found)
    fleet = "id,capacity,max_distance,fixed_cost\nv,9,80,5\n"
    assert not has_times(read(ROUND, fleet, depot=(52, 13)))
    assert read(ROUND.replace("demand", "close"), depot=(52, 13)).code == "MISSING"
    assert read(ROUND, depot=(52, 13), capacity=(9,), speed=30).origin.timed is True
    shift = fleet.replace("fixed_cost", "max_duration")
    assert read(ROUND, shift, depot=(52, 13)).code == "MISSING"
    empty = ROUND.replace("demand", "demand,open").replace(",2\n", ",2,\n")
    assert read(empty, depot=(52, 13), capacity=(9,)).origin.timed is False
