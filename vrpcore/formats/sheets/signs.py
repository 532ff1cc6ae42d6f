"""Points and commas in numbers: before a fraction, or between thousands."""

import re
from collections.abc import Sequence

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.options import Decimal
from vrpcore.formats.sheets.cells import GROUPS, LONGEST_NUMBER, OTHER, Cells
from vrpcore.formats.sheets.table import Exact, Faults, SheetRow

_FRACTION = {sign: re.compile(rf"[+-]?\d*[{sign}]\d+(?:[eE][+-]?\d+)?") for sign in OTHER}
_DEGREES, _PLANE = ("lat", "lon"), ("x", "y")


class _SignColumn:
    """The signs in the numbers of a column.

    Attributes:
        fractions: Signs that can only stand before a fraction.
        thousands: Signs that can only stand between thousands.
        open: Signs that may be either, with the first such number.
        is_place: It has degrees, or coordinates in a file separated by comma: no thousands.
    """

    def __init__(self, cells: Cells, index: int, field: str, faults: Faults) -> None:
        self.cells, self.index, self.field, self._faults = cells, index, field, faults
        self.separator = cells.table.delimiter
        self.is_place = field in _DEGREES or (self.separator == "," and field in _PLANE)
        self.fractions: set[Decimal] = set()
        self.thousands: set[Decimal] = set()
        self.open: dict[Decimal, tuple[SheetRow, str]] = {}
        for row in cells.table.rows:
            text = row.cells[index]
            if len(text) <= LONGEST_NUMBER and not isinstance(text, Exact):
                self._look(row, text)

    def _look(self, row: SheetRow, text: str) -> None:
        for sign, other in OTHER.items():
            found = GROUPS.match(text)
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
    def shown(self) -> set[Decimal]:
        """Signs before fractions that hold for other columns, too.

        Not those of times of day, nor points in places: these are often written so where other
        numbers are not. In a file separated by comma they are not.
        """
        if self.is_place and self.separator == ",":
            return {*self.fractions, *self.open} - {","}
        quiet = self.cells.is_time(self.field) or self.field in (*_DEGREES, *_PLANE)
        return self.fractions - {self.separator, "." if quiet else ""}

    def settle(self, decimal: Decimal, chosen: Decimal | None, shown: set[Decimal]) -> None:
        """Sets what stands before its fractions; asks where nothing shows it."""
        own, seen = decimal, self.fractions | self.open.keys() if self.is_place else set()
        if "," in seen and (decimal == "," or self.separator != ","):
            own = ","
        elif "." in seen:
            own = "."
        for sign, (row, text) in self.open.items() if not self.is_place else ():
            thousands = sign != chosen if chosen else self._are_thousands(sign, shown)
            if thousands is None or len(self.open) > 1:
                self._faults.add(self._question(sign, row, text))
            own = OTHER[sign] if thousands else sign
        self.cells.decimals[self.index] = own

    def _are_thousands(self, sign: Decimal, shown: set[Decimal]) -> bool | None:
        """Return whether an open sign stands between thousands; None: nothing shows it."""
        if sign in self.fractions or sign in self.thousands or sign == self.separator:
            return sign not in self.fractions
        known = shown & {sign, OTHER[sign]}
        return OTHER[sign] in known if len(known) == 1 else None

    def _question(self, sign: Decimal, row: SheetRow, text: str) -> InstanceError:
        whole, part = text.replace(sign, ""), text.replace(sign, ".").rstrip("0").rstrip(".")
        message = f"{describe(text)} may be {whole} or {part}; say --decimal "
        message += f'"{OTHER[sign]}" if it is {whole}, --decimal "{sign}" if it is {part}'
        return fault(self.cells.table.place(row, self.index), message, "AMBIGUOUS")


def settle(tables: Sequence[Cells], chosen: Decimal | None, faults: Faults) -> None:
    """Finds out what the signs in the numbers of each column mean, and sets `decimals`.

    Args:
        tables: Of one author, who writes numbers alike.
        chosen: What stands before a fraction, if the author says so.
        faults: Takes the question, where nothing shows what a sign means.
    """
    columns = [
        _SignColumn(cells, index, field, faults)
        for cells in tables
        for index, field in sorted((index, field) for field, index in cells.columns.of.items())
        if cells.is_number(field)
    ]
    shown = {sign for column in columns for sign in column.shown}
    for column in columns:  # what can only be thousands leaves the other sign for fractions
        apart = [each for each in column.thousands if each != column.separator]
        shown |= {OTHER[sign] for sign in apart if sign not in shown}
    comma = "," in shown and "," not in {cells.table.delimiter for cells in tables}
    decimal: Decimal = chosen or ("," if comma else ".")
    for cells in tables:
        cells.decimal = decimal
    for column in columns:
        column.settle(decimal, chosen, shown)
