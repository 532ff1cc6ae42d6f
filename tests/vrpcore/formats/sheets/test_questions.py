import pytest

from tests.vrpcore.formats.sheets.days import faults, read

DEGREES = "id,X,Y,close\na,13.40,52.55,8:05\nb,13.75,52.50,8:10\nc,13.05,52.52,8:15\n"


@pytest.mark.parametrize(
    "names", ["start_lat,start_lon,end_lat,end_lon", "pickup_lat,pickup_lon,to_coord,zone"]
)
def test_two_places_in_one_row_that_have_other_names(names):
    (said,) = faults(
        f"order,priority,prize,service,{names}\n1,2,,,52.5,13.4,52.6,13.5\n",
        depot=(52, 13),
        speed=30,
    )
    first, _, second, _ = names.split(",")
    assert said == (
        f"input: row 1: '{first}' and '{second}': two places in one row; a ride has pickup_lat, "
        "pickup_lon, delivery_lat and delivery_lon: rename the columns, or say so with "
        "--columns FILE"
    )
    means = {"stops": dict.fromkeys(names.split(","), "ignore")}
    found = read(f"order,lat,lon,{names}\n1,52,13,,,,\n", depot=(52, 13), columns=means)
    assert found.num_customers == 1
    ends = ("pickup_lat", "pickup_lon", "delivery_lat", "delivery_lon")
    means = {"stops": dict(zip(names.split(","), ends, strict=True))}
    rides = f"order,{names}\n1,52.5,13.4,52.6,13.5\n"
    assert read(rides, depot=(52, 13), columns=means).ids == ("1:pickup", "1:delivery")


@pytest.mark.parametrize(
    ("head", "cells", "said"),
    [
        ("Breite,Länge", "52.5,13.4", "'Breite' and 'Länge' may be, rename them or say so with"),
        ("a_latitud,a_longitud", "52.5,13.4", "'a_latitud' and 'a_longitud' may be"),
        ("Geo", '"52.5, 13.4"', "'Geo' has both in one cell, write two columns"),
        ("where", "POINT(13.4 52.5)", "'where' has both in one cell, write two columns"),
        ("Straße", "Weg 3", "addresses cannot be looked up"),
    ],
)
def test_places_under_other_names_are_named(head, cells, said):
    found = faults(f"id,{head}\n1,{cells}\n", depot=(52, 13))
    assert f"row 1: no columns lat and lon, or x and y; {said}" in found[-1]


def test_degrees_in_x_and_y_are_asked_about():
    how = {"depot": (13.38, 52.52), "speed": 30}
    (said,) = faults(DEGREES, **how)
    assert said == (
        "input: row 1: 'X' and 'Y' look like degrees; call them lon and lat if they are, or say "
        "with --columns FILE that they are x and y"
    )
    assert read(DEGREES, **how, columns={"stops": {"X": "x", "Y": "y"}}).num_customers == 3
    lengths = DEGREES.replace("close", "phone")
    assert read(lengths, depot=(13.38, 52.52), ignore_columns=["rest"]).num_customers == 3
    for other in (("13.75", "43.75"), ("52.5", "2.5"), ("52.5", "252.5")):
        assert read(DEGREES.replace(*other), **how).num_customers == 3


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ("800,1000 ,1730", "1730 looks like 17:30; write 17:30"),
        ("800,1000 ,1200", "1200 looks like 12:00; write 12:00"),
        ("540,1000 ,", None),  # which would be 5:40
        ("800,1000 ,1760", None),
        ("800,1000 ,1025", None),
        ("800,1000 ,2930", None),
        ("8.00,10.00 ,17.30", "17.30 looks like 17:30; write 17:30"),
        ("8.00,10.00 ,17.60", None),
        ("8.00,10.00 ,17.3", None),
        ("8.00,10.00 ,29.30", None),
        ("0.375,.5 ,0.729166666666667", "0.729166666666667 looks like 17:30; write 17:30"),
        ("8,12 ,17.5", "17.5 looks like 17:30; write 17:30"),
        ("8,12 ,50", None),
        ("8,12 ,20,26", "26 looks like 26:00; write 26:00"),
        ("0,1200 ,800,1730", "1730 looks like 17:30; write 17:30"),
        ("0,1440 ,0", None),
        ("28800,36000 ,,", "36000 would be 25 days after it; write 08:30"),
        ("46353.3541 ,,", "46353.3541 would be 32 days after it; write 08:30"),
        ("83000, ,,100000", "100000 would be 69 days after it; write 08:30"),
    ],
)
def test_minutes_that_look_like_times_of_day_are_asked_about(cells, said):
    one, other = cells.split()
    stops, how = (
        f"id,lat,lon,open,close\n1,1,1,{one}\n2,1,1{other}\n",
        {"depot": (0, 0), "speed": 9},
    )
    if said is None:
        assert read(stops, **how).origin.notes == []
        return
    whole = f"input: numbers are minutes after midnight here, and {said}, or name the unit in the "
    assert faults(stops, **how) == [f"{whole}heading: open (min)"]
    assert read(stops.replace("open,close", "open (min),close (min)"), **how).own_constraints


def test_windows_of_hours_are_asked_about():
    window = "id,lat,lon,window\n1,1,1,8-12\n2,1,1,9 to 17\n"
    assert "and 17 looks like 17:00; write 17:00" in faults(window, depot=(0, 0), speed=9)[0]
