"""Which sheet of a workbook is meant, and what begins like a spreadsheet."""

import io

import pytest

from tests.vrpcore.formats.sheets.days import read
from vrpcore.errors import InstanceError, OutputError
from vrpcore.formats.files import ByteReader
from vrpcore.formats.options import Reading, SheetOptions
from vrpcore.formats.read import read_instances, read_sources
from vrpcore.formats.sheets.opened import (
    is_answer,
    is_sheet,
    open_answer,
    open_fleet,
    open_stops,
    table_kinds,
)
from vrpcore.formats.sheets.sheet_columns import FLEET as FLEET_KNOWN
from vrpcore.formats.sheets.sheet_columns import STOPS as STOPS_KNOWN

pytest.importorskip("python_calamine", reason="needs the extra sheets")
xlsxwriter = pytest.importorskip("xlsxwriter", reason="needs the extra sheets")

STOPS = [["id", "lat", "lon", "demand", "open"], [1, 52.5, 13.4, 2, "08:00"]]
FLEET = [["id", "capacity", "speed", "shift", "lat", "lon"], ["van", 9, 30, "8:00-9:00", 52, 13]]
NOTES = [["Tour plan"], ["of", "today"]]


def book(**sheets):
    data = io.BytesIO()
    with xlsxwriter.Workbook(data, {"in_memory": True}) as made:
        for name, rows in sheets.items():
            sheet = made.add_worksheet(name)
            for line, row in enumerate(rows):
                sheet.write_row(line, 0, row)
    return data.getvalue()


def stops(data):
    return open_stops(ByteReader(iter([data]), "input", None))


def test_the_first_sheet_with_known_headings_is_read():
    data = book(Empty=[], Notes=NOTES, Orders=STOPS, Old=STOPS)
    found = stops(data)
    assert found.rows == [(2, ["1", "52.5", "13.4", "2", "08:00"])]
    assert found.delimiter == ""
    assert found.marked
    assert found.notes == ["input: the sheet 'Orders' is read, not the sheets 'Notes', 'Old'"]
    assert stops(book(Orders=STOPS)).notes == []


def test_stops_and_vehicles_of_one_workbook(tmp_path):
    path = tmp_path / "day.xlsx"
    path.write_bytes(book(Vans=FLEET, Orders=STOPS))
    (found,) = read_instances(path, sheet=SheetOptions(fleet=str(path)))
    assert (found.num_customers, found.own_constraints.vehicles[0].id) == (1, "van")
    assert found.origin.notes == [
        f"{path}: the sheet 'Orders' is read, not the sheet 'Vans'",
        f"{path}: the sheet 'Vans' is read, not the sheet 'Orders'",
    ]


def test_the_first_heading_may_have_two_lines():
    found = read('"Stop\r\nno";lat;lon\r\na,b;52;13\r\n', depot=(52, 13))
    assert found.ids == ("a,b",)
    assert is_sheet(b'"Stop\nno";lat;lon\n1;52;13\n')


def test_rows_above_the_heading_may_be_blank():
    found = stops(book(Orders=[[], [""], *STOPS]))
    assert found.first_row == 3
    assert found.rows[0].number == 4


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            book(Notes=NOTES, Other=[["foo"]]),
            "the first row of the sheets 'Notes', 'Other': no column is known; the first row must "
            "name them: some of id, name",
        ),
        (book(Empty=[]), "a workbook without content"),
        (
            b"PK\x03\x04\0\0.[Content_Types].xml.",
            "a workbook that cannot be read (File is not a zip",
        ),
        (
            b"id,x,y,demand\n\x81,1,1,2\n",
            "line 2: neither UTF-8 nor Windows-1252 (byte 0x81); save",
        ),
        (
            book(Orders=[*STOPS, [1, 2, 3, 4, 5, "beside"]]),
            "row 3: 6 cells, but the first row names 5 columns; name the columns of all cells, "
            "or delete what stands next to the table",
        ),
    ],
)
def test_files_without_a_table_are_refused(data, said):
    with pytest.raises(InstanceError) as caught:
        stops(data)
    assert str(caught.value).startswith(f"input: {said}")


def test_numbers_of_a_workbook_are_certain_whatever_texts_show():
    rows = [["id", "lat", "lon", "demand"], [1, 52.125, 13.5, 1.125], [2, 52.25, 13.5, "2,5"]]
    how = SheetOptions(depot=(52, 13), capacity=(9.0,))
    (found,) = read_instances(book(Orders=rows), sheet=how)
    assert found.demand.tolist() == [0, 1.125, 2.5]


def test_an_answer_is_the_sheet_that_is_headed_like_one():
    with pytest.raises(InstanceError) as caught:
        open_answer(ByteReader(iter([book(Orders=STOPS, Vans=FLEET)]), "input", None))
    assert "no sheet is headed like an answer (found the sheets 'Orders', 'Vans'); give the" in (
        str(caught.value)
    )


@pytest.mark.parametrize(
    ("head", "kinds"),
    [
        ("id,lat,lon,demand,open,close\n", ["stops"]),
        ("id,count,capacity,lat,lon,open,close,speed\n", ["fleet"]),
        ("id;x;y\n1;2;3\n", ["stops"]),
        ("Fahrzeug;Kapazit\xe4t;Schichtbeginn\n", ["fleet"]),
        ("vehicle,capacity [kg],cost per km\n", ["fleet"]),
        (",".join(STOPS_KNOWN.fields), ["stops"]),
        (",".join(FLEET_KNOWN.fields), ["fleet"]),
        ("hello,world\n", []),
        ("25\t200\t1\n", []),
        ("", []),
    ],
)
def test_what_a_file_lists_is_told_by_its_columns(head, kinds):
    for data in (head.encode(), head.encode("utf-16")):
        assert table_kinds(ByteReader(iter([data]), "input", None)) == kinds


def test_what_the_sheets_of_a_workbook_list():
    data = book(Vans=FLEET, Notes=NOTES, Orders=STOPS)
    assert table_kinds(ByteReader(iter([data]), "input", None)) == ["fleet", "stops"]


@pytest.mark.parametrize(
    ("head", "stops", "answer"),
    [
        (b"id,lat,lon\n", True, False),
        (b"\n\nName;Latitude;Longitude;phone\r\n", True, False),
        (b"x\ty", True, False),
        (b"// id, x, y\n", True, False),
        (b'"instance";"route"\n', False, True),
        (b"id;instance;route\n", False, True),
        (b"instances,route\n", False, False),
        (b"id,address\n", False, False),
        (b"NAME : A-n32-k5\nDEMAND,DEPOT\n", False, False),
        (b"25\t200\t1\n0\t40\t50\t0\n", False, False),
        (b"\xff\xfei\0d\0", False, False),
        (b'"', False, False),
        (b"", False, False),
        (book(Orders=STOPS)[:4096], True, True),
    ],
)
def test_what_begins_like_stops_or_answers(head, stops, answer):
    assert (is_sheet(head), is_answer(head)) == (stops, answer)


def test_options_beside_other_formats_are_refused():
    reading = Reading(sheet=SheetOptions(speed=2))
    for source in ([], b"NAME : a\nTYPE : CVRP\nDIMENSION : 1\n"):
        (error,) = read_sources(source, reading=reading).errors
        assert error.code == "CONFLICT"


def test_a_fleet_that_is_not_there():
    with pytest.raises(OutputError, match=r"none\.csv: cannot be read"):
        open_fleet("none.csv")
