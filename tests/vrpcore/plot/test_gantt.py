import dataclasses
import math
import re

import pytest

from tests.vrpcore.formats.answers.written import answer_of
from tests.vrpcore.plot.pictures import ANSWER, DAY, answer, day
from vrpcore.api import SheetOptions, Solver, read_instances
from vrpcore.errors import InstanceError
from vrpcore.plot.activities import Bar, bars
from vrpcore.plot.gantt import (
    draw_timeline,
    has_times,
    lanes,
    shift_of,
    time_writer,
    timeline_inches,
    timeline_rows,
    windows_of,
)
from vrpcore.plot.style import route_styles


def bars_of(row):
    return list(bars(row.schedule, row.services, row.vehicle.breaks, row.loading))


def rows_of(problem, solution):
    return timeline_rows(problem, solution, route_styles(problem, solution))


def spans(axis, kind=None):
    """Begin and end of each bar of a kind; without one, of what is shaded."""
    return [
        (path.vertices[:, 0].min(), path.vertices[:, 0].max())
        for found in axis.collections
        if (found.get_zorder() == 0 if kind is None else found.get_label() == kind)
        for path in found.get_paths()
    ]


def legend(axis):
    return {text.get_text() for text in axis.get_legend().get_texts()}


def test_bars_by_hand():
    van, bike = rows_of(day(), answer())
    assert bars_of(van) == [
        Bar("travel", 1, 6, 0), Bar("waiting", 6, 8, 0), Bar("service", 8, 10, 0),
        Bar("travel", 10, 15),
    ]  # fmt: skip
    assert bars_of(bike) == [Bar("travel", 0, 3, 0), Bar("travel", 3, 6, 1)]


RESTS = [{"id": "tea", "window": [3, 4], "duration": 1}, {"id": "nap", "duration": 2}]


def rested(**changes):
    """The day and its answer where the van drinks tea before it leaves, and naps after its stop."""
    van = DAY["vehicles"][0] | {"breaks": RESTS}
    first = DAY["customers"][0] | {"service": 1, "setup": 1, "service_by_vehicle": {"bike": 9}}
    problem = day(vehicles=[van, DAY["vehicles"][1]], customers=[first, *DAY["customers"][1:]])
    taken = [{"id": "tea", "begin": 3, "after": 0}, {"id": "nap", "begin": 10, "after": 1}]
    times = {"breaks": taken, "arrivals": [9], "begins": [9], "return": 18}
    route = ANSWER["routes"][0] | times | changes
    solution = answer_of({**ANSWER, "routes": [route, ANSWER["routes"][1]]})
    return problem, solution


def test_breaks_and_setups_have_bars():
    late = [{"id": "tea", "begin": 3, "after": 0}, {"id": "nap", "begin": 11, "after": 1}]
    van, bike = rows_of(*rested(breaks=late))
    assert bars_of(van) == [
        Bar("waiting", 1, 3), Bar("break", 3, 4), Bar("travel", 4, 9, 0), Bar("service", 9, 11, 0),
        Bar("break", 11, 13), Bar("travel", 13, 18),
    ]  # fmt: skip
    assert "break" not in {bar.kind for bar in bars_of(bike)}


def test_the_legend_names_breaks_where_there_are_some(axis):
    problem, solution = rested()
    draw_timeline(axis, problem, rows_of(problem, solution), 3.0)
    assert spans(axis, "break") == [(3, 4), (10, 12)]
    assert "break" in legend(axis)
    axis.clear()
    draw_timeline(axis, day(), rows_of(day(), answer()), 3.0)
    assert "break" not in legend(axis)


@pytest.mark.parametrize("breaks", [None, [], [{"id": "tea", "after": 0}] * 2])
def test_a_route_that_does_not_state_its_breaks_has_no_row(breaks):
    assert len(rows_of(*rested(breaks=breaks))) == 1


def test_rows_are_named_by_number_and_vehicle():
    assert [row.label for row in rows_of(day(), answer())] == ["1 · van", "2 · bike"]
    short = {key: DAY[key] for key in ("name", "customers", "shipments")}
    problem = day(**short, vehicles=None, depots=None, depot=[0, 0], capacity=9)
    solution = answer(vehicle=None, start="0", end="0")
    assert [row.label for row in rows_of(problem, solution)] == ["1", "2"]


