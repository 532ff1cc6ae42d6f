"""Rows of stops as customers, shipments and depots of a JSON document."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from vrpcore.errors import InstanceError, describe
from vrpcore.formats.json.constrained_json import LATENESS
from vrpcore.formats.json.keys import WINDOW, WINDOWS
from vrpcore.formats.sheets.cells import Cells, in_wrong_order
from vrpcore.formats.sheets.headings import AMOUNTS, MAX_NUMBERED, numbered
from vrpcore.formats.sheets.table import Row
from vrpcore.formats.sheets.terms import Terms
from vrpcore.instance.attributes import Attribute, attributes_of
from vrpcore.instance.constraints import UNIT_NUMBERS, VISIT_NUMBERS
from vrpcore.instance.vehicle_types import Depot

Kind = Literal["customer", "depot", "pickup", "delivery"]
_KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)} | {
    "": "customer", "stop": "customer", "warehouse": "depot", "drop": "delivery",
    "dropoff": "delivery",
}  # fmt: skip
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})")
Document = dict[str, Any]


@dataclass(slots=True)
class Stops:
    """What a table of stops says.

    Attributes:
        customers: As in JSON; so are the others.
        shipments: Each with a pickup and a delivery.
        depots: In order.
        customer_rows: The row of each customer.
        shipment_rows: The rows of each shipment's pickup and delivery.
        depot_rows: The row of each depot.
    """

    customers: list[Document] = field(default_factory=list)
    shipments: list[Document] = field(default_factory=list)
    depots: list[Document] = field(default_factory=list)
    customer_rows: list[Row] = field(default_factory=list)
    shipment_rows: list[tuple[Row, Row]] = field(default_factory=list)
    depot_rows: list[Row] = field(default_factory=list)

    @property
    def rows(self) -> list[Row]:
        """The row of each stop, in the order of the instance's stops."""
        return [*self.customer_rows, *(row for pair in self.shipment_rows for row in pair)]


def read_stops(cells: Cells, terms: Terms) -> Stops:
    """Reads the rows of a table; what is wrong in them is noted by the cells."""
    return _Reader(cells, terms).stops()


