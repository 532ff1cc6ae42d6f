import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.sheets.sheet_columns import FLEET, STOPS, Columns
from vrpcore.formats.sheets.table import Faults, parse_table


def find(header, vocabulary=STOPS, ignored=(), given=None, rows=""):
    faults = Faults()
    table = parse_table(f"{header}\n{rows}", ",", "stops.csv", 1)
    found = Columns(table, vocabulary, faults, ignored, given or {})
    faults.check()
    return found


@pytest.mark.parametrize(
    ("header", "of", "unused"),
    [
        # A window in one column is both its times.
        ("Time Window,slot 2",
         {"open": 0, "close": 0, "window": 0, "open2": 1, "close2": 1, "window2": 1}, []),
        ("window2_start,tw_2_end", {"open2": 0, "close2": 1}, []),
        # Names may end with a unit that fits.
        ("service_min,open h,release_km,priority_s,dwell time 2 min", {"service": 0, "open": 1},
         [2, 3, 4]),
        # Of several names for an id, the first known one is meant; some are names of stops.
        ("customer,order,id,x", {"id": 2, "x": 3}, [0, 1]),
        ("customer,order", {"id": 1}, [0]),
        ("stop_id,name", {"id": 0, "name": 1}, []),
        ("order_id,Customer Name,lat", {"id": 0, "lat": 2, "name": 1}, []),
        ("customer_name,lat", {"id": 0, "lat": 1}, []),
        ("id,Kunde,Firma", {"id": 0, "name": 1}, [2]),
        # Load dimensions; a single amount says it all.
        ("demand_weight,Demand Volume (l),pickup1,demandunit,demand_m",
         {"demand_weight": 0, "demand_volume": 1, "pickup_1": 2, "demand_m": 4}, [3]),
        ("demand,demand_unit", {"demand": 0}, [1]),
        ("x2,2,demand_2_kg,break_start,open11,close0", {"demand_2_kg": 2}, [0, 1, 3, 4, 5]),
    ],
)  # fmt: skip
def test_columns_of_stops(header, of, unused):
    found = find(header)
    assert (found.of, found.unused) == (of, unused)


@pytest.mark.parametrize(
    ("header", "of"),
    [
        ("Shift", {"open": 0, "close": 0, "window": 0}),
        ("break_2_minutes", {"break_duration2": 0}),
        ("km,max_km,cost_per_km,speed_kmh", {"max_distance": 1, "distance_cost": 2, "speed": 3}),
        ("capacity-weight,capacity2", {"capacity_weight": 0, "capacity_2": 1}),
        ("Break 1 start,break_end1,lunch2,break_2_start,break 10 end",
         {"break_start": 0, "break_end": 1, "break_duration2": 2, "break_start2": 3,
          "break_end10": 4}),
        ("break11_start,break0", {}),
        ("vehicle,name", {"id": 0}),
    ],
)  # fmt: skip
def test_columns_of_a_fleet(header, of):
    assert find(header, FLEET).of == of


def test_units_of_headings_stand_apart():
    units = find("service_min,open_s,closes").endings
    assert {name: str(unit) for name, unit in units.items()} == {"service": "min", "open": "s"}


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("open,ready", "'open' and 'ready' both mean open; rename one of them"),
        ("window,open", "'open' and 'window' both mean open; rename one"),
        ("weight,Volume", "'weight' and 'Volume' both mean demand; .* demand_a and demand_b are"),
        ("lat,LAT", r"'lat' and 'LAT' both mean lat; rename one of them$"),
        ("Gewicht,Menge (Stk)", ".*; or leave one out: --ignore-columns Gewicht$"),
        ("demand_kg,demand kg", "'demand_kg' and 'demand kg' both mean demand_kg; rename one of t"),
        ("open2,ready 2", "'open2' and 'ready 2' both mean open2"),
    ],
)
def test_columns_that_mean_the_same_are_refused(header, said):
    with pytest.raises(InstanceError, match=rf"stops\.csv: row 1: {said}"):
        find(header)


@pytest.mark.parametrize(
    "cells", [["08:00", "9:30"], ["27.11.2026", ""], ["Main Street 8", "8 High Street"]]
)
def test_what_holds_times_or_words_is_no_load_dimension(cells):
    found = find("pickup_x,pickup_kg", rows="".join(f"{cell},4 kg\n" for cell in cells))
    assert (found.of, found.unused) == ({"pickup_kg": 1}, [0])


def test_a_column_of_numbers_is_no_name():
    found = find("id,Nombre", rows='1,12\n2,"7,5"\n3,\n')
    assert (found.of, found.unused) == ({"id": 0}, [1])


def test_long_names_take_no_long_time():
    assert FLEET.known(["(" * 100_000, "[" + ")(" * 50_000, "h " * 50_000]) == 0


def test_what_is_given_is_read_so_and_nothing_else_is_guessed():
    given = {"Last": "demand", "Dauer (h)": "service", "Halt min": "release", "PLZ": "ignore"}
    header = "no,Last,weight,Dauer (h),Halt min,PLZ"
    found = find(header, given=given)
    assert found.of == {"id": 0, "demand": 1, "service": 3, "release": 4}
    assert (found.unused, found.given) == ([2], {1, 3, 4, 5})
    assert found.titles[3] == "Dauer (h)"  # the heading has the unit
    assert str(found.endings["release"]) == "min"
    dimensions = find(header, given={"Last": "demand_kg", "no": "id"})
    assert dimensions.dimensions("demand") == {"kg": 1}
    both = {"demand": "demand", "demand_kg": "demand_kg"}
    assert find("demand,demand_kg", given={"demand_kg": "demand_kg"}).unused == [0]
    assert find("demand,demand_kg", given=both).unused == [1]
    assert find("demand_kg,Last", given={"Last": "demand_kg"}).unused == [0]
    with pytest.raises(InstanceError, match="'a' and 'b' both mean demand_kg"):
        find("a,b", given=dict.fromkeys("ab", "demand_kg"))
