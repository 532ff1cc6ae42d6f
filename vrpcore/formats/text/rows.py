"""Text formats without keywords: lines of numbers whose columns are known by their place."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from vrpcore.errors import InstanceError, describe, fault, show
from vrpcore.formats.json.explain import check_within
from vrpcore.formats.json.plain_json import check_demands, check_size
from vrpcore.formats.json.stop_rows import check_window
from vrpcore.formats.json.values import MAX_INTEGER, MIN_MAGNITUDE
from vrpcore.formats.text.vrptext import content_lines, parse_number
from vrpcore.instance.constraints import Constraints, plain_columns
from vrpcore.instance.instance import MAX_STOPS, CustomerId, Instance
from vrpcore.instance.vehicle_types import ALWAYS, Depot, VehicleType, Window


class TextRow(NamedTuple):
    """One line of numbers.

    Attributes:
        line: Its number in the file.
        columns: What its numbers are, by their order.
        tokens: The numbers as they are written.
    """

    line: int
    columns: Sequence[str]
    tokens: Sequence[str]

    def place(self, column: str) -> str:
        """Where a number stands; begins each message."""
        return f"line {self.line}: {column}"

    def point(self) -> tuple[float, float]:
        """Its columns x and y."""
        return self.number("x"), self.number("y")

    def number(self, column: str) -> float:
        """A number of the row.

        Raises:
            InstanceError: It is none, or too large.
        """
        return parse_number(self.tokens[self.columns.index(column)], self.place(column))

    def not_negative(self, column: str) -> float:
        """A number of at least 0."""
        return check_within(self.number(column), self.place(column), 0)

    def whole(self, column: str, least: int = 0) -> int:
        """A whole number of at least `least`."""
        number = self.number(column)
        if not number.is_integer() or not least <= number <= MAX_INTEGER:
            message = f"{show(number)}, expected a whole number of at least {least}"
            raise fault(self.place(column), message, "WRONG_TYPE")
        return int(number)

    def capacity(self, column: str) -> float:
        """A number above 0."""
        return check_within(self.number(column), self.place(column), MIN_MAGNITUDE)


class RowReader:
    """Reads a file line by line; blank lines do not count.

    Args:
        text: The file.
    """

    def __init__(self, text: str) -> None:
        self._lines: Iterator[tuple[int, str]] = content_lines(text)
        self._number = 1

    def line(self, expected: str) -> tuple[int, str]:
        """Number and text of the next line.

        Args:
            expected: What it should be, for the message.

        Raises:
            InstanceError: There is none.
        """
        found = next(self._lines, None)
        if found is None:
            message = f"the file ends, expected {expected} (is it truncated?)"
            raise fault(f"line {self._number}", message, "SYNTAX")
        self._number = found[0]
        return found

    def row(self, columns: str) -> TextRow:
        """The next line as numbers.

        Args:
            columns: Their names.
        """
        return _row(*self.line(f"numbers: {columns}"), columns.split())

    def prefix(self, columns: str) -> tuple[TextRow, Sequence[str]]:
        """The next line's first numbers, and what follows them."""
        names = columns.split()
        number, line = self.line(f"numbers: {columns}")
        tokens = line.split()
        return _row(number, " ".join(tokens[: len(names)]), names), tokens[len(names) :]

    def rest(self, columns: str) -> Iterator[TextRow]:
        """All lines that are left."""
        names = columns.split()
        for number, line in self._lines:
            self._number = number
            yield _row(number, line, names)

    def end(self) -> None:
        """Checks that nothing is left (code SYNTAX)."""
        for number, line in self._lines:
            message = f"{describe(line)} after the last row that line 1 announces"
            raise fault(f"line {number}", message, "SYNTAX")


class Visit(NamedTuple):
    """One place of a file: a customer, a stop of a shipment or a depot."""

    line: int
    number: int
    point: tuple[float, float]
    demand: float
    service: float
    window: Window

    def fault(self, message: str, code: str) -> InstanceError:
        """The error of its line."""
        return fault(f"line {self.line}", message, code)

    def check_depot(self) -> "Visit":
        """Checks that a depot asks for nothing (code OUT_OF_RANGE)."""
        for name, value in (("demand", self.demand), ("service", self.service)):
            if value != 0:
                message = f"the depot has a {name} of {show(value)}, expected 0"
                raise self.fault(message, "OUT_OF_RANGE")
        return self


