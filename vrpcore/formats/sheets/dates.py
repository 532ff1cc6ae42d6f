"""Dates in spreadsheets: the days that are meant, and how answers write them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from vrpcore.errors import describe, fault
from vrpcore.formats.sheets.table import Faults
from vrpcore.instance.clock import DAY, Clock, Dated, Order, write_clock

_ADVICE = "write dates like 2026-11-27T08:30"


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
        """Return whether all dates are the same, so that times without one are of that day."""
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
    """Return whether days or months come first where a date does not show it."""
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
