import pytest

from vrpcore.formats.sheets.clock import Time, read_clock, write_clock


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("8:05", Time(485, "HH:MM", False)),
        ("25:30", Time(1530, "HH:MM", False)),
        ("08:00:30", Time(480.5, "HH:MM:SS", False)),
        ("8 AM", Time(480, "HH:MM", True)),
        ("12:00 am", Time(0, "HH:MM", True)),
        ("12:30PM", Time(750, "HH:MM", True)),
        ("01:05:30 p.m.", Time(785.5, "HH:MM:SS", True)),
        ("8:05\u202fPM", Time(1205, "HH:MM", True)),
        ("8h30", Time(510, "HH:MM", False)),
        ("08 h 30", Time(510, "HH:MM", False)),
        ("8 h", Time(480, "HH:MM", False)),
        ("8:30 h", Time(510, "HH:MM", False)),
        ("8.30 Uhr", Time(510, "HH:MM", False)),
        ("8 Uhr", Time(480, "HH:MM", False)),
        ("8:30 uur", Time(510, "HH:MM", False)),
        ("0 days 00:08:00", Time(8, "HH:MM:SS", False)),
        ("1 day, 2:30", Time(1590, "HH:MM", False)),
    ],
)
def test_times_are_read(text, time):
    assert read_clock(text) == time


@pytest.mark.parametrize(
    "text",
    [
        "8",
        "8:5",
        "25:60",
        "13 PM",
        "0:30 AM",
        "-8:00",
        "8:00 XM",
        "8.30 h",
        "8h60",
        "-1 days +23:52:00",
        "1 days",
        "",
    ],
)
def test_what_is_no_time(text):
    assert read_clock(text) is None


@pytest.mark.parametrize(
    ("minutes", "text"),
    [
        (0, "12:00 AM"),
        (485, "8:05 AM"),
        (719.6, "12:00 PM"),
        (785, "1:05 PM"),
        (1439.4, "11:59 PM"),
        (1439.6, "24:00"),
        (1530, "25:30"),
        (-30, "-00:30"),
    ],
)
def test_halves_of_the_day_are_written(minutes, text):
    assert write_clock(minutes, "HH:MM", has_half=True) == text


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("clock", ["HH:MM", "HH:MM:SS"])
def test_what_is_written_is_read(clock, half):
    for minutes in range(0, 2000, 7):
        found = read_clock(write_clock(minutes, clock, half))
        assert found == Time(minutes, clock, half and minutes < 1440)