class _Reader:
    def __init__(self, cells: Cells, terms: Terms) -> None:
        self._cells, self._axes, self._dimensions = cells, terms.axes, terms.dimensions
        pairs = (
            (numbered("open", number), numbered("close", number))
            for number in range(1, MAX_NUMBERED + 1)
        )
        self._windows_of = [pair for pair in pairs if cells.columns.of.keys() & set(pair)]
        names = (cells.text(row, "id") for row in cells.table.rows if self._kind_of(row) != "depot")
        self._whole_ids = all(_WHOLE.fullmatch(name) for name in names if name)

    def stops(self) -> Stops:
        found = Stops()
        pairs: dict[str, dict[Kind, Row]] = {}
        for row in self._cells.table.rows:
            kind, shipment = self._kind(row), self._cells.text(row, "shipment")
            if kind == "depot":
                found.depots.append(self._depot(row))
                found.depot_rows.append(row)
            elif shipment:
                self._end(pairs.setdefault(shipment, {}), kind, row)
            elif kind == "pickup":
                message = (
                    "a pickup without a shipment; what goes to the depot has the column pickup"
                )
                self._cells.wrong(row, message, "type")
            else:
                found.customers.append(self._customer(row))
                found.customer_rows.append(row)
        for name, ends in pairs.items():
            if (missing := {"pickup", "delivery"} - ends.keys()) and ends:
                message = f"shipment {describe(name)} has no {min(missing)}"
                self._cells.wrong(next(iter(ends.values())), message, "shipment")
            elif not missing:
                pair = (ends["pickup"], ends["delivery"])
                found.shipments.append(self._shipment(name, pair))
                found.shipment_rows.append(pair)
        return found

    def _kind(self, row: Row) -> Kind:
        text = self._cells.text(row, "type")
        kind = self._kind_of(row)
        if kind is None:
            message = f"{describe(text)} is none of {', '.join(get_args(Kind))}"
            self._cells.wrong(row, f"{message}; rename the column if it means otherwise", "type")
        return kind or "customer"

    def _kind_of(self, row: Row) -> Kind | None:
        return _KINDS.get(re.sub(r"[\W_]", "", self._cells.text(row, "type").casefold()))

    def _end(self, ends: dict[Kind, Row], kind: Kind, row: Row) -> None:
        """Notes one end of a shipment."""
        if kind == "customer":
            message = "a stop of a shipment; expected the type pickup or delivery"
            self._cells.wrong(row, message, "type", "shipment")
        elif kind in ends:
            message = f"a second {kind} of the shipment; the first is in row {ends[kind].number}"
            self._cells.wrong(row, message, "type", "shipment")
        else:
            ends[kind] = row

    def _depot(self, row: Row) -> Document:
        window = self._windows(row)
        if len(window.get("windows", ())) > 1:
            self._cells.wrong(row, "a depot has one window", "open2", "close2")
        declared = attributes_of(Depot)
        others = {each.column for each in (*VISIT_NUMBERS, *UNIT_NUMBERS)}
        others -= {each.column for each in declared}
        given = [name for name in AMOUNTS if self._amount(row, name)]
        given += [
            name for name in self._cells.columns.of if name in others and self._cells.get(row, name)
        ]
        if given:
            self._cells.wrong(
                row, f"a depot has no {' and no '.join(given)}; leave it empty", *given
            )
        numbers = self._numbers(row, declared)
        return {**self._id(row, text=True), **self._point(row), **window, **numbers}

    def _customer(self, row: Row) -> Document:
        return {
            **self._id(row),
            **self._visit(row),
            "demand": self._amount(row, "demand") or self._nothing(),
            **_given(pickup=self._amount(row, "pickup")),
            **self._wanted(row),
        }

    def _shipment(self, name: str, pair: tuple[Row, Row]) -> Document:
        first, second = (self._amount(row, "demand") for row in pair)
        taken, brought = (self._amount(row, "pickup") for row in pair)
        if first and taken and first != taken:
            message = "demand and pickup differ; a shipment has one amount"
            self._cells.wrong(pair[0], message, "demand", "pickup")
        first = first or taken
        if first and second and first != second:
            self._cells.wrong(
                pair[1], f"not the demand of its pickup, row {pair[0].number}", "demand"
            )
        if brought:
            message = f"a delivery picks nothing up; its pickup is in row {pair[0].number}"
            self._cells.wrong(pair[1], message, "pickup")
        wanted, other = (self._wanted(row) for row in pair)
        for key in other.keys() & wanted.keys():
            if other[key] != wanted[key]:
                message = f"not the {key} of its pickup, row {pair[0].number}"
                self._cells.wrong(pair[1], message, "only_vehicle" if key == "vehicles" else key)
        return {
            "id": name,
            "amount": first or second or self._nothing(),
            "pickup": self._visit(pair[0]),
            "delivery": self._visit(pair[1]),
            **other,
            **wanted,
        }

    def _id(self, row: Row, *, text: bool = False) -> Document:
        name = self._cells.get(row, "id")
        if name is None:
            return {}
        return {"id": int(name) if self._whole_ids and not text else name}

    def _visit(self, row: Row) -> Document:
        numbers, windows = self._numbers(row, VISIT_NUMBERS), self._windows(row)
        last = windows.get("window") or windows.get("windows", [[None]])[-1]
        if last[-1] is None:  # nothing closes, so that it is never late
            numbers = {key: value for key, value in numbers.items() if key not in LATENESS}
        return {**self._point(row), **windows, **numbers}

    def _point(self, row: Row) -> Document:
        x, y = (self._cells.require(row, axis) for axis in self._axes)
        return {"x": x, "y": y}

    def _wanted(self, row: Row) -> Document:
        skills, only = self._cells.get(row, "skills"), self._cells.get(row, "only_vehicle")
        vehicles = None if only is None else [only]
        return {**self._numbers(row, UNIT_NUMBERS), **_given(skills=skills, vehicles=vehicles)}

    def _numbers(self, row: Row, declared: Sequence[Attribute]) -> Document:
        columns = {each.key: each.column for each in declared if each.column}
        return _given(**{key: self._cells.get(row, name) for key, name in columns.items()})

    def _windows(self, row: Row) -> Document:
        """`window`, or `windows` where there are several."""
        cells, pairs = self._cells, []
        for fields in self._windows_of:
            pair = [cells.get(row, name) for name in fields]
            if pair == [None, None]:
                continue
            try:
                WINDOW.read(pair, "")
            except InstanceError:  # one time after the other, whose texts say it best
                opens, closes = (cells.text(row, name) for name in fields)
                cells.wrong(row, in_wrong_order(opens, closes), *fields)
                continue
            pairs.append((pair, fields))
        if len(pairs) < 2:
            return {"window": pairs[0][0]} if pairs else {}
        windows = [pair for pair, _ in pairs]
        try:
            WINDOWS.read(windows, "")
        except InstanceError:
            names = [name for _, fields in pairs for name in fields]
            cells.wrong(row, "windows overlap, or are not in order", *names)
        return {"windows": windows}

    def _amount(self, row: Row, name: str) -> Any:
        """A number, or one for each load dimension; None where there is nothing."""
        found = self._cells.amount(row, name, self._dimensions)
        if not self._dimensions:
            return found
        return [each or 0.0 for each in found] if any(found) else None

    def _nothing(self) -> Any:
        return [0.0] * len(self._dimensions) if self._dimensions else 0.0


def _given(**values: Any) -> Document:
    """Those that are there."""
    return {name: value for name, value in values.items() if value is not None}
