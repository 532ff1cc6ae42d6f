"""Answers to spreadsheets, read again: to draw, to check, and to start from."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar, cast

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.answers.solutionformats import RELOAD
from vrpcore.formats.files import ByteReader
from vrpcore.formats.sheets.clock import DAY, read_clock, read_dated
from vrpcore.formats.sheets.opened import open_answer
from vrpcore.formats.sheets.plan_rows import PlanRow, stops_of_rows
from vrpcore.formats.sheets.sheet import sheet_of
from vrpcore.formats.sheets.sheet_columns import PLAN
from vrpcore.formats.sheets.sheet_routes import BREAK, TAKEN, safe_cell
from vrpcore.formats.sheets.table import Row, Table
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
from vrpcore.instance.vehicle_types import VehicleType

_T = TypeVar("_T")

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
        return _Answer(open_answer(reader)).solution()
    except InstanceError as error:  # the reader will say the file's name
        message = str(error).removeprefix(f"{reader.label}: ")
        raise InstanceError(message, code=error.code) from None


class _Answer:
    """Reads the rows of a table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        for name in _READ:
            if name not in table.header:
                message = f"no column {name}; CSV is read where it answers a CSV file of stops"
                raise fault(table.head_place, f"{message}, else {_ADVICE}", "NO_COLUMNS")
        self._columns = {name: table.header.index(name) for name in _READ}
        self._own = {
            name.removeprefix(TAKEN) if name.removeprefix(TAKEN) in PLAN else name: column
            for column, name in enumerate(table.header)
            if name not in PLAN
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
        routes: dict[str, list[Row]] = {}
        unserved = []
        for row in table.rows:
            if route := self._text(row, "route"):
                routes.setdefault(route, []).append(row)
            elif self._text(row, "customer"):
                unserved.append(self._unserved(row))
        first = table.rows[0]
        return Solution(
            name=next(iter(names)),
            kind="csv",
            status=cast(Status, self._one_of(first, "status", STATUSES)),
            routes=tuple(map(self._route, routes.values())),
            unserved=tuple(unserved),
            warnings=self._warnings(first),
            code=self._text(first, "code") or None,
            error=self._text(first, "error") or None,
            rows=self._rows,
        )

    def _warnings(self, row: Row) -> tuple[str, ...]:
        """Those of the answer; none where somebody has removed the column."""
        if "warnings" not in self._table.header:
            return ()
        text = row.cells[self._table.header.index("warnings")]
        return tuple(filter(None, _WARNING.split(text)))

    def _route(self, rows: Sequence[Row]) -> RouteReport:
        customers: list[CustomerId] = []
        breaks, reloads = list[RouteBreak](), list[RouteReload]()
        times: dict[str, list[float]] = {"arrival": [], "begin": []}
        for row in rows:
            name = self._text(row, "customer")
            if self._text(row, "type") == BREAK:
                begin, after = self._time(row, "begin"), len(customers)
                reloaded = bool(reloads) and reloads[-1].after == after
                breaks.append(RouteBreak(id=name, begin=begin, after=after, at_reload=reloaded))
                continue
            if self._text(row, "type") == RELOAD:
                reloads.append(self._reload(row, len(customers)))
                continue
            if not name:
                raise fault(self._place(row, "customer"), "empty, expected a stop's id", "CELL")
            customers.append(name)
            self._keep(row, name)
            for key, found in times.items():
                found.append(self._time(row, key))
        first = rows[0]
        vehicle, start, end = (
            self._text(first, key) or None for key in ("vehicle", "start", "end")
        )
        arrivals, begins = (
            None if any(map(math.isnan, found)) else tuple(found) for found in times.values()
        )
        schedule = RouteSchedule(
            vehicle=vehicle,
            start=start,
            end=end,
            departure=self._time(first, "departure"),
            return_=self._time(first, "return"),
            arrivals=arrivals,
            begins=begins,
            breaks=tuple(breaks) or None,
            reloads=tuple(reloads) or None,
        )
        # Plain answers state nothing of the kind.
        tells = any(each is not None for each in (vehicle, start, end, arrivals))
        return RouteReport(tuple(customers), NOT_STATED, NOT_STATED, schedule if tells else None)

    def _reload(self, row: Row, after: int) -> RouteReload:
        times = {key: self._time(row, key) for key in ("arrival", "begin")}
        if not (name := self._text(row, "customer")):
            raise fault(self._place(row, "customer"), "empty, expected a depot's id", "CELL")
        return RouteReload(depot=name, after=after, **times)

    def _unserved(self, row: Row) -> Unserved:
        reason = cast(Reason, self._one_of(row, "reason", REASONS))
        name = self._text(row, "customer")
        self._keep(row, name)
        return Unserved(name, reason, self._text(row, "detail"))

    def _keep(self, row: Row, name: str) -> None:
        """Keeps what a customer's own columns say; stops of shipments have ids in any case."""
        if self._text(row, "type") == "customer":
            self._rows[name] = {each: row.cells[column] for each, column in self._own.items()}

    def _text(self, row: Row, name: str) -> str:
        return row.cells[self._columns[name]]

    def _place(self, row: Row, name: str) -> str:
        return self._table.place(row, self._columns[name])

    def _one_of(self, row: Row, name: str, known: Sequence[str]) -> str:
        text = self._text(row, name)
        if text not in known:
            message = f"{describe(text)} is none of {', '.join(known)}"
            raise fault(self._place(row, name), message, "CELL")
        return text

    def _time(self, row: Row, name: str) -> float:
        """In minutes where it has a colon; NaN where the cell is empty."""
        text = self._text(row, name)
        if not text:
            return NOT_STATED
        dated = read_dated(text)
        if dated is not None and dated.time is not None and len(dated.days) == 1:
            # As answers are written; `with_sheet_names` knows the first day.
            return next(iter(dated.days.values())) * DAY + dated.time.minutes
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
        InstanceError: It is matched by rows, and one has moved (code ROWS_MOVED).
    """
    names: dict[str, CustomerId] = dict(_by_cell((str(own), own) for own in instance.ids))
    sheet = sheet_of(instance)
    if sheet is not None and solution.rows is not None:
        names |= stops_of_rows(instance, sheet, solution.rows)
    constraints = instance.constraints
    types = () if constraints is None else constraints.vehicles
    vehicles = dict(_by_cell((each.id, each) for each in types))
    places = () if constraints is None else constraints.depots
    depots = dict(_by_cell((each.id, each.id) for each in places))
    calendar = None if sheet is None else sheet.notation.calendar
    routes = []
    for route in solution.routes:
        customers = tuple(names.get(str(each), each) for each in route.customers)
        own = route.schedule
        if own is not None and calendar is not None:
            own = _since(own, calendar.first * DAY)
        if own is not None:
            vehicle = vehicles.get(own.vehicle or "")
            own = replace(
                own,
                vehicle=own.vehicle if vehicle is None else vehicle.id,
                start=_known(depots, own.start),
                end=_known(depots, own.end),
                reloads=_with_depots(vehicle, depots, own.reloads),
            )
        routes.append(replace(route, customers=customers, schedule=own))
    # A shipment's two stops are one who is unserved, and so are all who are alternatives.
    groups = (
        {}
        if constraints is None
        else {
            instance.ids[stop - 1]: group.id
            for group in constraints.groups
            for stop in group.members
        }
    )
    groups |= {str(own).removesuffix(PICKUP): name for own, name in groups.items()}
    left: dict[CustomerId, Unserved] = {}
    for item in solution.unserved:
        name = names.get(str(item.id), item.id)
        if constraints is not None and constraints.num_shipments and isinstance(name, str):
            name = name.removesuffix(PICKUP).removesuffix(DELIVERY)
        name = groups.get(name, name)
        left.setdefault(name, replace(item, id=name))
    return replace(solution, routes=tuple(routes), unserved=tuple(left.values()))


def _by_cell(names: Iterable[tuple[str, _T]]) -> Iterator[tuple[str, _T]]:
    """What is called so, by how answers write it."""
    for name, own in names:
        yield name, own
        yield safe_cell(name), own


def _since(schedule: RouteSchedule, first: float) -> RouteSchedule:
    """The same times, counted from another one; those without a date stay."""

    def moved(time: float) -> float:
        return time - first if time > _DATED else time

    def all_moved(times: tuple[float, ...] | None) -> tuple[float, ...] | None:
        return None if times is None else tuple(map(moved, times))

    breaks, reloads = schedule.breaks, schedule.reloads
    return replace(
        schedule,
        departure=moved(schedule.departure),
        return_=moved(schedule.return_),
        arrivals=all_moved(schedule.arrivals),
        begins=all_moved(schedule.begins),
        breaks=breaks and tuple(replace(each, begin=moved(each.begin)) for each in breaks),
        reloads=reloads
        and tuple(
            replace(each, arrival=moved(each.arrival), begin=moved(each.begin)) for each in reloads
        ),
    )


def _with_depots(
    vehicle: VehicleType | None, depots: Mapping[str, str], reloads: Sequence[RouteReload] | None
) -> tuple[RouteReload, ...] | None:
    """The reloads of a route; a vehicle that may reload and has no row of one has none."""
    found = tuple(replace(each, depot=depots.get(each.depot, each.depot)) for each in reloads or ())
    return found if found or (vehicle is not None and vehicle.reloads is not None) else None


def _known(names: Mapping[str, str], name: str | None) -> str | None:
    return None if name is None else names.get(name, name)
