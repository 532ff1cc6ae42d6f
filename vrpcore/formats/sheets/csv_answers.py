"""Answers to spreadsheets, read again: to draw, to check, and to start from."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.answers.solutionformats import BREAK, RELOAD
from vrpcore.formats.files import ByteReader
from vrpcore.formats.sheets.opened import open_answer
from vrpcore.formats.sheets.sheet import Sheet, sheet_of
from vrpcore.formats.sheets.sheet_columns import PART, PLAN
from vrpcore.formats.sheets.sheet_routes import TAKEN, safe_cell
from vrpcore.formats.sheets.table import SheetRow, SheetTable
from vrpcore.instance.clock import DAY, read_clock, read_dated
from vrpcore.instance.constraints import DELIVERY, PICKUP
from vrpcore.instance.instance import CustomerId, Instance
from vrpcore.instance.solution import (
    NOT_STATED,
    REASONS,
    STATUSES,
    Reason,
    RouteBreak,
    RouteReload,
    RouteReport,
    RouteSchedule,
    Solution,
    Status,
    Unserved,
)

PlanRow = Mapping[str, str]  # cells of the stops by their heading
_PLACE = ("lat", "lon", "x", "y")
_T = TypeVar("_T", str, CustomerId)

_NUMBER = re.compile(r"[+-]?(\d{1,300}([.,]\d{0,300})?|[.,]\d{1,300})([eE][+-]?\d{1,3})?")
_READ = (
    "instance", "route", "type", "vehicle", "customer", "arrival", "begin", "departure", "return",
    "start", "end", "status", "reason", "detail", "code", "error",
)  # fmt: skip
_WARNING = re.compile(r" (?=[A-Z_]{8,}(?:[: ]|$))")  # before the code of another one
_DATED = 1e8  # minutes: what `date.toordinal` counts is beyond, a time of day is not
_ADVICE = "write JSON (-o answer.json) instead"


def read_csv_answer(reader: ByteReader) -> Solution:
    """The answer to one spreadsheet of stops.

    Routes are in the order in which they come first, their stops in the order of the rows; the
    numbers of stops do not count. Distances, durations, loads and costs are not read.

    Args:
        reader: At the heading, or at the beginning of a workbook.

    Returns:
        The answer, with names as texts until `with_sheet_names` knows the instance.

    Raises:
        InstanceError: Something is not what it should be; the message says in which row.
        MissingExtraError: A workbook needs the extra `sheets`.
    """
    try:
        return _CsvAnswer(open_answer(reader)).solution()
    except InstanceError as error:  # the reader will say the file's name
        message = str(error).removeprefix(f"{reader.label}: ")
        raise InstanceError(message, code=error.code) from None


class _CsvAnswer:
    def __init__(self, table: SheetTable) -> None:
        self._table = table
        for name in _READ:
            if name not in table.header:
                message = f"no column {name}; this answers no valid spreadsheet of stops"
                raise fault(table.head_place, f"{message}; {_ADVICE}", "MISSING")
        self._columns = {
            name: table.header.index(name)
            for name in (*_READ, "warnings", PART)
            if name in table.header
        }
        self._own = {
            name.removeprefix(TAKEN) if name.removeprefix(TAKEN) in (*PLAN, PART) else name: column
            for column, name in enumerate(table.header)
            if name not in (*PLAN, PART)
        }
        self._rows: dict[str, PlanRow] = {}

    def solution(self) -> Solution:
        table = self._table
        if not table.rows:
            raise fault(table.head_place, "no row below the heading", "EMPTY")
        names = dict.fromkeys(self._text(row, "instance") for row in table.rows)
        if len(names) > 1:
            message = f"answers {len(names)} instances"
            raise fault(table.label, f"{message}; {_ADVICE}, or solve them one by one", "SHAPE")
        routes: dict[str, list[SheetRow]] = {}
        unserved = []
        for row in table.rows:
            if route := self._text(row, "route"):
                routes.setdefault(route, []).append(row)
            elif name := self._text(row, "customer"):
                reason = cast(Reason, self._one_of(row, "reason", REASONS))
                self._keep(row, name)
                unserved.append(Unserved(name, reason, self._text(row, "detail")))
        first = table.rows[0]
        return Solution(
            name=next(iter(names)),
            kind="csv",
            status=cast(Status, self._one_of(first, "status", STATUSES)),
            routes=tuple(map(self._route, routes.values())),
            unserved=tuple(unserved),
            warnings=tuple(filter(None, _WARNING.split(self._text(first, "warnings")))),
            code=self._text(first, "code") or None,
            error=self._text(first, "error") or None,
            rows=self._rows,
        )

    def _route(self, rows: Sequence[SheetRow]) -> RouteReport:
        customers: list[CustomerId] = []
        breaks, reloads = list[RouteBreak](), list[RouteReload]()
        arrivals, begins = list[float](), list[float]()
        parts = list[tuple[float, ...]]()
        for row in rows:
            name, kind, after = self._text(row, "customer"), self._text(row, "type"), len(customers)
            if not name and kind != BREAK:
                what = "a depot's id" if kind == RELOAD else "a stop's id"
                raise fault(self._place(row, "customer"), f"empty, expected {what}", "CELL")
            begin = self._time(row, "begin")
            if kind == BREAK:
                reloaded = bool(reloads) and reloads[-1].after == after
                breaks.append(RouteBreak(id=name, begin=begin, after=after, at_reload=reloaded))
                continue
            arrival = self._time(row, "arrival")
            if kind == RELOAD:
                reloads.append(RouteReload(depot=name, after=after, arrival=arrival, begin=begin))
                continue
            customers.append(name)
            self._keep(row, name)
            parts += [tuple(part)] if (part := self._part(row)) else []
            arrivals.append(arrival)
            begins.append(begin)
        vehicle, start, end = (
            self._text(rows[0], key) or None for key in ("vehicle", "start", "end")
        )
        schedule = RouteSchedule(
            vehicle=vehicle,
            start=start,
            end=end,
            departure=self._time(rows[0], "departure"),
            return_=self._time(rows[0], "return"),
            arrivals=None if any(map(math.isnan, arrivals)) else tuple(arrivals),
            begins=None if any(map(math.isnan, begins)) else tuple(begins),
            breaks=tuple(breaks) or None,
            reloads=tuple(reloads) or None,
            amounts=tuple(parts) if parts and len(parts) == len(customers) else None,
        )
        # Plain answers state nothing of the kind.
        tells = any(each is not None for each in (vehicle, start, end, schedule.arrivals))
        return RouteReport(tuple(customers), NOT_STATED, NOT_STATED, schedule if tells else None)

    def _keep(self, row: SheetRow, name: str) -> None:
        """Keeps what a customer's own columns say; stops of shipments have ids in any case."""
        if self._text(row, "type") == "customer":
            self._rows[name] = {each: row.cells[column] for each, column in self._own.items()}

    def _text(self, row: SheetRow, name: str) -> str:
        return row.cells[self._columns[name]] if name in self._columns else ""

    def _part(self, row: SheetRow) -> list[float]:
        """The amount that a visit brings or takes; empty: not stated."""
        words = self._text(row, PART).replace(",", ".").split()
        if not all(map(_NUMBER.fullmatch, words)):
            message = f"{describe(self._text(row, PART))} is no amount"
            raise fault(self._place(row, PART), message, "CELL")
        return [*map(float, words)]

    def _place(self, row: SheetRow, name: str) -> str:
        return self._table.place(row, self._columns[name])

    def _one_of(self, row: SheetRow, name: str, known: Sequence[str]) -> str:
        text = self._text(row, name)
        if text not in known:
            message = f"{describe(text)} is none of {', '.join(known)}"
            raise fault(self._place(row, name), message, "CELL")
        return text

    def _time(self, row: SheetRow, name: str) -> float:
        """In minutes where it has a colon; NaN where the cell is empty."""
        text = self._text(row, name)
        if not text:
            return NOT_STATED
        dated = read_dated(text)
        if dated is not None and len(dated.days) == 1:
            # As answers are written; `with_sheet_names` knows the first day. Workbooks hold
            # midnight as a date.
            minutes = dated.time.minutes if dated.time else 0
            return next(iter(dated.days.values())) * DAY + minutes
        if found := read_clock(text.removeprefix("-")):
            return -found.minutes if text.startswith("-") else found.minutes
        if _NUMBER.fullmatch(text):
            return float(text.replace(",", "."))
        message = f"{describe(text)} is not a time (write HH:MM or a number)"
        raise fault(self._place(row, name), message, "CELL")


