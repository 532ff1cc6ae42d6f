"""Answers as tables: in the form of the spreadsheet of stops, or one form for all others."""

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
from vrpcore.formats.sheets.sheet import Sheet, sheet_of
from vrpcore.formats.sheets.sheet_columns import PLAN
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.service_unit import stops_by_name
from vrpcore.instance.solution import RouteReport, RouteSchedule, Solution

BREAK = "break"  # the type of a row that is no stop
TAKEN = "input_"  # before a column of the stops that is called as one of these
# A number or a telephone number, no formula: behind a blank and a digit, none goes on.
_HARMLESS = re.compile(r"[+-]?[\d\s.,:]*|[+-]?\d+\s+(?:\(\d+\)\s*)?\d[\d\s().,/:-]*")
_BOM = "\ufeff"
_LOAD_DECIMALS = 3
_KM_DECIMALS = 2  # and of costs, where distances are kilometres
_Cells = dict[str, str]  # by the names of `PLAN`; those that are empty may be left out


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
    whole = {
        "instance": solution.name,
        "status": solution.status,
        "cost": _cost(sheet, solution.cost),
        "balance": _cost(sheet, solution.balance),
        "gap": _number(sheet, solution.gap),
        "warnings": " ".join(solution.warnings),
        "code": solution.code or "",
        "error": solution.error or "",
    }
    none = [""] * len(sheet.table.header)
    for cells, stop in list(_stops(instance, sheet, solution)) or [({}, None)]:
        own = none if stop is None else sheet.rows[stop - 1].cells
        cells |= whole
        yield [*own, *(cells.get(name, "") for name in PLAN)]


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
) -> Iterator[tuple[_Cells, int | None]]:
    """What was planned for each stop in the order of the routes, and its number.

    Breaks and reloads, between them, have no number.
    """
    for number, route in enumerate(solution.routes, start=1):
        own, whole = route.schedule, {"route": str(number), **_of_route(sheet, route)}
        for place in range(len(route.customers) + 1):
            for cells in _between(sheet, own, place):
                yield {**whole, **cells}, None
            for customer in route.customers[place : place + 1]:
                stop = instance.numbers[customer]
                cells = {"stop": str(place + 1), "type": kind_of_stop(instance, stop)}
                cells |= {"customer": str(customer), **_times(sheet, own, place)}
                yield {**whole, **cells}, stop
    known = stops_by_name(instance) if solution.unserved else {}
    for item in solution.unserved:
        for stop in known[str(item.id)]:
            cells = {"type": kind_of_stop(instance, stop), "customer": str(instance.ids[stop - 1])}
            yield {**cells, "reason": item.reason, "detail": item.detail}, stop


def _between(sheet: Sheet, schedule: RouteSchedule | None, place: int) -> Iterator[_Cells]:
    """Breaks and reloads behind so many stops."""
    if schedule is None:
        return
    time = sheet.notation.time if sheet.timed else lambda _: ""
    rests = [each for each in schedule.breaks or () if each.after == place]
    reloads = [each for each in schedule.reloads or () if each.after == place]
    for at_reload in (False, True):
        for item in reloads if at_reload else ():
            cells = {"type": RELOAD, "customer": item.depot}
            yield {**cells, "arrival": time(item.arrival), "begin": time(item.begin)}
        for rest in rests:
            if rest.at_reload is at_reload:
                begin = sheet.notation.time(rest.begin)
                yield {"type": BREAK, "customer": rest.id, "begin": begin}


def _times(sheet: Sheet, schedule: RouteSchedule | None, place: int) -> _Cells:
    """The times at a stop, as far as they are stated."""
    if schedule is None or not sheet.timed:
        return {}
    time, span = sheet.notation.time, sheet.notation.span
    arrivals, begins, late = schedule.arrivals, schedule.begins, schedule.late
    listed = (("arrival", arrivals, time), ("begin", begins, time), ("late", late, span))
    return {name: write(each[place]) for name, each, write in listed if each and place < len(each)}


def _of_route(sheet: Sheet, route: RouteReport) -> _Cells:
    """What is the same in all rows of a route."""
    load = " ".join(_number(sheet, amount, _LOAD_DECIMALS) for amount in route.loads)
    found = {"route_load": load, "route_cost": _cost(sheet, route.cost)}
    if (own := route.schedule) is None:
        return found
    time, span = sheet.notation.time, sheet.notation.span
    times = (
        ("departure", own.departure, time),
        ("return", own.return_, time),
        ("late_return", own.late_return, span),
        ("duration", own.duration, span),
        ("overtime", own.overtime, span),
    )
    stated = [each for each in times if sheet.timed and not math.isnan(each[1])]
    found |= {name: write(value) for name, value, write in stated}
    found |= {"vehicle": own.vehicle or "", "start": own.start or "", "end": own.end or ""}
    return {**found, "distance": _cost(sheet, own.distance / sheet.distance)}


def _cost(sheet: Sheet, value: float | None) -> str:
    """A cost or a distance."""
    return _number(sheet, value, _KM_DECIMALS if sheet.geographic else None)


def _number(sheet: Sheet, value: float | None, decimals: int | None = None) -> str:
    if value is None or math.isnan(value):
        return ""
    whole = json_number(value)
    return str(whole) if isinstance(whole, int) else sheet.notation.number(whole, decimals)
