"""Workbooks: cells as CSV would write them, and files that would be too large."""

import io
import warnings
import zipfile
from datetime import date, datetime, time, timedelta

import pytest

from tests.vrpcore.formats.sheets.books import ods_of
from vrpcore.errors import InstanceError, MissingExtraError
from vrpcore.formats.options import SheetOptions
from vrpcore.formats.read import read_instances
from vrpcore.formats.sheets import workbook
from vrpcore.formats.sheets.table import Exact, Formula
from vrpcore.formats.sheets.workbook import is_workbook, read_workbook

pytest.importorskip("python_calamine", reason="needs the extra sheets")
xlsxwriter = pytest.importorskip("xlsxwriter", reason="needs the extra sheets")

CELL = '<table:table-cell office:value-type="string"{}><text:p>{}</text:p></table:table-cell>'
ADVICE = "save it as CSV (in Excel: File, Save As, CSV UTF-8)"


def book(*rows, name="Stops", shown=""):
    """The bytes of a workbook with one sheet; times have the format `shown`."""
    data = io.BytesIO()
    with xlsxwriter.Workbook(data, {"in_memory": True}) as made:
        sheet = made.add_worksheet(name)
        form = made.add_format({"num_format": shown})
        for line, row in enumerate(rows):
            for column, value in enumerate(row):
                sheet.write(line, column, value, form)
    return data.getvalue()


def cells(data):
    """The cells of the first sheet."""
    return [row for _, row in read_workbook(data, "a.xlsx")[0].lines()]


