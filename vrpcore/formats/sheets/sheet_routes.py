"""Answers as CSV: in the form of the spreadsheet of stops, or one form for all others."""

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence

from vrpcore.formats.answers.solutionformats import (
    CSV_HEADER,
    RELOAD,
    csv_header,
    kind_of_stop,
    plain_cell,
    solution_to_csv,
)
from vrpcore.formats.json.json_numbers import json_number
from vrpcore.formats.sheets.columns import PLAN
from vrpcore.formats.sheets.sheet import Sheet, sheet_of
from vrpcore.instance.constraints import DELIVERY, PICKUP
from vrpcore.instance.instance import CustomerId, Instance, InvalidInstance
from vrpcore.instance.solution import RouteReport, RouteSchedule, Solution

_OF_ROUTES = PLAN.index("status") - 1  # columns, behind that of the instance
BREAK = "break"  # the type of a row that is no stop
_TAKEN = "input_"  # before a column of the stops that is called as one of these
_HARMLESS = re.compile(r"[+-]?[\d\s().,/:-]*")  # a number or a telephone number, no formula
_BOM = "\ufeff"
_Cells = list[str]


class AnswerTable:
    """Writes answers as CSV, row by row; where the columns change, a new heading follows."""

    def __init__(self) -> None:
        self._heading = ""

    def text(self, instance: Instance | InvalidInstance, solution: Solution) -> str:
        """The rows of one answer, with a heading where the one before does not fit.

        An instance from a spreadsheet has each row of its stops once, in the order of the
        routes, and a row for each break and each reload: what was planned in front, the row as it
        was behind.
        Its separator, decimal sign and notation of times are the answer's, too; distances are in
        kilometres where it has latitudes and longitudes. Other instances are written by
        `solution_to_csv`.
        """
        sheet = sheet_of(instance)
        if isinstance(instance, Instance) and sheet is not None:
            heading, rows = _heading(sheet), _rows(instance, sheet, solution)
        else:
            heading, rows = csv_header(instance), solution_to_csv(instance, solution)
        if heading == self._heading:
            return rows
        mark = sheet is not None and sheet.marked and not self._heading
        self._heading = heading
        return (_BOM if mark else "") + heading + rows

    def end(self) -> str:
        """A heading, where there was no answer."""
        return "" if self._heading else CSV_HEADER


def _heading(sheet: Sheet) -> str:
    own = [f"{_TAKEN}{name}" if name in PLAN else name for name in sheet.table.header]
    return _line(sheet, [*PLAN, *map(plain_cell, own)])


def _line(sheet: Sheet, cells: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=sheet.table.delimiter, lineterminator="\n").writerow(cells)
    return text.getvalue()


def _rows(instance: Instance, sheet: Sheet, solution: Solution) -> str:
    found = list(_stops(instance, sheet, solution)) or [([""] * _OF_ROUTES, ["", ""], None)]
    whole = [
        *(_number(sheet, value) for value in (solution.cost, solution.gap)),
        plain_cell(" ".join(solution.warnings)),
        plain_cell(solution.code or ""),
        plain_cell(solution.error or ""),
    ]
    lines, none = [], [""] * len(sheet.table.header)
    for plan, reason, stop in found:
        own = none if stop is None else sheet.rows[stop - 1].cells
        head = [plain_cell(solution.name), *plan, solution.status, *reason]
        lines.append(_line(sheet, [*head, *whole, *map(_own, own)]))
    return "".join(lines)


