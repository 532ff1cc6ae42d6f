"""Answers as a workbook (.xlsx): all rows, a sheet for each route, and a map."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from vrpcore.errors import require_extra
from vrpcore.formats.answers.solutionformats import csv_header, solution_to_csv
from vrpcore.formats.sheets.cells import Notation
from vrpcore.formats.sheets.clock import read_clock
from vrpcore.formats.sheets.columns import PLAN
from vrpcore.formats.sheets.dates import read_dated
from vrpcore.formats.sheets.sheet import sheet_of
from vrpcore.formats.sheets.sheet_routes import answer_heading, answer_rows
from vrpcore.formats.sheets.signs import spelled
from vrpcore.formats.sheets.table import Exact
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import RouteReport, Solution

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.worksheet import Worksheet

MAX_ROUTE_SHEETS = 200
PLAN_SHEET, MAP_SHEET = "plan", "map"

_LONGEST_CELL = 32_767  # characters; of the format
_LONGEST_NAME = 31
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,9})([.,]\d{1,12})?")  # others may be codes, or long
_DAY_MINUTES = 1440
_WIDEST, _AROUND = 40, 3  # characters of a column, and the room around them
_ANY = 0  # pages
_EVERYWHERE = 2  # lines between cells are hidden on paper and on the screen
_OF_A_ROUTE = ("stop", "type", "customer", "arrival", "begin")  # of `PLAN`
_CREATED = datetime(2000, 1, 1)  # equal answers give equal files
_FORMATS = {"HH:MM": "[hh]:mm", "HH:MM:SS": "[hh]:mm:ss"}
_DATES = {"": "yyyy-mm-dd", "HH:MM": "yyyy-mm-dd hh:mm", "HH:MM:SS": "yyyy-mm-dd hh:mm:ss"}
_COMMON = Notation()


class AnswerRows(NamedTuple):
    """One answer as rows.

    Attributes:
        heading: The names of the columns.
        rows: As many cells each.
        notation: How their numbers are written.
        titles: Of each route, what stands above its stops.
        names: Of each route, what its sheet is called.
    """

    heading: list[str]
    rows: list[list[str]]
    notation: Notation
    titles: list[str]
    names: list[str]


def rows_of(instance: Instance | InvalidInstance, solution: Solution) -> AnswerRows:
    """One answer: of a spreadsheet as `answer_rows` has it, others as `solution_to_csv`."""
    sheet = sheet_of(instance)
    if sheet is None or isinstance(instance, InvalidInstance):
        text = csv_header(instance) + solution_to_csv(instance, solution)
        heading, *rows = csv.reader(io.StringIO(text, newline=""))
        notation = _COMMON
    else:
        heading, notation = answer_heading(sheet), sheet.notation
        rows = list(answer_rows(instance, sheet, solution))
    unit = " km" if sheet is not None and sheet.geographic else ""
    names = [_vehicle(route) for route in solution.routes]
    titles, at = [], heading.index("route") if names else 0
    for number, (route, name) in enumerate(zip(solution.routes, names, strict=True), start=1):
        own = (cells for cells in rows if route.schedule and cells[at] == str(number))
        said = dict(zip(heading, next(own, ()), strict=False))
        titles.append(" · ".join(_title(f"{number} {name}", said, unit)))
    return AnswerRows(heading, rows, notation, titles, names)


def write_workbook(answers: Sequence[AnswerRows], picture: bytes | None) -> bytes:
    """The bytes of a workbook.

    Args:
        answers: In order; their headings repeat where they change.
        picture: A map as PNG; None: none.

    Raises:
        MissingExtraError: The extra `sheets` is not installed.
    """
    with _workbook() as (book, data):
        look = _Look(book)
        _plan_sheet(_Page(book.add_worksheet(PLAN_SHEET), look), answers)
        routes = [(each, number) for each in answers for number in range(len(each.names))]
        for place, (answer, number) in enumerate(routes[:MAX_ROUTE_SHEETS], start=1):
            name = _NOT_IN_NAMES.sub(" ", f"{place} {answer.names[number]}")
            sheet = book.add_worksheet(name[:_LONGEST_NAME].rstrip(" '"))
            _route_sheet(_Page(sheet, look), answer, number)
        if picture is not None:
            sheet = book.add_worksheet(MAP_SHEET)
            sheet.insert_image(0, 0, "map.png", {"image_data": io.BytesIO(picture)})
            sheet.hide_gridlines(_EVERYWHERE)
            _fit_paper(sheet, 1, high=1)
    return data.getvalue()


def table_workbook(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """The bytes of a workbook with one table.

    Args:
        names: What stands above the columns.
        rows: As many cells each, with decimal points.

    Raises:
        MissingExtraError: The extra `sheets` is not installed.
    """
    with _workbook() as (book, data):
        page = _Page(book.add_worksheet(), _Look(book))
        page.table(names, rows, _COMMON)
        page.end(frozen=1, wide=1)
    return data.getvalue()


@contextmanager
def _workbook() -> Iterator[tuple["Workbook", io.BytesIO]]:
    """A workbook, and where its bytes are once it is closed."""
    require_extra("sheets", "a workbook", "xlsxwriter")
    from xlsxwriter import Workbook

    data = io.BytesIO()
    with Workbook(data, {"in_memory": True}) as book:
        book.set_properties({"created": _CREATED})
        yield book, data


class _Look:
    """The formats of a workbook."""

    def __init__(self, book: "Workbook") -> None:
        self._book = book
        self._numbers: dict[str, Any] = {}
        head = {"bold": True, "bottom": 1, "bg_color": "#E7EDF3"}
        self.title = book.add_format({"bold": True, "font_size": 13})
        self.text = book.add_format({"indent": 1})
        self.head = book.add_format({**head, "indent": 1})
        self.head_of_numbers = book.add_format({**head, "align": "right"})

    def number(self, shown: str) -> Any:
        """The format of a number or a time that is shown so."""
        if shown not in self._numbers:
            self._numbers[shown] = self._book.add_format({"num_format": shown, "align": "right"})
        return self._numbers[shown]


class _Page:
    """A sheet: numbers as numbers, times as times, all else as text; columns as wide as that."""

    def __init__(self, sheet: "Worksheet", look: _Look) -> None:
        self.sheet = sheet
        self._look, self._line = look, 0
        self._widths: dict[int, int] = {}

    def title(self, text: str) -> None:
        """Writes a line across the columns, and leaves one blank."""
        self.sheet.write_string(0, 0, text[:_LONGEST_CELL], self._look.title)
        self._line += 2

    def table(
        self, names: Sequence[str] | None, rows: Sequence[Sequence[str]], notation: Notation
    ) -> None:
        """Writes rows; the numbers of a column have as many digits after the sign.

        Args:
            names: What stands above the columns, on the side of the first cell; None: nothing.
            rows: As many cells each.
            notation: How their numbers are written.
        """
        top = self._line
        self._line += names is not None
        digits = [max(map(_digits, column)) for column in zip(*rows, strict=True)]
        aside: dict[int, bool] = {}
        for cells in rows:
            for column, text in enumerate(cells):
                if text:
                    found = self._cell(column, text, notation, digits[column])
                    aside.setdefault(column, found)
                    self._widen(column, text)
            self._line += 1
        for column, name in enumerate(names or ()):
            form = self._look.head_of_numbers if aside.get(column) else self._look.head
            self.sheet.write_string(top, column, name[:_LONGEST_CELL], form)
            self._widen(column, name)

    def end(self, frozen: int, wide: int) -> None:
        """Sets widths, keeps the first lines in view, and prints on pages so many side by side."""
        for column, width in self._widths.items():
            self.sheet.set_column(column, column, min(width, _WIDEST) + _AROUND)
        self.sheet.freeze_panes(frozen, 0)
        if frozen <= self._line:
            self.sheet.repeat_rows(frozen - 1)
        _fit_paper(self.sheet, wide)

    def _widen(self, column: int, text: str) -> None:
        self._widths[column] = max(self._widths.get(column, 0), len(text))

    def _cell(self, column: int, text: str, notation: Notation, digits: int) -> bool:
        """Writes a cell; returns whether it is a number or a time."""
        sheet, row = self.sheet, self._line
        if isinstance(text, Exact):
            sheet.write_number(row, column, float(text), self._numeral(text, digits))
        elif _NUMBER.fullmatch(text) and (number := spelled(text, notation.decimal)):
            sheet.write_number(row, column, float(number), self._numeral(text, digits))
        elif (found := read_clock(text)) is not None:
            form = self._look.number(_FORMATS[found.clock or "HH:MM"])
            sheet.write_number(row, column, found.minutes / _DAY_MINUTES, form)
        elif (dated := read_dated(text)) is not None and len(dated.days) == 1 and not dated.offset:
            (day,) = dated.days.values()
            minutes = 0.0 if dated.time is None else dated.time.minutes
            when = datetime.fromordinal(day) + timedelta(minutes=minutes)
            form = self._look.number(_DATES["" if dated.time is None else dated.time.clock])
            sheet.write_datetime(row, column, when, form)
        else:
            sheet.write_string(row, column, text[:_LONGEST_CELL], self._look.text)
            return False
        return True

    def _numeral(self, text: str, digits: int) -> Any:
        known = digits and _NUMBER.fullmatch(text)
        return self._look.number(f"0.{'0' * digits}") if known else None


def _digits(text: str) -> int:
    """How many digits a number has after the sign."""
    found = _NUMBER.fullmatch(text)
    return len(found[2]) - 1 if found and found[2] else 0


def _fit_paper(sheet: "Worksheet", wide: int, high: int = _ANY) -> None:
    """Prints a sheet on so many pages."""
    sheet.set_landscape()
    sheet.fit_to_pages(wide, high)


def _plan_sheet(page: _Page, answers: Sequence[AnswerRows]) -> None:
    heading = None
    for answer in answers:
        names = None if answer.heading == heading else answer.heading
        heading = answer.heading
        page.table(names, answer.rows, answer.notation)
    page.end(frozen=1, wide=2)


def _route_sheet(page: _Page, answer: AnswerRows, number: int) -> None:
    """What a driver needs: the stops of a route, and a title."""
    first, route = len(answer.heading) - len(PLAN), answer.heading.index("route")
    shown = [*range(first)] if tuple(answer.heading[first:]) == PLAN else []
    shown += [answer.heading.index(name) for name in _OF_A_ROUTE if name in answer.heading]
    rows = [
        [cells[index] for index in shown]
        for cells in answer.rows
        if cells[route] == str(number + 1)
    ]
    page.title(answer.titles[number])
    page.table([answer.heading[index] for index in shown], rows, answer.notation)
    page.end(frozen=3, wide=1)


def _vehicle(route: RouteReport) -> str:
    return (route.schedule.vehicle if route.schedule else None) or "route"


def _title(name: str, said: Mapping[str, str], unit: str) -> Iterator[str]:
    """A route's number and vehicle, when it departs and returns, and how long it is."""
    yield name
    for key in ("departure", "return", "distance"):
        if text := said.get(key):
            yield f"{key} {text}{unit if key == 'distance' else ''}"