@pytest.mark.parametrize(
    "change", [{"departure": None}, {"arrivals": []}, {"begins": [8, 9, 10]}, {"return": None}]
)
def test_routes_that_do_not_state_their_times_have_no_row(change):
    assert rows_of(day(), answer(**change)) == []


PLAIN = {"depots": [[0, 0]], "vehicles": [{"capacity": 9}], "shipments": None}
CUSTOMER = {"id": 7, "x": 3, "y": 4}


@pytest.mark.parametrize(
    ("change", "timed"),
    [
        ({}, False),
        ({"vehicles": [{"fixed_cost": 9, "max_distance": 8, "skills": ["a"]}]}, False),
        ({"customers": [{**CUSTOMER, "window": [0, 9]}]}, True),
        ({"customers": [{**CUSTOMER, "service": 1}]}, True),
        ({"customers": [{**CUSTOMER, "release": 0}]}, True),
        ({"depots": [{"x": 0, "y": 0, "window": [0, 9]}]}, True),
        ({"vehicles": [{"window": [0, 9]}]}, True),
        ({"vehicles": [{"breaks": [{}]}]}, True),
        ({"customers": [{**CUSTOMER, "setup": 1}]}, True),
        ({"vehicles": [{"max_duration": 9}]}, True),
        ({"vehicles": [{"max_travel_time": 9}]}, True),
        ({"vehicles": [{"latest_start": 9}]}, True),
        ({"vehicles": [{"duration_cost": 1}]}, True),
        ({"vehicles": [{"speed": 2}]}, True),
        ({"speed": 2}, True),
        ({"durations": [[0, 1], [1, 0]]}, True),
    ],
)
def test_which_instances_have_times(change, timed):
    problem = day(**{**PLAIN, "customers": [CUSTOMER], **change})
    assert has_times(problem) == timed


def test_shifts_are_cut_by_the_depots_hours():
    van, bike = rows_of(day(), answer())
    assert shift_of(day(), van) == (1, 18)
    assert shift_of(day(), bike) == (0, math.inf)


def test_windows_that_say_nothing_are_left_out():
    assert windows_of(day(), 1) == [(8, 12)]
    assert windows_of(day(), 2) == []
    several = day(customers=[{**CUSTOMER, "windows": [[0, 1], [2, 3]]}, {**CUSTOMER, "id": 8}])
    assert windows_of(several, 1) == [(0, 1), (2, 3)]
    assert windows_of(several, 2) == []


def test_lanes_keep_windows_apart():
    assert lanes([(6, 7), (0, 5), (1, 2)], 2) == [0, 0, 1]
    assert lanes([(0, 9), (1, 8), (2, 7), (3, 4)], 2) == [0, 1, 1, 1]
    assert lanes([], 3) == []


def test_a_picture_of_the_day(axis):
    draw_timeline(axis, day(), rows_of(day(), answer()), 2.0)
    assert spans(axis, "travel") == [(1, 6), (10, 15), (0, 3), (3, 6)]
    assert spans(axis, "waiting") == [(6, 8)]
    assert spans(axis, "service") == [(8, 10)]
    assert spans(axis, "window") == [(8, 12)]
    low, high = axis.get_xlim()
    assert low < 0 and high > 18
    ends = [(line.get_marker(), float(line.get_xdata()[0])) for line in axis.get_lines()]
    assert ends == [(">", 1), ("<", 15), (">", 0), ("<", 6)]
    hollow = [line.get_markerfacecolor() for line in axis.get_lines()]
    assert hollow == ["black", "black", "black", "white"]
    assert axis.get_xlabel() == "time"


def test_times_out_of_the_shift_are_shaded(axis):
    draw_timeline(axis, day(), rows_of(day(), answer()), 2.0)
    low, high = axis.get_xlim()
    assert spans(axis) == [pytest.approx(pair) for pair in [(low, 1), (18, high), (low, 0)]]


def test_far_windows_do_not_widen_the_axis(axis):
    far = [{**DAY["customers"][0], "window": [8, 1e9]}, *DAY["customers"][1:]]
    problem = day(customers=far, vehicles=[{"id": "van", "window": [0, 1e8]}, DAY["vehicles"][1]])
    draw_timeline(axis, problem, rows_of(problem, answer()), 2.0)
    assert axis.get_xlim()[1] < 20


