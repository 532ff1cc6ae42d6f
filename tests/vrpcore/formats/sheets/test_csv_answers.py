"""CSV answers are read again: what was planned, with times as they were rounded."""

import csv
import io
from dataclasses import replace

import pytest

from tests.vrpcore.formats.sheets.days import read
from vrpcore.api import Solver
from vrpcore.errors import InstanceError
from vrpcore.formats.answers.solutionformats import CSV_HEADER
from vrpcore.formats.sheets.sheet_routes import AnswerTable
from vrpcore.formats.solutions import read_solutions, with_own_ids
from vrpcore.instance.clock import read_clock
from vrpcore.instance.solution import RouteBreak, RouteReload, RouteReport, RouteSchedule, Solution
from vrpcore.referee.referee import check_solution
from vrpcore.search import rich_library
from vrpcore.solve.starting_routes import warm_routes

pytestmark = pytest.mark.skipif(not rich_library.is_built(), reason="the search was not built")

STOPS = (
    "id,name,lat,lon,demand,open,close,service\n"
    "7,Miller,52.51,13.40,2,08:00,09:00,0:10\n"
    '8,"Meier, Sohn",52.52,13.42,3,10:30,11:00,0:05\n'
    "9,far,52.52,13.42,3,06:30,06:35,0:05\n"
    "=x,near,52.51,13.41,1,,,\n"
)
FLEET = "id,count,capacity,open,speed,break1_start,break1_end,break2\n"
FLEET += "bike,any,1,,9,,,\n-van,any,9,07:00,30,10:00,10:20,0:15\n"


@pytest.fixture
def day():
    return read(STOPS, FLEET, depot=(52.50, 13.38))


def answered(solver, item):
    """The answer, and the same written and read again."""
    (answer,) = solver.solve([item])
    (again,) = read_solutions(AnswerTable().text(item, answer).encode())
    return answer, with_own_ids(item, again)


def test_all_of_a_plan_comes_back(solver, day):
    answer, again = answered(solver, day)
    assert (again.name, again.status, again.code) == (day.name, answer.status, answer.code)
    assert [item.reason for item in again.unserved] == ["WINDOW"]
    assert again.unserved == answer.unserved
    assert len(again.routes) == len(answer.routes)
    for one, other in zip(answer.routes, again.routes, strict=True):
        assert one.customers == other.customers
        own, found = one.schedule, other.schedule
        assert (own.vehicle, own.start, own.end) == (found.vehicle, found.start, found.end)
        for key in ("departure", "return_"):
            assert abs(getattr(own, key) - getattr(found, key)) <= 0.5
        for key in ("arrivals", "begins"):
            times = zip(getattr(own, key), getattr(found, key), strict=True)
            assert all(abs(a - b) <= 0.5 for a, b in times)
        assert [(each.id, each.after) for each in own.breaks or ()] == [
            (each.id, each.after) for each in found.breaks or ()
        ]


def test_shipments_and_open_ends(solver):
    text = "id,type,shipment,x,y,demand,prize\n"
    text += "1,delivery,a,1,1,,\n3,pickup,a,2,2,1,\n4,pickup,b,2,2,9,0\n5,delivery,b,3,3,,\n"
    item = read(text, "id,capacity,end,x,y\nv,5,none,0,0\n")
    answer, again = answered(solver, item)
    (route,) = again.routes
    assert route.customers == ("a:pickup", "a:delivery")
    assert (route.schedule.start, route.schedule.end) == ("v", None)
    assert [each.id for each in again.unserved] == ["b"] == [each.id for each in answer.unserved]
    assert check_solution(item, again.planned()).ok


def test_plain_answers_and_other_signs(solver):
    item = read("\ufeffid;x;y;demand\n1;0,5;0;2\n2;1;0;2\n", depot=(0, 0), capacity=(9,))
    _, again = answered(solver, item)
    (route,) = again.routes
    assert route.schedule is None
    assert set(route.customers) == {1, 2}
    assert check_solution(item, again.planned()).cost == 2
    item = read("id;x;y;close\n1;0,5;0;9,5\n", depot=(0, 0))
    _, again = answered(solver, item)
    assert again.routes[0].schedule.arrivals == (0.5,)


