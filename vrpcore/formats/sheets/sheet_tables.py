"""Stops and fleet as tables whose columns are known: each is read, ignored or asked about."""

import json
import re
from collections.abc import Iterator

from vrpcore.errors import describe, fault
from vrpcore.formats.files import ByteReader
from vrpcore.formats.options import Frame, SheetOptions
from vrpcore.formats.sheets.cells import Cells, Notation, agree
from vrpcore.formats.sheets.headings import normal, written
from vrpcore.formats.sheets.meanings import find_meanings
from vrpcore.formats.sheets.opened import frame_reader, open_fleet, open_stops
from vrpcore.formats.sheets.questions import refuse_plan, refuse_rides
from vrpcore.formats.sheets.sheet_columns import FLEET, IGNORE, RIDES, STOPS, Columns
from vrpcore.formats.sheets.signs import settle
from vrpcore.formats.sheets.table import Faults
from vrpcore.formats.sheets.unread import REST, question, unread_columns

_PLAIN = re.compile(r"[a-z_0-9]+( \([\w/]+\))?")  # what YAML takes for a text, without quotes
_HEAD = """\
# What columns mean: NAME or NAME (UNIT), as docs/interface/csv.md has them, or ignore.
# Correct it, and give it with --columns, or call it {beside}.
"""
_TAIL = """\
# decimal: ","   the sign before fractions, "," or "."
# dates: dmy     the order of 3/4/2026: dmy or mdy
"""


class Tables:
    """The spreadsheets of an instance.

    Args:
        reader: At the header of the stops.
        options: What the file does not say.
        fleet: At the header of the vehicles, in place of a file that the options name.
        any_heading: Tables need no column whose name is known.

    Attributes:
        stops: Cells of the stops.
        fleet: Those of the fleet; None: there is none.
        faults: What is wrong.
        notes: What the author should know, in words.

    Raises:
        InstanceError: A file is no spreadsheet, or what is said of columns is wrong.
        OutputError: The fleet cannot be read.
        MissingExtraError: A workbook needs the extra `sheets`.
    """

    def __init__(
        self,
        reader: ByteReader,
        options: SheetOptions,
        fleet: ByteReader | None = None,
        *,
        any_heading: bool = False,
    ) -> None:
        source = options.fleet if fleet is None else fleet
        if isinstance(source, Frame):
            source = frame_reader(source, "fleet")
        meanings = find_meanings(options.columns, reader)
        tables = [open_stops(reader, None if any_heading else meanings.stops)]
        if source is not None:
            tables.append(open_fleet(source, None if any_heading else meanings.fleet))
        self.faults = Faults()
        self.notes = [note for each in tables for note in each.notes]
        self._options, self._meanings = options, meanings.of_tables(tables, self.notes)
        self._ignored = set(map(normal, options.ignore_columns))
        given = self._meanings.stops
        left = (name for name in tables[0].header if normal(name) not in self._ignored)
        has_rides = RIDES.has_rides(given.get(name, name) for name in left)
        known = ((RIDES if has_rides else STOPS, given), (FLEET, self._meanings.fleet))
        self.all = [
            Cells(Columns(table, words, self.faults, self._ignored, given))
            for table, (words, given) in zip(tables, known, strict=False)
        ]
        self.stops, self.fleet = self.all[0], self.all[1] if len(tables) > 1 else None

    def settled(self) -> Notation:
        """How they write numbers and times; what is not known is asked about.

        Raises:
            InstanceError: There are no rows, an answer, or rows with two places each.
        """
        table, left = self.stops.table, {*self._ignored, *map(normal, self._meanings.stops)}
        if not table.rows:
            message = "there are no rows of stops below the heading"
            if any(map(str.isdigit, table.header)):
                message += "; were line ends lost? curl keeps them with --data-binary"
            raise fault(table.head_place, message, "EMPTY")
        refuse_plan(table, left)
        if self.stops.vocabulary is not RIDES:
            refuse_rides(table, left)
        names = {
            normal(name) for each in self.all for name in (*each.table.header, *each.table.shown)
        }
        missing = [name for name in self._options.ignore_columns if normal(name) not in names]
        is_rest = REST in map(normal, missing)
        for name in missing:
            if normal(name) != REST:
                message = f"no column {describe(name)} in "
                message += " and ".join(each.table.label for each in self.all)
                self.faults.add(fault("--ignore-columns", message, "MISSING"))
        if not is_rest and (asked := question(self.all)):
            self.faults.add(asked)
        for each in self.all:
            each.check_errors()
        settle(self.all, self._options.decimal or self._meanings.decimal, self.faults)
        return agree(self.all, self._meanings.dates, self.faults)


def columns_file(reader: ByteReader, options: SheetOptions) -> str:
    """The file for `--columns` that says what columns mean, with comments where it is not known.

    Raises:
        InstanceError: A file is no spreadsheet; others as of `Tables`.
    """
    lines = []
    tables = Tables(reader, options, any_heading=True)
    for name, cells in zip(("stops", "fleet"), tables.all, strict=False):
        lines += [f"{name}:", *_lines(cells)]
    head = _HEAD.format(beside=f"{reader.stem or 'stops'}.columns.yaml")
    return head + "\n".join(lines) + "\n" + _TAIL


def _lines(cells: Cells) -> Iterator[str]:
    asked = {column.index: f"{column.values}: {column.may_be}?" for column in unread_columns(cells)}
    for column, first in cells.columns.twice.items():
        asked[column] = f"means the same as {cells.table.shown[first]}, which is read"
    meanings = {column: names[-1] for column, names in _fields(cells).items()}
    lines: dict[str, str] = {}  # one for columns of the same name
    for column, heading in enumerate(cells.table.header):
        if column in asked:
            lines[heading] = f"  # {asked[column]}; write what it means, or {IGNORE}"
        elif heading and heading not in lines:
            text = meanings.get(column, IGNORE)
            text = written(text) + _unit(cells, text)
            quoted = json.dumps(text, ensure_ascii=False)
            lines[heading] = f" {text if _PLAIN.fullmatch(text) else quoted}"
    for heading, line in lines.items():
        yield f"  {json.dumps(heading, ensure_ascii=False)}:{line}"


def _unit(cells: Cells, field: str) -> str:
    """The unit of a column that is read, behind its meaning."""
    quantity = None if field == IGNORE else cells.declared(field).quantity
    try:
        unit = cells.unit(field, converted=False) if quantity else None
    except ValueError:  # which is an error when it is read
        return ""
    return f" ({'/' if quantity.rate else ''}{unit})" if quantity and unit else ""


def _fields(cells: Cells) -> dict[int, list[str]]:
    """The meaning of each column that is read; of a window, also the two times that it holds."""
    found: dict[int, list[str]] = {}
    for field, column in cells.columns.of.items():
        found.setdefault(column, []).append(field)
    return dict(sorted(found.items()))


def read_as(cells: Cells) -> str:
    """One line that says what each column is read as, and which are not."""
    shown, fields, said = cells.table.shown, _fields(cells), []
    for column, names in fields.items():
        own = shown[column]
        same = normal(own) == normal(names[-1]) and own.isascii()
        said.append(written(names[-1]) + ("" if same else f" = {own}"))
    header = enumerate(cells.table.header)
    left = [shown[each] for each, name in header if name and each not in fields]
    unused = f"; not used: {', '.join(left)}" if left else ""
    return f"{cells.table.label}: {', '.join(said)}{unused}"
