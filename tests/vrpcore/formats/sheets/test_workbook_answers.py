"""Answers as workbooks: what their cells hold, and the same read again."""

import csv
import io
import zipfile
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.vrpcore.formats.sheets.books import Book, xlsx
from tests.vrpcore.formats.sheets.days import read
from vrpcore.api import Solver
from vrpcore.errors import MissingExtraError
from vrpcore.formats.options import SheetOptions
from vrpcore.formats.read import read_instances
from vrpcore.formats.sheets import workbook_answers
from vrpcore.formats.sheets.sheet_columns import PLAN
from vrpcore.formats.sheets.workbook_answers import rows_of, write_workbook
from vrpcore.formats.solutions import read_solutions, with_own_ids
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.solution import RouteReport, RouteSchedule, Solution
from vrpcore.referee.referee import check_solution

calamine = pytest.importorskip("python_calamine", reason="needs the extra sheets")
pytest.importorskip("xlsxwriter", reason="needs the extra sheets")

STOPS = (
    "id;name;lat;lon;demand;open;note;zip\n"
    "7;Miller;52,51;13,40;2,5;08:00;=1+1;0123\n"
    "8;Meier;52,52;13,42;3;2:30 PM;;12345678901234\n"
)
TEXTS = st.text("0123456789.,:-+ hHuUrRapmMeE'=", min_size=1, max_size=10)
TEXTS = TEXTS.map(str.strip).filter(bool)
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c020000000b4944415478da6364f8"
    "0f00010501012718e3660000000049454e44ae426082"
)


def solved(item):
    (answer,) = Solver(device="cpu").solve([item])
    return answer


def opened(data):
    """A workbook as another program reads it."""
    openpyxl = pytest.importorskip("openpyxl", reason="needs a second reader of workbooks")
    return openpyxl.load_workbook(io.BytesIO(data))


def values(data, name="plan"):
    """The rows of a sheet as dictionaries."""
    book = calamine.load_workbook(io.BytesIO(data))
    heading, *rows = book.get_sheet_by_name(name).to_python()
    return [dict(zip(heading, row, strict=True)) for row in rows]


def sheets(data):
    book = opened(data)
    return {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in book}


@pytest.fixture
def day():
    fleet = "id;capacity;open;speed\nvan: a/b;9;07:00;30\n"
    return read(STOPS, fleet, depot=(52.50, 13.38))


def test_cells_have_their_kinds(day):
    found = sheets(write_workbook([rows_of(day, solved(day))], None))
    assert list(found) == ["plan", "1 van  a b"]
    heading, *stops = found["plan"]
    first, second = sorted(stops, key=lambda row: row[0])
    assert heading == (*STOPS.splitlines()[0].split(";"), *PLAN)
    first, second = (dict(zip(heading, row, strict=True)) for row in (first, second))
    assert (first["id"], first["lat"], first["demand"]) == (7, 52.51, 2.5)
    assert (first["open"], second["open"]) == (timedelta(hours=8), timedelta(hours=14.5))
    assert first["note"] == "=1+1"
    assert (first["zip"], second["zip"]) == ("0123", "12345678901234")
    assert isinstance(first["distance"], float)
    title, _, names, *stops = found["1 van  a b"]
    parts = title[0].split(" · ")
    assert parts[0] == "1 van: a/b"
    assert [part.split()[0] for part in parts[1:]] == ["departure", "return", "distance"]
    assert parts[-1].endswith(" km")
    assert not any(title[1:])
    assert names[-5:] == ("stop", "type", "customer", "arrival", "begin")
    assert {row[1] for row in stops} == {"Miller", "Meier"}


def test_columns_are_as_wide_as_their_cells_and_numbers_stand_below_each_other(day):
    book = opened(write_workbook([rows_of(day, solved(day))], PNG))
    plan, route, drawn = book.worksheets
    heading = {cell.value: cell for cell in plan[1]}
    demands = [cell.number_format for cell in plan[heading["demand"].column_letter][1:]]
    assert demands == ["0.0", "0.0"]  # 2.5 and 3
    assert plan.cell(2, heading["id"].column).number_format == "General"
    sides = {name: heading[name].alignment.horizontal for name in ("demand", "arrival", "name")}
    assert sides == {"demand": "right", "arrival": "right", "name": "left"}
    width = plan.column_dimensions[heading["zip"].column_letter].width
    assert len("12345678901234") < width < len("12345678901234") + 6
    assert [sheet.freeze_panes for sheet in (plan, route)] == ["A2", "A4"]
    assert [sheet.print_title_rows for sheet in (plan, route)] == ["$1:$1", "$3:$3"]
    pages = [(sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight) for sheet in book]
    assert pages == [(2, 0), (None, 0), (None, None)]  # None: 1; 0: any number
    assert all(sheet.sheet_properties.pageSetUpPr.fitToPage for sheet in book)
    assert {sheet.page_setup.orientation for sheet in book} == {"landscape"}
    assert not drawn.sheet_view.showGridLines