def with_sheet_names(instance: Instance, solution: Solution) -> Solution:
    """An answer from `read_csv_answer` with the ids that its instance has.

    Texts that are none of its ids stay as they are. Times with a date become those of the
    instance.

    Raises:
        InstanceError: It is matched by rows, and one has moved (code FREEZE).
    """
    names: dict[str, CustomerId] = _by_cell(instance.ids)
    sheet, constraints = sheet_of(instance), instance.constraints
    if sheet is not None and solution.rows is not None:
        names |= _stops_of_rows(instance, sheet, solution.rows)
    calendar = None if sheet is None else sheet.notation.calendar
    first = 0 if calendar is None else calendar.first * DAY
    routes = []
    for route in solution.routes:
        customers = tuple(names.get(str(each), each) for each in route.customers)
        schedule = route.schedule and _own(instance, route.schedule, first)
        routes.append(replace(route, customers=customers, schedule=schedule))
    # A shipment's two stops are one who is unserved, and so are all who are alternatives.
    groups: dict[CustomerId, CustomerId] = {
        instance.ids[stop - 1]: group.id
        for group in (constraints.groups if constraints else ())
        for stop in group.members
    }
    groups |= {str(own).removesuffix(PICKUP): name for own, name in groups.items()}
    left: dict[CustomerId, Unserved] = {}
    for item in solution.unserved:
        name = names.get(str(item.id), item.id)
        if constraints is not None and constraints.num_shipments and isinstance(name, str):
            name = name.removesuffix(PICKUP).removesuffix(DELIVERY)
        name = groups.get(name, name)
        left.setdefault(name, replace(item, id=name))
    return replace(solution, routes=tuple(routes), unserved=tuple(left.values()))


