"""Workbooks (.xlsx, .ods): their sheets as rows of texts, each cell as CSV would write it."""

import functools
import io
import itertools
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.parsers import expat

from vrpcore.errors import InstanceError, require_extra
from vrpcore.formats.json.json_numbers import EXACT_INTEGER
from vrpcore.formats.sheets.table import ADVICE, Exact, Formula, Merged
from vrpcore.instance.clock import write_clock

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

MAX_UNPACKED_BYTES = 2**28
MAX_SENT_BYTES = 2**25  # the same of one that came with a request; its cells in proportion
MAX_CELLS = 5_000_000  # of the rectangles from A1 that hold all content
MAX_PARTS = 10_000
MAX_CHARACTERS = 2**28  # of all cells, where many may share one text
_MOST = 2**20  # rows of a sheet; no program has more

_ZIP, _OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"  # .xlsx and .ods; .xls, and those with a password
_MEMBERS = (b"[Content_Types].xml", b"xl/", b"opendocument.spreadsheet")
_READ = (".xml", ".rels", "mimetype")  # parts without pictures
_OF_ODS = "content.xml"
_ERROR = re.compile(rb"(<(?:\w+:)?c\b[^>]*\bt\s*=\s*)(\"e\"|'e')")
# A formula, and its value: none, or 0 where a program leaves all values to the next one.
_FORMULA = re.compile(
    rb"<((?:\w+:)?)c\b([^<>]*)>\s*<(?:\w+:)?f\b(?:[^<>]*/>|[^<>]*>([^<]*)</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*(?:/>|>(0|\s*)</(?:\w+:)?v>)\s*)?</(?:\w+:)?c>"
)
_OF_ODS_FORMULA = re.compile(
    rb"<table:table-cell\b(?![^<>]*(?:value-type|repeated))[^<>]*\btable:formula=[^<>]*"
    rb"(?:/>|>\s*</table:table-cell>)"
)
_MARK = "\ue000".encode()  # before a formula that is a text
_ODS_TEXT = (
    b'<table:table-cell office:value-type="string"><text:p>%b=</text:p></table:table-cell>' % _MARK
)
_TYPE = re.compile(rb"\st\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_TO_COMPUTE = re.compile(rb"fullCalcOnLoad\s*=\s*[\"'](?:1|true)")
_REFERENCE = re.compile(r"([A-Z]{1,3})([1-9]\d{0,6})")
_EPOCH = datetime(1899, 12, 31)  # a length of time that is shown as a date counts from here
_EPOCH_YEARS = (1899, 1900)
_ODS_TIME = re.compile(r"PT(\d{1,6})H(\d\d)M(\d\d)(?:[.,]0*)?S")  # of a day or more
_EXACT_DIGITS = 15  # that programs keep of a number

_Line = tuple[int, list[str]]


class Tab(NamedTuple):
    """A sheet of a workbook; `lines` gives its rows, their numbers and cells, blank ones too."""

    name: str
    lines: Callable[[], Iterator[_Line]]


def is_workbook(head: bytes) -> bool:
    """Return whether a file is a workbook of Excel or LibreOffice rather than CSV."""
    if head.startswith(_OLD):
        return True
    return head.startswith(_ZIP) and any(name in head for name in _MEMBERS)


def read_workbook(data: bytes, label: str, *, sent: bool = False) -> list[Tab]:
    """The sheets of a workbook that are shown, in order.

    Numbers are `Exact`, whatever their format shows; times and dates are `HH:MM`, `HH:MM:SS`,
    `2026-11-27` and `2026-11-27T08:30`, lengths of time go on after 24 hours. Formulas have the
    value that was saved with them; without one, they are `Formula`.

    Args:
        data: The file.
        label: Its name in messages.
        sent: It came with a request, so it may be no larger than `MAX_SENT_BYTES` allows.

    Raises:
        InstanceError: It is of an old format, has a password, is damaged or too large.
        MissingExtraError: The extra `sheets` is not installed.
    """
    require_extra("sheets", f"the workbook {label}", "python_calamine")
    from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    if data.startswith(_OLD):
        message = "a workbook of an old format, or with a password; save it as .xlsx without one"
        raise InstanceError(f"{message}, or {ADVICE}", code="FORMAT")
    most = MAX_SENT_BYTES if sent else MAX_UNPACKED_BYTES
    parts, cells = _unpacked(data, most), MAX_CELLS * most // MAX_UNPACKED_BYTES
    extents = [
        _measured(part, _RepeatedExtent(cells) if name == _OF_ODS else _Extent(cells))
        for name, part in parts.items()
        if name.endswith(".xml")  # a sheet may be any of them
    ]
    _check_texts(extents, MAX_CHARACTERS * most // MAX_UNPACKED_BYTES)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(_packed(parts)))
    except CalamineError as error:
        raise _damaged(str(error)) from None
    return [
        Tab(sheet.name, functools.partial(_lines, book, sheet.name))
        for sheet in book.sheets_metadata
        if sheet.typ == SheetTypeEnum.WorkSheet and sheet.visible == SheetVisibleEnum.Visible
    ]


def _lines(book: "CalamineWorkbook", name: str) -> Iterator[_Line]:
    from python_calamine import CalamineError

    try:
        sheet = book.get_sheet_by_name(name)
        rows, merged = sheet.iter_rows(), getattr(sheet, "merged_cell_ranges", None) or ()
    except CalamineError as error:
        raise _damaged(f"sheet {name!r}: {error}") from None
    begun: dict[int, dict[int, int]] = {}  # last row of merged cells, by first row and column
    for (first, column), (last, _) in merged:
        begun.setdefault(first + 1, {})[column] = last + 1
    above, headed = dict[int, tuple[int, str]](), False  # last row and text, by column
    for number, row in enumerate(rows, start=1):
        texts = list(map(_text, row))
        for column, (last, text) in above.items() if any(texts) else ():
            texts[column] = Merged(text) if number <= last else texts[column]
        own = begun.get(number, {}).items() if headed else ()
        above |= {each: (last, texts[each]) for each, last in own if each < len(texts)}
        headed = headed or any(texts)
        yield number, texts


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        is_whole = float(value).is_integer() and abs(value) < EXACT_INTEGER
        return Exact(int(value) if is_whole else f"{value:.{_EXACT_DIGITS}g}")
    if isinstance(value, time):
        value = datetime.combine(_EPOCH, value)
    elif isinstance(value, date) and not isinstance(value, datetime):
        if value.year not in _EPOCH_YEARS:
            return value.isoformat()
        value = datetime.combine(value, time())
    if isinstance(value, datetime) and value.year in _EPOCH_YEARS:
        value -= _EPOCH
    if isinstance(value, timedelta):
        seconds = round(value.total_seconds())
        return write_clock(seconds / 60, "HH:MM:SS" if seconds % 60 else "HH:MM")
    if isinstance(value, datetime):
        whole = datetime.min + timedelta(seconds=round((value - datetime.min).total_seconds()))
        return whole.isoformat(timespec="seconds" if whole.second else "minutes")
    text = str(value)
    if found := _ODS_TIME.fullmatch(text):
        hours, minutes, seconds = map(int, found.groups())
        return _text(timedelta(hours=hours, minutes=minutes, seconds=seconds))
    return Formula(text[1:]) if text.startswith(_MARK.decode()) else text


def _unpacked(data: bytes, most: int) -> dict[str, bytes]:
    """The parts of a workbook by name, those without content left out.

    Parts unpack to no more than they state, and their checksums are right.
    """
    found: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            items = [item for item in archive.infolist() if item.filename.endswith(_READ)]
            if len(items) > MAX_PARTS or sum(i.file_size for i in items) > most:
                message = f"a workbook that unpacks to more than {most} bytes"
                raise InstanceError(f"{message}; split it, or {ADVICE}", code="TOO_LARGE")
            for item in items:
                if item.filename in found:
                    raise zipfile.BadZipFile(f"{item.filename} is there twice")
                found[item.filename] = archive.read(item)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, OSError, ValueError) as error:
        raise _damaged(str(error)) from None
    return found


def _packed(parts: Mapping[str, bytes]) -> bytes:
    """Pack the parts as a workbook again, which unpacks to no more.

    Cells with an error are texts, and so are formulas without a value that was saved.
    """
    computed = not any(map(_TO_COMPUTE.search, parts.values()))

    def text(found: re.Match[bytes]) -> bytes:
        prefix, own, formula, value = found.groups()
        if (value or b"").strip() and computed:
            return found[0]
        own = _TYPE.sub(b"", own) + b' t="str"'
        return b"<%bc%b><%bv>%b=%b</%bv></%bc>" % (
            prefix, own, prefix, _MARK, formula or b"", prefix, prefix,
        )  # fmt: skip

    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_STORED) as archive:
        for name, part in parts.items():
            is_ods = name == _OF_ODS
            part = _OF_ODS_FORMULA.sub(_ODS_TEXT, part) if is_ods else _FORMULA.sub(text, part)
            archive.writestr(name, _ERROR.sub(rb'\1"str"', part))
    return whole.getvalue()


