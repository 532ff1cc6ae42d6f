"""Answers as tables: in the form of the spreadsheet of stops, or one form for all others."""

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from vrpcore.formats.answers.solutionformats import (
    CSV_HEADER,
    KINDS,
    PlanCells,
    csv_header,
    of_solution,
    plain_cell,
    planned,
    solution_to_csv,
)
from vrpcore.formats.json.json_numbers import json_number
from vrpcore.formats.sheets.sheet import Sheet, sheet_of
from vrpcore.formats.sheets.sheet_columns import PART, PLAN
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.service_unit import kind_of_stop, stops_by_name
from vrpcore.instance.solution import Solution

TAKEN = "input_"  # before a column of the stops that is called as one of these
# A number or a telephone number, no formula: behind a blank and a digit, none goes on.
_HARMLESS = re.compile(r"[+-]?[\d\s.,:]*|[+-]?\d+\s+(?:\(\d+\)\s*)?\d[\d\s().,/:-]*")
_BOM = "\ufeff"
_LOAD_DECIMALS = 3
_KM_DECIMALS = 2  # and of costs, where distances are kilometres


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
    own = (f"{TAKEN}{name}" if name in (*PLAN, PART) else name for name in sheet.table.header)
    return [*own, *plan_columns(sheet)]


def plan_columns(sheet: Sheet) -> tuple[str, ...]:
    """The columns of an answer behind those of the stops."""
    return (*PLAN, PART) if "split" in sheet.columns else PLAN


def answer_rows(instance: Instance, sheet: Sheet, solution: Solution) -> Iterator[list[str]]:
    """The rows of an answer: each row of the stops once, in the order of the routes.

    The row as it was stands in front, what was planned behind. Breaks and reloads have rows of
    their own. Distances are in kilometres where the stops have latitudes and longitudes.

    Yields:
        Cells, without regard to what programs do with them; see `safe_cell`.
    """
    whole, none = of_solution(solution), [""] * len(sheet.table.header)
    rows = [*planned(instance, solution), *_unserved(instance, solution)]
    for cells, stop in rows or [({}, None)]:
        own = none if stop is None else sheet.rows[stop - 1].cells
        row = {**cells, **whole}
        yield [*own, *(_cell(sheet, name, row.get(name)) for name in plan_columns(sheet))]


def safe_cell(text: str) -> str:
    """A cell as it is, unless a spreadsheet would take it for a formula; see `plain_cell`."""
    return text if _HARMLESS.fullmatch(text) and text.isprintable() else plain_cell(text)


def _line(sheet: Sheet, cells: Sequence[str]) -> str:
    text = io.StringIO()
    # Of a workbook: as Excel separates cells where numbers have such a sign.
    delimiter = sheet.table.delimiter or (";" if sheet.notation.decimal == "," else ",")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerow(map(safe_cell, cells))
    return text.getvalue()


def _unserved(instance: Instance, solution: Solution) -> Iterator[tuple[PlanCells, int]]:
    """Rows of unserved stops, each of a shipment and of alternatives."""
    known = stops_by_name(instance) if solution.unserved else {}
    for item in solution.unserved:
        for stop in known[str(item.id)]:
            cells = {"type": kind_of_stop(instance, stop), "customer": instance.ids[stop - 1]}
            yield {**cells, "reason": item.reason, "detail": item.detail}, stop


def _cell(sheet: Sheet, name: str, value: Any) -> str:
    """A cell of a column of `PLAN`; empty where nothing is known."""
    if name == PART and value is not None:  # exact, since parts are added up again
        text = " ".join(str(json_number(each)) for each in value)
        return text.replace(".", sheet.notation.decimal)
    if isinstance(value, tuple):
        return " ".join(_number(sheet, amount, _LOAD_DECIMALS) for amount in value)
    if value is None or (kind := KINDS.get(name)) is None:
        return "" if value is None else str(value)
    if math.isnan(value) or (kind in ("time", "span") and not sheet.timed):
        return ""
    if kind == "time":
        return sheet.notation.time(value)
    if kind == "span":
        return sheet.notation.span(value)
    value = value / sheet.distance if kind == "length" else value
    is_km = sheet.geographic and kind in ("cost", "length")
    return _number(sheet, value, _KM_DECIMALS if is_km else None)


def _number(sheet: Sheet, value: float, decimals: int | None = None) -> str:
    if math.isnan(value):
        return ""
    whole = json_number(value)
    return str(whole) if isinstance(whole, int) else sheet.notation.number(whole, decimals)
