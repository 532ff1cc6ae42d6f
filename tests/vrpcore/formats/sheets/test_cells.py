import math

import pytest

from tests.vrpcore.formats.sheets.days import faults, read
from vrpcore.formats.sheets.cells import Notation
from vrpcore.instance.clock import read_clock


def line(cells, header="id,x,y,demand,open,close,service", **options):
    """What is wrong in a row of stops."""
    sep = options.pop("sep", ",")
    text = f"{header}\n{cells}\n".replace(",", sep).replace("~", ",")
    return faults(text, depot=(0, 0), capacity=(9,), speed=1, **options)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ("1,a,2,3,,,", "column x: 'a' is not a number (write only digits, like 12.5)"),
        ("1,nan,2,3,,,", "column x: 'nan' is not a number"),
        ("1,1e999,2,3,,,", "column x: inf is not a finite number"),
        ("1,0x1,2,3,,,", "column x: '0x1' is not a number"),
        ("1,1_0,2,3,,,", "column x: '1_0' is not a number"),
        ('1,"2~5",2,3,,,', "column x: '2,5' is not a number (a decimal comma needs cells that"),
        ("1,,2,3,,,", "column x: empty; expected a number"),
        ("1,1,2,-3,,,", "column demand: -3 is negative, expected at least 0"),
        ("1,1,2,3,25:99,,", "column open: '25:99' is not a time (write HH:MM or a number)"),
        ("1,1,2,3,13 PM,,", "column open: '13 PM' is not a time (write HH:MM or a number)"),
        ("1,1,2,3,8:00,9,", "column close: '9' is a number, but other times are HH:MM"),
        ("1,1,2,3,12:00,9:00,", "columns open and close: opens at 12:00, after it closes at 9:00"),
        ("1,1,2,3,,,1 am", "column service: '1 am' is not a length of time (write HH:MM or"),
        ("1,1,2,3,,,1 hr", "column service: '1 hr' is not a length of time (write HH:MM"),
        ("1,1,2,3,,,-1", "column service: -1 is negative, expected at least 0"),
        ("1,1,2,3,1" + "0" * 500 + ",,", "column open: '10000"),
        ("1,1,2,3,0800,,", "column open: '0800' is a number that begins with 0; write 08:00, or"),
        ("1,1,2,3,08,,", "column open: '08' is a number that begins with 0; write 08:00, or leave"),
        ("1,1,2,3,08.30,,", "column open: '08.30' is a number that begins with 0; write 08:30, or"),
        ("1,1,2,3,08.5,,", "column open: '08.5' is a number that begins with 0; write HH:MM, or"),
        ("1,1,2,3,0875,,", "column open: '0875' is a number that begins with 0; write HH:MM, or"),
        ("1,1,2,3,,,0030", "column service: '0030' is a number that begins with 0; write 00:30, "),
    ],
)
def test_a_cell_that_is_wrong_is_reported_by_row_and_column(cells, said):
    (found,) = line(cells)
    assert found.startswith(f"input: row 2, {said}")


def test_decimal_signs_of_a_file_are_one():
    (found,) = line("1,2.5,2~5,3,,,", sep=";")
    assert found.startswith("input: row 2, column x: '2.5' is not a number (other numbers of this")
    (found,) = line("1,12.34~5,2~5,3,,,", sep=";")
    assert found.endswith("column x: '12.34,5' is not a number (write only digits, like 12,5)")


def test_errors_of_formulas_are_no_texts():
    header = "id,name,x,y,skills,remark\n"
    rows = "#N/A,a,1,1,,#REF!\nb,#REF!,1,1,#NAME?,\nc,d,1,1,#BEZUG!,\n"
    wrong = [
        (2, "id", "#N/A"), (3, "name", "#REF!"), (3, "skills", "#NAME?"), (4, "skills", "#BEZUG!"),
    ]  # fmt: skip
    said = "input: row {}, column {}: '{}' is the error of a formula; mend it, or write a text"
    assert faults(header + rows, depot=(0, 0)) == [said.format(*each) for each in wrong]
    assert read(header + "#7,#1 Cafe!,1,1,a#b,#REF!\n", depot=(0, 0)).ids == ("#7",)


def test_whole_numbers():
    header = "id,x,y,priority"
    assert line("1,1,2,1.5", header) == [
        "input: row 2, column priority: '1.5' is not a whole number"
    ]
    assert line("1,1,2,101", header) == ["input: row 2, column priority: 101, expected 0 to 100"]


