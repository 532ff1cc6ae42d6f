"""Values of cells: numbers, times of day, lengths of time, words; read and written."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.json.explain import read_as
from vrpcore.formats.json.values import Skills
from vrpcore.formats.options import Decimal
from vrpcore.formats.sheets.dates import Calendar, find_calendar
from vrpcore.formats.sheets.headings import Field, Reads, family
from vrpcore.formats.sheets.sheet_columns import Columns
from vrpcore.formats.sheets.table import Exact, Faults, Formula, Merged, SheetRow
from vrpcore.formats.sheets.units import Measure, unit_of
from vrpcore.instance.clock import DAY, Clock, Order, Time, read_clock, read_dated, write_clock

LONGEST_NUMBER = 400  # characters
OTHER: dict[Decimal, Decimal] = {".": ",", ",": "."}
_POINT = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?")
GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(?:([ \u00a0\u202f'\u2019.,])\d{3})(?:\1\d{3})*(?=\D|$)")
# 0800 or 08.30, a time of day without its colon; other lengths of time may be 05.
_NO_COLON = {"time": re.compile(r"0\d+([.,]\d*)?"), "span": re.compile(r"0\d{3}")}
_TIMES = {"time": ("a time", "a number"), "span": ("a length of time", "minutes")}
_WORDS = re.compile(r"\s*[,;|]\s*")
# In several languages: #DIV/0!, #REF!, #NAME?, #N/A, #NV.
_ERROR = re.compile(r"#(?:N/A|NV|[^\W_]{1,20}(?:/0)?[!?])")
_TO = re.compile(r"-|\u2013|\bto\b", re.IGNORECASE)  # between the times of a window
_DIGITS = 6  # of numbers in an answer, at least those before the sign
YES = frozenset(["yes", "y", "true", "ja", "oui", "si", "sim", "tak", "x", "1"])
NO = frozenset(["no", "n", "false", "nein", "non", "nee", "nie", "0", "none", "-"])
NOTHING = frozenset(("-", "\u2013", "n/a", "none", "null"))
# In place of a name: there is none; `n` and `0` may be names.
NO_NAME = NOTHING | NO - {"n", "0"}
_MANY = frozenset({"any", "unlimited", "*"})


def spelled(text: str, decimal: Decimal) -> str | None:
    """A number as Python writes it; None: it is none.

    Args:
        text: As it is written; thousands have blanks, apostrophes or the other sign.
        decimal: What stands before the fraction.
    """
    if len(text) > LONGEST_NUMBER:
        return None
    found = GROUPS.match(text)
    if found and found[1] != decimal:
        text = found[0].replace(found[1], "") + text[found.end() :]
    if OTHER[decimal] in text:
        return None
    plain = text.replace(decimal, ".")
    return plain if _POINT.fullmatch(plain) else None


@dataclass(frozen=True, slots=True)
class Notation:
    """How a spreadsheet and its answer write numbers and times.

    Attributes:
        decimal: Before the fraction of a number.
        clock: How times of day are written; empty: as numbers.
        spans: The same of lengths of time.
        has_half: Whether times of day say AM or PM.
        calendar: How times of day have dates; None: they have none.
        decimals: Digits behind the sign of times that are numbers; None: as of any number.
    """

    decimal: Decimal = "."
    clock: Clock = ""
    spans: Clock = ""
    has_half: bool = False
    calendar: Calendar | None = None
    decimals: int | None = None

    @property
    def has_colons(self) -> bool:
        """Return whether a time is written with a colon, so that the unit of time is the minute."""
        return bool(self.clock or self.spans)

    def number(self, value: float, decimals: int | None = None) -> str:
        """A finite number with so many digits behind the sign at most; None: with six in all."""
        decimals = _decimals(value) if decimals is None else decimals
        text = f"{value:.{decimals}f}"
        text = text.rstrip("0").rstrip(".") if decimals else text
        return "0" if text == "-0" else text.replace(".", self.decimal)

    def time(self, value: float) -> str:
        """A time of day, with its date where times have one."""
        if self.calendar is not None:
            return self.calendar.text(value, self.clock or "HH:MM", self.has_half)
        return self.time_of_day(value)

    def time_of_day(self, value: float) -> str:
        """A time of day without a date."""
        if self.clock:
            return write_clock(value, self.clock, self.has_half)
        return self.number(value, self.decimals)

    def rounding(self, latest: float) -> float:
        """How far a written time of day is from its value at most, up to some time."""
        if self.clock or self.calendar is not None:
            return 0.5 / 60 if self.clock == "HH:MM:SS" else 0.5
        return 0.5 * 10.0 ** -(_decimals(latest) if self.decimals is None else self.decimals)

    def span(self, value: float) -> str:
        """A length of time."""
        return write_clock(value, self.spans) if self.spans else self.number(value, self.decimals)


def _decimals(value: float) -> int:
    """How many digits stand behind the sign where there are six in all."""
    return max(0, _DIGITS - 1 - (math.floor(math.log10(abs(value))) if value else 0))


class CellReading(NamedTuple):
    """How the cells of a column are read: as `Field` has it, with this sign before fractions."""

    reads: Reads | None
    decimal: Decimal


class Cells:
    """Reads the cells of a table.

    Args:
        columns: What its columns mean.

    Attributes:
        decimal: Before the fraction of a number, where `decimals` has none for its column; both
            are set by `settle`.
        notation: Set by `agree` before cells of times are read.
        scales: What plain numbers are multiplied with, by column; set by `find_terms`.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns, self._faults = columns, columns.faults
        self.table, self.vocabulary = columns.table, columns.vocabulary
        self.decimal: Decimal = "."
        self.decimals: dict[int, Decimal] = {}
        self.scales: dict[int, Fraction] = {}
        self.notation = Notation()
        # Which time of a window each field is whose column holds both.
        self._halves = {
            field: half
            for window in columns.of
            if family(window).endswith("window")
            for half, field in enumerate(
                window.replace("window", name) for name in ("open", "close")
            )
            if columns.of.get(field) == columns.of[window]
        }

    @property
    def readings(self) -> dict[int, CellReading]:
        """How the cells of each column that means something are read."""
        return {
            column: CellReading(self.declared(field).reads, self.decimals.get(column, self.decimal))
            for field, column in self.columns.of.items()
        }

    def text(self, row: SheetRow, field: str) -> str:
        """A cell as it is; empty where there is no such column. Of a window, the time asked for."""
        column = self.columns.of.get(field)
        if column is None:
            return ""
        text, half = row.cells[column], self._halves.get(field)
        if half is None:
            return text
        times = _TO.split(text)
        if len(times) != 2:  # no window: all of it is the first time, which `get` tells
            return "" if half else text
        return times[half].strip()

    def get(self, row: SheetRow, field: str) -> Any:
        """The value of a cell; None where it is empty, or wrong, which is noted."""
        if not (text := self.text(row, field)):
            return None
        declared, column = self.declared(field), self.columns.of[field]
        whole = row.cells[column]
        place = self.table.place(row, column)
        if wrong := _not_saved(whole):
            self._faults.add(fault(place, wrong, "CELL"))
            return None
        decimal = "." if isinstance(text, Exact) else self.decimals.get(column, self.decimal)
        try:
            if field in self._halves and len(_TO.split(whole)) != 2:
                raise ValueError("not a window (write 08:00-10:00, or rename the column)")
            found = self._read(declared, text, decimal)
            if column in self.scales and not (read_clock(text) or read_dated(text)):
                scale = self.scales[column]
                found = found * scale.numerator / scale.denominator
            return None if found is None else read_as(declared.kind, found, place)
        except ValueError as error:
            self._faults.add(fault(place, f"{describe(text)} is {error}", "CELL"))
        except InstanceError as error:
            self._faults.add(error)
        return None

    def window(
        self, row: SheetRow, check: Callable[[Any, str], object], opens: str, closes: str
    ) -> list[Any] | None:
        """Both times of a window; None where neither is given, or the check refuses them."""
        pair = [self.get(row, opens), self.get(row, closes)]
        if pair == [None, None]:
            return None
        try:
            check(pair, "")
        except InstanceError:  # one time after the other, whose texts say it best
            first, last = self.text(row, opens) or "0", self.text(row, closes)
            message = f"opens at {first}, after it closes at {last}"
            if (found := read_clock(last)) and found.minutes < DAY:
                later = write_clock(found.minutes + DAY, found.clock)
                message += f"; if that is the next day, write {later}"
            self.wrong(row, message, opens, closes)
            return None
        return pair

    def amount(self, row: SheetRow, field: str, dimensions: Sequence[str]) -> Any:
        """An amount, or those in each load dimension; None for each that is not given.

        Args:
            row: With the cells.
            field: One of `AMOUNTS`.
            dimensions: Names of the load dimensions; none: the amount is a single number, also
                in the only column of a field that names what it is in, such as `pickup_kg`.
        """
        if dimensions:
            return [self.get(row, f"{field}_{each}") for each in dimensions]
        own = next(iter(self.columns.dimensions(field)), None)
        return self.get(row, field if own is None else f"{field}_{own}")

    def is_said(self, row: SheetRow, field: str) -> bool | None:
        """Return whether a cell says yes; None where it is empty, or says something else."""
        said = self.text(row, field).casefold()
        if said and said not in YES | NO:
            self.wrong(row, f"{describe(said)}, expected yes or no", field)
        return True if said in YES else False if said in NO else None

    def require(self, row: SheetRow, field: str) -> Any:
        """The number in a cell; an empty cell is noted, too."""
        if not self.text(row, field):
            self.wrong(row, "empty; expected a number", field)
        return self.get(row, field)

    def wrong(self, row: SheetRow, message: str, *fields: str) -> None:
        """Notes what is wrong in a row, or in cells of it."""
        columns = (self.columns.of.get(field) for field in fields)
        self._faults.add(fault(self.table.place(row, *columns), message, "CELL"))

    def texts(self, reads: Reads) -> Iterator[tuple[str, str]]:
        """Place and text of all cells that are read so and not empty."""
        named = [field for field in self.columns.of if self.declared(field).reads == reads]
        for row in self.table.rows:
            for field in named:
                if text := self.text(row, field):
                    yield self.table.place(row, self.columns.of[field]), text

    def check_errors(self) -> None:
        """Notes errors of formulas where texts are read; elsewhere they are no numbers."""
        for place, text in (*self.texts("text"), *self.texts("words")):
            wrong = _not_saved(text)
            if _ERROR.fullmatch(text):
                wrong = f"{describe(text)} is the error of a formula; mend it, or write a text"
            if wrong:
                self._faults.add(fault(place, wrong, "CELL"))

    def declared(self, field: str) -> Field:
        """The kinds of values in the cells of a field."""
        return self.vocabulary.fields[family(field)]

    def unit(self, field: str, *, converted: bool) -> Measure | None:
        """The unit that the column of a field states, if it has one; see `unit_of`."""
        title, quantity = self.columns.titles[self.columns.of[field]], self.declared(field).quantity
        if quantity is None:
            return None
        return unit_of(title, quantity, self.columns.endings.get(field), converted)

    def is_number(self, field: str) -> bool:
        """Return whether a field has numbers, or times that may be some; windows have none."""
        reads = self.declared(field).reads
        return reads in ("number", "integer", "count", "time", "span") and field not in self._halves

    def is_time(self, field: str) -> bool:
        """Return whether a field has times of day."""
        return self.declared(field).reads == "time"

    def _read(self, declared: Field, text: str, decimal: Decimal) -> Any:
        """The value of a text; a ValueError says what it is instead."""
        reads = declared.reads
        if reads == "words":
            words = _WORDS.split(text.strip(",;| "))
            are_skills = declared.kind is Skills  # `reload` says no, too
            return [each for each in words if not (are_skills and each.casefold() in NO_NAME)]
        if reads in ("time", "span"):
            return self._time(text, reads, decimal)
        if reads == "text" or (reads == "count" and text.casefold() in _MANY):
            return text if reads == "text" else None
        if (number := spelled(text, decimal)) is None:
            raise ValueError(f"not a number ({self._advice(text, decimal)})")
        found = float(number)
        if reads == "number":
            return found
        if not found.is_integer():
            raise ValueError("not a whole number")
        return int(found)

    def _advice(self, text: str, decimal: Decimal) -> str:
        if spelled(text, OTHER[decimal]) is None:
            return f"write only digits, like 12{decimal}5"
        if decimal == ",":
            return "other numbers of this file have a decimal comma"
        if self.table.delimiter == ",":
            return "a decimal comma needs cells that are separated by ;"
        return "other numbers of this file have a decimal point"

    def _time(self, text: str, reads: Reads, decimal: Decimal) -> float:
        number = spelled(text, decimal)
        if reads == "time":
            if dated := read_dated(text):
                if self.notation.calendar is not None:
                    return self.notation.calendar.minutes(dated)
                what = "a date without a time of day" if dated.days else "no date"
                raise ValueError(f"{what} (write 2026-11-27T08:30)")
            if self.notation.clock and number:
                raise ValueError("a number, but other times are HH:MM (write HH:MM)")
        if (found := read_clock(text)) and not (found.has_half and reads == "span"):
            return found.minutes
        if len(text) <= LONGEST_NUMBER and _NO_COLON[reads].fullmatch(text):
            clock = f"{text[:2]}:{text[2:].lstrip('.,') or '00'}"
            advice = f"write {clock}" if read_clock(clock) else "write HH:MM"
            raise ValueError(f"a number that begins with 0; {advice}, or leave out the 0")
        if number is not None:
            return float(number)
        what, otherwise = _TIMES[reads]
        raise ValueError(f"not {what} (write HH:MM or {otherwise})")