@settings(max_examples=40, deadline=None)
@example(["1.1", "1.10", "B"])
@example(["12:30", "8 h", "12.50"])
@example(["27.11.2026", "3h", "2026-11-27"])
@given(st.lists(TEXTS, min_size=3, max_size=3, unique=True))
def test_any_id_and_any_name_of_a_vehicle_come_back(names):
    text = io.StringIO()
    rows = [[name, 1, place, place] for place, name in enumerate(names)]
    csv.writer(text).writerows([["id", "demand", "x", "y"], *rows])
    item = read(text.getvalue(), depot=(0, 0), capacity=(9,), speed=1)
    schedule = RouteSchedule(vehicle=names[0], start=names[1], end=names[2], departure=0, return_=1)
    route = RouteReport(item.ids, 3, 1, schedule)
    answer = Solution(name="a", status="solved", routes=(route,))
    (again,) = read_solutions(write_workbook([rows_of(item, answer)], None))
    (found,) = with_own_ids(item, again).routes
    assert found.customers == item.ids
    assert [found.schedule.vehicle, found.schedule.start, found.schedule.end] == names


def test_columns_that_are_not_read_are_shown_as_they_were():
    notes = ["8 h", "08:30", "27.11.2026", "2026-11-27", "1.50", "3h15", "1.5", "0.0000000000001"]
    rows = "".join(f"{place},{place},1,{text}\n" for place, text in enumerate(notes))
    item = read(f"id,x,y,remark\n{rows}", depot=(0, 0))
    answer = Solution(name="a", status="solved", routes=(RouteReport(item.ids, 0, 1),))
    data = write_workbook([rows_of(item, answer)], None)
    assert [row["remark"] for row in values(data)] == [
        "8 h", timedelta(hours=8.5), "27.11.2026", date(2026, 11, 27), 1.5, "3h15", 1.5, notes[-1],
    ]  # fmt: skip
    cells = [row[3] for row in opened(data)["plan"].iter_rows(min_row=5)]
    assert [cell.number_format for cell in cells] == [
        "yyyy-mm-dd", "0.00", "General", "0.0", "General",
    ]  # fmt: skip


def test_numbers_of_other_formats_are_numbers_to_the_last_digit():
    problem = {"depots": [[0, 0]], "vehicles": [{"id": "v"}], "speed": 1.7,
               "customers": [{"id": "1.10", "x": 1, "y": 5, "demand": 0}]}  # fmt: skip
    (item,) = read_instances([problem])
    answer = solved(item)
    (found,) = values(write_workbook([rows_of(item, answer)], None))
    assert found["cost"] == pytest.approx(2 * 26**0.5, abs=1e-14)
    assert found["arrival"] == pytest.approx(26**0.5 / 1.7, abs=1e-14)
    assert {type(found[name]) for name in ("route_cost", "begin", "return", "distance")} == {float}
    assert found["customer"] == "1.10"


def test_rows_that_one_sheet_has_no_room_for_go_on_in_another(day, monkeypatch):
    rows = rows_of(day, solved(day))
    monkeypatch.setattr(workbook_answers, "MAX_LINES", 5)
    data = write_workbook([rows, rows, rows], None)
    first, second = values(data), values(data, "plan 2")
    assert (len(first), second) == (4, first[:2])


def test_what_a_workbook_cannot_hold_is_replaced(day):
    answer = replace(solved(day), name="a\udcfc")
    rows = rows_of(day, answer)._replace(names=["van\ufffe"])
    data = write_workbook([rows], None)
    assert calamine.load_workbook(io.BytesIO(data)).sheet_names == ["plan", "1 van"]
    assert values(data)[0]["instance"] == "a?"


