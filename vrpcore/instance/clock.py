"""Times as people write them: 8:00, 8:00 AM, 8h30, 25:30 after midnight, 27.11.2026 08:30."""

import math
import re
from collections.abc import Mapping
from datetime import date
from typing import Literal, NamedTuple

Clock = Literal["", "HH:MM", "HH:MM:SS"]
Order = Literal["ymd", "dmy", "mdy"]

DAY = 24 * 60  # minutes
_CLOCK = re.compile(r"(?:(\d{1,4}) days?,? )?(\d{1,6}):([0-5]\d)(?::([0-5]\d))?")
_HALF = re.compile(r"(0?[1-9]|1[0-2])(?::([0-5]\d))?(?::([0-5]\d))?\s*([ap])\.?m\.?", re.IGNORECASE)
_LOCAL = re.compile(
    r"(\d{1,2})(?::([0-5]\d))?\s?(?:uhr|uur|h)|(\d{1,2})\s?h\s?([0-5]\d)|(\d{1,2})\.([0-5]\d)\s?(?:uhr|uur)",
    re.IGNORECASE,
)
_LONGEST = 60  # characters
_DATED = re.compile(
    r"(?:(?P<year>\d{4})(?P<sign>[-/.])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})"
    r"|(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})(?P=mark)(?P<last>\d{4}))"
    r"(?:(?P<between>T|,? +)(?P<time>\d{1,2}:\d{2}(?::\d{2})?)(?:[.,]\d{1,9})?"
    r"(?P<half> ?[AaPp]\.?[Mm]\.?)? ?(?P<offset>Z|[+-]\d{2}(?::?\d{2})?)?)?"
)


class Time(NamedTuple):
    """A time in minutes since midnight; `has_half`: it says which half of the day, as 8 AM does."""

    minutes: float
    clock: Clock
    has_half: bool


def read_clock(text: str) -> Time | None:
    """A time with a colon, with AM or PM, or with h, Uhr or uur; None: it is none."""
    if local := _LOCAL.fullmatch(text):
        hour, minute = local[1] or local[3] or local[5], local[2] or local[4] or local[6]
        return Time(int(hour) * 60 + int(minute or 0), "HH:MM", False)
    if half := _HALF.fullmatch(text):
        days, hours = 0, int(half[1]) % 12 + (12 if half[4] in "pP" else 0)
        minutes, seconds = half[2], half[3]
    elif found := _CLOCK.fullmatch(text):
        days, hours = int(found[1] or 0), int(found[2])
        minutes, seconds = found[3], found[4]
    else:
        return None
    whole = days * DAY + hours * 60 + int(minutes or 0) + int(seconds or 0) / 60
    return Time(whole, "HH:MM:SS" if seconds else "HH:MM", half is not None)


def write_clock(minutes: float, clock: Clock = "HH:MM", has_half: bool = False) -> str:
    """Minutes since midnight with colons, rounded to whole minutes or seconds.

    They may be negative, or beyond a day; AM or PM is written where they are within it.
    """
    seconds = clock == "HH:MM:SS"
    whole = math.floor(minutes * (60 if seconds else 1) + 0.5)
    sign, whole = "-" if whole < 0 else "", abs(whole)
    rest, second = divmod(whole, 60) if seconds else (whole, 0)
    hour, minute = divmod(rest, 60)
    ending = f":{minute:02d}" + (f":{second:02d}" if seconds else "")
    if has_half and not sign and rest < DAY:
        return f"{hour % 12 or 12}{ending} {'AM' if hour < 12 else 'PM'}"
    return f"{sign}{hour:02d}{ending}"


class Dated(NamedTuple):
    """A date that was read.

    Attributes:
        days: The days that it may be, as `date.toordinal` counts them, by the order of its parts.
        sign: Between these parts.
        between: The date and the time.
        time: Of the day; None: there is none.
        offset: From UTC, as it is written; may be empty.
    """

    days: Mapping[Order, int]
    sign: str
    between: str
    time: Time | None
    offset: str

    def day(self, order: Order) -> int | None:
        """The day that is meant, where dates that may be two have this order; None: none is."""
        return self.days.get("ymd") or self.days.get(order) or self.days.get("dmy")


def read_dated(text: str) -> Dated | None:
    """A date with or without a time of day; None: it is none."""
    found = _DATED.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return None
    if found["year"]:
        orders: dict[Order, tuple[str, ...]] = {"ymd": found.group("year", "month", "day")}
    else:
        orders = {"dmy": found.group("last", "second", "first")}
        if found["mark"] != ".":  # points have the day before them, wherever they are written
            orders["mdy"] = found.group("last", "first", "second")
    days: dict[Order, int] = {}
    for order, parts in orders.items():
        try:
            days[order] = date(*map(int, parts)).toordinal()
        except ValueError:
            continue
    time = read_clock(f"{found['time']}{found['half'] or ''}") if found["time"] else None
    if found["time"] and (time is None or time.minutes > DAY):
        return None
    sign = found["sign"] or found["mark"]
    return Dated(days, sign, found["between"] or "", time, found["offset"] or "")
