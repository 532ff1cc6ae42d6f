"""`vrp solve` on a terminal: a table to be read."""

import json
import math
import os
import subprocess
import sys

import pytest

from tests.cli.runs import BAD, ONE
from vrpcore.api import SheetOptions, read_instances
from vrpcore.cli.solve_output import Tally
from vrpcore.cli.solve_table import TableSink, for_people
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.solution import RouteReport, RouteSchedule, Solution, Unserved, summarise
from vrpcore.solve.backend import ModelInfo

pty = pytest.importorskip("pty")

BASE = ModelInfo(name="base", sha256="0", train_sizes=(20, 120), backend="onnx", device="cpu")
SUMMARY = summarise([], 0.25, "fast")
ITEM = InvalidInstance(name="x", code="X", error="x")


def solved(name="a", *, cost=12.0, **more):
    route = RouteReport(customers=("x", "y"), load=5.0, cost=cost)
    known = {"status": "solved", "cost": cost, "routes": (route,), "constructor": "savings"}
    return Solution(name=name, **(known | more))


def shown(capsys, *solutions, referenced=False, item=ITEM, complete=True):
    """The lines of the table, without the spaces at their ends."""
    tally = Tally([BASE])
    sink = TableSink(tally, referenced=referenced)
    for solution in solutions:
        sink.put(item, solution)
        tally.add(solution)
    sink.end(SUMMARY, complete=complete)
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def test_a_row_an_instance_and_the_routes_of_a_few(capsys):
    assert shown(capsys, solved(cost=7.123456), solved("b")) == [
        "instance   status     cost   routes",
        "───────────────────────────────────",
        "a          solved   7.1235        1",
        "b          solved       12        1",
        "",
        "a",
        "route  load    cost  customers",
        "    1     5  7.1235  x y",
        "",
        "b",
        "route  load  cost  customers",
        "    1     5    12  x y",
        "",
        "2 instances, 2 solved, cost 19.123 (mean 9.5617), 2 routes, 0.25 s, model none: savings",
    ]


def test_gaps_stand_there_where_a_reference_is_known(capsys):
    rows = shown(capsys, solved(gap=0.0123), solved("b"), referenced=True)
    assert rows[0].split() == ["instance", "status", "cost", "gap", "routes"]
    assert rows[2].split() == ["a", "solved", "12", "1.23%", "1"]
    assert rows[3].split() == ["b", "solved", "12", "-", "1"]
    assert "gap 1.2300% (mean of 1)" in rows[-1]


def test_what_is_not_solved_says_why(capsys):
    bad = Solution(name="bad", status="invalid", code="X", error="capacity: -4 is not positive")
    none = Solution(name="few", status="partial", code="Y", error="max_vehicles: 1")
    rows = shown(capsys, bad, none)
    assert rows[2].split() == ["bad", "invalid", "-", "-"]
    assert rows[3].split() == ["few", "partial", "-", "-"]
    assert "bad: invalid: capacity: -4 is not positive" in rows
    assert "few: partial: max_vehicles: 1" in rows
    assert rows[-1].startswith("2 instances, 1 invalid, 1 partial, 0.25 s")


def test_errors_have_a_line_each(capsys):
    error = "row 2: a\nrow 3: b"
    rows = shown(capsys, Solution(name="day", status="invalid", code="CELL", error=error))
    assert rows[rows.index("day: invalid: row 2: a") + 1] == "  row 3: b"


def test_who_is_not_served_stands_there_with_the_reason(capsys):
    prize = Unserved("kiosk", "PRIZE", "leaving it out costs 3")
    rows = shown(capsys, solved(unserved=(prize,)))
    assert rows[rows.index("a") + 1 :][:-2] == [
        "route  load  cost  customers",
        "    1     5    12  x y",
        "not served  reason  detail",
        "kiosk       PRIZE   leaving it out costs 3",
    ]
    everybody = tuple(Unserved(k, "SKILLS", "[b]\x07") for k in range(53))
    bad = Solution(name="b", status="infeasible", cost=0.0, error="no", unserved=everybody)
    rows = shown(capsys, bad)
    assert "0           SKILLS  [b]\\x07" in rows
    assert "... and 3 more that are not served" in rows


def test_many_instances_stay_readable(capsys):
    bad = [Solution(name=f"bad{k}", status="invalid", code="X", error="no") for k in range(30)]
    rows = shown(capsys, *(solved(f"i{k}") for k in range(1000)), *bad)
    assert len(rows) < 80
    assert "... and 980 more; -o FILE writes them all" in rows
    assert "... and 20 more that are not solved; -o FILE gives the reasons" in rows
    assert rows[-1].startswith("1030 instances, 1000 solved, 30 invalid, cost 12000 (mean 12), ")


def test_text_from_outside_is_shown_as_it_is(capsys):
    odd = Solution(name="a[red]\x1b[31m:smile:", status="invalid", code="X", error="[b]\x07")
    text = "\n".join(shown(capsys, odd))
    assert "a[red]\\x1b[31m:smile:" in text
    assert "[b]\\x07" in text
    assert "\x1b" not in text


