"""Times as people write them: 8:00, 8:00 AM, 8h30, 25:30 after midnight, 27.11.2026 08:30."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, NamedTuple

from vrpcore.errors import describe, fault
from vrpcore.formats.sheets.table import Faults

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
_ADVICE = "write dates like 2026-11-27T08:30"


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


def write_clock(minutes: float, clock: Clock, has_half: bool = False) -> str:
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


@dataclass(frozen=True, slots=True)
class Calendar:
    """How a spreadsheet writes dates, and which of its days is the first.

    Attributes:
        order: Of day, month and year, where a date does not show it.
        form: Written as answers write dates.
        first: The day whose midnight is time 0, as `date.toordinal` counts.
        last: The last day.
    """

    order: Order
    form: Dated
    first: int
    last: int

    @property
    def has_one_day(self) -> bool:
        """Whether all dates are the same, so that times without one are of that day."""
        return self.first == self.last

    def minutes(self, dated: Dated) -> float:
        """Minutes since midnight of the first day.

        Raises:
            ValueError: It is no time of such a calendar; says what it is.
        """
        if dated.time is None:
            raise ValueError(f"a date without a time of day ({_ADVICE})")
        if (day := dated.day(self.order)) is None:
            raise ValueError(f"no date of this calendar ({_ADVICE})")
        return (day - self.first) * DAY + dated.time.minutes

    def text(self, minutes: float, clock: Clock, has_half: bool = False) -> str:
        """A time, given in minutes since midnight of the first day, with its date."""
        unit = 60 if clock == "HH:MM:SS" else 1
        whole = int(minutes * unit + 0.5) if minutes >= 0 else -int(0.5 - minutes * unit)
        days, rest = divmod(whole, DAY * unit)
        day = date.fromordinal(min(max(self.first + days, 1), date.max.toordinal()))
        parts = {"y": f"{day.year:04d}", "m": f"{day.month:02d}", "d": f"{day.day:02d}"}
        (order, *_), form = self.form.days, self.form
        written = form.sign.join(parts[part] for part in order)
        return f"{written}{form.between}{write_clock(rest / unit, clock, has_half)}{form.offset}"


def find_calendar(
    found: Sequence[tuple[str, str, Dated]],
    plain: tuple[str, str] | None,
    stated: Order | None,
    faults: Faults,
) -> Calendar | None:
    """Finds out how dates are meant; None: there are none.

    Args:
        found: Place and text of each date, and what it may be.
        plain: Place and text of a time of day without a date; None: there is none.
        stated: Order of dates that do not show it, if the author says it.
        faults: Takes questions: whether days or months come first; of which day `plain` is; what
            times without an offset from UTC are.
    """
    dates = [each for each in found if each[2].days and each[2].time is not None]
    if not dates:
        return None
    order = _order(dates, stated, faults)
    days = [day for _, _, dated in dates if (day := dated.day(order)) is not None] or [1]
    offsets = {_east(dated.offset): (place, text) for place, text, dated in reversed(dates)}
    if len(offsets) > 1:
        (place, text), *_, (_, first) = offsets.values()
        message = f"{describe(text)}, but {describe(first)} has another offset from UTC"
        faults.add(fault(place, f"{message}; write all times as they are at one place", "CELL"))
    if plain is not None and min(days) != max(days):
        first, last = (date.fromordinal(day).isoformat() for day in (min(days), max(days)))
        message = f"{describe(plain[1])} says no day, and others are from {first} to {last}"
        faults.add(fault(plain[0], f"{message}; write the date, too", "CELL"))
    form = dates[0][2]
    if "ymd" not in form.days and form.sign != ".":  # with the year first, all can read it
        form = form._replace(days={"ymd": days[0]}, sign="-")
    return Calendar(order, form, min(days), max(days))


def _east(offset: str) -> int | None:
    """Minutes from UTC, `Z` or `+05:30` as it is written; None where nothing is."""
    if offset in ("", "Z"):
        return 0 if offset else None
    digits = offset[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:] or 0)
    return -minutes if offset[0] == "-" else minutes


def _order(dates: Sequence[tuple[str, str, Dated]], stated: Order | None, faults: Faults) -> Order:
    """Whether days or months come first where a date does not show it."""
    either = [each for each in dates if "ymd" not in each[2].days and each[2].sign != "."]
    known: tuple[Order, ...] = (stated,) if stated else ("dmy", "mdy")
    fits = [order for order in known if all(order in dated.days for _, _, dated in either)]
    if either and not fits:
        place, text, _ = next(each for each in either if known[0] not in each[2].days)
        message = f"{describe(text)} has the month first, other dates have the day; {_ADVICE}"
        if stated:
            message = f"{describe(text)} is no date in the order {stated}; {_ADVICE}"
        faults.add(fault(place, message, "AMBIGUOUS"))
    open_ = [each for each in either if each[2].days.get("dmy") != each[2].days.get("mdy")]
    if open_ and len(fits) > 1:
        place, text, dated = open_[0]
        one, other = (date.fromordinal(dated.days[order]).isoformat() for order in fits)
        message = f"{describe(text)} may be {one} or {other}; {_ADVICE}, or say which"
        message += " with dates: dmy or mdy in a file for --columns"
        faults.add(fault(place, message, "AMBIGUOUS"))
    return fits[0] if fits else known[0]
