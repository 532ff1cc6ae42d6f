"""Points and commas in numbers: before a fraction, or between thousands."""

import dataclasses
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.sheets.sheet_options import Decimal
from vrpcore.formats.sheets.table import Exact, Faults, Row, Table

if TYPE_CHECKING:
    from vrpcore.formats.sheets.cells import Cells

LONGEST_NUMBER = 400  # characters
_OTHER: dict[Decimal, Decimal] = {".": ",", ",": "."}
_POINT = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?")
_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(?:([ \u00a0\u202f'\u2019.,])\d{3})(?:\1\d{3})*(?=\D|$)")
_FRACTION = {sign: re.compile(rf"[+-]?\d*[{sign}]\d+(?:[eE][+-]?\d+)?") for sign in _OTHER}
_WHOLE = re.compile(r"[+-]?\d{1,300}")
_PLACES = ("lat", "lon")  # no degrees are thousands
_HUNDREDS = range(100, 1000)


def spelled(text: str, decimal: Decimal) -> str | None:
    """A number as Python writes it, without signs between thousands; None: it is none.

    Args:
        text: As it is written; thousands have blanks, apostrophes or the other sign.
        decimal: What stands before the fraction.
    """
    if len(text) > LONGEST_NUMBER:
        return None
    found = _GROUPS.match(text)
    if found and found[1] != decimal:
        text = found[0].replace(found[1], "") + text[found.end() :]
    if _OTHER[decimal] in text:
        return None
    plain = text.replace(decimal, ".")
    return plain if _POINT.fullmatch(plain) else None


@dataclass(slots=True)
class _Column:
    """What the numbers of a column show.

    Attributes:
        cells: Its table.
        index: Its number there.
        field: What it means.
        fractions: Signs that can only stand before a fraction.
        thousands: Signs that can only stand between thousands.
        open: Signs that may be either, with the first such number.
        wholes: Numbers without any sign.
    """

    cells: "Cells"
    index: int
    field: str
    fractions: set[Decimal] = dataclasses.field(default_factory=set)
    thousands: set[Decimal] = dataclasses.field(default_factory=set)
    open: dict[Decimal, tuple[Row, str]] = dataclasses.field(default_factory=dict)
    wholes: list[int] = dataclasses.field(default_factory=list)

    def look(self) -> None:
        """Reads its cells."""
        for row in self.cells.table.rows:
            text = row.cells[self.index]
            if len(text) > LONGEST_NUMBER or isinstance(text, Exact):
                continue
            if _WHOLE.fullmatch(text):
                self.wholes.append(abs(int(text)))
            for sign, other in _OTHER.items():
                found = _GROUPS.match(text)
                if found and found[1] == sign:
                    rest = text[found.end() :]
                    if not rest and text.count(sign) == 1:
                        self.open.setdefault(sign, (row, text))
                    elif not rest or _FRACTION[other].fullmatch(f"0{rest}"):
                        self.thousands.add(sign)
                        self.fractions |= {other} if rest else set()
                elif _FRACTION[sign].fullmatch(text):
                    self.fractions.add(sign)

    @property
    def is_place(self) -> bool:
        """Whether it has degrees."""
        return self.field in _PLACES

    def decided(self, sign: Decimal, known: "_Known") -> bool | None:
        """Whether an open sign stands between thousands; None: nothing shows it.

        Args:
            sign: One of the open ones.
            known: What all columns show.
        """
        if known.chosen is not None:
            return sign != known.chosen
        if sign in self.fractions:
            return False
        separator = self.cells.table.delimiter
        if sign in self.thousands or sign == separator:
            return True
        other = _OTHER[sign]
        if other in known.fractions and sign not in known.fractions:
            return True
        hundreds = max(self.wholes, default=0) in _HUNDREDS
        if sign in known.fractions:
            return None if hundreds else False
        home = _home(self.cells)
        if hundreds and sign != home:
            return True
        if not self.wholes and sign == home:
            return False
        return True if sign in known.thousands else None


@dataclass(slots=True)
class _Known:
    """What all columns of both tables show.

    Attributes:
        chosen: What the author says stands before a fraction.
        fractions: Signs that do somewhere. Not of degrees with a point, nor of times of day:
            these are often written so where other numbers are not.
        thousands: Signs that stand between thousands somewhere.
    """

    chosen: Decimal | None
    fractions: set[Decimal]
    thousands: set[Decimal]


def settle(tables: Sequence["Cells"], chosen: Decimal | None, faults: Faults) -> list[str]:
    """Finds out what the signs in the numbers of each column mean.

    Sets `decimals` of the tables, and what answers have before a fraction.

    Args:
        tables: Of one author, who writes numbers alike.
        chosen: What stands before a fraction, if the author says so.
        faults: Takes the question, where nothing shows what a sign means.

    Returns:
        Which columns have numbers that were read with thousands, in words.
    """
    columns = [column for cells in tables for column in _columns(cells)]
    for column in columns:
        column.look()
    known = _Known(chosen, _fractions(columns), {s for each in columns for s in each.thousands})
    for column in columns:  # what one column shows helps others
        known.thousands |= {sign for sign in column.open if column.decided(sign, known)}
    decimal = chosen or _usual(tables, known)
    notes = []
    for cells in tables:
        cells.decimal = decimal
    for column in columns:
        own = _own(column, decimal)
        for sign, (row, text) in column.open.items() if not column.is_place else ():
            decided = column.decided(sign, known)
            if decided is None or len(column.open) > 1:
                faults.add(_question(column, sign, row, text))
            elif decided and sign != column.cells.table.delimiter and chosen is None:
                notes.append(_note(column, sign, text))
            own = _OTHER[sign] if decided else sign
        column.cells.decimals[column.index] = own
    return notes


def _columns(cells: "Cells") -> Iterator[_Column]:
    fields = {column: name for name, column in cells.columns.of.items() if cells.is_number(name)}
    for load, own in cells.columns.amounts.items():
        fields |= dict.fromkeys(own.values(), load)
    return (_Column(cells, index, name) for index, name in sorted(fields.items()))


def _fractions(columns: Sequence[_Column]) -> set[Decimal]:
    found: set[Decimal] = set()
    for column in columns:
        quiet = column.is_place or column.cells.is_time(column.field)
        own = column.fractions - {"."} if quiet else column.fractions
        found |= own - {column.cells.table.delimiter}
    return found


def _usual(tables: Sequence["Cells"], known: _Known) -> Decimal:
    """What stands before a fraction where a column does not show it."""
    separators = {cells.table.delimiter for cells in tables}
    comma = "," in known.fractions or ("." in known.thousands and "." not in known.fractions)
    return "," if comma and "," not in separators else "."


def _own(column: _Column, decimal: Decimal) -> Decimal:
    """What stands before the fraction in a column whose signs are not open; in degrees either."""
    seen = column.fractions | column.open.keys() if column.is_place else set()
    if "," in seen and (decimal == "," or column.cells.table.delimiter != ","):
        return ","
    return "." if "." in seen else decimal


def _home(cells: "Cells") -> Decimal | None:
    """What stands before a fraction where such files are written; None: not known."""
    if cells.table.delimiter == ";":
        return ","
    abroad = any(map(cells.vocabulary.is_abroad, cells.table.header))
    if cells.table.delimiter == ",":
        return None if abroad else "."
    return "," if abroad else None


def _both(sign: Decimal, text: str) -> tuple[str, str]:
    """A number with its sign between thousands, and before a fraction."""
    whole, part = text.replace(sign, ""), text.replace(sign, ".").rstrip("0").rstrip(".")
    return whole, part


def _question(column: _Column, sign: Decimal, row: Row, text: str) -> InstanceError:
    whole, part = _both(sign, text)
    message = f"{describe(text)} may be {whole} or {part}; say --decimal "
    message += f'"{_OTHER[sign]}" if it is {whole}, --decimal "{sign}" if it is {part}'
    place = column.cells.table.place(row, column.index)
    return fault(place, message, "AMBIGUOUS_NUMBER")


def _note(column: _Column, sign: Decimal, text: str) -> str:
    whole, part = _both(sign, text)
    table: Table = column.cells.table
    message = f"{table.label}: column {table.shown[column.index]}: {text} is read as {whole}"
    return f'{message}; if it is {part}, say --decimal "{sign}"'
