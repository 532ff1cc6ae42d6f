"""Times as people write them: 8:00, 08:00:30, 8:00 AM, 8h30, 8 Uhr, after midnight 25:30."""

import math
import re
from typing import Literal, NamedTuple

Clock = Literal["", "HH:MM", "HH:MM:SS"]

DAY = 24 * 60  # minutes
_CLOCK = re.compile(r"(\d{1,6}):([0-5]\d)(?::([0-5]\d))?")
_DAYS = re.compile(r"(\d{1,4}) days?,? ")  # before a length of time, as pandas writes it
_HALF = re.compile(r"(0?[1-9]|1[0-2])(?::([0-5]\d))?(?::([0-5]\d))?\s*([ap])\.?m\.?", re.IGNORECASE)
_LOCAL = re.compile(
    r"(\d{1,2})(?::([0-5]\d))?\s?(?:uhr|uur|h)|(\d{1,2})\s?h\s?([0-5]\d)|(\d{1,2})\.([0-5]\d)\s?(?:uhr|uur)",
    re.IGNORECASE,
)


class Time(NamedTuple):
    """A time that was read.

    Attributes:
        minutes: Since midnight.
        clock: How it was written.
        has_half: Whether it says which half of the day, as 8 AM does.
    """

    minutes: float
    clock: Clock
    has_half: bool


def read_clock(text: str) -> Time | None:
    """A time with a colon, with AM or PM, or with h, Uhr or uur; None: it is none."""
    if local := _LOCAL.fullmatch(text):
        hour, minute = local[1] or local[3] or local[5], local[2] or local[4] or local[6]
        return Time(int(hour) * 60 + int(minute or 0), "HH:MM", False)
    half = _HALF.fullmatch(text)
    days = _DAYS.match(text)
    found = half or _CLOCK.fullmatch(text, days.end() if days else 0)
    if not found:
        return None
    hours, minutes, seconds = (int(part or 0) for part in found.groups()[:3])
    if half:
        hours = hours % 12 + (12 if half[4] in "pP" else 0)
    hours += 24 * int(days[1]) if days else 0
    clock: Clock = "HH:MM:SS" if found[3] else "HH:MM"
    return Time(hours * 60 + minutes + seconds / 60, clock, half is not None)


def write_clock(minutes: float, clock: Clock, has_half: bool = False) -> str:
    """Minutes with colons, rounded to whole minutes or seconds.

    Args:
        minutes: Since midnight; may be negative, or beyond a day.
        clock: Not empty.
        has_half: Write AM or PM where it is within the day.
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
