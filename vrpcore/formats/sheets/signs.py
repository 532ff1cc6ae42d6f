"""Points and commas in numbers: before a fraction, or between thousands."""

import dataclasses
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.sheets.sheet_options import Decimal
from vrpcore.formats.sheets.table import Exact, Faults, Row

if TYPE_CHECKING:
    from vrpcore.formats.sheets.cells import Cells

LONGEST_NUMBER = 400  # characters
_OTHER: dict[Decimal, Decimal] = {".": ",", ",": "."}
_POINT = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?")
_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(?:([ \u00a0\u202f'\u2019.,])\d{3})(?:\1\d{3})*(?=\D|$)")
_FRACTION = {sign: re.compile(rf"[+-]?\d*[{sign}]\d+(?:[eE][+-]?\d+)?") for sign in _OTHER}
_DEGREES, _PLANE = ("lat", "lon"), ("x", "y")


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
    """

    cells: "Cells"
    index: int
    field: str
    fractions: set[Decimal] = dataclasses.field(default_factory=set)
    thousands: set[Decimal] = dataclasses.field(default_factory=set)
    open: dict[Decimal, tuple[Row, str]] = dataclasses.field(default_factory=dict)

    def look(self) -> None:
        """Reads its cells."""
        for row in self.cells.table.rows:
            text = row.cells[self.index]
            if len(text) > LONGEST_NUMBER or isinstance(text, Exact):
                continue
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
        """Whether it has degrees, or coordinates in a file separated by comma: no thousands."""
        separated = self.cells.table.delimiter == ","
        return self.field in _DEGREES or (separated and self.field in _PLANE)

    @property
    def shown(self) -> set[Decimal]:
        """Signs before fractions that hold for other columns, too.

        Not those of times of day, nor points in places: these are often written so where other
        numbers are not. In a file separated by comma they are not.
        """
        separator = self.cells.table.delimiter
        if self.is_place and separator == ",":
            return {*self.fractions, *self.open} - {separator}
        quiet = self.cells.is_time(self.field) or self.field in (*_DEGREES, *_PLANE)
        return self.fractions - {separator, "." if quiet else separator}

    def decided(self, sign: Decimal, fractions: set[Decimal]) -> bool | None:
        """Whether an open sign stands between thousands; None: nothing shows it.

        Args:
            sign: One of the open ones.
            fractions: Signs that stand before fractions in some column.
        """
        if sign in self.fractions:
            return False
        if sign in self.thousands or sign == self.cells.table.delimiter:
            return True
        known = fractions & {sign, _OTHER[sign]}
        return _OTHER[sign] in known if len(known) == 1 else None


def settle(tables: Sequence["Cells"], chosen: Decimal | None, faults: Faults) -> None:
    """Finds out what the signs in the numbers of each column mean.

    Sets `decimals` of the tables, and what answers have before a fraction.

    Args:
        tables: Of one author, who writes numbers alike.
        chosen: What stands before a fraction, if the author says so.
        faults: Takes the question, where nothing shows what a sign means.
    """
    columns = [column for cells in tables for column in _columns(cells)]
    for column in columns:
        column.look()
    fractions = {sign for column in columns for sign in column.shown}
    for column in columns:  # what can only be thousands leaves the other sign for fractions
        apart = column.thousands - {column.cells.table.delimiter}
        fractions |= {_OTHER[sign] for sign in apart if not fractions & {sign}}
    comma = "," in fractions and "," not in {cells.table.delimiter for cells in tables}
    decimal: Decimal = chosen or ("," if comma else ".")
    for cells in tables:
        cells.decimal = decimal
    for column in columns:
        own = _own(column, decimal)
        for sign, (row, text) in column.open.items() if not column.is_place else ():
            thousands = sign != chosen if chosen else column.decided(sign, fractions)
            if thousands is None or len(column.open) > 1:
                faults.add(_question(column, sign, row, text))
            own = _OTHER[sign] if thousands else sign
        column.cells.decimals[column.index] = own


def _columns(cells: "Cells") -> Iterator[_Column]:
    fields = {column: name for name, column in cells.columns.of.items() if cells.is_number(name)}
    for load, own in cells.columns.amounts.items():
        fields |= dict.fromkeys(own.values(), load)
    return (_Column(cells, index, name) for index, name in sorted(fields.items()))


def _own(column: _Column, decimal: Decimal) -> Decimal:
    """What stands before the fraction in a column whose signs are not open; in degrees either."""
    seen = column.fractions | column.open.keys() if column.is_place else set()
    if "," in seen and (decimal == "," or column.cells.table.delimiter != ","):
        return ","
    return "." if "." in seen else decimal


def _question(column: _Column, sign: Decimal, row: Row, text: str) -> InstanceError:
    whole, part = text.replace(sign, ""), text.replace(sign, ".").rstrip("0").rstrip(".")
    message = f"{describe(text)} may be {whole} or {part}; say --decimal "
    message += f'"{_OTHER[sign]}" if it is {whole}, --decimal "{sign}" if it is {part}'
    place = column.cells.table.place(row, column.index)
    return fault(place, message, "AMBIGUOUS_NUMBER")