def _by_cell(ids: Iterable[_T]) -> dict[str, _T]:
    """Ids by how answers may write them."""
    return {form: own for own in ids for form in (str(own), safe_cell(str(own)))}


def _own(instance: Instance, schedule: RouteSchedule, first: float) -> RouteSchedule:
    """An answer with the instance's ids, and its times counted from the first day.

    Times without a date stay. Who may reload and does not has no reloads.
    """
    constraints = instance.constraints
    types = {each.id: each for each in (constraints.vehicles if constraints else ())}
    depots = _by_cell(each.id for each in (constraints.depots if constraints else ()))
    vehicle = _by_cell(types).get(schedule.vehicle or "")

    def moved(found: Any) -> Any:
        if isinstance(found, tuple):
            return tuple(map(moved, found))
        if isinstance(found, RouteBreak):
            return replace(found, begin=moved(found.begin))
        if isinstance(found, RouteReload):
            arrival, begin = moved(found.arrival), moved(found.begin)
            depot = depots.get(found.depot, found.depot)
            return replace(found, depot=depot, arrival=arrival, begin=begin)
        return found - first if found > _DATED else found

    times = ("departure", "return_", "arrivals", "begins", "breaks", "reloads")
    own = {key: moved(found) for key in times if (found := getattr(schedule, key)) is not None}
    if vehicle is not None and types[vehicle].reloads is not None:
        own.setdefault("reloads", ())
    start, end = (depots.get(each or "", each) for each in (schedule.start, schedule.end))
    vehicle = vehicle or schedule.vehicle
    return replace(schedule, vehicle=vehicle, start=start, end=end, **own)


