"""`vrp solve -o plan.xlsx`, and what takes such a file again."""

import csv
import importlib.util
import io
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest
import python_calamine

from tests.cli.runs import BAD, ONE, named, one_line, solve, vrp
from tests.vrpcore.formats.sheets.books import xlsx
from vrpcore.api import Solver, read_instances
from vrpcore.cli.solve_workbook import WorkbookSink
from vrpcore.errors import OutputError
from vrpcore.formats.spreadsheets import TEMPLATE
from vrpcore.plot import figure


@pytest.fixture
def openpyxl():
    return pytest.importorskip("openpyxl", reason="needs a second reader of workbooks")


@pytest.fixture
def day(tmp_path):
    """The files of the template as workbooks, and how they are given."""
    for name, text in TEMPLATE.items():
        rows = list(csv.reader(io.StringIO(text)))
        (tmp_path / name.replace(".csv", ".xlsx")).write_bytes(xlsx(rows))
    return [tmp_path / "stops.xlsx", "--fleet", tmp_path / "vans.xlsx"]


def test_workbooks_are_solved_checked_drawn_and_started_from(day, tmp_path, openpyxl):
    plan = tmp_path / "plan.xlsx"
    said = vrp("solve", *day, "-o", plan).stderr
    assert "the sheet 'Stops' is read, not the sheet 'Info'" in one_line(said)
    names = openpyxl.load_workbook(plan).sheetnames
    assert names[:3] in (["plan", "1 van", "2 truck"], ["plan", "1 truck", "2 van"])
    has_map = importlib.util.find_spec("matplotlib") is not None
    assert (names[3:] == ["map"]) is has_map
    files = [day[0], plan, *day[1:]]
    assert vrp("check", *files).stdout.startswith("ok\tstops\tcost")
    vrp("solve", *day, "--warm-start", plan, "-o", tmp_path / "again.json")
    (answer,) = json.loads((tmp_path / "again.json").read_text())["solutions"]
    assert "WARM_START_IGNORED" not in answer["warnings"]
    if has_map:
        vrp("plot", *files, "-o", tmp_path / "day.svg")
        assert "Bakery Adler" in (tmp_path / "day.svg").read_text()
    assert not plan.with_name("plan.xlsx.part").exists()


@pytest.mark.parametrize(
    ("place", "error", "said"),
    [
        ("draw", KeyError("lost"), "a bug in vrp, please report it: KeyError: 'lost'"),
        ("save", MemoryError("all"), "MemoryError: all"),
        ("save", OutputError("map.png: no space"), "OutputError: map.png: no space"),
    ],
)
def test_a_map_that_cannot_be_drawn_costs_no_answer(day, tmp_path, monkeypatch, place, error, said):
    monkeypatch.setattr(figure, place, Mock(side_effect=error))
    plan = tmp_path / "plan.xlsx"
    told = one_line(vrp("solve", *day, "-o", plan, "-q").stderr)
    assert told == f"error: {plan}: has no map, which could not be drawn: {said}"
    sheets = python_calamine.load_workbook(str(plan)).sheet_names
    assert sheets in (["plan", "1 van", "2 truck"], ["plan", "1 truck", "2 van"])
    assert vrp("check", day[0], plan, *day[1:]).stdout.startswith("ok\tstops")


def test_an_instance_that_cannot_be_drawn_costs_no_other_its_map(tmp_path):
    vans = {"vehicles": [{"id": "van", "capacity": 5}]}
    drawn = {"name": "drawn", "depot": [0, 0], "customers": [{"x": 3, "y": 4}], **vans}
    other = {"name": "other", "distances": [[0, 1], [1, 0]], "customers": [{}], **vans}
    source, plan = tmp_path / "in.json", tmp_path / "plan.xlsx"
    source.write_text(json.dumps([other, drawn]))
    vrp("solve", source, "-o", plan)
    assert python_calamine.load_workbook(str(plan)).sheet_names[-1] == "map"


def test_instances_beyond_those_that_are_drawn_are_not_kept(tmp_path):
    (instance,) = read_instances([{**ONE, "name": "one"}])
    (answer,) = Solver().solve([instance], improve="none")
    sink, kept = WorkbookSink(tmp_path / "plan.xlsx", print), []
    for _ in range(figure.MAX_PANELS + 2):
        own = replace(instance)
        before = sys.getrefcount(own)
        sink.put(own, answer)
        kept.append(sys.getrefcount(own) > before)
    assert kept == [True] * figure.MAX_PANELS + [False] * 2


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_file_name_that_is_no_utf_8_costs_no_answer(tmp_path):
    file = os.fsdecode(os.fsencode(tmp_path / "Tour") + b"\xfc.csv")
    Path(file).write_text("id,x,y\n1,1,1\n", encoding="utf-8")
    solve(file, "--depot", "0,0", "-o", tmp_path / "plan.xlsx")
    book = python_calamine.load_workbook(str(tmp_path / "plan.xlsx"))
    row = book.get_sheet_by_name("plan").to_python()[1]
    assert "Tour\\xfc" in row


def test_several_instances_share_a_workbook(tmp_path, openpyxl):
    source, out = tmp_path / "in.json", tmp_path / "out.xlsx"
    source.write_text(json.dumps([*named(2), BAD]))
    solve(source, "-o", out, code=4)
    rows = list(openpyxl.load_workbook(out)["plan"].iter_rows(values_only=True))
    assert [row[0] for row in rows if row[0] != "instance"] == [*["i1"] * 3, *["i2"] * 3, "bad"]


def test_a_workbook_is_not_replaced_by_an_error(day, tmp_path):
    plan, stops = tmp_path / "plan.xlsx", tmp_path / "typo.csv"
    vrp("solve", *day, "-o", plan)
    kept = plan.read_bytes()
    stops.write_text("id,lat,lon,open\n1,52.5,13.4,25:99\n")
    again = ["solve", stops, *day[1:], "--warm-start", plan, "-o", plan]
    assert f"{plan}: not replaced" in one_line(vrp(*again, code=4).stderr)
    assert plan.read_bytes() == kept


def test_where_a_workbook_cannot_be_written(day, tmp_path, monkeypatch):
    said = vrp("solve", *day, "--format", "xlsx", code=2).stderr
    assert "xlsx needs -o FILE" in one_line(said)
    more = ["--engine", "ray", "-o", tmp_path / "a.xlsx"]
    assert "xlsx needs --engine local" in one_line(vrp("solve", *day, *more, code=2).stderr)
    said = vrp("solve", *day, "-o", tmp_path / "none" / "a.xlsx", code=8).stderr
    assert "its folder does not exist" in one_line(said)
    (tmp_path / "b.xlsx").mkdir()
    said = vrp("solve", *day, "-o", tmp_path / "b.xlsx", "--format", "xlsx", code=8).stderr
    assert "it is a folder" in one_line(said)
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "xlsxwriter" else find(name)
    )
    said = vrp("solve", *day, "-o", tmp_path / "a.xlsx", code=2).stderr
    assert "a.xlsx needs the extra 'sheets', which is not installed" in one_line(said)
