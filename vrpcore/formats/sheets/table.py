"""The cells of a spreadsheet, and the errors that are found in them."""

import codecs
import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vrpcore.errors import SHOWN_CHARACTERS, InstanceError, fault, visible
from vrpcore.formats.files import ByteReader

MAX_SHEET_BYTES = 2**26
MAX_ROWS = 100_000
MAX_COLUMNS = 1000
MAX_FAULTS = 20  # listed of a spreadsheet; the others are counted
DELIMITERS = (",", ";", "\t")
_HEAD_CHARACTERS = 4096  # of the first line that are looked at
_SEPARATOR = re.compile(r'"?sep=[,;\t]"?(\r\n|\n|\r)')

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Polish letters of Windows-1250 as Windows-1252 shows them, where no Western word has such.
_CENTRAL = re.compile(rb"[\xb3\xb9\xbf](?<=[A-Za-z].)(?=[A-Za-z])|[\x8c\x9c](?=[\xc6\xe6])")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|[\r\n])|[^\r\n]+")  # with its end
_PART_BYTES = 2**16  # searched at a time, between which other threads have their turn
ADVICE = "save it as CSV (in Excel: File, Save As, CSV UTF-8)"


class Exact(str):
    """A number that a workbook holds as one: whatever else is there, it has a decimal point."""

    __slots__ = ()


class Formula(str):
    """A formula of a workbook that no program has computed yet."""

    __slots__ = ()


class Merged(str):
    """The text of a cell above that is merged with this one."""

    __slots__ = ()


class SheetRow(NamedTuple):
    """A row with content: its number, from 1 in the file, and as many cells as the header has."""

    number: int
    cells: list[str]


@dataclass(frozen=True, slots=True)
class SheetTable:
    """A CSV file, or a sheet of a workbook.

    Attributes:
        label: Its name in messages.
        delimiter: Between cells; empty: it is of a workbook.
        first_row: Number of the header's row.
        header: Names of the columns as they are written.
        shown: The same in messages; the number of a column whose name is empty.
        rows: Those with content.
        marked: An answer in CSV begins with a byte order mark: so did the file, or Excel would
            not know that the answer is UTF-8.
        notes: What its author should know of the file.
    """

    label: str
    delimiter: str
    first_row: int
    header: tuple[str, ...]
    shown: tuple[str, ...]
    rows: list[SheetRow]
    marked: bool = False
    notes: Sequence[str] = ()

    @property
    def head_place(self) -> str:
        """Where the header is, in words."""
        return f"{self.label}: row {self.first_row}"

    def place(self, row: SheetRow, *columns: int | None) -> str:
        """Where a cell is, in words; columns that the file does not have are left out."""
        names = [self.shown[each] for each in dict.fromkeys(columns) if each is not None]
        what = f", column{'s' if len(names) > 1 else ''} {' and '.join(names)}" if names else ""
        return f"{self.label}: row {row.number}{what}"


class Faults:
    """Faults of spreadsheets, up to a limit."""

    def __init__(self) -> None:
        self._found: list[InstanceError] = []
        self._more = 0

    def add(self, error: InstanceError) -> None:
        """Notes one error; one that is there already, of both ends of a ride, is not repeated."""
        if str(error) in map(str, self._found):
            return
        if len(self._found) < MAX_FAULTS:
            self._found.append(error)
        else:
            self._more += 1

    def check(self) -> None:
        """Raises all noted errors as one, a line each.

        Raises:
            InstanceError: There are some; the code is that of the first.
        """
        if self._found:
            lines = [str(error) for error in self._found]
            lines += [f"... and {self._more} more errors"] if self._more else []
            raise InstanceError("\n".join(lines), code=self._found[0].code)


def read_text(reader: ByteReader) -> tuple[str, int, str]:
    """All of a CSV file as text, from its first line that is not blank, without Excel's `sep=;`.

    UTF-16 is recognized by its byte order mark; what is not UTF-8 is Windows-1252, as Excel
    writes CSV, or Windows-1250 where Polish letters show it.

    Returns:
        The text, the number of its first line, and `utf-8`, `utf-16`, `cp1252` or `cp1250`.

    Raises:
        InstanceError: It is too large, or of another encoding.
    """
    first_line = reader.line_number
    data = reader.rest(MAX_SHEET_BYTES)
    encodings = ("utf-16",) if data.startswith(_UTF_16) else ("utf-8", *_regional(data))
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            wrong = error
            continue
        blank = re.match(r"(?:[ \t\r]*\n)*", text)
        skipped = 0 if blank is None else blank.end()
        first_row = first_line + text.count("\n", 0, skipped)
        if marked := _SEPARATOR.match(text, skipped):
            skipped, first_row = marked.end(), first_row + 1
        return text[skipped:], first_row, encoding
    line = first_line + data.count(b"\n", 0, wrong.start)
    message = f"neither UTF-8 nor Windows-1252 (byte 0x{data[wrong.start]:02x}); {ADVICE}"
    raise fault(f"line {line}", message, "ENCODING")


