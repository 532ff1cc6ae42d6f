from datetime import date

import pytest

from vrpcore.instance.clock import Time, read_clock, read_dated, write_clock

DAY = date(2026, 11, 27).toordinal()


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("8:05", 485), ("25:30", 1530), ("8h30", 510), ("08 h 30", 510), ("8 h", 480),
        ("8:30 h", 510), ("8.30 Uhr", 510), ("8 Uhr", 480), ("8:30 uur", 510),
        ("1 day, 2:30", 1590),
    ],
)  # fmt: skip
def test_times_are_read(text, minutes):
    assert read_clock(text) == Time(minutes, "HH:MM", False)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("08:00:30", Time(480.5, "HH:MM:SS", False)),
        ("0 days 00:08:00", Time(8, "HH:MM:SS", False)),
        ("8 AM", Time(480, "HH:MM", True)),
        ("12:00 am", Time(0, "HH:MM", True)),
        ("12:30PM", Time(750, "HH:MM", True)),
        ("01:05:30 p.m.", Time(785.5, "HH:MM:SS", True)),
        ("8:05\u202fPM", Time(1205, "HH:MM", True)),
    ],
)
def test_times_with_seconds_and_halves_of_the_day(text, time):
    assert read_clock(text) == time


@pytest.mark.parametrize(
    "text",
    ["8", "8:5", "25:60", "13 PM", "0:30 AM", "-8:00", "8:00 XM", "8.30 h", "8h60", "1 days", ""],
)
def test_what_is_no_time(text):
    assert read_clock(text) is None


@pytest.mark.parametrize(
    ("minutes", "text"),
    [
        (0, "12:00 AM"), (485, "8:05 AM"), (719.6, "12:00 PM"), (785, "1:05 PM"),
        (1439.4, "11:59 PM"), (1439.6, "24:00"), (1530, "25:30"), (-30, "-00:30"),
    ],
)  # fmt: skip
def test_halves_of_the_day_are_written(minutes, text):
    assert write_clock(minutes, "HH:MM", has_half=True) == text


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("clock", ["HH:MM", "HH:MM:SS"])
def test_what_is_written_is_read(clock, half):
    for minutes in range(0, 2000, 7):
        found = read_clock(write_clock(minutes, clock, half))
        assert found == Time(minutes, clock, half and minutes < 1440)


@pytest.mark.parametrize(
    ("text", "orders", "minutes", "offset"),
    [
        ("2026-11-27T08:30", "ymd", 510, ""),
        ("2026-11-27 08:30:30", "ymd", 510.5, ""),
        ("2026/11/27 8:30", "ymd", 510, ""),
        ("2026-11-27T08:30:00.000Z", "ymd", 510, "Z"),
        ("2026-11-27T08:30+01:00", "ymd", 510, "+01:00"),
        ("27.11.2026 08:30", "dmy", 510, ""),
        ("27.11.2026, 08:30", "dmy", 510, ""),
        ("27/11/2026 08:30", "dmy", 510, ""),
        ("11/27/2026 8:30 PM", "mdy", 1230, ""),
        ("27-11-2026 24:00", "dmy", 1440, ""),
    ],
)
def test_dates_are_read(text, orders, minutes, offset):
    found = read_dated(text)
    assert found.days == {orders: DAY}
    assert (found.time.minutes, found.offset) == (minutes, offset)


def test_dates_that_may_be_two_days_or_none():
    both = read_dated("03/04/2026 08:00").days
    assert [date.fromordinal(day).isoformat() for day in both.values()] == [
        "2026-04-03", "2026-03-04",
    ]  # fmt: skip
    assert list(read_dated("03.04.2026 08:00").days) == ["dmy"]
    assert read_dated("31.02.2026 08:00").days == {}
    assert read_dated("2026-11-27").time is None


@pytest.mark.parametrize(
    "text",
    ["08:30", "27.11.26 08:30", "2026-11-27T", "2026-11-27T25:00", "2026-11/27", "a", "1" * 1000],
)
def test_other_texts_are_no_dates(text):
    assert read_dated(text) is None