def read_visit(row: TextRow) -> Visit:
    """A row with the columns no, x, y, demand, service, and maybe open and close."""
    window = ALWAYS
    if "open" in row.columns:
        window = check_window([row.number("open"), row.number("close")], row.place("open"))
    return Visit(
        line=row.line,
        number=row.whole("no"),
        point=row.point(),
        demand=row.number("demand"),
        service=row.not_negative("service"),
        window=window,
    )


def check_visits(visits: Iterable[Visit]) -> list[Visit]:
    """Checks that places have numbers of their own, and are not too many.

    Raises:
        InstanceError: Two have the same number (code DUPLICATE), or there are more than
            an instance may have (TOO_LARGE).
    """
    found: dict[int, Visit] = {}
    for visit in visits:
        if visit.number in found:
            message = f"number {visit.number} is also on line {found[visit.number].line}"
            raise visit.fault(message, "DUPLICATE")
        found[visit.number] = visit
        check_size(len(found) - 1, f"line {visit.line}", MAX_STOPS)
    return list(found.values())


def first_depot(visits: Sequence[Visit], head: str) -> Visit:
    """The depot of a file that has one: row 0, before all others.

    Args:
        visits: All rows.
        head: What stands before them: the place of the error where there are none.

    Raises:
        InstanceError: It is not there (code MISSING), or it asks for something
            (OUT_OF_RANGE).
    """
    if not visits or visits[0].number != 0:
        place = f"line {visits[0].line}" if visits else head
        found = f"row {visits[0].number}" if visits else "no rows"
        raise fault(place, f"{found}, expected row 0, the depot, first", "MISSING")
    return visits[0].check_depot()


def vehicles_of(
    depot: Visit, count: int, capacity: float, index: int = 0, max_duration: float = math.inf
) -> VehicleType:
    """The vehicles from and to a depot.

    They may be out from 0, or from when the depot opens if that is before.

    Args:
        depot: Its row.
        count: How many vehicles there are.
        capacity: Of each.
        index: Of the depot among all.
        max_duration: Of each vehicle's route.
    """
    opens = depot.window[0]
    return VehicleType(
        id=str(index),
        count=count,
        capacity=(capacity,),
        start=index,
        end=index,
        window=(min(0.0, opens) if math.isfinite(opens) else 0.0, math.inf),
        max_duration=max_duration,
    )


def visits_instance(
    name: str,
    depots: Sequence[Visit],
    stops: Sequence[Visit],
    ids: tuple[CustomerId, ...] = (),
    **given: Any,
) -> Instance:
    """An instance of rows.

    Args:
        name: Its name.
        depots: Their rows.
        stops: Rows of customers, or of pickups and deliveries in turn.
        ids: Of the stops; their numbers without it.
        given: Of `Constraints` beside what rows say: `vehicles`; where there are, `num_shipments`,
            or `split` of who may be split.

    Raises:
        InstanceError: The demand of a customer is negative, or more than the largest vehicle
            holds.
    """
    paired = "num_shipments" in given
    if not paired:
        demand = np.array([stop.demand for stop in stops])
        most = max(vehicle.capacity[0] for vehicle in given["vehicles"])
        most = math.inf if "split" in given else most
        check_demands(demand, most, lambda i: f"line {stops[i].line}: demand")
    columns = visit_columns(stops, "shipment" if paired else "delivery")
    constraints = Constraints(
        depots=tuple(Depot(id=str(each.number), window=each.window) for each in depots),
        **columns | given,
    )
    points = np.array([visit.point for visit in (*depots, *stops)])
    own = ids or tuple(stop.number for stop in stops)
    return Instance(
        name=name, coords=points, ids=own, constraints=constraints, **constraints.shown()
    )


def visit_columns(
    visits: Sequence[Visit], amount: Literal["delivery", "shipment"]
) -> dict[str, Any]:
    """Columns of `Constraints` for stops.

    Args:
        visits: The stops.
        amount: What their demand is; a shipment's is negative at its delivery.
    """
    return plain_columns(len(visits)) | {
        "windows": np.array([visit.window for visit in visits]).reshape(-1, 1, 2),
        "service": np.array([visit.service for visit in visits]),
        amount: np.array([visit.demand for visit in visits]).reshape(-1, 1),
    }


def _row(number: int, line: str, columns: Sequence[str]) -> TextRow:
    tokens = line.split()
    if len(tokens) != len(columns):
        message = f"{len(tokens)} columns, expected {len(columns)} ({' '.join(columns)})"
        raise fault(f"line {number}", message, "SHAPE")
    return TextRow(number, columns, tokens)
