"""Files and data frames as tables: CSV, or the sheet of a workbook that is meant."""

import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Literal

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.files import ByteReader, open_reader
from vrpcore.formats.options import Frame
from vrpcore.formats.sheets.headings import Vocabulary
from vrpcore.formats.sheets.sheet_columns import FLEET, RIDES, STOPS, heading_kind
from vrpcore.formats.sheets.table import (
    MAX_SHEET_BYTES,
    SheetTable,
    build_table,
    parse_table,
    read_text,
    split_head,
)
from vrpcore.formats.sheets.workbook import Tab, is_workbook, read_workbook

LEAST_KNOWN = 2  # columns by which a spreadsheet is distinguished from other texts
_MOST_NAMED = 8  # columns of a message
_ENCODINGS = {"cp1252": "Windows-1252", "cp1250": "Windows-1250"}
_OF_ANSWERS = frozenset(["instance", "route"])


def frame_reader(frame: Frame, label: str) -> ByteReader:
    """A data frame as the CSV file that it could be saved as; messages call it by the label.

    The index is a column if it has a name. What is missing is an empty cell, and does not make
    whole numbers of its column into others.

    Raises:
        InstanceError: It has no columns, or several levels of them.
    """
    if (levels := frame.columns.nlevels) > 1:
        message = f"{levels} levels of columns, expected one"
        raise InstanceError(f"{label}: {message}; flatten them", code="SHAPE")
    if not len(frame.columns):
        message = "no columns, expected some such as id, lat, lon, demand"
        raise InstanceError(f"{label}: {message}", code="EMPTY")
    named = any(name is not None for name in frame.index.names)
    text: str = frame.convert_dtypes().to_csv(index=named)
    return ByteReader(iter([text.encode()]), label, None)


def is_sheet(head: bytes) -> bool:
    """Return whether a file begins, behind blank lines, like a CSV of stops, or is a workbook."""
    return is_workbook(head) or max(map(RIDES.known, split_head(head).values())) >= LEAST_KNOWN


def is_answer(head: bytes) -> bool:
    """Return whether a file begins, behind blank lines, like an answer in CSV, or is a workbook."""
    return is_workbook(head) or any(map(_OF_ANSWERS.issubset, split_head(head).values()))


def table_kinds(reader: ByteReader) -> list[Literal["stops", "fleet"]]:
    """The kinds of tables in the sheets of a workbook, or in the CSV file.

    Raises:
        InstanceError: As of `open_stops`.
        MissingExtraError: A workbook needs the extra `sheets`.
    """
    head = reader.head()
    csv_heads = split_head(head).values()
    heads = [[cells] for _, _, cells in _filled(reader)] if is_workbook(head) else [csv_heads]
    return [kind for each in heads if (kind := heading_kind(each)) is not None]


def open_stops(reader: ByteReader, given: Collection[str] | None = ()) -> SheetTable:
    """A file of stops.

    Args:
        reader: At its header, or at the beginning of a workbook.
        given: Headings whose meaning is given; None: all are.

    Raises:
        InstanceError: It is no spreadsheet, names no columns, or is too large.
        MissingExtraError: A workbook needs the extra `sheets`.
    """
    return _opened(reader, RIDES, FLEET, given)


def open_fleet(
    source: str | os.PathLike[str] | ByteReader, given: Collection[str] | None = ()
) -> SheetTable:
    """A file of vehicles, or its reader; see `open_stops`.

    Raises:
        OutputError: The file cannot be read; others as of `open_stops`.
    """
    if isinstance(source, ByteReader):
        return _opened(source, FLEET, RIDES, given)
    with open_reader(source) as reader:
        reader.skip_blank()
        rest = ByteReader(iter([reader.rest(MAX_SHEET_BYTES)]), reader.label, None)
        rest.line_number, rest.marked = reader.line_number, reader.marked
    return _opened(rest, FLEET, RIDES, given)


def open_answer(reader: ByteReader) -> SheetTable:
    """An answer; of a workbook, the first sheet that is headed like one.

    Raises:
        InstanceError: No sheet is one, or as of `open_stops`.
        MissingExtraError: A workbook needs the extra `sheets`.
    """
    if is_workbook(reader.head()):
        tabs = _filled(reader)
        for each in tabs:
            if _OF_ANSWERS.issubset(each[2]):
                return _table(reader, each)
        message = f"no sheet is headed like an answer (found {_named(tabs)}); give the workbook"
        raise InstanceError(f"{message} that vrp solve wrote", code="MISSING")
    text, first_row, _ = read_text(reader)
    heads = split_head(text)
    delimiter = max(heads, key=lambda each: len(_OF_ANSWERS.intersection(heads[each])))
    return parse_table(text, delimiter, reader.label, first_row)