def _not_saved(text: str) -> str:
    """Why a workbook has no value in a cell; empty: it has one."""
    if isinstance(text, Merged):
        return f"merged with cells above, {describe(text)}; split it, and write what each row has"
    why = "is a formula without a saved value; compute and save the file"
    return f"{describe(text)} {why}" if isinstance(text, Formula) else ""


def agree(tables: Iterable[Cells], order: Order | None, faults: Faults) -> Notation:
    """Lets tables write times alike, and returns how the first of them writes.

    Times are written with colons as soon as one is; with seconds as soon as one has some; with
    dates as soon as one has one.

    Args:
        tables: Of one author.
        order: Of day and month in dates that do not show it, if the author says it.
        faults: Takes questions about dates.
    """
    tables = list(tables)
    texts = [found for each in tables for found in each.texts("time")]
    dates = [(place, text, dated) for place, text in texts if (dated := read_dated(text))]
    plain = [(place, text, time) for place, text in texts if (time := read_clock(text))]
    times = [time for _, _, time in plain]
    calendar = find_calendar(dates, plain[0][:2] if plain else None, order, faults)
    times += [dated.time for _, _, dated in dates if dated.time is not None]
    lengths = (text for each in tables for _, text in each.texts("span"))
    spans = [span for text in lengths if (span := read_clock(text))]
    has_half = any(time.has_half for time in times)
    for each in tables:
        each.notation = Notation(each.decimal, _finest(times), _finest(spans), has_half, calendar)
    return tables[0].notation


def _finest(times: Iterable[Time]) -> Clock:
    return max((found.clock for found in times), key=len, default="")
