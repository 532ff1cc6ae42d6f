"""Units in the names of columns, and how their numbers become those of the sheets."""

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from vrpcore.errors import describe

BRACKETS = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_OF_RATE = re.compile(r"(?:.*/|(?:.*\s)?per\s)(.*)", re.DOTALL)
_CLOCK = re.compile(r"h{1,2}:mm(:ss)?")
_DIGITS = ("hhmm", "hhmmss")  # times of day without colons
_TIMES = {"s": 1, "min": 60, "h": 3600, "d": 86400}  # seconds
_LENGTHS = {"m": Fraction(1), "km": Fraction(1000), "mi": Fraction("1609.344")}  # metres


class Measure(NamedTuple):
    """A unit of length (of `_LENGTHS`), of time (of `_TIMES`), or of length per time."""

    length: str | None = None
    time: str | None = None

    def __str__(self) -> str:
        return "/".join(each for each in self if each)


class Quantity(NamedTuple):
    """The quantity that the numbers of a column measure.

    Attributes:
        length: Power of length.
        time: Power of time.
        per: The unit of time where the column names none and the sheets have units.
        lax: Brackets may hold other words than units.
    """

    length: int
    time: int
    per: str = "min"
    lax: bool = False

    @property
    def rate(self) -> bool:
        """Return whether it is something per length or time: a cost."""
        return min(self.length, self.time) < 0 and max(self.length, self.time) == 0

    def takes(self, unit: Measure) -> bool:
        """Return whether a unit is of this kind."""
        kinds = (unit.length is not None, unit.time is not None)
        own = not self.rate or self.per in ("min", unit.time)
        return kinds == (self.length != 0, self.time != 0) and own

    def factor(self, unit: Measure, *, lengths: bool, times: bool) -> Fraction:
        """The factor that converts numbers in a unit to kilometres and to `per`.

        Only lengths, or only times, may be converted.
        """
        found = Fraction(1)
        if lengths and unit.length is not None:
            found *= (_LENGTHS[unit.length] / _LENGTHS["km"]) ** self.length
        if times and unit.time is not None:
            found *= Fraction(_TIMES[unit.time], _TIMES[self.per]) ** self.time
        return found


TIME_OF_DAY = Quantity(0, 1, lax=True)
SPAN = Quantity(0, 1)
LENGTH = Quantity(1, 0)
COORDINATE = Quantity(1, 0, lax=True)
SPEED = Quantity(1, -1, per="h")
PER_LENGTH = Quantity(-1, 0)
PER_TIME = Quantity(0, -1)
PER_HOUR = Quantity(0, -1, per="h")

UNITS = {  # by their names without case, blanks and punctuation
    word: unit
    for unit, words in (
        (Measure(time="s"), "s sec secs second seconds"),
        (Measure(time="min"), "min mins minute minutes"),
        (Measure(time="h"), "h hr hrs hour hours"),
        (Measure(time="d"), "d day days"),
        (Measure("m"), "m metre metres meter meters"),
        (Measure("km"), "km kms kilometre kilometres kilometer kilometers"),
        (Measure("mi"), "mi mile miles"),
        (Measure("km", "h"), "kmh kph kmph kmhr kmperhour"),
        (Measure("mi", "h"), "mph mih mileshour milesperhour"),
        (Measure("m", "s"), "ms mps msec meterspersecond metrespersecond"),
    )
    for word in words.split()
}
_BRACKETED = UNITS | {  # in brackets, words of other languages, too; `hora` is a time
    word: Measure(time=unit)
    for unit, words in (
        ("s", "sek sekunde sekunden seconde secondes seconden segundos secondi sekundy"),
        ("min", "minuten minutos minuti minuty minut"),
        ("h", "std stunde stunden heures horas ore uren godz godziny"),
    )
    for word in words.split()
}
_LONGEST = max(map(len, UNITS))


def plain(name: str) -> str:
    """A name without case, blanks, punctuation and accents."""
    text = re.sub(r"[\W_]", "", name).casefold()
    return text if text.isascii() else without_accents(text)


def without_accents(text: str) -> str:
    """A text with plain letters in place of those with accents."""
    letters = unicodedata.normalize("NFKD", text.replace("\u0142", "l"))
    return "".join(each for each in letters if not unicodedata.combining(each))


def without_units(name: str) -> str:
    """A name without what it has in brackets."""
    return BRACKETS.sub("", name)


def last_word(name: str) -> str:
    """The last word of a name without brackets."""
    return re.split(r"[\W_]+", name.strip(" _").casefold())[-1]


def endings(name: str) -> Iterator[tuple[str, Measure]]:
    """How a name without brackets may end with a unit: the plain name before it, and the unit.

    A unit of one letter stands apart: `max_distance_m`.
    """
    text, last = plain(name), last_word(name)
    for size in range(1, min(len(text), _LONGEST) + 1):
        unit = UNITS.get(text[-size:])
        # A due day is no time in days.
        if unit is not None and unit.time != "d" and (size > 1 or len(last) == 1):
            yield text[:-size], unit


def unit_of(
    name: str, quantity: Quantity, ending: Measure | None, converted: bool
) -> Measure | None:
    """The unit that the name of a column states; None if it states none.

    Args:
        name: With brackets.
        quantity: What the column holds.
        ending: The unit with which the name ends without them.
        converted: Numbers are converted, so that a unit must be known.

    Raises:
        ValueError: There is none that the quantity takes, or several; says which it takes.
    """
    units = [_bracketed(text.strip(), quantity, converted) for text in BRACKETS.findall(name)]
    found = dict.fromkeys(unit for unit in (ending, *units) if unit)
    if len(found) > 1:
        raise ValueError(f"two units, {' and '.join(map(str, found))}; leave one")
    return next(iter(found), None)


def _bracketed(text: str, quantity: Quantity, converted: bool) -> Measure | None:
    """The unit that one pair of brackets holds; None for other words, where they do no harm."""
    known = _BRACKETED.get(plain(text))
    if quantity.rate:
        rate = _OF_RATE.fullmatch(text)
        harmless = rate is None and known is None  # a currency
        known = _BRACKETED.get(plain(rate[1])) if rate else None
    else:
        is_clock = quantity in (SPAN, TIME_OF_DAY) and _CLOCK.fullmatch(text.casefold())
        other = plain(text) not in _DIGITS and (quantity.lax or not converted)
        harmless = known is None and (bool(is_clock) or other)
    if harmless:
        return None
    if known is not None and quantity.takes(known):
        return known
    units = dict.fromkeys(str(unit) for unit in UNITS.values() if quantity.takes(unit))
    taken = ", ".join(f"/{unit}" if quantity.rate else unit for unit in units)
    cells = "; or write cells like 08:00" if quantity in (SPAN, TIME_OF_DAY) else ""
    raise ValueError(f"{describe(text)} is not a unit of it; known are {taken}{cells}")