def changed(data, part, old, new):
    """The same file with a part of it changed."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(made, "w") as target:
        for item in source.infolist():
            content = source.read(item)
            if item.filename == part:
                assert old in content
                content = content.replace(old, new)
            target.writestr(item.filename, content)
    return made.getvalue()


@pytest.mark.parametrize(
    ("value", "shown", "text"),
    [
        (7, "", "7"), (0.1 + 0.2, "", "0.3"), (1234567890123450, "", "1234567890123450"),
        (-1234567890123451, "", "-1234567890123451"), (1e300, "", "1e+300"),
        (1234567.125, "#,##0.00", "1234567.125"), ("08:00", "", "08:00"), (True, "", "true"),
        (time(8, 5), "hh:mm", "08:05"), (time(8, 5, 30), "hh:mm:ss", "08:05:30"),
        (time(0, 0), "hh:mm", "00:00"),
        (datetime(2026, 11, 27, 8, 30), "dd/mm/yyyy hh:mm", "2026-11-27T08:30"),
        (datetime(2026, 11, 27, 8, 30, 5), "dd/mm/yyyy hh:mm:ss", "2026-11-27T08:30:05"),
        (date(2026, 11, 27), "dd.mm.yyyy", "2026-11-27"),
        (timedelta(hours=25, minutes=30), "[h]:mm", "25:30"), (25.5 / 24, "hh:mm", "25:30"),
        (1.0, "hh:mm", "24:00"), (8.999999999 / 24, "hh:mm", "09:00"),
    ],
)  # fmt: skip
def test_cells_are_texts_as_csv_has_them(value, shown, text):
    ((found,),) = cells(book([value], shown=shown))
    assert found == text
    assert isinstance(found, Exact) is (type(value) in (int, float) and ":" not in text)


def test_rows_have_their_numbers_and_hidden_sheets_are_not_there():
    data = io.BytesIO()
    with xlsxwriter.Workbook(data, {"in_memory": True}) as made:
        made.add_worksheet("first").write(3, 0, "id")
        made.add_worksheet("none").hide()
        made.add_worksheet("last")
        chart = made.add_chart({"type": "line"})
        chart.add_series({"values": "=first!$A$4:$A$5"})
        made.add_chartsheet("chart").set_chart(chart)
    first, last = read_workbook(data.getvalue(), "a.xlsx")
    assert (first.name, last.name) == ("first", "last")
    assert list(first.lines()) == [(1, [""]), (2, [""]), (3, [""]), (4, ["id"])]
    assert list(last.lines()) == []


@pytest.mark.parametrize(("ranges", "wrong"), [(["D2:D9"], ""), (["C2:C3", "D2:D9"], "'7'")])
def test_what_is_merged_over_rows_is_refused_where_it_is_read(ranges, wrong):
    data = io.BytesIO()
    with xlsxwriter.Workbook(data, {"in_memory": True}) as made:
        sheet = made.add_worksheet()
        for row, values in enumerate((("x", "y", "demand", "Tour"), (1, 2), (3, 4), (5, 6))):
            sheet.write_row(row, 0, values)
        for each in ranges:
            sheet.merge_range(each, 7)
    options = SheetOptions(depot=(0, 0), capacity=(9,))
    (found,) = read_instances(data.getvalue(), sheet=options)
    if wrong:
        assert found.error == (
            "input: row 3, column demand: merged with cells above, '7'; split it, and write what "
            "each row has"
        )
    else:  # of what nothing reads, each row has it
        assert [row.cells[3] for row in found.origin.table.rows] == ["7"] * 3


def test_times_of_a_day_and_more_in_ods():
    cell = '<table:table-cell office:value-type="time" office:time-value="{}"/>'
    row = "".join(map(cell.format, ("PT24H00M00S", "PT25H30M10S", "PT08H30M00S")))
    tables = f'<table:table table:name="a"><table:table-row>{row}</table:table-row></table:table>'
    assert cells(ods_of(tables)) == [["24:00", "25:30:10", "08:30"]]


def test_a_cell_with_an_error_is_no_empty_one():
    data = io.BytesIO()
    with xlsxwriter.Workbook(data, {"in_memory": True}) as made:
        made.add_worksheet().write_formula(0, 0, "=1/0", None, "#DIV/0!")
    assert cells(data.getvalue()) == [["#DIV/0!"]]


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b"PK\x03\x04....[Content_Types].xml", True),
        (b"PK\x03\x04....mimetypeapplication/vnd.oasis.opendocument.spreadsheet", True),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", True),
        (b"PK\x03\x04....coords.npy", False),
        (b"id,lat", False),
    ],
)
def test_workbooks_are_recognized(head, found):
    assert is_workbook(head) is found


def refused(data):
    with pytest.raises(InstanceError) as caught:
        for tab in read_workbook(data, "a.xlsx"):
            list(tab.lines())
    return caught.value.code, str(caught.value)


def test_old_ones_and_those_with_a_password_are_refused():
    said = "a workbook of an old format, or with a password; save it as .xlsx without one, or "
    assert refused(b"\xd0\xcf\x11\xe0\xa1\xb1") == ("FORMAT", said + ADVICE)


def test_damaged_ones_are_refused():
    data = book(["id"])
    said = "a workbook that cannot be read (File is not a zip file); open it and save it again, or "
    assert refused(data[: len(data) // 2]) == ("FORMAT", said + ADVICE)
    sheet = "xl/worksheets/sheet1.xml"
    assert "mismatched tag" in refused(changed(data, sheet, b"</row>", b"</now>"))[1]
    typed = changed(data, sheet, b"<worksheet", b"<!DOCTYPE a><worksheet")
    assert "its XML has a document type" in refused(typed)[1]
    assert "'A0' is no cell" in refused(changed(data, sheet, b'r="A1"', b'r="A0"'))[1]
    broken = bytearray(data)
    at = data.index(b"\x00", data.index(b"xl/worksheets/sheet1.xml") + 60)
    broken[at : at + 40] = bytes(40)
    assert refused(bytes(broken))[0] == "FORMAT"
    lost = changed(data, "xl/workbook.xml", b"rId1", b"rId9")
    assert refused(lost)[0] == "FORMAT"


def test_parts_that_are_there_twice_are_refused():
    data = io.BytesIO(book(["id"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(data, "a") as archive:
            archive.writestr("xl/workbook.xml", "<a/>")
    assert "xl/workbook.xml is there twice" in refused(data.getvalue())[1]


def test_what_unpacks_to_too_much_is_not_unpacked(monkeypatch):
    picture = io.BytesIO(book(["id"]))
    with zipfile.ZipFile(picture, "a") as archive:
        archive.writestr("xl/media/image1.png", bytes(30_000))
    data = book(["id"], ["x" * 30_000])
    monkeypatch.setattr(workbook, "MAX_UNPACKED_BYTES", 20_000)
    assert cells(picture.getvalue()) == [["id"]]  # pictures do not count
    code, said = refused(data)
    assert code == "TOO_LARGE"
    assert said == f"a workbook that unpacks to more than 20000 bytes; split it, or {ADVICE}"
    monkeypatch.setattr(workbook, "MAX_UNPACKED_BYTES", 2**28)
    monkeypatch.setattr(workbook, "MAX_PARTS", 3)
    assert refused(data)[0] == "TOO_LARGE"


def test_cells_far_from_others_are_refused():
    data = io.BytesIO()
    with xlsxwriter.Workbook(data, {"in_memory": True}) as made:
        sheet = made.add_worksheet()
        sheet.write(0, 0, "id")
        sheet.write(1_048_575, 16_383, "x")
    code, said = refused(data.getvalue())
    assert code == "TOO_LARGE"
    assert said == (
        "a sheet with content in row 1048576 and in column 16384, of more than 5000000 cells; "
        "delete what stands far from the table"
    )
    empty = changed(book(["id"]), "xl/worksheets/sheet1.xml", b"</row>",
                    b'<c r="XFD1" s="1"/></row><row r="1048576"/>')  # fmt: skip
    assert cells(empty)[0] == ["id"]  # formats of empty cells are no content


@pytest.mark.parametrize("form", ["xlsx", "ods"])
def test_cells_that_share_a_long_text_are_refused(monkeypatch, form):
    if form == "xlsx":
        data = book(["id", "x"], *([["y" * 1000, 7]] * 50))
    else:
        text = "y" * 900 + '<text:s text:c="99"/><text:s/>'
        cell = CELL.format(' table:number-columns-repeated="5"', text)
        rows = f'<table:table-row table:number-rows-repeated="10">{cell}</table:table-row>'
        data = ods_of(f'<table:table table:name="a">{rows}</table:table>')
    assert len(cells(data)) in (51, 10)
    monkeypatch.setattr(workbook, "MAX_CHARACTERS", 49_999)
    code, said = refused(data)
    assert code == "TOO_LARGE"
    size = 50_003 if form == "xlsx" else 50_000
    assert said == (
        f"a workbook whose cells have {size} characters, more than 49999; delete long texts"
    )


def test_repeated_cells_of_ods_are_refused_where_they_are_too_many():
    one = CELL.format("", "id")
    row = "<table:table-row{}>{}</table:table-row>".format
    repeated = ' table:number-{}-repeated="{}"'.format
    table = '<table:table table:name="a">{}</table:table>'.format
    assert cells(ods_of(table(row("", one + CELL.format(repeated("columns", 3), "x"))))) == [
        ["id", "x", "x", "x"]
    ]
    blank = f"<table:table-cell{repeated('columns', 16_000)}/>"
    assert cells(ods_of(table(row("", one + blank)))) == [["id"]]
    for large in (
        row(repeated("rows", 1_000_000), one + one + one + one + one + one),
        row("", blank + one) * 400,
        row(repeated("rows", 1_000_000), blank) + row("", one * 6),
    ):
        assert refused(ods_of(table(large)))[0] == "TOO_LARGE"
    for wrong in ("2000000", "0", "-5"):
        code, said = refused(ods_of(table(row(repeated("rows", wrong), one))))
        assert (code, f"{wrong} equal rows or cells" in said) == ("FORMAT", True)


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"the workbook a\.xlsx needs the extra 'sheets'"):
        read_workbook(b"PK\x03\x04", "a.xlsx")


def sheet_xml(cell):
    """A workbook whose cell B2 is this XML."""
    data = book(["id", "demand"], ["a", 7])
    return changed(data, "xl/worksheets/sheet1.xml", b'<c r="B2" s="1"><v>7</v></c>', cell)


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        (b'<c r="B2"><f>A1*2</f><v>6</v></c>', "6"),
        (b'<c r="B2"><f>A1*2</f><v /></c>', "=A1*2"),
        (b'<c r="B2" t="n" s="0"><f>A1&amp;2</f></c>', "=A1&2"),
        (b'<c r="B2"><f t="shared" si="0"/><v></v></c>', "="),
        (b'<c r="B2" t="str"><f>A1*2</f><v>x</v></c>', "x"),
        (b'<c r="B2"><f>A1*2</f> <v> </v> </c>', "=A1*2"),
        (b'<c r="B2"><v /></c>', ""),
    ],
)
def test_formulas_without_a_saved_value(cell, found):
    data = changed(sheet_xml(cell), "xl/workbook.xml", b' fullCalcOnLoad="1"', b"")
    (_, text) = cells(data)[1]
    assert (text, isinstance(text, Formula)) == (found, found.startswith("="))


def test_a_value_of_0_counts_only_where_it_was_computed():
    data = sheet_xml(b'<c r="B2"><f>A1*2</f><v>0</v></c>')
    assert cells(data)[1][1] == Formula("=A1*2")  # as XlsxWriter leaves them
    assert cells(changed(data, "xl/workbook.xml", b' fullCalcOnLoad="1"', b""))[1][1] == "0"
    own = '<table:table-cell table:formula="of:=1+1"{}/>'
    table = '<table:table table:name="a"><table:table-row>{}</table:table-row></table:table>'
    value = ' office:value-type="float" office:value="2"'
    assert cells(ods_of(table.format(own.format("")))) == [["="]]
    assert cells(ods_of(table.format(own.format(value)))) == [["2"]]


@pytest.mark.parametrize(
    ("header", "table"),
    [
        ("id,x,y,demand", "stops"),
        ("id,x,y,close", "stops"),
        ("id,x,y,name", "stops"),
        ("id,x,y,capacity", "fleet"),
    ],
)
def test_such_a_formula_is_an_error_wherever_it_is_read(tmp_path, header, table):
    xml = b'<c r="D2"><f>A1*2</f></c>'
    data = book(header.split(","), ["a", 1, 1, 7])
    data = changed(data, "xl/worksheets/sheet1.xml", b'<c r="D2" s="1"><v>7</v></c>', xml)
    stops = data if table == "stops" else book(["id", "x", "y"], ["a", 1, 1])
    (tmp_path / "vans.xlsx").write_bytes(data)
    fleet = tmp_path / "vans.xlsx" if table == "fleet" else None
    depot, capacity = (None, None) if fleet else ((0, 0), (9,))
    how = SheetOptions(depot=depot, capacity=capacity, speed=1, fleet=fleet)
    (item,) = read_instances(stops, sheet=how)
    name = header.split(",")[3]
    assert item.error.endswith(
        f"row 2, column {name}: '=A1*2' is a formula without a saved value; compute and save the "
        "file"
    )