def test_rows_and_columns_that_were_moved_are_the_plan(solver, day):
    (answer,) = solver.solve([day])
    rows = list(csv.reader(io.StringIO(AnswerTable().text(day, answer))))
    rows[1:] = rows[:0:-1]
    text = io.StringIO()
    moved = ([*row[8:], *row[:8]] for row in rows)
    csv.writer(text, delimiter=";", lineterminator="\r\n").writerows(moved)
    (again,) = read_solutions(f"\ufeff{text.getvalue()}".encode())
    turned = [route.customers[::-1] for route in answer.routes[::-1]]
    assert [route.customers for route in with_own_ids(day, again).routes] == turned


def test_an_answer_that_is_none(solver):
    item = read("id,x,y,demand\n1,3,4,2\n", depot=(0, 0), capacity=(9,))
    answer = replace(solver.solve([item])[0], status="invalid", routes=(), code="C", error="no")
    (again,) = read_solutions(AnswerTable().text(item, answer).encode())
    assert (again.status, again.code, again.error, again.routes) == ("invalid", "C", "no", ())


def changed(solver, item, old, new):
    text = AnswerTable().text(item, solver.solve([item])[0])
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (",status,", ",state,", "row 1: no column status; this answers no valid spread"),
        (",infeasible,", ",fine,", "row 2, column status: 'fine' is none of solved, invalid"),
        (",09:00,", ",09:60,", "input: row 2, column arrival: '09:60' is not a time (write HH"),
        ("customer,-van,7,", "customer,-van,,", "row 2, column customer: empty, expected a stop"),
        (",WINDOW,", ",LATE,", "column reason: 'LATE' is none of SKILLS, RELATION"),
        (",input,1,2,", ",other,1,2,", "answers 2 instances; write JSON (-o answer.json)"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_reported_by_row_and_column(solver, old, new, said):
    fleet = FLEET.replace("-van", "van")
    item = replace(read(STOPS, fleet, depot=(52.50, 13.38)), name="input")
    text = changed(solver, item, old.replace("-van", "van"), new.replace("-van", "van"))
    with pytest.raises(InstanceError) as raised:
        read_solutions(text.encode())
    assert said in str(raised.value)


def test_other_csv_is_refused():
    with pytest.raises(InstanceError, match="no column type; this answers no valid spreadsheet of"):
        read_solutions(CSV_HEADER.encode())
    heading = AnswerTable()
    item = read("id,x,y\n1,1,1\n", depot=(0, 0))
    answer = replace(Solver(device="cpu").solve([item])[0])
    head = heading.text(item, answer).splitlines()[0]
    with pytest.raises(InstanceError, match="row 1: no row below the heading"):
        read_solutions(head.encode())


TRIPS = """id,type,x,y,demand,one_of,close
home,depot,0,0,,,
1,,1,0,3,,
2,,2,0,3,,
3,,3,0,3,far,1
4,,4,0,3,far,1
"""
VAN = "id,capacity,reload,break_start,break_end,break_duration\nvan,5,yes,0,,1\n"


def test_reloads_and_who_is_left_out_of_all_alternatives_come_back(solver):
    item = read(TRIPS, VAN)
    (answer,) = solver.solve([item])
    text = AnswerTable().text(item, answer)
    rows = list(csv.DictReader(io.StringIO(text)))
    (reload,) = [row for row in rows if row["type"] == "reload"]
    assert (reload["route"], reload["stop"], reload["customer"]) == ("1", "", "home")
    own = answer.routes[0].schedule.reloads[0]
    assert [float(reload[key]) for key in ("arrival", "begin")] == [own.arrival, own.begin]
    assert [row["customer"] for row in rows if row["reason"]] == ["3", "4"]
    (again,) = (with_own_ids(item, each) for each in read_solutions(text.encode()))
    (found,) = again.routes[0].schedule.reloads
    assert (found.depot, found.after, found.begin) == (own.depot, own.after, own.begin)
    assert [(each.id, each.reason) for each in again.unserved] == [("far", "WINDOW")]
    assert check_solution(item, again.planned()).ok
    assert warm_routes(item, again).routes[0].reloads[0].after == own.after


def test_breaks_are_taken_behind_a_reload_or_before_it_and_nobody_has_to_reload():
    item = read(TRIPS.replace("home", "=home"), VAN)

    def again(customers, **known):
        schedule = RouteSchedule(vehicle="van", start="=home", end="=home", **known)
        routes = (RouteReport(customers, 3.0, 6.0, schedule),)
        answer = Solution(name=item.name, status="solved", cost=6.0, routes=routes)
        (found,) = read_solutions(AnswerTable().text(item, answer).encode())
        return with_own_ids(item, found).routes[0].schedule

    reload = RouteReload(depot="=home", after=1, arrival=2.0, begin=2.0)
    for at_reload in (False, True):
        rest = RouteBreak(id="break", begin=3.0, after=1, at_reload=at_reload)
        found = again((1, 2), breaks=(rest,), reloads=(reload,))
        assert (found.start, found.breaks, found.reloads) == ("=home", (rest,), (reload,))
    assert again((1,), reloads=()).reloads == ()


def test_a_reload_names_a_depot(solver):
    item = read(TRIPS, VAN)
    text = changed(solver, item, ",reload,van,home,", ",reload,van,,")
    with pytest.raises(InstanceError, match="column customer: empty, expected a depot's id"):
        read_solutions(text.encode())


def test_times_with_a_date_come_back(solver):
    trips = "id,type,lat,lon,demand,open\nhome,depot,52,13,,\n"
    trips += "1,,52.1,13,3,2026-11-27T08:30\n2,,52.2,13,3,2026-11-28T01:30\n"
    fleet = "id,capacity,reload,speed,break_start,break_end,break_duration\n"
    fleet += "van,5,yes,60,09:00,12:00,0:20\n"
    fleet = fleet.replace(",09:00,12:00,", ",2026-11-27T09:00,2026-11-27T12:00,")
    item = read(trips, fleet)
    answer, again = answered(solver, item)
    (own,), (found,) = answer.routes, again.routes
    assert found.schedule.begins == pytest.approx(own.schedule.begins, abs=0.5)
    assert found.schedule.departure == pytest.approx(own.schedule.departure, abs=0.5)
    for key in ("breaks", "reloads"):
        begins = [[each.begin for each in getattr(each.schedule, key)] for each in (own, found)]
        assert begins[1] == pytest.approx(begins[0], abs=0.5)
    wrong = changed(solver, item, ",2026-11-28T02:03,2026-11-28T02:03,", ",03/04/2026 02:03,,")
    with pytest.raises(InstanceError, match="'03/04/2026 02:03' is not a time"):
        read_solutions(wrong.encode())


def test_a_plan_that_states_rounded_times_goes_on_as_it_was(solver):
    """The vehicle has to leave at 8:19:42, which is written as 08:20."""
    stops = "id,x,y,open,close,service\na,10.3,0,08:30,08:30,0:05\nb,20,0,09:00,09:00,0:05\n"
    item = read(stops, "id,count,x,y,speed\nv,1,0,0,60\n")
    answer, again = answered(solver, item)
    assert again.routes[0].schedule.departure == 500
    assert answer.routes[0].schedule.departure == pytest.approx(499.7)
    for freeze in ("8:25", "8:50", "9:10"):
        for known in (answer, again):
            (rest,) = solver.solve([item], warm_starts=[known], freeze=freeze)
            assert (rest.status, rest.warnings) == ("solved", ())
            times = rest.routes[0].schedule
            assert times.begins == (510, 540)
            assert times.departure == pytest.approx(499.7)


def test_rounded_times_are_kept_when_a_plan_goes_on_twice(solver):
    """Who was to come second has been cancelled, and the vehicle stood still until it went on."""
    stops = "id,x,y,service\na,10,0,0:10\nb,40,0,0:10\nc,10,30,0:10\nd,60,0,0:10\n"
    fleet = "id,count,x,y,open,close,speed\nv,1,0,0,08:00,18:00,60\n"
    rows = stops.splitlines(keepends=True)
    (plan,) = solver.solve([read("".join(rows[:4]), fleet)])
    assert plan.routes[0].customers == ("c", "b", "a")
    item = read("".join([*rows[:2], *rows[3:]]), fleet)
    (rest,) = solver.solve([item], warm_starts=[plan], freeze="9:46")
    begin = rest.routes[0].schedule.begins[1]
    assert rest.routes[0].customers == ("c", "a", "d") and begin > 600
    (written,) = read_solutions(AnswerTable().text(item, rest).encode())
    for known in (rest, written):
        (again,) = solver.solve([item], warm_starts=[known], freeze="9:44")
        times = again.routes[0].schedule
        assert times.frozen == 1
        assert times.begins[1] == pytest.approx(begin, abs=1)
        (same,) = read_solutions(AnswerTable().text(item, again).encode())
        assert same.routes[0].schedule.begins == written.routes[0].schedule.begins


def test_warnings_are_read_one_by_one(solver, day):
    (answer,) = solver.solve([day])
    said = ("WARM_START_REPAIRED", "FROZEN_BREAKS_LIMIT: routes[0]: A LATE one", "INTERRUPTED")
    text = AnswerTable().text(day, replace(answer, warnings=said))
    assert read_solutions(text.encode())[0].warnings == said
    assert read_solutions(AnswerTable().text(day, answer).encode())[0].warnings == ()


def test_an_answer_has_two_rows_for_a_ride_in_one(solver):
    head = "id,pickup_lat,pickup_lon,delivery_lat,delivery_lon,passengers,type,max_ride"
    rides = f"{head}\n7,52.51,13.40,52.52,13.42,2,,0:30\n=x,52.51,13.41,52.52,13.40,1,,0:20\n"
    item = read(rides, depot=(52.50, 13.38), speed=30, capacity=(4,))
    answer, again = answered(solver, item)
    rows = list(csv.DictReader(io.StringIO(AnswerTable().text(item, answer))))
    assert sorted((row["id"], row["customer"], row["type"]) for row in rows) == [
        ("'=x", "'=x:delivery", "delivery"),
        ("'=x", "'=x:pickup", "pickup"),
        ("7", "7:delivery", "delivery"),
        ("7", "7:pickup", "pickup"),
    ]
    assert {row["input_type"] for row in rows} == {""}
    rides = {row["customer"]: row["ride"] for row in rows}
    own = answer.routes[0]
    at = own.customers.index("7:delivery")
    assert rides["7:pickup"] == "" and read_clock(rides["7:delivery"]).minutes == pytest.approx(
        own.schedule.rides[at], abs=0.5
    )
    assert [route.customers for route in again.routes] == [
        route.customers for route in answer.routes
    ]
    assert check_solution(item, again.planned()).ok


SPLIT = "id;x;y;demand;part;split;pickup\na;0,5;0;7,5;old;x;\nb;1;0;2;;;\nc;1;1;;;ja;6\n"


def test_parts_of_split_stops(solver, tmp_path):
    item = read(SPLIT, "id;capacity;count;x;y\nvan;5;any;0;0\n")
    answer, again = answered(solver, item)
    assert answer.status == "solved"
    for one, other in zip(answer.routes, again.routes, strict=True):
        assert [(amount,) for amount in one.schedule.amounts] == [*other.schedule.amounts]
    assert check_solution(item, again.planned()).problems == ()
    text = AnswerTable().text(item, answer)
    assert "input_part" in text and text.splitlines()[0].endswith("error;part")
    warm = warm_routes(item, again)
    (found,) = solver.solve([item], warm_starts=[again], improve="none")
    assert found.cost == pytest.approx(answer.cost) and len(warm.routes) == len(answer.routes)
    place = text.splitlines()[1].rindex(";")
    wrong = "\n".join([text.splitlines()[0], text.splitlines()[1][:place] + ";much", ""])
    with pytest.raises(InstanceError, match="row 2, column part: 'much' is no amount"):
        read_solutions(wrong.encode())


def test_a_ride_that_has_begun_stays_as_it_was(solver):
    """Today's data make it too long, but the passenger is on board since half past eight."""
    head = "id,pickup_x,pickup_y,delivery_x,delivery_y,pickup_window,delivery_open,max_ride\n"
    fleet = "id,x,y,open,close,capacity\nV,0,0,8:00,12:00,4\n"
    _, plan = answered(solver, read(f"{head}B,10,0,30,0,8:30-8:50,,20\n", fleet, speed=60))
    late = read(f"{head}B,10,0,30,0,8:30-8:50,10:00,20\n", fleet, speed=60)
    (found,) = solver.solve([late], warm_starts=[plan], freeze=8 * 60 + 55, improve="none")
    begins = found.routes[0].schedule.begins
    assert begins == pytest.approx([8.5 * 60, 10 * 60], abs=0.5)
    assert check_solution(late, found).ok


def test_a_ride_that_has_not_begun_waits_for_its_delivery_to_open(solver):
    head = "id,pickup_x,pickup_y,delivery_x,delivery_y,pickup_close,delivery_open,max_ride\n"
    fleet = "id,x,y,open,close,capacity\nV,0,0,8:00,12:00,4\n"
    item = read(f"{head}A,5,0,15,0,8:10,,\nB,20,0,30,0,,10:00,20\n", fleet, speed=60)
    _, plan = answered(solver, item)
    (found,) = solver.solve([item], warm_starts=[plan], freeze=8 * 60 + 12, improve="none")
    own = dict(zip(found.routes[0].customers, found.routes[0].schedule.begins, strict=True))
    assert own["B:pickup"] >= 9 * 60 + 40 - 0.5
    assert check_solution(item, found).ok
