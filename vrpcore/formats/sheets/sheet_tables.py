"""Stops and fleet as tables whose columns are known: each is read, ignored or asked about."""

from collections.abc import Sequence
from typing import NamedTuple

from vrpcore.errors import describe, fault
from vrpcore.formats.files import ByteReader
from vrpcore.formats.sheets.cells import Cells, Notation, agree
from vrpcore.formats.sheets.frame import Frame, frame_reader
from vrpcore.formats.sheets.headings import normal
from vrpcore.formats.sheets.meanings import Meanings, find_meanings
from vrpcore.formats.sheets.opened import open_fleet, open_stops
from vrpcore.formats.sheets.questions import refuse_plan, refuse_rides
from vrpcore.formats.sheets.sheet_columns import FLEET, STOPS, find_columns
from vrpcore.formats.sheets.sheet_options import SheetOptions
from vrpcore.formats.sheets.signs import settle
from vrpcore.formats.sheets.table import Faults, Table
from vrpcore.formats.sheets.unread import REST, question


class Tables(NamedTuple):
    """The spreadsheets of an instance.

    Attributes:
        cells: Of the stops, and of the fleet if there is one.
        meanings: What their author says of columns.
        faults: What is wrong.
        marked: An answer in CSV begins with a byte order mark.
        notes: What the author should know, in words.
    """

    cells: Sequence[Cells]
    meanings: Meanings
    faults: Faults
    marked: bool
    notes: Sequence[str]

    @property
    def stops(self) -> Cells:
        """Those of the stops."""
        return self.cells[0]

    @property
    def fleet(self) -> Cells | None:
        """Those of the fleet; None: there is none."""
        return self.cells[1] if len(self.cells) > 1 else None

    def settled(self, options: SheetOptions) -> Notation:
        """How they write numbers and times; what is not known is asked about.

        Raises:
            InstanceError: There are no rows, an answer, or rows with two places each.
        """
        ignored = set(map(normal, options.ignore_columns))
        _check_stops(self.stops.table, {*ignored, *map(normal, self.meanings.stops)})
        names = {
            normal(name) for each in self.cells for name in (*each.table.header, *each.table.shown)
        }
        missing = [name for name in options.ignore_columns if normal(name) not in names]
        rest = [name for name in missing if normal(name) == REST]
        for name in missing:
            if name not in rest:
                message = f"no column {describe(name)} in "
                message += " and ".join(each.table.label for each in self.cells)
                self.faults.add(fault("--ignore-columns", message, "NO_COLUMNS"))
        if asked := None if rest else question(self.cells):
            self.faults.add(asked)
        for each in self.cells:
            each.check_errors()
        settle(self.cells, options.decimal or self.meanings.decimal, self.faults)
        return agree(self.cells, self.meanings.dates, self.faults)


def open_tables(
    reader: ByteReader,
    options: SheetOptions,
    fleet: ByteReader | None = None,
    *,
    any_heading: bool = False,
) -> Tables:
    """Opens stops and fleet, and finds out what their columns mean.

    Args:
        reader: At the header of the stops.
        options: What the file does not say.
        fleet: At the header of the vehicles, in place of a file that the options name.
        any_heading: Tables need no column whose name is known.

    Raises:
        InstanceError: A file is no spreadsheet, or what is said of columns is wrong.
        OutputError: The fleet cannot be read.
        MissingExtraError: A workbook needs the extra `sheets`.
    """
    source = options.fleet if fleet is None else fleet
    if isinstance(source, Frame):
        source = frame_reader(source, "fleet")
    meanings = find_meanings(options.columns, reader)
    opened = [open_stops(reader, None if any_heading else meanings.stops)]
    if source is not None:
        opened.append(open_fleet(source, None if any_heading else meanings.fleet))
    tables, faults = [each.table for each in opened], Faults()
    notes = [note for each in opened for note in each.notes]
    meanings = meanings.of_tables(tables, notes)
    known = ((STOPS, meanings.stops), (FLEET, meanings.fleet))
    ignored = set(map(normal, options.ignore_columns))
    cells = [
        Cells(table, find_columns(table, words, faults, ignored, given), words, faults)
        for table, (words, given) in zip(tables, known, strict=False)
    ]
    return Tables(cells, meanings, faults, opened[0].marked, notes)


def _check_stops(table: Table, left: set[str]) -> None:
    if not table.rows:
        message = "there are no rows of stops below the heading"
        if any(map(str.isdigit, table.header)):
            message += "; were line ends lost? curl keeps them with --data-binary"
        raise fault(table.head_place, message, "EMPTY")
    refuse_plan(table, left)
    refuse_rides(table, left)
