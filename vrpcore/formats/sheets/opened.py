"""Files as tables: CSV, or the sheet of a workbook that is meant."""

import os
from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.files import ByteReader, open_reader
from vrpcore.formats.sheets.headings import Vocabulary
from vrpcore.formats.sheets.sheet_columns import FLEET, STOPS, heading_kind, table_kind
from vrpcore.formats.sheets.table import (
    MAX_SHEET_BYTES,
    Table,
    build_table,
    head_text,
    parse_table,
    read_text,
    split_head,
)
from vrpcore.formats.sheets.workbook import Tab, is_workbook, read_workbook

LEAST_KNOWN = 2  # columns by which a spreadsheet is distinguished from other texts
_MOST_NAMED = 8  # columns of a message
_HEAD_BYTES = 4096
_ENCODINGS = {"cp1252": "Windows-1252", "cp1250": "Windows-1250"}
_OF_ANSWERS = frozenset(["instance", "route"])


class Opened(NamedTuple):
    """A file that was read.

    Attributes:
        table: Its cells.
        marked: An answer in CSV begins with a byte order mark: so did the file, or Excel would
            not know that the answer is UTF-8.
        notes: What its author should know, in words.
    """

    table: Table
    marked: bool
    notes: list[str]


def is_sheet(head: bytes) -> bool:
    """Whether a file begins like a CSV file of stops, or is a workbook.

    Args:
        head: How it begins, without blank lines.
    """
    if is_workbook(head):
        return True
    return max(STOPS.known(cells) for cells in split_head(head_text(head)).values()) >= LEAST_KNOWN


def is_answer(head: bytes) -> bool:
    """Whether a file begins like an answer in CSV, or is a workbook.

    Args:
        head: How it begins, without blank lines.
    """
    return is_workbook(head) or any(
        set(cells) >= _OF_ANSWERS for cells in split_head(head_text(head)).values()
    )


def open_stops(reader: ByteReader, given: Collection[str] | None = ()) -> Opened:
    """A file of stops.

    Args:
        reader: At its header, or at the beginning of a workbook.
        given: Headings whose meaning is given; None: all are.

    Raises:
        InstanceError: It is no spreadsheet, names no columns, or is too large.
        MissingExtraError: A workbook needs the extra `sheets`.
    """
    return _opened(reader, STOPS, FLEET, given)


def open_fleet(
    source: str | os.PathLike[str] | ByteReader, given: Collection[str] | None = ()
) -> Opened:
    """A file of vehicles, or its reader; see `open_stops`.

    Raises:
        OutputError: The file cannot be read; others as of `open_stops`.
    """
    if isinstance(source, ByteReader):
        return _opened(source, FLEET, STOPS, given)
    with open_reader(source) as reader:
        reader.skip_blank()
        rest = ByteReader(iter([reader.rest(MAX_SHEET_BYTES)]), reader.label, None)
        rest.line_number, rest.marked = reader.line_number, reader.marked
    return _opened(rest, FLEET, STOPS, given)


def table_kinds(reader: ByteReader) -> list[Literal["stops", "fleet"]]:
    """What the sheets of a workbook list, or the CSV file; see `table_kind`.

    Raises:
        InstanceError: As of `open_stops`.
        MissingExtraError: A workbook needs the extra `sheets`.
    """
    head = reader.head(_HEAD_BYTES)
    if is_workbook(head):
        found = [heading_kind([cells]) for _, _, cells in _filled(reader)]
    else:
        found = [table_kind(head)]
    return [kind for kind in found if kind is not None]


def open_answer(reader: ByteReader) -> Table:
    """An answer; of a workbook, the first sheet that is headed like one.

    Raises:
        InstanceError: No sheet is one, or as of `open_stops`.
        MissingExtraError: A workbook needs the extra `sheets`.
    """
    if is_workbook(reader.head(_HEAD_BYTES)):
        tabs = _filled(reader)
        for tab, number, head in tabs:
            if set(head) >= _OF_ANSWERS:
                return build_table(_from(tab, number), "", reader.label, number)
        names = _named([tab.name for tab, _, _ in tabs])
        message = f"no sheet is headed like an answer (found {names}); give the workbook that "
        raise InstanceError(f"{message}vrp solve wrote", code="NO_COLUMNS")
    text, first_row, _ = read_text(reader)
    heads = split_head(text)
    delimiter = max(heads, key=lambda each: len(set(heads[each]) & _OF_ANSWERS))
    return parse_table(text, delimiter, reader.label, first_row)


