"""Answers as tables: in the form of the spreadsheet of stops, or one form for all others."""

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Sequence

from vrpcore.formats.answers.solutionformats import (
    CSV_HEADER,
    RELOAD,
    csv_header,
    kind_of_stop,
    plain_cell,
    solution_to_csv,
)
from vrpcore.formats.json.json_numbers import json_number
from vrpcore.formats.sheets.sheet import Sheet, sheet_of
from vrpcore.formats.sheets.sheet_columns import PLAN
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.service_unit import stops_by_name
from vrpcore.instance.solution import RouteReport, RouteSchedule, Solution

_OF_ROUTES = PLAN.index("status") - 1  # columns, behind that of the instance
BREAK = "break"  # the type of a row that is no stop
TAKEN = "input_"  # before a column of the stops that is called as one of these
# A number or a telephone number, no formula: behind a blank and a digit, none goes on.
_HARMLESS = re.compile(r"[+-]?[\d\s.,:]*|[+-]?\d+\s+(?:\(\d+\)\s*)?\d[\d\s().,/:-]*")
_BOM = "\ufeff"
_LOAD_DECIMALS = 3
_KM_DECIMALS = 2  # and of costs, where distances are kilometres
_Cells = list[str]


class AnswerTable:
    """Writes answers as CSV, row by row; where the columns change, a new heading follows."""

    def __init__(self) -> None:
        self._heading = ""

    def text(self, instance: Instance | InvalidInstance, solution: Solution) -> str:
        """The rows of one answer, with a heading where the one before does not fit.

        An instance from a spreadsheet is written as `answer_rows` says, with its separator, decimal
        sign and notation of times. Other instances are written by `solution_to_csv`.
        """
        sheet = sheet_of(instance)
        if isinstance(instance, Instance) and sheet is not None:
            heading = _line(sheet, answer_heading(sheet))
            rows = "".join(_line(sheet, row) for row in answer_rows(instance, sheet, solution))
        else:
            heading, rows = csv_header(instance), solution_to_csv(instance, solution)
        if heading == self._heading:
            return rows
        mark = sheet is not None and sheet.table.marked and not self._heading
        self._heading = heading
        return (_BOM if mark else "") + heading + rows

    def end(self) -> str:
        """A heading, where there was no answer."""
        return "" if self._heading else CSV_HEADER


def answer_heading(sheet: Sheet) -> list[str]:
    """The names of the columns of an answer: those of the stops, then `PLAN`."""
    own = [f"{TAKEN}{name}" if name in PLAN else name for name in sheet.table.header]
    return [*own, *PLAN]


def answer_rows(instance: Instance, sheet: Sheet, solution: Solution) -> Iterator[list[str]]:
    """The rows of an answer: each row of the stops once, in the order of the routes.

    The row as it was stands in front, what was planned behind. Breaks and reloads have rows of
    their own. Distances are in kilometres where the stops have latitudes and longitudes.

    Yields:
        Cells, without regard to what programs do with them; see `safe_cell`.
    """
    found = list(_stops(instance, sheet, solution)) or [([""] * _OF_ROUTES, ["", ""], None)]
    whole = [
        _cost(sheet, solution.cost),
        _cost(sheet, solution.balance),
        _number(sheet, solution.gap),
        " ".join(solution.warnings),
        solution.code or "",
        solution.error or "",
    ]
    none = [""] * len(sheet.table.header)
    for plan, reason, stop in found:
        own = none if stop is None else sheet.rows[stop - 1].cells
        yield [*own, solution.name, *plan, solution.status, *reason, *whole]


def safe_cell(text: str) -> str:
    """A cell as it is, unless a spreadsheet would take it for a formula; see `plain_cell`."""
    return text if _HARMLESS.fullmatch(text) and text.isprintable() else plain_cell(text)


def _line(sheet: Sheet, cells: Sequence[str]) -> str:
    text = io.StringIO()
    # Of a workbook: as Excel separates cells where numbers have such a sign.
    delimiter = sheet.table.delimiter or (";" if sheet.notation.decimal == "," else ",")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerow(map(safe_cell, cells))
    return text.getvalue()