@pytest.mark.parametrize(
    ("notation", "value", "time", "rounding"),
    [
        (Notation(), 480.0, "480", 0.0005),
        (Notation(), 480.12345678, "480.123", 0.0005),
        (Notation(decimal=","), 0.5, "0,5", 0.0005),
        (Notation(decimals=1), 480.12345678, "480.1", 0.05),
        (Notation(clock="HH:MM"), 480.0, "08:00", 0.5),
        (Notation(clock="HH:MM"), 480.5, "08:01", 0.5),
        (Notation(clock="HH:MM"), 1530.0, "25:30", 0.5),
        (Notation(clock="HH:MM"), -0.2, "00:00", 0.5),
        (Notation(clock="HH:MM"), -30.0, "-00:30", 0.5),
        (Notation(clock="HH:MM:SS"), 480.5, "08:00:30", 0.5 / 60),
        (Notation(clock="HH:MM:SS"), 59.9999, "01:00:00", 0.5 / 60),
        (Notation(clock="HH:MM", has_half=True, decimals=1), 800.0, "1:20 PM", 0.5),
    ],
)
def test_times_are_written_as_they_were_read_and_not_far_off(notation, value, time, rounding):
    assert notation.time(value) == time
    assert notation.rounding(738.119) == pytest.approx(rounding)
    found = read_clock(time.removeprefix("-"))
    written = float(time.replace(",", ".")) if found is None else found.minutes
    assert abs(written - abs(value)) <= rounding * (1 + 1e-9)


def test_times_of_day_may_have_am_and_pm():
    text = "id,lat,lon,open,close,open 2 (h),close 2 (h)\n1,1,1,8 AM,10:00 am,1 PM,14:30\n"
    found = read(text, depot=(0, 0), speed=1)
    assert found.own_constraints.windows.tolist() == [[[480, 600], [780, 870]]]
    assert found.origin.notation == Notation(clock="HH:MM", has_half=True, decimals=1)
    found = read("id,x,y,window\n1,1,1,8:00 AM-1:30 p.m.\n", depot=(0, 0), speed=1)
    assert found.own_constraints.windows.tolist() == [[[480, 810]]]
    assert line("1,1,2,3,10:00 PM,2:00 AM,") == [
        "input: row 2, columns open and close: opens at 10:00 PM, after it closes at 2:00 AM; if "
        "that is the next day, write 26:00"
    ]


@pytest.mark.parametrize(
    ("cell", "window"),
    [
        ("08:00-10:00", (480, 600)),
        ("8:00 \u2013 10:00", (480, 600)),
        ("08:00 to 10:00", (480, 600)),
        ("08:00 TO 10:00", (480, 600)),
        ("-10:00", (-math.inf, 600)),
        ("08:00-", (480, math.inf)),
        ("-", (-math.inf, math.inf)),
        ("", (-math.inf, math.inf)),
    ],
)
def test_a_window_in_one_cell(cell, window):
    found = read(f"id,x,y,Time window\n1,1,1,{cell}\n2,1,1,9:00-9:30\n", depot=(0, 0), speed=1)
    assert tuple(found.own_constraints.windows[0][0]) == window
    assert found.origin.notation.clock == "HH:MM"


def test_windows_in_one_cell_may_be_several_or_numbers():
    found = read("id,x,y,window,window 2\n1,1,1,10-20,30-40\n2,1,1,10,\n", depot=(0, 0))
    assert found.error == f"input: row 3, column window: '10' {NO_WINDOW}"
    found = read("id,x,y,window,window 2\n1,1,1,10-20,30-40\n", depot=(0, 0))
    assert found.own_constraints.windows.tolist() == [[[10, 20], [30, 40]]]
    found = read("id,lat,lon,window (h)\n1,1,1,8-9.5\n", depot=(0, 0), speed=1)
    assert found.own_constraints.windows.tolist() == [[[480, 570]]]


NO_WINDOW = "is not a window (write 08:00-10:00, or rename the column)"
TOMORROW = "if that is the next day, write"


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("10:00-9:00", f"opens at 10:00, after it closes at 9:00; {TOMORROW} 33:00"),
        ("22:00-02:30:15", f"opens at 22:00, after it closes at 02:30:15; {TOMORROW} 26:30:15"),
        ("26:00-25:00", "opens at 26:00, after it closes at 25:00"),
        ("morning", f"'morning' {NO_WINDOW}"),
        ("8:00-noon", "'noon' is not a time (write HH:MM or a number)"),
        ("8:00-9:00-10:00", f"'8:00-9:00-10:00' {NO_WINDOW}"),
        ("0800-0900", "'0800' is a number, but other times are HH:MM (write HH:MM)"),
    ],
)
def test_a_cell_that_is_no_window_is_reported(cell, said):
    text = f"id,x,y,window\n1,1,1,{cell}\n2,1,1,9:00-9:30\n"
    assert faults(text, depot=(0, 0), speed=1)[0] == f"input: row 2, column window: {said}"
