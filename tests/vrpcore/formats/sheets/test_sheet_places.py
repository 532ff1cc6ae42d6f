import pytest

from tests.vrpcore.formats.sheets.days import faults
from vrpcore.formats.sheets.sheet_places import Parts


def translated(message):
    return Parts().translated(message, "stops.csv")


def test_what_is_of_no_row_stays_as_it_is():
    assert translated("\0.customers[5].id: wrong") == "stops.csv[5].id: wrong"
    assert translated("\0.capacity: wrong") == "--capacity: wrong"
    assert translated("\0: wrong") == "stops.csv: wrong"
    assert translated("the sheet and customers[x]") == "the sheet and customers[x]"


@pytest.mark.parametrize(
    ("stops", "options", "said"),
    [
        (
            "id,x,y,demand\n1,1,1,2\n\n1,1,1,2\n",
            {},
            "input: row 4, column id: duplicate id '1', also in row 2",
        ),
        ("id,x,y,demand\n1,1,1,12\n", {}, "input: row 2, column demand: 12 exceeds capacity 9"),
        ("id,x,y,demand\n1,1,1,1\n", {"capacity": (0,)}, "--capacity: 0 is not a positive number"),
        (
            "id,x,y,demand\n1,1,1,1\n",
            {"depot": (float("nan"), 1)},
            "--depot[0]: nan is not a finite number",
        ),
        (
            "id,lat,lon\n1,95,1\n",
            {"capacity": None, "speed": 9},
            "input: row 2, column lat: 95, expected -90 to 90; are lat and lon exchanged?",
        ),
        (
            "id,lat,lon\n1,5,1\n",
            {"capacity": None, "speed": 9, "depot": (99, 1)},
            "--depot: latitude 99, expected -90 to 90",
        ),
    ],
)
def test_errors_of_the_whole_are_reported_by_row_and_column(stops, options, said):
    assert faults(stops, **{"depot": (0, 0), "capacity": (9,), **options}) == [said]
