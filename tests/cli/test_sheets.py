"""Spreadsheets from the command line: solved, checked, drawn, and answered in kind."""

import csv
import json

import pytest

from tests.cli.runs import one_line, vrp
from vrpcore.formats.solutions import read_solutions

STOPS = "id,name,x,y,demand,close\n1,Ann,3,4,2,9:00\n2,Bob,3,0,1,12:00\n"
HOW = ["--depot", "0,0", "--capacity", "9", "--speed", "60"]


@pytest.fixture
def stops(tmp_path):
    """A file of two stops."""
    (tmp_path / "stops.csv").write_text(STOPS)
    return tmp_path / "stops.csv"


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_template_is_solved_checked_and_drawn(tmp_path):
    folder = tmp_path / "a" / "today"
    said = vrp("generate", "--template", "csv", "-o", folder).stderr
    assert f"vrp solve {folder}/stops.csv --fleet {folder}/vans.csv -o" in one_line(said)
    files = [folder / "stops.csv", "--fleet", folder / "vans.csv"]
    vrp("solve", *files, "-o", folder / "routes.csv")
    assert {row["status"] for row in rows(folder / "routes.csv")} == {"solved"}
    kinds = {(row["route"], row["type"]) for row in rows(folder / "routes.csv")}
    assert kinds >= {("1", "break"), ("2", "break")}
    assert len([row for row in rows(folder / "routes.csv") if row["type"] == "customer"]) == 12
    vrp("solve", *files, "-o", folder / "routes.json")
    answers = [files[0], folder / "routes.json", *files[1:]]
    assert "ok\tstops\tcost" in vrp("check", *answers).stdout
    vrp("plot", *answers, "-o", folder / "day.svg")
    assert (folder / "day.svg").read_bytes().startswith(b"<?xml")


def test_the_template_as_workbooks(tmp_path):
    costs = []
    for kind, answer in (("csv", "routes.csv"), ("xlsx", "plan.xlsx")):
        folder = tmp_path / kind
        said = one_line(vrp("generate", "--template", kind, "-o", folder).stderr)
        stops, vans = folder / f"stops.{kind}", folder / f"vans.{kind}"
        assert f"vrp solve {stops} --fleet {vans} -o {folder / answer}" in said
        vrp("solve", stops, "--fleet", vans, "-o", folder / "a.json")
        (found,) = json.loads((folder / "a.json").read_text())["solutions"]
        costs.append(found["cost"])
    assert costs[0] == costs[1]


def test_uneven_work_has_a_price(stops):
    vrp("solve", stops, *HOW, "--balance", "customers=3", "-o", stops.with_name("a.csv"))
    assert [row["balance"] for row in rows(stops.with_name("a.csv"))] == ["6", "6"]
    said = vrp("solve", stops, *HOW, "--balance", "work", code=2).stderr
    assert "'work': expected prices, e.g. duration=2,load=0.5" in one_line(said)


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_day_without_ids_goes_on_twice(tmp_path, kind):
    """Cy cancels and Eve is new at 8:15, in front of the others; Fay is new at 8:22."""
    rows = {"Ann": "10,0,08:10", "Bob": "20,0,08:20", "Cy": "30,0,08:30", "Dan": "40,0,08:40"}
    late = {"Eve": "25,0,08:50", **rows} | {"Fay": "50,0,09:00"}
    (tmp_path / "vans.csv").write_text("id,x,y,open,speed\nvan,0,0,08:00,60\n")

    def solve(names, plan, more):
        stops = tmp_path / "stops.csv"
        stops.write_text("name,x,y,close\n" + "".join(f"{each},{late[each]}\n" for each in names))
        out = tmp_path / f"{plan}.{kind}"
        vrp("solve", stops, "--fleet", tmp_path / "vans.csv", *more, "-o", out)
        (found,) = read_solutions(out)
        return out, [found.rows[stop]["name"] for stop in found.routes[0].customers]

    plan, order = solve([*rows], "plan", [])
    assert order == ["Ann", "Bob", "Cy", "Dan"]
    second = ["Eve", "Ann", "Bob", "Dan"]
    plan, order = solve(second, "second", ["--warm-start", plan, "--freeze", "8:15"])
    assert order == ["Ann", "Bob", "Eve", "Dan"]
    third = ["Fay", *second]
    plan, order = solve(third, "third", ["--warm-start", plan, "--freeze", "8:22", "--keep", "1"])
    assert order == ["Ann", "Bob", "Eve", "Dan", "Fay"]


def test_a_fleet_in_place_of_stops_is_told(tmp_path):
    (tmp_path / "vans.csv").write_text("id,capacity,open,close,speed\n1,9,8:00,16:00,30\n")
    said = one_line(vrp("solve", tmp_path / "vans.csv", code=4).stderr)
    hint = "these are columns of vehicles; give a file of stops, and this one with --fleet"
    assert f"vans.csv: row 1: {hint}" in said
    assert "no columns lat and lon" in said


def test_lengths_alone_need_no_speed_and_give_no_times(tmp_path):
    (tmp_path / "nt.csv").write_text("id,lat,lon,demand\n1,52.51,13.4,2\n2,52.53,13.42,1\n")
    how = ["--depot", "52.5,13.39", "--capacity", "10"]
    vrp("solve", tmp_path / "nt.csv", *how, "-o", tmp_path / "routes.csv")
    first, second = rows(tmp_path / "routes.csv")
    times = ("arrival", "begin", "departure", "return", "duration")
    assert {each[name] for each in (first, second) for name in times} == {""}
    assert first["route_cost"] == first["distance"] == second["cost"]  # kilometres
    assert 7 < float(first["cost"]) < 9
    checked = vrp("check", tmp_path / "nt.csv", tmp_path / "routes.csv", *how).stdout
    assert checked.startswith("ok\tnt\tcost")


def test_each_error_has_a_line(stops):
    stops.write_text(STOPS.replace("3,4,2", "3,q,-2"))
    result = vrp("solve", stops, *HOW, "--format", "json", code=4)
    said = [line.partition("row 2, ")[2] for line in result.stderr.splitlines()]
    assert [text[:13] for text in said if text] == ["column y: 'q'", "column demand"]


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--depot", "0"], 2, "'0': expected two numbers, e.g. 52.5,13.4"),
        (["--capacity", "9;4"], 2, "'9;4': expected a number, or 40,12 for two dimensions"),
        (["--speed", "0"], 3, "speed: 0.0 is not a positive number"),
        ([*HOW, "--fleet", "none.csv"], 8, "none.csv: cannot be read"),
    ],
)
def test_options_that_cannot_be_used(stops, options, code, said):
    assert said in one_line(vrp("solve", stops, *options, code=code).stderr)