def test_many_vehicles_are_cut_and_not_all_named(axis):
    rows = rows_of(day(), answer()) * 6
    draw_timeline(axis, day(), rows, 2.1)
    assert axis.get_xlabel() == "time, 10 of 12 vehicles"
    assert len(axis.get_lines()) == 2 * 10
    assert len(axis.get_yticks()) == 5
    assert axis.get_yticklabels()[0].get_text() == "1 · van"


def test_heights_grow_to_their_limit():
    heights = [timeline_inches(rows, 12.0) for rows in (1, 10, 30, 60, 1000)]
    assert heights == sorted(heights)
    assert heights[0] < 1.5
    assert heights[-1] == heights[-2] == 12.0


def test_routes_without_a_span_are_drawn(axis):
    solution = answer(departure=5, arrivals=[5], begins=[5], customers=[8], **{"return": 5})
    draw_timeline(axis, day(), rows_of(day(), solution), 2.0)
    assert spans(axis, "travel") == []


def test_a_wrong_answer_does_not_turn_time_around(axis):
    problem, solution = day(), answer(departure=20, **{"return": 3})
    draw_timeline(axis, problem, rows_of(problem, solution), 2.0)
    low, high = axis.get_xlim()
    assert low < 0 and high > 20


def test_a_spreadsheet_with_times_of_day_has_them_on_its_axis(axis):
    text = b"id,x,y,close\n1,3,4,12:00\n2,0,90,9:00\n"
    (problem,) = read_instances(text, sheet=SheetOptions(depot=(0, 0), speed=60))
    labels, _ = drawn(axis, problem, None)
    assert {"00:00", "01:00", "03:00"} <= labels


@pytest.mark.parametrize(("clock", "third"), [("s", "00:05"), ("min", "00:05"), ("h", "05:00")])
def test_times_of_day_in_any_unit(axis, clock, third):
    late = {"s": 300, "min": 5, "h": 5}[clock]
    problem, solution = day(), answer(**{"return": late})
    draw_timeline(axis, problem, rows_of(problem, solution), 3.0, clock)
    labels = {label.get_text() for label in axis.get_xticklabels()}
    assert {"00:00", third} <= labels
    assert all(re.fullmatch(r"-?\d\d:\d\d", label) for label in labels)


VROOM = {
    "vehicles": [{"id": 1, "start_index": 0, "end_index": 0}],
    "jobs": [{"id": 7, "location_index": 1, "service": 300}],
    "matrices": {"car": {"durations": [[0, 5400], [5400, 0]]}},
}
MIDNIGHT_S = 1_599_955_200  # of 2020-09-13, UTC


def drawn(axis, problem, clock):
    (found,) = Solver(device="cpu").solve([problem])
    draw_timeline(axis, problem, rows_of(problem, found), 3.0, clock)
    return {label.get_text() for label in axis.get_xticklabels()}, axis.get_xlabel()


@pytest.mark.parametrize("clock", [None, "s"])
def test_problems_of_vrooms_have_times_of_day_and_their_date(axis, clock):
    (early,) = read_instances(VROOM)
    labels, said = drawn(axis, early, clock)
    assert {"00:00", "01:00"} <= labels
    assert said == "time"
    windows = [[MIDNIGHT_S + 8 * 3600, MIDNIGHT_S + 9 * 3600]]
    axis.clear()
    (dated,) = read_instances(VROOM | {"jobs": [{**VROOM["jobs"][0], "time_windows": windows}]})
    labels, said = drawn(axis, dated, clock)
    assert {"08:00", "09:00"} <= labels
    assert said == "time of day, 2020-09-13, UTC"


@pytest.mark.parametrize(("clock", "unit_s"), [("s", 1), ("min", 60), ("h", 3600)])
def test_times_since_1970_in_any_unit(axis, clock, unit_s):
    start = MIDNIGHT_S / unit_s
    document = {
        "depot": {"x": 0, "y": 0, "window": [start, start + 86400 / unit_s]}, "capacity": 1,
        "customers": [{"id": 1, "x": 0, "y": 7200 / unit_s, "window": [start, None]}],
    }  # fmt: skip
    (problem,) = read_instances(document)
    labels, said = drawn(axis, problem, clock)
    assert {"00:00", "02:00", "04:00"} <= labels  # it leaves at midnight
    assert said == "time of day, 2020-09-13, UTC"
    axis.clear()
    assert drawn(axis, problem, None)[1] == "time"


