import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.sheets.sheet_columns import FLEET, STOPS, Columns
from vrpcore.formats.sheets.table import Faults, parse_table


def find(header, vocabulary=STOPS, *more):
    faults = Faults()
    found = Columns(parse_table(f"{header}\n", ",", "stops.csv", 1), vocabulary, faults, *more)
    faults.check()
    return found


def test_a_window_in_one_column_is_both_its_times():
    assert find("Time Window,slot 2").of == {
        "open": 0, "close": 0, "window": 0, "open2": 1, "close2": 1, "window2": 1,
    }  # fmt: skip
    assert find("Shift", FLEET).of == {"open": 0, "close": 0, "window": 0}
    with pytest.raises(InstanceError, match=r"'open' and 'window' both mean open; rename one"):
        find("window,open")


def test_names_may_end_with_a_unit_that_fits():
    found = find("service_min,open h,demand_m,release_km,priority_s,dwell time 2 min")
    assert found.of == {"service": 0, "open": 1}
    units = {name: str(unit) for name, unit in found.endings.items()}
    assert units == {"service": "min", "open": "h"}
    assert found.amounts == {"demand": {"m": 2}}
    assert found.unused == [3, 4, 5]
    assert str(find("open_s").endings["open"]) == "s"
    assert find("opens").endings == {}
    assert find("break_2_minutes", FLEET).of == {"break_duration2": 0}
    found = find("km,max_km,cost_per_km,speed_kmh", FLEET).of
    assert found == {"max_distance": 1, "distance_cost": 2, "speed": 3}


def test_of_several_names_for_an_id_the_first_known_one_is_meant():
    found = find("customer,order,id,x")
    assert found.of == {"id": 2, "x": 3}
    assert found.unused == [0, 1]
    assert find("customer,order").of == {"id": 1}


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("open,ready", "'open' and 'ready' both mean open; rename one of them"),
        ("weight,Volume", "'weight' and 'Volume' both mean demand; .* demand_a and demand_b are"),
        ("lat,LAT", r"'lat' and 'LAT' both mean lat; rename one of them$"),
        ("Gewicht,Menge (Stk)", ".*; or leave one out: --ignore-columns Gewicht$"),
        ("open2,ready 2", "'open2' and 'ready 2' both mean open2"),
    ],
)
def test_columns_that_mean_the_same_are_refused(header, said):
    with pytest.raises(InstanceError, match=rf"stops\.csv: row 1: {said}"):
        find(header)


def test_load_dimensions():
    found = find("demand_weight,Demand Volume (l),pickup1,demandunit")
    assert found.amounts == {"demand": {"weight": 0, "volume": 1}, "pickup": {"1": 2}}
    assert found.unused == [3]
    found = find("demand,demand_unit")  # a single one says it all
    assert (found.of, found.amounts, found.unused) == ({"demand": 0}, {}, [1])
    assert find("capacity-weight,capacity2", FLEET).amounts == {"capacity": {"weight": 0, "2": 1}}


@pytest.mark.parametrize(
    "cells", [["08:00", "9:30"], ["27.11.2026", ""], ["Main Street 8", "8 High Street"]]
)
def test_what_holds_times_or_words_is_no_load_dimension(cells):
    rows = "".join(f"{cell},4 kg\n" for cell in cells)
    table = parse_table(f"pickup_x,pickup_kg\n{rows}", ",", "stops.csv", 1)
    found = Columns(table, STOPS, Faults())
    assert (found.amounts, found.unused) == ({"pickup": {"kg": 1}}, [0])


def test_breaks_and_windows_have_their_number_anywhere():
    found = find("Break 1 start,break_end1,lunch2,break_2_start,break 10 end", FLEET).of
    assert list(found) == [
        "break_start", "break_end", "break_duration2", "break_start2", "break_end10",
    ]  # fmt: skip
    assert find("window2_start,tw_2_end").of == {"open2": 0, "close2": 1}
    assert find("x2,2,demand_2_kg,break_start,open11,close0").of == {}
    assert find("break11_start,break0", FLEET).of == {}


def test_long_names_take_no_long_time():
    assert FLEET.known(["(" * 100_000, "[" + ")(" * 50_000, "h " * 50_000]) == 0


def test_columns_that_are_to_be_ignored_are_not_read():
    found = find("id,weight,Volume (m3),x", STOPS, {"volume"})
    assert found.of == {"id": 0, "demand": 1, "x": 3}
    assert found.unused == []


def test_what_is_given_is_read_so_and_nothing_else_is_guessed():
    given = {"Last": "demand", "Dauer (h)": "service", "Halt min": "release", "PLZ": "ignore"}
    header = "no,Last,weight,Dauer (h),Halt min,PLZ"
    found = find(header, STOPS, (), given)
    assert found.of == {"id": 0, "demand": 1, "service": 3, "release": 4}
    assert (found.unused, found.given) == ([2], {1, 3, 4, 5})
    assert found.titles[3] == "Dauer (h)"  # the heading has the unit
    assert str(found.endings["release"]) == "min"
    dimensions = find(header, STOPS, (), {"Last": "demand_kg", "no": "id"})
    assert dimensions.amounts == {"demand": {"kg": 1}}


def test_names_of_stops_stand_beside_their_ids():
    assert find("stop_id,name").of == {"id": 0, "name": 1}
    assert find("order_id,Customer Name,lat").of == {"id": 0, "lat": 2, "name": 1}
    assert find("customer_name,lat").of == {"id": 0, "lat": 1}
    found = find("id,Kunde,Firma")
    assert (found.of, found.unused) == ({"id": 0, "name": 1}, [2])
    assert find("vehicle,name", FLEET).of == {"id": 0}


def test_a_column_of_numbers_is_no_name():
    table = parse_table("id;Nombre\n1;12\n2;7,5\n3;\n", ";", "stops.csv", 1)
    found = Columns(table, STOPS, Faults())
    assert (found.of, found.unused) == ({"id": 0}, [1])