_Filled = tuple[Tab, int, list[str]]  # a sheet, and the number and the cells of its first row


def _opened(
    reader: ByteReader, vocabulary: Vocabulary, other: Vocabulary, given: Collection[str] | None
) -> SheetTable:
    def known(cells: list[str]) -> int:
        """How many headings mean something, or are given a meaning."""
        return sum(cell.strip() in (given or ()) or vocabulary.known([cell]) for cell in cells)

    def named(cells: list[str]) -> int:
        return sum(map(bool, cells))

    if is_workbook(reader.head()):
        tabs = _filled(reader)
        found = _meant(tabs, known, other)
        if given is None and not found:
            found = _meant(tabs, named, other)
        if found is None:
            place = f"{reader.label}: the first row of {_named(tabs)}"
            raise _no_columns(place, tabs[0][2] if len(tabs) == 1 else [], vocabulary)
        others, notes = [each for each in tabs if each is not found], []
        if others:
            message = f"the sheet {describe(found[0].name)} is read, not {_named(others)}"
            notes = [f"{reader.label}: {message}"]
        return replace(_table(reader, found), marked=True, notes=notes)
    try:
        text, first_row, encoding = read_text(reader)
    except InstanceError as error:
        raise InstanceError(f"{reader.label}: {error}", code=error.code) from None
    heads = split_head(text)
    count = named if given is None else known
    delimiter = max(heads, key=lambda each: (count(heads[each]), len(heads[each])))
    if not count(heads[delimiter]):
        raise _no_columns(f"{reader.label}: row {first_row}", heads[delimiter], vocabulary)
    notes = []
    if name := _ENCODINGS.get(encoding):
        notes = [f"{reader.label}: not UTF-8, so read as {name}, in which Excel saves CSV"]
    table = parse_table(text, delimiter, reader.label, first_row)
    return replace(table, marked=reader.marked or encoding != "utf-8", notes=notes)


def _meant(
    tabs: list[_Filled], known: Callable[[list[str]], int], other: Vocabulary
) -> _Filled | None:
    """The first sheet with known headings that are not rather those of the other kind."""
    fits = [each for each in tabs if known(each[2]) >= LEAST_KNOWN]
    fits = fits or [each for each in tabs if known(each[2])]
    own = [each for each in fits if other.known(each[2]) <= known(each[2])]
    return next(iter(own or fits), None)


def _filled(reader: ByteReader) -> list[_Filled]:
    found = []
    try:
        for tab in read_workbook(reader.rest(MAX_SHEET_BYTES), reader.label, sent=reader.sent):
            first = next((each for each in tab.lines() if any(each[1])), None)
            if first is not None:
                found.append((tab, first[0], [cell.strip() for cell in first[1]]))
    except InstanceError as error:
        raise InstanceError(f"{reader.label}: {error}", code=error.code) from None
    if not found:
        raise fault(reader.label, "a workbook without content", "EMPTY")
    return found


def _table(reader: ByteReader, filled: _Filled) -> SheetTable:
    tab, first_row, _ = filled
    lines: Iterator[tuple[int, list[str]]] = (each for each in tab.lines() if each[0] >= first_row)
    return build_table(lines, "", reader.label, first_row)


def _named(tabs: list[_Filled]) -> str:
    names = ", ".join(describe(tab.name) for tab, _, _ in tabs)
    return f"the sheet{'s' if len(tabs) > 1 else ''} {names}"


def _no_columns(place: str, head: list[str], vocabulary: Vocabulary) -> InstanceError:
    message = "no column is known; the first row must name them: some of"
    found = [name for name in head if name][:_MOST_NAMED]
    which = f"{', '.join(map(describe, found)) or 'they'} mean{'s' if len(found) == 1 else ''}"
    known = ", ".join((STOPS if vocabulary is RIDES else vocabulary).fields)
    return fault(place, f"{message} {known}; or say with --columns what {which}", "MISSING")
