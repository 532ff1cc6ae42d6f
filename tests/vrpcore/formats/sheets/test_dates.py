from datetime import date

import pytest

from tests.vrpcore.formats.sheets.days import faults, read

HOW = {"depot": (52, 13), "speed": 30}


def days(*times):
    rows = "".join(f"{i};52;13.{i};{opens}\n" for i, opens in enumerate(times, start=1))
    return f"id;lat;lon;open\n{rows}"


def test_times_count_from_midnight_of_the_first_day():
    found = read(days("2026-11-28T08:30", "2026-11-27T06:00"), **HOW)
    assert found.own_constraints.windows[:, 0, 0].tolist() == [1440 + 510, 360]
    notation = found.origin.notation
    assert [notation.time(time) for time in (510.0, 1950.4, -1.0)] == [
        "2026-11-27T08:30", "2026-11-28T08:30", "2026-11-26T23:59",
    ]  # fmt: skip
    assert found.origin.time_text(510.0) == "2026-11-27T08:30"
    assert found.origin.clock == "min"


@pytest.mark.parametrize(
    ("text", "again", "clock"),
    [
        ("27.11.2026 08:30", "27.11.2026 09:00", "09:00"),
        ("27.11.2026, 08:30", "27.11.2026, 09:00", "09:00"),
        ("27/11/2026 08:30", "2026-11-27 09:00", "09:00"),
        ("2026/11/27 08:30", "2026/11/27 09:00", "09:00"),
        ("2026-11-27T08:30:01Z", "2026-11-27T09:00:00Z", "09:00:00"),
        ("11/27/2026 8:30 AM", "2026-11-27 9:00 AM", "9:00 AM"),
    ],
)
def test_answers_write_dates_as_they_are_or_with_the_year_first(text, again, clock):
    found = read(days(text), **HOW)
    assert found.origin.notation.time(540) == again
    assert found.origin.time_text(540) == clock  # of one day, people need no date


def test_an_order_that_one_date_shows_is_that_of_all():
    found = read(days("03/04/2026 08:00", "27/04/2026 08:00"), **HOW)
    assert found.own_constraints.windows[:, 0, 0].tolist() == [480, 24 * 1440 + 480]
    found = read(days("04/03/2026 8:00 AM", "04/27/2026 8:00 AM"), **HOW)
    assert found.own_constraints.windows[1, 0, 0] == 24 * 1440 + 480


def test_what_is_not_certain_is_asked():
    assert faults(days("03/04/2026 08:00"), **HOW) == [
        "input: row 2, column open: '03/04/2026 08:00' may be 2026-04-03 or 2026-03-04; write "
        "dates like 2026-11-27T08:30, or say which with dates: dmy or mdy in a file for --columns"
    ]
    days_first = {"stops": {}, "dates": "dmy"}
    found = read(days("03/04/2026 08:00"), **HOW, columns=days_first).origin.notation.calendar
    assert found.first == date(2026, 4, 3).toordinal()
    said, _ = faults(days("03/14/2026 08:00"), **HOW, columns=days_first)
    assert "'03/14/2026 08:00' is no date in the order dmy; write dates like" in said
    assert (
        "'04/27/2026 8:00' has the month first, other dates have the day; write dates"
        in (faults(days("27/04/2026 8:00", "04/27/2026 8:00"), **HOW)[0])
    )
    assert faults(days("2026-11-27T08:00", "2026-11-28T08:00", "9:00"), **HOW) == [
        "input: row 4, column open: '9:00' says no day, and others are from 2026-11-27 to "
        "2026-11-28; write the date, too"
    ]
    same = ("2026-11-27T08:00Z", "2026-11-27T08:00+00:00", "2026-11-27T08:00 -00")
    assert read(days(*same), **HOW).own_constraints.windows[:, 0, 0].tolist() == [480] * 3
    assert faults(days("2026-11-27T08:00+0530", "2026-11-27T08:00-05:30"), **HOW)
    (said,) = faults(days("2026-11-27T08:00Z", "2026-11-27T08:00+02:00"), **HOW)
    assert "'2026-11-27T08:00+02:00', but '2026-11-27T08:00Z' has another offset from UTC" in said


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (["2026-11-27"], "'2026-11-27' is a date without a time of day (write 2026-11-27T08:30)"),
        (["31.02.2026 08:00"], "'31.02.2026 08:00' is no date (write 2026-11-27T08:30)"),
        (["2026-11-27T08:00", "2026-11-28"], "'2026-11-28' is a date without a time of day"),
        (["1.2.2026 08:00", "31.2.2026 08:00"], "'31.2.2026 08:00' is no date of this calendar"),
        (["2026-11-27T08:00", "540"], "'540' is a number, but other times are HH:MM"),
    ],
)
def test_dates_that_are_none_are_errors_by_cell(times, said):
    (found,) = faults(days(*times), **HOW)
    assert f"row {len(times) + 1}, column open: {said}" in found


def test_times_without_a_date_are_of_the_only_day():
    fleet = "id,open,close,speed\nv,07:00,16:00,30\n"
    found = read(days("2026-11-27T08:30"), fleet, depot=(52, 13))
    assert found.own_constraints.vehicles[0].window == (420, 960)
    assert found.origin.notation.calendar.has_one_day


def test_an_offset_is_told():
    assert read(days("2026-11-27T08:00+01:00"), **HOW).origin.notes == [
        "input: times have the offset +01:00 from UTC; they are read as they are there, and "
        "answers have it, too"
    ]
