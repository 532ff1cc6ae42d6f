"""Answers as a workbook (.xlsx): all rows, a sheet for each route, and a map."""

import functools
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from vrpcore.errors import require_extra
from vrpcore.formats.answers.solutionformats import KINDS, csv_columns, csv_rows
from vrpcore.formats.options import Decimal
from vrpcore.formats.sheets.cells import CellReading, spelled
from vrpcore.formats.sheets.sheet import sheet_of
from vrpcore.formats.sheets.sheet_columns import PART, PLAN
from vrpcore.formats.sheets.sheet_routes import answer_heading, answer_rows, plan_columns
from vrpcore.formats.sheets.table import Exact
from vrpcore.instance.clock import DAY, read_clock, read_dated, write_clock
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Solution

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.worksheet import Worksheet

MAX_ROUTE_SHEETS = 200
MAX_LINES = 2**20  # of a sheet; of the format
PLAN_SHEET, MAP_SHEET = "plan", "map"

_LONGEST_CELL = 32_767  # characters; of the format
_LONGEST_NAME = 31
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f\ufffe\uffff]")
_WHOLE = re.compile(r"0|-?[1-9]\d{0,9}")  # longer ones may be codes
_SHORT = re.compile(r"-?(0|[1-9]\d{0,9})[.,]\d{1,12}")
_EXACT_DIGITS = 15  # that programs keep of a number
_MOST_DIGITS = 6  # that are shown behind the sign
_FIRST_YEAR = 1900  # of dates in workbooks
_WIDEST, _AROUND = 40, 3  # characters of a column, and the room around them
_EVERYWHERE = 2  # lines between cells are hidden on paper and on the screen
_OF_A_ROUTE = ("stop", "type", "customer", "arrival", "begin")  # of `PLAN`
_CREATED = datetime(2000, 1, 1)  # equal answers give equal files
_FORMATS = {"HH:MM": "[hh]:mm", "HH:MM:SS": "[hh]:mm:ss"}
_DATES = {"": "yyyy-mm-dd", "HH:MM": "yyyy-mm-dd hh:mm", "HH:MM:SS": "yyyy-mm-dd hh:mm:ss"}
_ANY = CellReading("time", ".")  # a number, a time, a date, or a text


class AnswerRows(NamedTuple):
    """One answer as rows.

    Attributes:
        heading: The names of the columns.
        rows: As many cells each.
        readings: How their cells are read, one for each column.
        titles: Of each route, what stands above its stops.
        names: Of each route, what its sheet is called.
    """

    heading: list[str]
    rows: list[list[str]]
    readings: list[CellReading]
    titles: list[str]
    names: list[str]


def rows_of(instance: Instance | InvalidInstance, solution: Solution) -> AnswerRows:
    """One answer: of a spreadsheet as `answer_rows` has it, others as `csv_rows`."""
    sheet = sheet_of(instance)
    if sheet is None or isinstance(instance, InvalidInstance):
        heading, rows = list(csv_columns(instance)), list(csv_rows(instance, solution))
        readings = [_reading(name, ".") for name in heading]
    else:
        heading, decimal = answer_heading(sheet), sheet.notation.decimal
        unread = CellReading(None, decimal)
        readings = [sheet.readings.get(each, unread) for each in range(len(sheet.table.header))]
        readings += [_reading(name, decimal) for name in plan_columns(sheet)]
        rows = list(answer_rows(instance, sheet, solution))
    titles, names, at = [], [], heading.index("route") if solution.routes else 0
    for number, route in enumerate(solution.routes, start=1):
        names.append((route.schedule.vehicle if route.schedule else None) or "route")
        own = (cells for cells in rows if route.schedule and cells[at] == str(number))
        said = dict(zip(heading, next(own, ()), strict=False))
        if said.get("distance") and sheet is not None and sheet.geographic:
            said["distance"] += " km"
        shown = [
            f"{key} {said[key]}" for key in ("departure", "return", "distance") if said.get(key)
        ]
        titles.append(" · ".join([f"{number} {names[-1]}", *shown]))
    return AnswerRows(heading, rows, readings, titles, names)


def _reading(name: str, decimal: Decimal) -> CellReading:
    if (kind := KINDS.get(name)) is None:
        return CellReading("text", decimal)
    return CellReading("time" if kind in ("time", "span") else "number", decimal)


