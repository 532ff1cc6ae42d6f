import csv
import io
from dataclasses import replace

import pytest

from tests.vrpcore.formats.sheets.days import read
from vrpcore.api import Solver
from vrpcore.formats.answers.solutionformats import CSV_HEADER, csv_header, solution_to_csv
from vrpcore.formats.sheets.sheet_routes import PLAN, AnswerTable
from vrpcore.formats.solutions import read_solutions, with_own_ids
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.referee.referee import check_solution

STOPS = (
    "id,name,lat,lon,demand,open,close,service,phone\n"
    "7,Miller,52.51,13.40,2,08:00,09:00,0:10,+49 (30) 1-2\n"
    '8,"Meier, Sohn",52.52,13.42,3,10:30,11:00,0:05,=1+1\n'
    "9,far,52.52,13.42,3,06:30,06:35,0:05,@x\n"
)
PLANE = "id,x,y,demand\n1,3,4,2\n2,3,0,1\n"


def solved(instance):
    (answer,) = Solver(device="cpu").solve([instance])
    return answer


def rows(text, delimiter=","):
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))


@pytest.fixture
def day():
    fleet = "id,capacity,open,speed\nvan,9,07:00,30\n"
    return read(STOPS, fleet, depot=(52.50, 13.38))


def test_an_answer_has_the_plan_and_the_rows_as_they_were(day):
    text = AnswerTable().text(day, solved(day))
    found = rows(text)
    assert text.splitlines()[0] == ",".join([STOPS.splitlines()[0], *PLAN])
    assert [row["id"] for row in found] == ["7", "8", "9"]
    first, second, missing = found
    assert (first["route"], first["stop"], first["vehicle"], first["customer"]) == (
        "1", "1", "van", "7",
    )  # fmt: skip
    assert (first["name"], second["name"]) == ("Miller", "Meier, Sohn")
    assert (first["lat"], first["service"], first["phone"]) == ("52.51", "0:10", "+49 (30) 1-2")
    assert second["phone"] == "'=1+1"
    assert second["arrival"] < second["begin"] == "10:30"
    assert first["begin"] == "09:00"
    assert (missing["route"], missing["reason"], missing["begin"]) == ("", "WINDOW", "")
    assert missing["phone"] == "'@x"
    assert {row["status"] for row in found} == {"infeasible"}
    assert float(first["distance"]) == pytest.approx(7.0, abs=0.5)  # kilometres
    assert first["route_cost"] == first["distance"]
    assert first["start"] == "0"


def test_lateness_overtime_and_uneven_work_have_columns():
    stops = "id,x,y,close,max_late,late_cost\na,30,0,08:10,1:00,1\n"
    fleet = "id,x,y,speed,open,close,max_duration,max_overtime,overtime_cost,max_late,late_cost\n"
    fleet += "v,0,0,60,08:00,08:45,0:50,1:00,2,0:30,1\n"
    item = read(stops, fleet, balance={"duration": 3})
    answer = solved(item)
    (row,) = rows(AnswerTable().text(item, answer))
    found = {key: row[key] for key in ("late", "late_return", "overtime", "balance", "cost")}
    # 60 for the way, 20 minutes late, 10 too long at 2, 15 late at the depot; 60 minutes at 3
    assert found == {"late": "00:20", "late_return": "00:15", "overtime": "00:10"} | {
        "balance": "180", "cost": "295",
    }  # fmt: skip
    item = replace(item, origin=None)
    (row,) = csv.DictReader(io.StringIO(csv_header(item) + solution_to_csv(item, answer)))
    found = {key: float(row[key]) for key in found}
    assert found == {"late": 20, "late_return": 15, "overtime": 10, "balance": 180, "cost": 295}


def test_each_row_of_the_stops_is_there_once():
    text = "id,type,shipment,x,y,demand,prize\n"
    text += "1,delivery,a,1,1,,\n2,,,1,2,9,0\n3,pickup,a,2,2,1,\n4,pickup,b,2,2,9,0\n"
    text += "5,delivery,b,3,3,,\n"
    item = read(text, depot=(0, 0), capacity=(9,), speed=1)
    found = rows(AnswerTable().text(item, solved(item)))
    assert sorted(row["id"] for row in found) == ["1", "2", "3", "4", "5"]
    served = [(row["customer"], row["type"]) for row in found if row["route"]]
    assert served == [("a:pickup", "pickup"), ("a:delivery", "delivery")]
    types = {row["id"]: (row["type"], row["input_type"]) for row in found}
    assert types["2"] == ("customer", "")
    assert types["4"] == ("pickup", "pickup")
    assert {row["customer"] for row in found if not row["route"]} == {"2", "b:pickup", "b:delivery"}


