"""Answers as a workbook (.xlsx): all rows, a sheet for each route, and a map."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
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
    titles: list[list[str]]
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
    names = [_vehicle(route) for route in solution.routes]
    titles = [
        list(_title(number, route, name, heading, rows))
        for number, (route, name) in enumerate(zip(solution.routes, names, strict=True), start=1)
    ]
    return AnswerRows(heading, rows, notation, titles, names)


def write_workbook(answers: Sequence[AnswerRows], picture: bytes | None) -> bytes:
    """The bytes of a workbook.

    Args:
        answers: In order; their headings repeat where they change.
        picture: A map as PNG; None: none.

    Raises:
        MissingExtraError: The extra `sheets` is not installed.
    """
    require_extra("sheets", "a workbook", "xlsxwriter")
    from xlsxwriter import Workbook

    data = io.BytesIO()
    with Workbook(data, {"in_memory": True}) as book:
        book.set_properties({"created": _CREATED})
        look = _Look(book)
        _plan_sheet(book.add_worksheet(PLAN_SHEET), answers, look)
        routes = [(each, number) for each in answers for number in range(len(each.names))]
        for place, (answer, number) in enumerate(routes[:MAX_ROUTE_SHEETS], start=1):
            name = _NOT_IN_NAMES.sub(" ", f"{place} {answer.names[number]}")
            sheet = book.add_worksheet(name[:_LONGEST_NAME].rstrip(" '"))
            _route_sheet(sheet, answer, number, look)
        if picture is not None:
            book.add_worksheet(MAP_SHEET).insert_image(
                0, 0, "map.png", {"image_data": io.BytesIO(picture)}
            )
    return data.getvalue()


class _Look:
    """How cells are written: numbers as numbers, times as times, all else as text."""

    def __init__(self, book: "Workbook") -> None:
        self._book = book
        self._formats: dict[str, Any] = {}
        self.bold = book.add_format({"bold": True})

    def write(self, sheet: "Worksheet", row: int, cells: Sequence[str], notation: Notation) -> None:
        """Writes a row."""
        for column, text in enumerate(cells):
            if text:
                self._cell(sheet, row, column, text, notation)

    def _cell(
        self, sheet: "Worksheet", row: int, column: int, text: str, notation: Notation
    ) -> None:
        if isinstance(text, Exact):
            sheet.write_number(row, column, float(text))
        elif _NUMBER.fullmatch(text) and (number := spelled(text, notation.decimal)):
            sheet.write_number(row, column, float(number))
        elif (found := read_clock(text)) is not None:
            form = self._format(_FORMATS[found.clock or "HH:MM"])
            sheet.write_number(row, column, found.minutes / _DAY_MINUTES, form)
        elif (dated := read_dated(text)) is not None and len(dated.days) == 1 and not dated.offset:
            (day,) = dated.days.values()
            minutes = 0.0 if dated.time is None else dated.time.minutes
            when = datetime.fromordinal(day) + timedelta(minutes=minutes)
            form = self._format(_DATES["" if dated.time is None else dated.time.clock])
            sheet.write_datetime(row, column, when, form)
        else:
            sheet.write_string(row, column, text[:_LONGEST_CELL])

    def _format(self, shown: str) -> Any:
        if shown not in self._formats:
            self._formats[shown] = self._book.add_format({"num_format": shown, "align": "right"})
        return self._formats[shown]


def _plan_sheet(sheet: "Worksheet", answers: Sequence[AnswerRows], look: _Look) -> None:
    heading, line = None, 0
    for answer in answers:
        if answer.heading != heading:
            heading = answer.heading
            for column, name in enumerate(heading):
                sheet.write_string(line, column, name[:_LONGEST_CELL], look.bold)
            line += 1
        for cells in answer.rows:
            look.write(sheet, line, cells, answer.notation)
            line += 1
    sheet.freeze_panes(1, 0)
    sheet.autofit()


def _route_sheet(sheet: "Worksheet", answer: AnswerRows, number: int, look: _Look) -> None:
    """What a driver needs: the stops of a route, and a title."""
    for column, text in enumerate(answer.titles[number]):
        sheet.write_string(0, column, text, look.bold)
    first, route = len(answer.heading) - len(PLAN), answer.heading.index("route")
    shown = [*range(first)] if tuple(answer.heading[first:]) == PLAN else []
    shown += [answer.heading.index(name) for name in _OF_A_ROUTE if name in answer.heading]
    for column, index in enumerate(shown):
        sheet.write_string(2, column, answer.heading[index], look.bold)
    own = [cells for cells in answer.rows if cells[route] == str(number + 1)]
    for line, cells in enumerate(own, start=3):
        look.write(sheet, line, [cells[index] for index in shown], answer.notation)
    sheet.freeze_panes(3, 0)
    sheet.autofit()


def _vehicle(route: RouteReport) -> str:
    return (route.schedule.vehicle if route.schedule else None) or "route"


def _title(
    number: int, route: RouteReport, vehicle: str, heading: list[str], rows: Sequence[list[str]]
) -> Iterator[str]:
    """A route's number and vehicle, and when it departs and returns."""
    yield f"{number} {vehicle}"[:_LONGEST_CELL]
    at = heading.index("route")
    cells = next((cells for cells in rows if cells[at] == str(number)), None)
    for name in ("departure", "return", "distance") if cells and route.schedule else ():
        if text := cells[heading.index(name)] if cells else "":
            yield f"{name} {text}"
