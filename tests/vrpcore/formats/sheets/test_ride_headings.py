import pytest

from tests.vrpcore.formats.sheets.days import faults
from vrpcore.formats.sheets.sheet_columns import RIDES, STOPS
from vrpcore.formats.sheets.units import Measure


@pytest.mark.parametrize(
    ("heading", "field"),
    [
        ("pickup_lat", "pickup.lat"),
        ("Pick-up Longitude", "pickup.lon"),
        ("pickupLng", "pickup.lon"),
        ("dropoff_lat", "delivery.lat"),
        ("Destination X", "delivery.x"),
        ("lat_to", "delivery.lat"),
        ("pickup_start", "pickup.open"),
        ("latest delivery", "delivery.close"),
        ("Abholung von", "pickup.open"),
        ("Abholort-Breitengrad", "pickup.lat"),
        ("Zielort Längengrad", "delivery.lon"),
        ("Lieferzeitfenster", "delivery.window"),
        ("Abhol-Zeitfenster", "pickup.window"),
        ("Latitude départ", "pickup.lat"),
        ("longitud de entrega", None),
        ("entrega longitud", "delivery.lon"),
        ("ritiro latitudine", "pickup.lat"),
        ("bestemming breedtegraad", "delivery.lat"),
        ("origem latitude", "pickup.lat"),
        ("odbiór szerokość geograficzna", "pickup.lat"),
        ("delivery_max_wait", "delivery.max_wait"),
        ("max_ride", "max_ride"),
        ("from", "open"),
        ("from_service", None),
        ("window_to", "close"),
        ("pickup", None),
        ("delivery", "demand"),
        ("pickup_zip", None),
        ("passengers", "demand"),
    ],
)
def test_headings_of_the_ends_of_a_ride(heading, field):
    assert RIDES.meaning(heading)[0] == field


def test_the_end_that_a_heading_speaks_of_is_in_the_question():
    said = faults(
        "id,pickup_lat,pickup_lon,to_lat,to_lon,Requested Pickup Time,Arrival\n"
        "a,52.5,13.4,52.6,13.5,8:00,9:00\nb,52.5,13.4,52.6,13.5,8:30,9:10\n",
        depot=(52, 13),
        speed=30,
    )
    assert said[2].endswith("8:00, 8:30    pickup_open, pickup_close or pickup_window")
    assert said[3].endswith("9:00, 9:10    open, close or window")


def test_units_of_the_ends_of_a_ride():
    assert RIDES.meaning("pickup_service (s)") == ("pickup.service", None)  # as of any bracket
    assert RIDES.meaning("delivery service s") == ("delivery.service", Measure(time="s"))


@pytest.mark.parametrize(
    ("header", "has_rides"),
    [
        ("pickup_lat,pickup_lon,delivery_lat,delivery_lon", True),
        ("from_x,from_y,to_x,to_y", True),
        ("pickup_lat,pickup_lon,delivery_lat", False),
        ("pickup_lat,pickup_lon,delivery_x,delivery_y", False),
        ("lat,lon,delivery_lat,delivery_lon", False),
        ("start_lat,start_lon,end_lat,end_lon", False),  # which vehicles have
    ],
)
def test_rows_are_rides_where_both_ends_have_places(header, has_rides):
    assert RIDES.has_rides(iter(header.split(","))) is has_rides


def test_names_of_stops_mean_the_same_among_rides():
    assert {name: STOPS.meaning(name)[0] for name in STOPS.fields if name != "pickup"} == {
        name: RIDES.meaning(name)[0] for name in STOPS.fields if name != "pickup"
    }


def test_one_end_in_other_words_is_asked_about():
    said = " ".join(faults("id,pickup_x,pickup_y,x,y\na,1,2,3,4\n", depot=(0, 0), capacity=(9,)))
    assert "columns that nothing reads" in said and "pickup_x" in said


def test_a_misspelled_end_is_asked_about_as_people_write_it():
    head = "id,pickup_lat,pickup_lon,drop_lat,drop_lon,pickup_servcie"
    said = faults(f"{head}\na,52.5,13.4,52.6,13.5,1\n", depot=(52, 13))
    assert said[2].split()[-1] == "pickup_service"


def test_what_goes_to_the_depot_is_a_ride_to_it():
    rows = "id,pickup_lat,pickup_lon,drop_lat,drop_lon,pickup\na,52.5,13.4,52.6,13.5,1\n"
    said = faults(rows, depot=(52, 13))
    assert said[2].endswith("  rides to the depot, in rows of their own")
    said = faults(rows, columns={"stops": {"pickup": "pickup"}}, depot=(52, 13))
    assert said == [
        "input: row 1: 'pickup' is given as pickup, which a sheet of rides does not have: "
        "what goes to the depot is a ride to it"
    ]


def test_a_given_word_that_only_rides_have_is_refused():
    said = faults("id,x,y,n\na,1,2,3\n", columns={"stops": {"n": "pickup_x"}}, depot=(0, 0))
    assert said == ["input: row 1: 'n' is given as pickup_x, which only a sheet of rides has"]