def test_breaks_have_rows_of_their_own():
    fleet = "id,capacity,open,speed,break1_start,break1_end,break2\n"
    fleet += "van,9,07:00,30,10:00,10:20,0:15\n"
    day = read(STOPS.replace("06:30,06:35", ","), fleet, depot=(52.50, 13.38))
    answer = solved(day)
    found = rows(AnswerTable().text(day, answer))
    (route,) = answer.routes
    assert [row["type"] for row in found].count("break") == 2
    assert sorted(row["id"] for row in found if row["type"] == "customer") == ["7", "8", "9"]
    for rest in route.schedule.breaks:
        row = next(row for row in found if row["begin"] == day.origin.notation.time(rest.begin))
        assert (row["type"], row["vehicle"], row["route"]) == ("break", "van", "1")
        assert (row["stop"], row["customer"], row["arrival"], row["id"]) == ("", rest.id, "", "")
        assert row["return"] == found[-1]["return"]
    assert "10:00" in {row["begin"] for row in found if row["type"] == "break"}


def test_separators_decimal_signs_and_marks_are_those_of_the_stops():
    text = "\ufeffid;x;y;demand;close\n1;0,5;0;2;9:00:30\n"
    item = read(text, depot=(0, 0), capacity=(9,), speed=60)
    found = AnswerTable().text(item, solved(item))
    assert found.startswith("\ufeffid;x;y;demand;close;instance;route;")
    (row,) = rows(found.removeprefix("\ufeff"), ";")
    assert (row["distance"], row["route_cost"], row["arrival"]) == ("1", "1", "00:00:30")
    assert (row["x"], row["close"], row["duration"]) == ("0,5", "9:00:30", "1")
    item = read(text.replace("0,5", "0,25"), depot=(0, 0), capacity=(9,), speed=60)
    (row,) = rows(AnswerTable().text(item, solved(item)).removeprefix("\ufeff"), ";")
    assert row["distance"] == "0,5"


def test_columns_that_are_called_as_those_of_the_plan():
    item = read("id,x,y,status,Route,part\n1,3,4,new,R,B7\n", depot=(0, 0))
    text = AnswerTable().text(item, solved(item))
    (row,) = rows(text)
    assert (row["status"], row["input_status"], row["Route"]) == ("solved", "new", "R")
    assert (row["input_part"], "part" in row) == ("B7", False)
    (again,) = read_solutions(text.encode())
    assert check_solution(item, with_own_ids(item, again).planned()).ok


def test_a_heading_follows_where_columns_change():
    table = AnswerTable()
    first = read(PLANE, depot=(0, 0), capacity=(9,))
    other = read("id,x,y\n1,3,4\n", depot=(0, 0), capacity=(9,))
    texts = [table.text(item, solved(item)) for item in (first, first, other)]
    assert [text.startswith("id,x,y") for text in texts] == [True, False, True]
    invalid = InvalidInstance(name="x", code="C", error="e\nf")
    answer = Solution(name="x", status="invalid", code="C", error="e\nf")
    assert table.text(invalid, answer).startswith(CSV_HEADER)
    assert "e\\nf" in table.text(invalid, answer)
    assert table.end() == ""
    assert AnswerTable().end() == CSV_HEADER


def test_an_answer_without_stops_has_a_row():
    item = read("id,type,x,y\n,depot,0,0\n", capacity=(9,))
    (row,) = rows(AnswerTable().text(item, solved(item)))
    assert (row["status"], row["cost"], row["route"], row["id"]) == ("solved", "0", "", "")


def test_what_a_spreadsheet_would_run_is_a_text():
    cells = ["=1", "+1", "-1.5", "-cmd", "+49 30/1", "@a", "a\tb", "-2+3", "1,5", "-3-4", "-3 -4",
             "+49 (0)30 1-2", "a;=1", "a; @b,-c", "52.5,-13.4", "-3/4", "2024-01-02"]  # fmt: skip
    lines = (f'{i}\t1\t1\t"{cell}"\n' for i, cell in enumerate(cells))
    text = "id\tx\ty\tnote\n" + "".join(lines)
    item = read(text, depot=(0, 0))
    found = rows(AnswerTable().text(item, solved(item)), "\t")
    notes = {int(row["id"]): row["note"] for row in found}
    assert [notes.get(i) for i in range(len(cells))] == [
        "'=1", "+1", "-1.5", "'-cmd", "+49 30/1", "'@a", "a\\tb", "'-2+3", "1,5", "'-3-4", "'-3 -4",
        "+49 (0)30 1-2", "a;'=1", "a; '@b,'-c", "52.5,-13.4", "'-3/4", "2024-01-02",
    ]  # fmt: skip


def test_numbers_are_no_finer_than_people_need():
    text = "id,lat,lon,demand,service (min)\n1,52.512345,13.41234,1.0625,7\n"
    item = read(text, depot=(52.5, 13.38), capacity=(9,), speed=31)
    (row,) = rows(AnswerTable().text(item, solved(item)))
    for name, most in (("distance", 2), ("cost", 2), ("duration", 1), ("return", 1)):
        assert len(row[name].partition(".")[2]) <= most, name
    assert "." in row["distance"]
    assert row["route_load"] == "1.062"
    assert row["lat"] == "52.512345"
    item = read("id,x,y,demand\n1,1234567.5,7,1\n", depot=(0, 0), capacity=(9,))
    (row,) = rows(AnswerTable().text(item, solved(item)))
    assert (row["route_cost"], row["x"]) == ("2469135", "1234567.5")