def write_workbook(answers: Sequence[AnswerRows], picture: bytes | None) -> bytes:
    """The bytes of a workbook.

    Args:
        answers: In order; their headings repeat where they change.
        picture: A map as PNG; None: none.

    Raises:
        MissingExtraError: The extra `sheets` is not installed.
    """
    with _workbook() as (book, look, data):
        _plan_sheets(book, look, answers)
        routes = [(each, number) for each in answers for number in range(len(each.names))]
        for place, (answer, number) in enumerate(routes[:MAX_ROUTE_SHEETS], start=1):
            name = _NOT_IN_NAMES.sub(" ", f"{place} {answer.names[number]}")
            sheet = book.add_worksheet(name[:_LONGEST_NAME].rstrip(" '"))
            _route_sheet(_Page(sheet, look), answer, number)
        if picture is not None:
            sheet = book.add_worksheet(MAP_SHEET)
            sheet.insert_image(0, 0, "map.png", {"image_data": io.BytesIO(picture)})
            sheet.hide_gridlines(_EVERYWHERE)
            sheet.set_landscape()
            sheet.fit_to_pages(1, 1)
    return data.getvalue()


def table_workbook(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """The bytes of a workbook with one table, whose numbers have decimal points.

    Raises:
        MissingExtraError: The extra `sheets` is not installed.
    """
    with _workbook() as (book, look, data):
        page = _Page(book.add_worksheet(), look)
        page.table(names, rows, [_ANY] * len(names))
        page.end(frozen=1, wide=1)
    return data.getvalue()


@contextmanager
def _workbook() -> Iterator[tuple["Workbook", "_Look", io.BytesIO]]:
    """A workbook, its formats, and where its bytes are once it is closed."""
    require_extra("sheets", "a workbook", "xlsxwriter")
    from xlsxwriter import Workbook

    data = io.BytesIO()
    with Workbook(data, {"in_memory": True}) as book:
        book.set_properties({"created": _CREATED})
        yield book, _Look(book), data


class _Look:
    def __init__(self, book: "Workbook") -> None:
        head = {"bold": True, "bottom": 1, "bg_color": "#E7EDF3"}
        self.title = book.add_format({"bold": True, "font_size": 13})
        self.text = book.add_format({"indent": 1})
        self.heads = [
            book.add_format({**head, "indent": 1}),
            book.add_format({**head, "align": "right"}),  # of numbers
        ]
        # The format of a number or a time that is shown so.
        self.number = functools.cache(
            lambda shown: book.add_format({"num_format": shown, "align": "right"})
        )


class _Page:
    """A sheet: numbers as numbers, times as times, all else as text; columns as wide as that."""

    def __init__(self, sheet: "Worksheet", look: _Look) -> None:
        self.sheet = sheet
        self._look, self.line = look, 0
        self._widths: dict[int, int] = {}

    def title(self, text: str) -> None:
        """Writes a line across the columns, and leaves one blank."""
        self.sheet.write_string(0, 0, _fitting(text), self._look.title)
        self.line += 2

    def table(
        self,
        names: Sequence[str] | None,
        rows: Sequence[Sequence[str]],
        readings: Sequence[CellReading],
    ) -> None:
        """Writes rows; the numbers of a column that is read have as many digits after the sign.

        Names above the columns stand on the side of the first cell.
        """
        top = self.line
        self.line += names is not None
        digits = [
            max(_digits(text, reading) for text in column)
            for column, reading in zip(zip(*rows, strict=True), readings, strict=True)
        ]
        aside: dict[int, bool] = {}
        for cells in rows:
            for column, text in enumerate(cells):
                if text:
                    found = _held(text, readings[column], digits[column])
                    aside.setdefault(column, found is not None)
                    self._write(column, text, found)
            self.line += 1
        for column, name in enumerate(names or ()):
            self.sheet.write_string(
                top, column, _fitting(name), self._look.heads[aside.get(column, False)]
            )
            self._widen(column, name)

    def end(self, frozen: int, wide: int) -> None:
        """Sets widths, keeps the first lines in view, and prints on pages so many side by side."""
        for column, width in self._widths.items():
            self.sheet.set_column(column, column, min(width, _WIDEST) + _AROUND)
        self.sheet.freeze_panes(frozen, 0)
        if frozen <= self.line:
            self.sheet.repeat_rows(frozen - 1)
        self.sheet.set_landscape()
        self.sheet.fit_to_pages(wide, 0)

    def _widen(self, column: int, text: str) -> None:
        self._widths[column] = max(self._widths.get(column, 0), len(text))

    def _write(self, column: int, text: str, found: tuple[float | datetime, str] | None) -> None:
        self._widen(column, text)
        if found is None:
            self.sheet.write_string(self.line, column, _fitting(text), self._look.text)
            return
        value, shown = found
        is_date = isinstance(value, datetime)
        write = self.sheet.write_datetime if is_date else self.sheet.write_number
        write(self.line, column, value, self._look.number(shown) if shown else None)


def _held(text: str, reading: CellReading, digits: int) -> tuple[float | datetime, str] | None:
    """The number, time or date that a cell holds, and how it is shown; None: it is a text.

    A cell of a column that is not read is one only if it is shown as it was written. A number
    shows so many digits after the sign.
    """
    if (number := _number(text, reading)) is not None:
        digits = _digits(text, reading) if reading.reads is None else digits
        return float(number), f"0.{'0' * digits}" if digits else ""
    if reading.reads not in ("time", "span", None):
        return None
    if (time := read_clock(text)) is not None:
        as_written = write_clock(time.minutes, time.clock) == text
        return (time.minutes / DAY, _FORMATS[time.clock]) if reading.reads or as_written else None
    dated = read_dated(text)
    if dated is None or len(dated.days) != 1 or dated.offset:
        return None
    (day,), time = dated.days.values(), dated.time
    when = datetime.fromordinal(day) + timedelta(minutes=time.minutes if time else 0)
    as_written = when.isoformat().startswith(text.replace(" ", "T"))
    if when.year < _FIRST_YEAR or not (reading.reads or as_written):
        return None
    return when, _DATES[time.clock if time else ""]


def _number(text: str, reading: CellReading) -> str | None:
    """The number that a cell holds, as Python writes it; None: it holds none.

    Of names only whole numbers in their usual form are some: `1.10` and `12.50` are not.
    """
    if isinstance(text, Exact):
        return text if sum(map(str.isdigit, text)) <= _EXACT_DIGITS else None
    if _WHOLE.fullmatch(text):
        return text
    is_number = reading.reads in ("number", "integer", "count", "time", "span")
    if (is_number and " " not in text) or (reading.reads is None and _SHORT.fullmatch(text)):
        return spelled(text, reading.decimal)
    return None


def _digits(text: str, reading: CellReading) -> int:
    """How many digits a number has after the sign, as far as they are shown."""
    number = _number(text, reading)
    if number is None or "e" in number.casefold():
        return 0
    return min(len(number.partition(".")[2]), _MOST_DIGITS)


def _fitting(text: str) -> str:
    """A text as far as a cell can hold it."""
    return text[:_LONGEST_CELL].encode("utf-8", "replace").decode()


def _plan_sheets(book: "Workbook", look: _Look, answers: Sequence[AnswerRows]) -> None:
    """All rows; what one sheet has no room for goes on in another."""
    page, heading = _Page(book.add_worksheet(PLAN_SHEET), look), None
    pages = [page]
    for answer in answers:
        lines = len(answer.rows) + (answer.heading != heading)
        if page.line + lines > MAX_LINES and page.line:
            page, heading = _Page(book.add_worksheet(f"{PLAN_SHEET} {len(pages) + 1}"), look), None
            pages.append(page)
        names = None if answer.heading == heading else answer.heading
        heading = answer.heading
        page.table(names, answer.rows, answer.readings)
    for page in pages:
        page.end(frozen=1, wide=2)


def _route_sheet(page: _Page, answer: AnswerRows, number: int) -> None:
    """The sheet for a driver: the stops of a route, and a title."""
    heading, route = answer.heading, answer.heading.index("route")
    first = len(heading) - len(PLAN) - (heading[-1] == PART)
    own = [cells for cells in answer.rows if cells[route] == str(number + 1)]
    shown = [*range(first)] if tuple(heading[first:])[: len(PLAN)] == PLAN else []
    shown += [heading.index(name) for name in (*_OF_A_ROUTE, PART) if name in heading]
    ride = heading.index("ride")
    shown += [ride] if any(cells[ride] for cells in own) else []
    page.title(answer.titles[number])
    readings = [answer.readings[index] for index in shown]
    rows = [[cells[index] for index in shown] for cells in own]
    page.table([heading[index] for index in shown], rows, readings)
    page.end(frozen=3, wide=1)