def _known(cells: Collection[str], vocabulary: Vocabulary, given: Collection[str] | None) -> int:
    """How many headings mean something, or are given a meaning."""
    if given is None:
        return sum(map(bool, cells))
    return sum(cell.strip() in given or vocabulary.known([cell]) for cell in cells)


def _opened(
    reader: ByteReader, vocabulary: Vocabulary, other: Vocabulary, given: Collection[str] | None
) -> Opened:
    if is_workbook(reader.head(_HEAD_BYTES)):
        return _of_workbook(reader, vocabulary, other, given)
    try:
        text, first_row, encoding = read_text(reader)
    except InstanceError as error:
        raise InstanceError(f"{reader.label}: {error}", code=error.code) from None
    heads = split_head(text)
    known = {each: _known(heads[each], vocabulary, given) for each in heads}
    delimiter = max(heads, key=lambda each: (known[each], len(heads[each])))
    if not known[delimiter]:
        raise _no_columns(f"{reader.label}: row {first_row}", heads[delimiter], vocabulary)
    notes = []
    if name := _ENCODINGS.get(encoding):
        notes.append(f"{reader.label}: not UTF-8, so read as {name}, in which Excel saves CSV")
    table = parse_table(text, delimiter, reader.label, first_row)
    return Opened(table, reader.marked or encoding != "utf-8", notes)


def _of_workbook(
    reader: ByteReader, vocabulary: Vocabulary, other: Vocabulary, given: Collection[str] | None
) -> Opened:
    """The first sheet with known headings that are not rather those of the other kind."""
    tabs = _filled(reader)
    known = {tab.name: _known(head, vocabulary, given or ()) for tab, _, head in tabs}
    if given is None and not any(known.values()):
        known = {tab.name: sum(map(bool, head)) for tab, _, head in tabs}
    fits = [each for each in tabs if known[each[0].name] >= LEAST_KNOWN]
    fits = fits or [each for each in tabs if known[each[0].name]]
    own = [each for each in fits if other.known(each[2]) <= known[each[0].name]] or fits
    if not own:
        names = _named([tab.name for tab, _, _ in tabs])
        place = f"{reader.label}: the first row of {names}"
        raise _no_columns(place, tabs[0][2] if len(tabs) == 1 else (), vocabulary)
    tab, number, _ = own[0]
    notes = []
    if others := [each.name for each, _, _ in tabs if each.name != tab.name]:
        notes.append(
            f"{reader.label}: the sheet {describe(tab.name)} is read, not {_named(others)}"
        )
    table = build_table(_from(tab, number), "", reader.label, number)
    return Opened(table, True, notes)


def _filled(reader: ByteReader) -> list[tuple[Tab, int, list[str]]]:
    """The sheets of a workbook with content, with the number and the cells of its first row."""
    try:
        tabs = read_workbook(reader.rest(MAX_SHEET_BYTES), reader.label, sent=reader.sent)
        found = []
        for tab in tabs:
            first = next((each for each in tab.lines() if any(each[1])), None)
            if first is not None:
                found.append((tab, first[0], [cell.strip() for cell in first[1]]))
    except InstanceError as error:
        raise InstanceError(f"{reader.label}: {error}", code=error.code) from None
    if not found:
        raise fault(reader.label, "a workbook without content", "EMPTY")
    return found


def _from(tab: Tab, first_row: int) -> Iterator[tuple[int, list[str]]]:
    return (line for line in tab.lines() if line[0] >= first_row)


def _named(names: Collection[str]) -> str:
    """Names of sheets, in words."""
    return f"the sheet{'s' if len(names) > 1 else ''} {', '.join(map(describe, names))}"


def _no_columns(place: str, head: Sequence[str], vocabulary: Vocabulary) -> InstanceError:
    message = "no column is known; the first row must name them: some of"
    found = [name for name in head if name][:_MOST_NAMED]
    which = f"{', '.join(map(describe, found)) or 'they'} mean{'s' if len(found) == 1 else ''}"
    return fault(
        place,
        f"{message} {', '.join(vocabulary.fields)}; or say with --columns what {which}",
        "NO_COLUMNS",
    )