NIGHTS = {
    "capacity": 1, "depot": {"x": 0, "y": 0},
    "customers": [
        {"id": 1, "x": 0, "y": 3600, "window": [MIDNIGHT_S + 82800, MIDNIGHT_S + 90000]},
        {"id": 2, "x": 0, "y": 3600, "window": [MIDNIGHT_S + 140400, MIDNIGHT_S + 144000]},
    ],
}  # fmt: skip


def test_dates_beyond_the_last_year_of_calendars(axis):
    (problem,) = read_instances(NIGHTS)
    assert time_writer(problem, "s")(MIDNIGHT_S * 1000.0) == "52670-07-25 00:00"
    assert time_writer(problem, "h")(1e100).startswith("2737908976-")
    later = MIDNIGHT_S * 1000 + 36000
    jobs = [{**VROOM["jobs"][0], "time_windows": [[later, later + 60]]}]
    (problem,) = read_instances(VROOM | {"jobs": jobs})
    assert drawn(axis, problem, None)[1] == "time of day, 52670-07-25, UTC"


def test_a_depot_of_another_instance():
    with pytest.raises(InstanceError, match="day: unknown depot 'west'"):
        rows_of(day(), answer(start="west"))


def test_several_days_since_1970_have_their_dates_on_the_axis(axis):
    (problem,) = read_instances(NIGHTS)
    labels, said = drawn(axis, problem, "s")
    assert said == "date and time, UTC"
    assert {"22:00\n2020-09-13", "00:00\n2020-09-14", "04:00", "16:00"} <= labels
    assert not any("2020" in label for label in labels if label < "20" and label[:5] != "00:00")


def test_a_route_without_dates_does_not_stretch_the_axis_to_1970(axis):
    free = {"id": 3, "x": 0, "y": 60, "demand": 1}
    dated = {**free, "id": 1, "window": [MIDNIGHT_S + 82800, MIDNIGHT_S + 84600]}
    (problem,) = read_instances({**NIGHTS, "customers": [dated, free]})
    labels, said = drawn(axis, problem, "s")
    assert said == "time of day, 2020-09-13, UTC, 1 of 2 vehicles"
    assert "23:00" in labels and len(axis.get_yticks()) == 1


def test_one_time_is_written_with_its_date():
    (problem,) = read_instances(NIGHTS)
    assert time_writer(problem, "s")(MIDNIGHT_S + 3660) == "2020-09-13 01:01"
    assert time_writer(problem, "h")(8.5) == "08:30"
    assert time_writer(problem, None)(8.5) == "8.5"
    (vroom,) = read_instances(VROOM)
    assert time_writer(vroom, None)(3600) == "01:00"


def test_weeks_have_as_many_ticks_as_there_is_room_for(axis):
    weeks = [{**each, "window": [MIDNIGHT_S + day * 86400, MIDNIGHT_S + day * 86400 + 60]}
             for each, day in zip(NIGHTS["customers"], (0, 40), strict=True)]  # fmt: skip
    (problem,) = read_instances({**NIGHTS, "capacity": 2, "customers": weeks})
    labels, _ = drawn(axis, problem, "s")
    assert 5 < len(labels) < 15 and all(label.startswith("00:00\n2020-") for label in labels)


def test_loading_and_lateness_are_drawn_and_named(axis):
    depots = [DAY["depots"][0] | {"service": 1}, DAY["depots"][1]]
    van = DAY["vehicles"][0] | {"reloads": [], "late_cost": 1}
    problem = day(depots=depots, vehicles=[van, DAY["vehicles"][1]])
    solution = answer()
    late = dataclasses.replace(solution.routes[0].schedule, late_return=3.0, late=(2.0,))
    first = dataclasses.replace(solution.routes[0], schedule=late)
    solution = dataclasses.replace(solution, routes=(first, *solution.routes[1:]))
    draw_timeline(axis, problem, rows_of(problem, solution), 3.0)
    assert spans(axis, "loading") == [(1, 2)]
    assert spans(axis, "late, overtime") == [(6, 8), (12, 15)]
    assert {"loading", "late, overtime"} <= legend(axis)
    axis.clear()
    draw_timeline(axis, day(), rows_of(day(), answer()), 3.0)
    assert not {"loading", "late, overtime"} & legend(axis)
