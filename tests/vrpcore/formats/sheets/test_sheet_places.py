import math

import pytest

from tests.vrpcore.formats.sheets.days import faults
from vrpcore.formats.sheets.sheet_places import PlaceParts


def translated(message):
    return PlaceParts().translated(message, "stops.csv")


def test_what_is_of_no_row_stays_as_it_is():
    assert translated("\0.customers[5].id: wrong") == "stops.csv[5].id: wrong"
    assert translated("\0.capacity: wrong") == "--capacity: wrong"
    assert translated("\0: wrong") == "stops.csv: wrong"
    assert translated("the sheet and customers[x]") == "the sheet and customers[x]"


@pytest.mark.parametrize(
    ("cells", "options", "said"),
    [
        ("1,1,1,-1", {}, "input: row 2, column demand: -1 is negative, expected at least 0"),
        ("1,1,1,0", {"capacity": (0,)}, "--capacity: 0 is not a positive number"),
        ("1,1,1,1", {"capacity": (-1,)}, "--capacity: -1 is negative, expected at least 0"),
        ("1,1,1,1", {"depot": (math.nan, 1)}, "--depot[0]: nan is not a finite number"),
    ],
)
def test_errors_of_the_whole_are_reported_by_row_and_column(cells, options, said):
    how = {"depot": (0, 0), "capacity": (9,), **options}
    (found,) = faults(f"id,x,y,demand\n{cells}\n", **how)
    assert found.startswith(said)


def test_a_depot_off_the_globe():
    said = "--depot: latitude 99, expected -90 to 90"
    assert faults("id,lat,lon\n1,5,1\n", depot=(99, 1), speed=9) == [said]