def _damaged(reason: str) -> InstanceError:
    message = f"a workbook that cannot be read ({reason}); open it and save it again, or {ADVICE}"
    return InstanceError(message, code="FORMAT")


def _measured(part: bytes, extent: "_Extent") -> "_Extent":
    parser = expat.ParserCreate()

    def refuse(*_: Any) -> None:
        raise _damaged("its XML has a document type")

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = lambda name, own: extent.begin(
        name.rpartition(":")[2], {key.rpartition(":")[2]: text for key, text in own.items()}
    )
    parser.EndElementHandler = lambda name: extent.end(name.rpartition(":")[2])
    parser.CharacterDataHandler = extent.text
    try:
        parser.Parse(part, True)
    except (expat.ExpatError, ValueError) as error:
        raise _damaged(str(error)) from None
    return extent


def _check_texts(extents: Sequence["_Extent"], most: int) -> None:
    """Raises InstanceError where many cells share texts that would fill the memory."""
    shared = [extent.shared for extent in extents]
    longest = list(map(max, itertools.zip_longest(*shared, fillvalue=0)))  # whichever is meant
    size = sum(extent.characters for extent in extents)
    for index, times in (each for extent in extents for each in extent.uses.items()):
        size += times * longest[index] if 0 <= index < len(longest) else 0
    if size > most:
        message = f"a workbook whose cells have {size} characters, more than {most}"
        raise InstanceError(f"{message}; delete long texts", code="TOO_LARGE")