def _stops(
    instance: Instance, sheet: Sheet, solution: Solution
) -> Iterator[tuple[_Cells, _Cells, int | None]]:
    """Columns from `route` to `route_cost`, reason and detail, and the number of a stop.

    Of each stop in the order of the routes; breaks and reloads, between them, have no number.
    """
    numbers = instance.numbers
    for row, route in enumerate(solution.routes, start=1):
        own, behind = route.schedule, _behind(sheet, route)
        vehicle = (own.vehicle if own else None) or ""
        for place in range(len(route.customers) + 1):
            for kind, name, times in _between(sheet, own, place):
                head = [str(row), "", kind, vehicle, name, *times]
                yield [*head, *behind], ["", ""], None
            for customer in route.customers[place : place + 1]:
                stop = numbers[customer]
                head = [str(row), str(place + 1), kind_of_stop(instance, stop), vehicle]
                head += [str(customer), *_times(sheet, own, place)]
                yield [*head, *behind], ["", ""], stop
    known = stops_by_name(instance) if solution.unserved else {}
    for item in solution.unserved:
        for stop in known[str(item.id)]:
            head = ["", "", kind_of_stop(instance, stop), "", str(instance.ids[stop - 1])]
            reason = [item.reason, item.detail]
            yield [*head, *[""] * (_OF_ROUTES - len(head))], reason, stop


def _between(
    sheet: Sheet, schedule: RouteSchedule | None, place: int
) -> Iterator[tuple[str, str, _Cells]]:
    """Type, name and times (see `_times`) of breaks and reloads behind so many stops."""
    if schedule is None:
        return
    rests = [each for each in schedule.breaks or () if each.after == place]
    reloads = [each for each in schedule.reloads or () if each.after == place]
    for at_reload in (False, True):
        for item in reloads if at_reload else ():
            times = [sheet.notation.time(time) for time in (item.arrival, item.begin)]
            yield RELOAD, item.depot, [*(times if sheet.timed else ["", ""]), ""]
        for rest in rests:
            if rest.at_reload is at_reload:
                yield BREAK, rest.id, ["", sheet.notation.time(rest.begin), ""]


def _times(sheet: Sheet, schedule: RouteSchedule | None, place: int) -> _Cells:
    """`arrival`, `begin` and `late` at a stop; empty where not stated."""
    if schedule is None or not sheet.timed:
        return [""] * 3
    time, span = sheet.notation.time, sheet.notation.span
    listed = ((schedule.arrivals, time), (schedule.begins, time), (schedule.late, span))
    return [
        "" if each is None or place >= len(each) else write(each[place]) for each, write in listed
    ]


def _behind(sheet: Sheet, route: RouteReport) -> _Cells:
    """The columns from `departure` to `route_cost`, the same in all rows of a route."""
    load = " ".join(_number(sheet, amount, _LOAD_DECIMALS) for amount in route.loads)
    own = route.schedule
    if own is None:
        return [*[""] * 8, load, _cost(sheet, route.cost)]
    notation = sheet.notation

    def written(write: Callable[[float], str], time: float) -> str:
        return "" if math.isnan(time) or not sheet.timed else write(time)

    return [
        *(written(notation.time, time) for time in (own.departure, own.return_)),
        written(notation.span, own.late_return),
        *(name or "" for name in (own.start, own.end)),
        _cost(sheet, own.distance / sheet.distance),
        *(written(notation.span, time) for time in (own.duration, own.overtime)),
        load,
        _cost(sheet, route.cost),
    ]


def _cost(sheet: Sheet, value: float | None) -> str:
    """A cost or a distance."""
    return _number(sheet, value, _KM_DECIMALS if sheet.geographic else None)


def _number(sheet: Sheet, value: float | None, decimals: int | None = None) -> str:
    if value is None or math.isnan(value):
        return ""
    whole = json_number(value)
    return str(whole) if isinstance(whole, int) else sheet.notation.number(whole, decimals)