def test_long_routes_are_wrapped_and_many_are_cut(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    long = RouteReport(customers=tuple(range(1000, 1040)), load=1.5, cost=1)
    spaced = RouteReport(customers=("first floor", "b"), load=1.5, cost=1)
    many = Solution(name="a", status="solved", cost=60, routes=(long, spaced, *[long] * 58))
    rows = shown(capsys, many)
    assert max(map(len, rows[:-1])) <= 60
    assert sum("10" in row for row in rows) > 100
    assert any(row.endswith("first floor, b") for row in rows)
    assert "... and 10 more routes" in rows


def test_routes_beside_constraints_have_a_vehicle_and_times(capsys):
    def route(vehicle, departure, back):
        own = RouteSchedule(vehicle=vehicle, start="0", end="0", departure=departure, return_=back)
        return RouteReport(customers=("a",), load=1.0, cost=6.0, schedule=own)

    found = solved(routes=(route("[van]", 8.25, 480.0), route("bike", math.nan, math.nan)))
    rows = [row.split() for row in shown(capsys, found)]
    assert ["route", "vehicle", "load", "cost", "departure", "return", "customers"] in rows
    assert ["1", "[van]", "1", "6", "8.2500", "480", "a"] in rows
    assert ["2", "bike", "1", "6", "-", "-", "a"] in rows
    short = solved(routes=(route(None, 1.0, 2.0),))
    rows = [row.split() for row in shown(capsys, short)]
    assert ["route", "load", "cost", "departure", "return", "customers"] in rows


def test_times_are_written_as_in_the_spreadsheet(capsys):
    sheet = SheetOptions(depot=(0, 0), speed=60)
    (item,) = read_instances(b"id,x,y,open\na,0,30,9:00\n", sheet=sheet)
    own = RouteSchedule(vehicle=None, start="0", end="0", departure=510.0, return_=570.0)
    route = RouteReport(customers=("a",), load=1.0, cost=6.0, schedule=own)
    assert "08:30" in " ".join(shown(capsys, solved(routes=(route,)), item=item))


def test_stops_are_called_by_their_names(capsys):
    sheet = SheetOptions(depot=(0, 0), capacity=(9,))
    (item,) = read_instances(b"id,name,x,y,demand\n1,Miller,0,30,9\n2,,1,1,1\n", sheet=sheet)
    route = RouteReport(customers=(1, 2), load=1.0, cost=6.0)
    answer = solved(status="partial", routes=(route,), unserved=(Unserved(1, "CAPACITY"),))
    lines = [line.split("  ") for line in shown(capsys, answer, item=item)]
    assert any("Miller (1), 2" in line for line in lines)
    assert any("Miller (1)" in line and "CAPACITY" in line for line in lines)


def test_an_interrupted_run_shows_what_it_has(capsys):
    rows = shown(capsys, solved(), complete=False)
    assert rows[-1].startswith("1 instance, 1 solved, cost 12, ")


def test_nothing_has_a_last_line_only(capsys):
    assert shown(capsys) == ["0 instances, 0.25 s"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (784, "784"),
        (12.0, "12"),
        (6.628041, "6.6280"),
        (784.126, "784.13"),
        (23393.4, "23393"),
        (0.0123456, "0.012346"),
        (1.5e-7, "1.5e-07"),
        (1.25e300, "1.25e+300"),
        (0.0, "0"),
        (10**20, "100000000000000000000"),
    ],
)
def test_numbers_are_for_people(value, text):
    assert for_people(value) == text


def on_terminal(tmp_path, *arguments, **environment):
    """What a solve writes to a pseudo-terminal, to stderr, and its exit code."""
    source = tmp_path / "in.json"
    source.write_text(json.dumps([{**ONE, "name": "fine"}, BAD]))
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "vrpcore.cli", "solve", str(source), "--improve", "none"]
    outside = {key: value for key, value in os.environ.items() if "COLOR" not in key}
    process = subprocess.Popen(
        [*command, "--device", "cpu", *arguments],
        stdout=theirs,
        stderr=subprocess.PIPE,
        env={**outside, "COLUMNS": "80", "TERM": "xterm", **environment},
    )
    os.close(theirs)
    written = b""
    try:
        while part := os.read(ours, 2**16):
            written += part
    except OSError:  # Linux says so at the end
        pass
    os.close(ours)
    _, said = process.communicate(timeout=120)
    return written.decode().replace("\r\n", "\n"), said.decode(), process.returncode


def test_a_terminal_gets_a_table(tmp_path):
    text, said, code = on_terminal(tmp_path, NO_COLOR="1")
    assert code == 4
    assert "fine" in text
    assert "bad: invalid: instances[1].capacity: -4 is not a positive number" in text.replace(
        "\x1b[1m", ""
    ).replace("\x1b[0m", "")
    assert "2 instances, 1 solved, 1 invalid, cost 12, 1 route, " in text
    assert said == ""
    assert "\x1b[32m" not in text


def test_a_terminal_gets_colours(tmp_path):
    text, _, _ = on_terminal(tmp_path)
    assert "\x1b[32msolved\x1b[0m" in text
    assert "\x1b[31minvalid\x1b[0m" in text


def test_a_terminal_gets_the_document_where_it_is_asked_for(tmp_path):
    text, said, code = on_terminal(tmp_path, "--format", "json")
    assert code == 4
    assert json.loads(text)["summary"]["solved"] == 1
    assert "solved  1 of 2" in said


def test_a_file_is_written_from_a_terminal_as_ever(tmp_path):
    text, said, _ = on_terminal(tmp_path, "-o", str(tmp_path / "out.json"))
    assert text == ""
    assert "solved  1 of 2" in said
    assert json.loads((tmp_path / "out.json").read_text())["summary"]["solved"] == 1