class _Extent:
    """How far the content of a sheet reaches, and how long its texts are.

    Args:
        cells: Most of the rectangle from A1 that holds all content.

    Attributes:
        characters: In cells that stand for many.
        shared: Characters of each text that cells may share.
        uses: How many cells have each of these texts.
    """

    def __init__(self, cells: int) -> None:
        self._most = cells
        self.characters = 0
        self.shared: list[int] = []
        self.uses: Counter[int] = Counter()
        self._row = self._column = self._last = self._width = 0
        self._shares = False
        self._index: str | None = None

    def begin(self, name: str, own: Mapping[str, str]) -> None:
        if name == "row":
            self._row, self._column = int(own.get("r", self._row + 1)), 0
        elif name == "si":
            self.shared.append(0)
        elif name == "c":
            self._column += 1
            self._shares = own.get("t") == "s"
            if found := _REFERENCE.fullmatch(own.get("r", "")):
                self._row, self._column = int(found[2]), 0
                for letter in found[1]:
                    self._column = self._column * 26 + ord(letter) - 64
            elif "r" in own:
                raise ValueError(f"{own['r'][:20]!r} is no cell")
        elif name in ("v", "is"):
            self._reach(self._row, self._column)
            self._index = "" if self._shares else None

    def text(self, text: str) -> None:
        if self.shared:
            self.shared[-1] += len(text)
        elif self._index is not None:
            self._index += text

    def end(self, name: str) -> None:
        if name == "v" and self._index is not None:
            self.uses[int(self._index)] += 1
            self._index = None

    def _reach(self, row: int, column: int) -> None:
        self._last, self._width = max(self._last, row), max(self._width, column)
        if self._last > _MOST or self._last * self._width > self._most:
            message = f"a sheet with content in row {self._last} and in column {self._width}, of"
            message += f" more than {self._most} cells; delete what stands far from the table"
            raise InstanceError(message, code="TOO_LARGE")


class _RepeatedExtent(_Extent):
    """The extent of .ods, where one element may stand for many equal rows or cells."""

    _filled = _rows = _cells = _in_row = 0

    def begin(self, name: str, own: Mapping[str, str]) -> None:
        if name == "table":
            self._row = 0
        elif name == "table-row":
            self._rows = self._times(own.get("number-rows-repeated", "1"))
            self._row += self._rows
            self._column = self._filled = self._in_row = 0
        elif name in ("table-cell", "covered-table-cell"):
            self._cells = self._times(own.get("number-columns-repeated", "1"))
            self._column += self._cells
            self._filled = self._column if "value-type" in own else self._filled
        elif name == "p":
            self._filled = self._column
        elif name == "s":  # blanks
            self._in_row += self._cells * int(own.get("c", "1"))

    def text(self, text: str) -> None:
        self._in_row += self._cells * len(text)

    def end(self, name: str) -> None:
        if name == "table-row" and self._filled:
            self._reach(self._row, self._filled)
            self.characters += self._rows * self._in_row

    def _times(self, text: str) -> int:
        times = int(text)
        if not 0 < times <= _MOST or self._row > 2 * _MOST:
            raise ValueError(f"{text[:20]} equal rows or cells")
        return times