def _regional(data: bytes) -> tuple[str, str]:
    """The encodings of a file that is not UTF-8: the one that is meant first."""
    starts = range(0, len(data), _PART_BYTES)
    central = any(_CENTRAL.search(data, start, start + _PART_BYTES + 2) for start in starts)
    return ("cp1250", "cp1252") if central else ("cp1252", "cp1250")


def split_head(head: bytes | str) -> dict[str, list[str]]:
    """Splits the first line of a text, or of how a file begins, by each delimiter."""
    text = _head_text(head) if isinstance(head, bytes) else head
    found: dict[str, list[str]] = {}
    for delimiter in DELIMITERS:
        lines = (line[0] for line in _LINE.finditer(text[:_HEAD_CHARACTERS]))  # of a quoted name
        try:
            found[delimiter] = next(csv.reader(lines, delimiter=delimiter), [])
        except csv.Error:
            found[delimiter] = []
    return found


def _head_text(head: bytes) -> str:
    """Decodes how a file begins, which may end within a character, as `read_text` would."""
    if head.startswith(_UTF_16):
        text = head[: len(head) // 2 * 2].decode("utf-16", "replace")
    elif "\ufffd" in (text := head.decode("utf-8", "replace"))[:-1]:
        text = head.decode(_regional(head)[0], "replace")
    text = text.lstrip()
    return _SEPARATOR.sub("", text, count=1) if _SEPARATOR.match(text) else text


def parse_table(text: str, delimiter: str, label: str, first_row: int) -> SheetTable:
    """The cells of a text that begins with the header, in row `first_row` of the file `label`.

    Raises:
        InstanceError: Quotes do not match, a row has more cells than the header, or there are
            too many rows, columns or characters.
    """
    lines = (line[0] for line in _LINE.finditer(text))
    found = csv.reader(lines, delimiter=delimiter, strict=True)
    return build_table(enumerate(found, start=first_row), delimiter, label, first_row)


def build_table(
    lines: Iterable[tuple[int, Sequence[str]]], delimiter: str, label: str, first_row: int
) -> SheetTable:
    """The cells of lines with their numbers; see `parse_table`."""
    header: tuple[str, ...] = ()
    rows: list[SheetRow] = []
    number = first_row - 1
    try:
        for number, found in lines:
            place = f"{label}: row {number}"
            cells = [cell.strip() if type(cell) is str else cell for cell in found]
            if number == first_row:
                while cells and not cells[-1]:
                    cells.pop()
                header = tuple(cells)
                if len(header) > MAX_COLUMNS:
                    message = f"{len(header)} columns, the limit is {MAX_COLUMNS}"
                    raise fault(place, message, "TOO_LARGE")
            elif any(cells):
                rows.append(SheetRow(number, _fitted(cells, len(header), place, delimiter)))
            if number - first_row >= MAX_ROWS:
                raise fault(place, f"more than {MAX_ROWS} rows; split the file", "TOO_LARGE")
    except csv.Error as error:
        where = f"{label}: row {number + 1}"
        raise fault(where, f'{error}; check the quotes (")', "FORMAT") from error
    shown = tuple(
        visible(name[:SHOWN_CHARACTERS]) or f"number {column}"
        for column, name in enumerate(header, start=1)
    )
    return SheetTable(label, delimiter, first_row, header, shown, rows)


def _fitted(cells: list[str], width: int, place: str, delimiter: str) -> list[str]:
    """As many cells as the header has; what is missing at the end is empty."""
    if any(cells[width:]):
        message = f"{len(cells)} cells, but the first row names {width} columns"
        advice = 'put cells that contain the separator into quotes (")'
        if not delimiter:
            advice = "name the columns of all cells, or delete what stands next to the table"
        raise fault(place, f"{message}; {advice}", "SHAPE")
    return cells[:width] + [""] * (width - len(cells))
