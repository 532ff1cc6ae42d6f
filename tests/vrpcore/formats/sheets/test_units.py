import pytest

from tests.vrpcore.formats.sheets.days import faults, read

HOW = {"depot": (52, 13), "speed": 60}


def globe(column, cell):
    """An instance of one stop on the globe."""
    return f"id,lat,lon,{column}\n1,52.5,13.4,{cell}\n"


@pytest.mark.parametrize(
    ("name", "cell", "minutes"),
    [
        ("service (s)", "300", 5), ("Service [Seconds]", "90", 1.5), ("service (hours)", "2", 120),
        ("service (days)", "1", 1440), ("service (min.)", "7", 7), ("service (hh:mm)", "0:07", 7),
        ("service (h)", "0:07", 7), ("service_seconds", "300", 5), ("servicemin", "5", 5),
        ("service_minutes", "5", 5), ("duration_minutes", "5", 5), ("Stop time, hrs", "0.5", 30),
        ("service_s", "300", 5), ("service_min (min)", "5", 5), ("service", "05", 5),
    ],
)  # fmt: skip
def test_services_are_minutes(name, cell, minutes):
    found = read(globe(f'"{name}"', cell), **HOW)
    assert found.own_constraints.service == [minutes]


@pytest.mark.parametrize(
    ("name", "cell", "minutes"),
    [
        ("open (h)", "8.5", 510),
        ("von (Sek.)", "30600", 510),
        ("von (heures)", "8.5", 510),
        ("open (HH:MM)", "8:30", 510),
        ("ready time (UTC)", "8:30", 510),
    ],
)
def test_times_of_day(name, cell, minutes):
    assert read(globe(name, cell), **HOW).own_constraints.windows[0][0][0] == minutes


@pytest.mark.parametrize(
    ("name", "cell", "get", "expected"),
    [
        ("speed (mph)", "30", lambda van: van.speed, 48.28032),
        ("speed_mph", "30", lambda van: van.speed, 48.28032),
        ("mph", "30", lambda van: van.speed, 48.28032),
        ("Speed [m/s]", "10", lambda van: van.speed, 36),
        ("speed kmh", "30", lambda van: van.speed, 30),
        ("max_distance (miles)", "10", lambda van: van.max_distance, 16093.44),
        ("max_miles", "10", lambda van: van.max_distance, 16093.44),
        ("max_distance_m", "10", lambda van: van.max_distance, 10),
        ("distance_cost (EUR/mi)", "1.609344", lambda van: van.distance_cost, 0.001),
        ("cost_per_km", "2", lambda van: van.distance_cost, 0.002),
        ("cost per mile", "1.609344", lambda van: van.distance_cost, 0.001),
        ("duration_cost (EUR per hour)", "60", lambda van: van.duration_cost, 1),
        ("cost_per_min", "2", lambda van: van.duration_cost, 2),
        ("cost_per_hour (EUR)", "60", lambda van: van.duration_cost, 1),
        ("max_duration (h)", "8", lambda van: van.max_duration, 480),
        ("max_driving_hours", "8", lambda van: van.max_travel_time, 480),
        ("capacity (kg)", "8", lambda van: van.capacity, (8,)),
    ],
)
def test_fleets(name, cell, get, expected):
    stops, fleet = globe("demand [kgs]", 0), f"id,cap,{name}\nv,9,{cell}\n"
    fleet = fleet if "capacity" not in name else f"id,{name}\nv,{cell}\n"
    (van,) = read(stops, fleet, **HOW).own_constraints.vehicles
    assert get(van) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("service (km)", "'km' is not a unit of it; known are s, min, h, d; or write cells like"),
        ("service (m)", "'m' is not a unit of it; known are s, min, h, d"),
        ("service (weeks)", "'weeks' is not a unit of it; known are s, min, h, d"),
        ("service (mm:ss)", "'mm:ss' is not a unit of it"),
        ("service_min (s)", "two units, min and s; leave one"),
        ("open (km)", "'km' is not a unit of it"),
        ("open (hhmm)", "'hhmm' is not a unit of it; known are s, min, h, d; or write cells like"),
    ],
)
def test_units_that_do_not_fit_are_errors_by_column(name, said):
    (found,) = faults(globe(name, 60), **HOW)
    assert found.startswith(f"input: row 1, column {name}: {said}")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("speed (kn)", "'kn' is not a unit of it; known are km/h, mi/h, m/s"),
        ("max_distance (ft)", "'ft' is not a unit of it; known are m, km, mi"),
        ("distance_cost (EUR/h)", "'EUR/h' is not a unit of it; known are /m, /km, /mi"),
        ("cost_per_hour (EUR/min)", "'EUR/min' is not a unit of it; known are /h"),
    ],
)
def test_units_of_a_fleet_that_do_not_fit(name, said):
    (found,) = faults(globe("note", 1), f"id,{name}\nv,1\n", **HOW)
    assert found == f"vans.csv: row 1, column {name}: {said}"


def test_without_units_those_of_all_headings_are_the_same():
    stops = "id,x (km),y (km),service (min),open (min)\n1,1,1,5,8\n"
    found = read(stops, "id,max_distance (km),note\nv,9,1\n", depot=(0, 0))
    (van,) = found.own_constraints.vehicles
    assert (found.own_constraints.service, van.max_distance) == ([5], 9)
    assert faults(stops, "id,speed (km/h)\nv,9\n", depot=(0, 0)) == [
        "vans.csv: row 1, column speed (km/h): the unit h, but min in input: row 1, column "
        "service (min); x and y have no units that these could become, so use one"
    ]
    (said,) = faults(stops, "id,max_distance (m)\nv,9\n", depot=(0, 0))
    assert said.startswith("vans.csv: row 1, column max_distance (m): the unit m, but km in input")
    assert read("id,x,y,service (ticks)\n1,1,1,5\n", depot=(0, 0)).own_constraints.service == [5]


def test_a_unit_of_one_heading_is_that_of_those_without():
    stops = "id,x,y,service\n1,1,1,5\n"
    found = read(stops, "id,speed_kmh\nv,30\n", depot=(0, 0)).origin.notes
    assert list(found) == [
        "vans.csv: row 1, column speed_kmh: the unit km, so that of input: row 1, column x, too",
        "vans.csv: row 1, column speed_kmh: the unit h, so that of input: row 1, column service, "
        "too",
    ]
    assert read(stops, depot=(0, 0)).origin.notes == []


def test_clock_times_make_minutes_of_a_plane():
    stops = "id,x,y,service (s),close\n1,1,1,300,9:00\n"
    found = read(stops, "id,speed (m/s)\nv,10\n", depot=(0, 0)).own_constraints
    assert found.service == [5]
    assert found.speed * found.vehicles[0].speed == pytest.approx(600)  # a minute