def test_no_text_is_a_formula(day):
    data = write_workbook([rows_of(day, solved(day))], None)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert b"<f>" not in archive.read("xl/worksheets/sheet1.xml")


def test_dates_are_dates_and_come_back():
    how = SheetOptions(depot=(52.52, 13.4), capacity=(9000.0,), speed=30.0)
    (item,) = read_instances(Book("Dutch", "xlsx", clock="date and time").data(), sheet=how)
    answer = solved(item)
    data = write_workbook([rows_of(item, answer)], None)
    heading, row, *_ = sheets(data)["plan"]
    assert row[heading.index("Vanaf")].isoformat()[:10] == "2026-11-27"
    assert row[heading.index("arrival")].isoformat()[:10] == "2026-11-27"
    (again,) = read_solutions(data)
    (one, *_), (other, *_) = with_own_ids(item, again).routes, answer.routes
    assert one.schedule.begins == pytest.approx(other.schedule.begins, abs=0.5)
    assert check_solution(item, with_own_ids(item, again).planned()).ok


def test_midnight_of_a_day_comes_back():
    item = read("id,lat,lon,open\n1,52.5,13.4,2026-11-27T08:30\n", depot=(52, 13), speed=30)
    schedule = RouteSchedule(vehicle="v", start="0", end="0", departure=0, return_=1440)
    answer = Solution(name="a", status="solved", routes=(RouteReport((1,), 0, 1, schedule),))
    (again,) = read_solutions(write_workbook([rows_of(item, answer)], None))
    found = with_own_ids(item, again).routes[0].schedule
    assert (found.departure, found.return_) == (0, 1440)


def test_an_answer_to_a_workbook_as_csv_has_its_sign():
    from vrpcore.formats.sheets.sheet_routes import AnswerTable

    rows = [["id", "x", "y", "demand"], [1, 0.5, 0, "1,5"], [2, 1, 0, 2]]
    (item,) = read_instances(xlsx(rows), sheet=SheetOptions(depot=(0, 0), capacity=(9.0,)))
    text = AnswerTable().text(item, solved(item))
    assert text.startswith("\ufeffid;x;y;demand;instance;")
    (again,) = read_solutions(text.encode())
    assert check_solution(item, with_own_ids(item, again).planned()).ok


def test_other_answers_and_none(day):
    (item,) = read_instances(
        [{"capacity": 5, "depot": [0, 0], "coords": [[3, 4]], "demands": [2], "name": "a"}]
    )
    bad = InvalidInstance(name="b", code="C", error="no")
    refused = Solution(name="b", status="invalid", code="C", error="no")
    found = sheets(write_workbook([rows_of(item, solved(item)), rows_of(bad, refused)], PNG))
    assert list(found) == ["plan", "1 route", "map"]
    assert [row[:2] for row in found["plan"]] == [
        ("instance", "status"), ("a", "solved"), ("b", "invalid"),
    ]  # fmt: skip
    assert found["1 route"][2:] == [("stop", "customer", "arrival", "begin"), (1, 1, None, None)]
    assert sheets(write_workbook([], None)) == {"plan": []}


def test_the_sheet_of_a_route_shows_its_rides():
    item = read("id,pickup_x,pickup_y,drop_x,drop_y,max_ride\na,0,1,0,3,5\n", depot=(0, 0), speed=1)
    found = sheets(write_workbook([rows_of(item, solved(item))], None))
    heading, *rows = found["1 vehicle"][2:]
    assert heading[-3:] == ("arrival", "begin", "ride")
    assert [row[-1] for row in rows] == [None, 2]


def test_equal_answers_give_equal_files_and_routes_are_limited(day, monkeypatch):
    rows = rows_of(day, solved(day))
    assert write_workbook([rows], PNG) == write_workbook([rows], PNG)
    monkeypatch.setattr(workbook_answers, "MAX_ROUTE_SHEETS", 1)
    assert list(sheets(write_workbook([rows, rows], None))) == ["plan", "1 van  a b"]


def test_long_cells_are_cut(day):
    long = replace(solved(day), error="x" * 40_000)
    heading, row, *_ = sheets(write_workbook([rows_of(day, long)], None))["plan"]
    assert len(row[heading.index("error")]) == 32_767


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match="a workbook needs the extra 'sheets'"):
        write_workbook([], None)