def _stops_of_rows(
    instance: Instance, sheet: Sheet, plan: Mapping[str, PlanRow]
) -> dict[str, CustomerId]:
    """The ids of the customers that an answer names, by what it calls them.

    Rows with an id mean the stop that has it. Others are matched by their names, where all of the
    answer and of the stops have different ones; else by their numbers, if no row has moved. What is
    no stop any more has a text that is no id.
    """
    headings = {field: sheet.table.header[column] for field, column in sheet.columns.items()}
    ids = _by_cell(instance.ids)

    def said(row: PlanRow, field: str) -> str:
        return row.get(headings[field], "") if field in headings else ""

    found: dict[str, CustomerId] = {}
    unmarked: dict[str, PlanRow] = {}
    for called, row in plan.items():
        if own := said(row, "id"):
            found[called] = ids.get(own, own)
        else:
            unmarked[called] = row
    shipments = 0 if instance.constraints is None else 2 * instance.constraints.num_shipments
    rows = [  # of customers, which come before the stops of shipments
        dict(zip(sheet.table.header, row.cells, strict=True))
        for row in sheet.rows[: len(sheet.rows) - shipments]
    ]
    before = {called: safe_cell(said(row, "name")) for called, row in unmarked.items()}
    now = {safe_cell(said(row, "name")): own for row, own in zip(rows, instance.ids, strict=False)}
    names = {*before.values()}
    if "" not in {*names, *now} and len(names) == len(before) and len(now) == len(rows):
        return found | {called: now.get(name, name) for called, name in before.items()}
    shown = [headings[field] for field in ("name", *_PLACE) if field in headings]
    _check_rows(sheet, rows, unmarked, shown)
    numbers = {str(number): own for number, own in enumerate(instance.ids[: len(rows)], start=1)}
    return found | {called: numbers.get(called, called) for called in unmarked}


def _check_rows(
    sheet: Sheet, rows: Sequence[PlanRow], plan: Mapping[str, PlanRow], shown: Sequence[str]
) -> None:
    """Checks that each row of a plan still is what it was.

    Rows with the same name and place differ by any of their other cells.
    """

    def told(cells: PlanRow) -> str:
        return " ".join(filter(None, (cells.get(each, "") for each in shown)))

    alike = Counter(map(told, rows)), Counter(map(told, plan.values()))
    for number, row in enumerate(rows, start=1):
        before = plan.get(str(number))
        if before is None:
            continue
        others = []
        if alike[0][told(row)] > 1 or alike[1][told(before)] > 1:
            others = [each for each in row if each in before and each not in shown]
        for each in (*shown, *others):
            if _is_same(before.get(each, ""), row[each]):
                continue
            more = [each] if each in others else []
            was, is_now = (
                describe(" ".join([told(cells), *(cells[each] for each in more)]).strip())
                for cells in (before, row)
            )
            message = f"row {sheet.rows[number - 1].number} was {was}, now {is_now}; add an id"
            message += " to the stops and to the plan, or put the rows back: without ids or "
            message += "unique names, a plan is matched by rows"
            raise fault(sheet.table.label, message, "FREEZE")


def _is_same(one: str, other: str) -> bool:
    """Return whether two cells are equal, with numbers and times as in a workbook or a CSV file."""
    return one in (other, safe_cell(other)) or _value(one) == _value(other)


def _value(text: str) -> object:
    if time := read_clock(text):
        return time.minutes
    try:
        return read_dated(text) or float(text.replace(",", "."))
    except ValueError:
        return text
