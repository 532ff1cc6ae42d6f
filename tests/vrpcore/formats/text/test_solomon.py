import pytest

from tests.vrpcore.formats.json.refusals import refusal
from vrpcore.cost.timeline import Timeline
from vrpcore.errors import InstanceError
from vrpcore.formats.text.solomon import read_solomon
from vrpcore.instance.plan import Route

TEXT = """C101

VEHICLE
NUMBER     CAPACITY
  25         200

CUSTOMER
CUST NO.  XCOORD.   YCOORD.    DEMAND   READY TIME  DUE DATE   SERVICE   TIME

    0      0          0          0          0        100          0
    1      3          4         10         20         30          7
    2      3          0         20          0         50.5        8
"""


def test_by_hand():
    found = read_solomon(TEXT, "file")
    assert (found.name, found.capacity, found.max_vehicles, found.ids) == ("C101", 200, 25, (1, 2))
    assert found.coords.tolist() == [[0, 0], [3, 4], [3, 0]]
    assert found.demand.tolist() == [0, 10, 20]
    constraints = found.own_constraints
    assert constraints.windows.tolist() == [[[20, 30]], [[0, 50.5]]]
    assert constraints.service.tolist() == [7, 8]
    assert constraints.depots[0].window == (0, 100)
    assert (constraints.listed_vehicles, constraints.listed_amounts, constraints.num_shipments) == (
        False,
        False,
        0,
    )
    # Leaves at 15, waits for nothing, is at 2 at 20 + 7 + 4 and back at 31 + 8 + 3.
    schedule = Timeline(found).schedule(Route(0, (1, 2)))
    assert (schedule.departure, schedule.begins, schedule.end) == (15, (20, 31), 42)
    assert schedule.cost == 12


def test_layout_does_not_matter():
    text = "\n\n" + TEXT.replace("C101\n\n", "").replace("\n", "\r\n\r\n")
    assert read_solomon(text, "file").name == "file"
    assert read_solomon(text, "file").ids == (1, 2)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("VEHICLE\n", "LORRY\n", "line 3: 'LORRY', expected 'VEHICLE'"),
        ("NUMBER", "COUNT", "line 4: 'COUNT     CAPACITY', expected 'NUMBER CAPACITY'"),
        ("  25  ", "  0  ", "line 5: number: 0, expected a whole number of at least 1"),
        ("  25  ", "  1.5  ", "line 5: number: 1.5, expected a whole number of at least 1"),
        ("200", "0", "line 5: capacity: 0 is not a positive number"),
        ("200", "200 1", "line 5: 3 columns, expected 2 (number capacity)"),
        ("CUSTOMER", "CLIENTS", "line 7: 'CLIENTS', expected 'CUSTOMER'"),
        ("CUST NO.", "NO.", "line 8: 'NO.  XCOORD."),
        ("    0      0  ", "    9      0  ", "line 10: row 9, expected row 0, the depot"),
        ("     0        100", "     0        x", "line 10: close: 'x' is not a finite number"),
        ("20         30", "40         30", "line 11: open: opens at 40, after it closes at 30"),
        ("  10  ", "  201  ", "line 11: demand: 201 exceeds capacity 200"),
        (
            "  10  ",
            "  -1  ",
            "line 11: demand: -1 is negative, expected at least 0; what is ",
        ),
        ("    2      3", "    1      3", "line 12: number 1 is also on line 11"),
        (" 50.5 ", " 50.5 4 ", "line 12: 8 columns, expected 7"),
        (" 50.5 ", " inf ", "line 12: close: 'inf' is not a finite number"),
        ("        8\n", "", "line 12: 6 columns, expected 7"),
    ],
)
def test_each_error_by_its_message(old, new, message):
    assert refusal(read_solomon, TEXT, old, new).startswith(message)


def test_cut_files():
    with pytest.raises(InstanceError, match="CUSTOMER: no rows, expected row 0, the depot"):
        read_solomon(TEXT[: TEXT.index("    0 ")], "file")
    with pytest.raises(InstanceError, match=r"line 4: the file ends, expected numbers: number"):
        read_solomon(TEXT[: TEXT.index("  25")], "file")