def _stops(
    instance: Instance, sheet: Sheet, solution: Solution
) -> Iterator[tuple[_Cells, _Cells, int | None]]:
    """Columns from `route` to `route_cost`, reason and detail, and the number of a stop.

    Of each stop in the order of the routes; breaks and reloads, between them, have no number.
    """
    numbers = instance.numbers
    for row, route in enumerate(solution.routes, start=1):
        own, behind = route.schedule, _behind(sheet, route)
        vehicle = plain_cell((own.vehicle if own else None) or "")
        for place in range(len(route.customers) + 1):
            for kind, name, times in _between(sheet, own, place):
                head = [str(row), "", kind, vehicle, plain_cell(name), *times]
                yield [*head, *behind], ["", ""], None
            for customer in route.customers[place : place + 1]:
                stop = numbers[customer]
                head = [str(row), str(place + 1), kind_of_stop(instance, stop), vehicle]
                head += [plain_cell(str(customer)), *_times(sheet, own, place)]
                yield [*head, *behind], ["", ""], stop
    for item in solution.unserved:
        for customer in _names(item.id, instance):
            stop = numbers[customer]
            head = ["", "", kind_of_stop(instance, stop), "", plain_cell(str(customer))]
            reason = [item.reason, plain_cell(item.detail)]
            yield [*head, *[""] * (_OF_ROUTES - len(head))], reason, stop


def _between(
    sheet: Sheet, schedule: RouteSchedule | None, place: int
) -> Iterator[tuple[str, str, _Cells]]:
    """Type, name, `arrival` and `begin` of breaks and reloads that have `place` stops before."""
    if schedule is None:
        return
    rests = [each for each in schedule.breaks or () if each.after == place]
    reloads = [each for each in schedule.reloads or () if each.after == place]
    for at_reload in (False, True):
        for item in reloads if at_reload else ():
            times = [sheet.notation.time(time) for time in (item.arrival, item.begin)]
            yield RELOAD, item.depot, times if sheet.timed else ["", ""]
        for rest in rests:
            if rest.at_reload is at_reload:
                yield BREAK, rest.id, ["", sheet.notation.time(rest.begin)]


def _names(name: CustomerId, instance: Instance) -> list[CustomerId]:
    """The stops of a customer, of a shipment, or of all who are alternatives."""
    constraints = instance.constraints
    if constraints is not None:
        for group in constraints.groups:
            if group.id == name:
                pairs = [(stop, constraints.partner(stop)) for stop in group.members]
                return [instance.ids[stop - 1] for pair in pairs for stop in pair if stop]
    return [name] if name in instance.numbers else [f"{name}{PICKUP}", f"{name}{DELIVERY}"]


def _times(sheet: Sheet, schedule: RouteSchedule | None, place: int) -> _Cells:
    """`arrival` and `begin` at a stop; empty where not stated."""
    if schedule is None or not sheet.timed:
        return ["", ""]
    listed = (schedule.arrivals, schedule.begins)
    return [
        "" if each is None or place >= len(each) else sheet.notation.time(each[place])
        for each in listed
    ]


def _behind(sheet: Sheet, route: RouteReport) -> _Cells:
    """The columns from `departure` to `route_cost`, the same in all rows of a route."""
    loads = route.load if isinstance(route.load, tuple) else (route.load,)
    load = " ".join(_number(sheet, amount) for amount in loads)
    own = route.schedule
    if own is None:
        return [*[""] * 6, load, _number(sheet, route.cost)]
    notation = sheet.notation

    def unknown(time: float) -> bool:
        return math.isnan(time) or not sheet.timed

    return [
        *("" if unknown(time) else notation.time(time) for time in (own.departure, own.return_)),
        *(plain_cell(name or "") for name in (own.start, own.end)),
        _number(sheet, own.distance / sheet.distance),
        "" if unknown(own.duration) else notation.span(own.duration),
        load,
        _number(sheet, route.cost),
    ]


def _number(sheet: Sheet, value: float | None) -> str:
    if value is None or math.isnan(value):
        return ""
    whole = json_number(value)
    return str(whole) if isinstance(whole, int) else sheet.notation.number(whole)


def _own(cell: str) -> str:
    """A cell of the stops as it was, unless a spreadsheet would take it for a formula."""
    return cell if _HARMLESS.fullmatch(cell) and cell.isprintable() else plain_cell(cell)
