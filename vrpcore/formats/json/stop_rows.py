"""Customers and the two ends of shipments, in the order of an instance, and what they must be."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from vrpcore.errors import InstanceError, describe, fault, show
from vrpcore.formats.json.dimensions import Given, is_some
from vrpcore.formats.json.documents import (
    BreakRow,
    CustomerRow,
    InstanceDocument,
    PlainDocument,
    ShipmentRow,
    VisitRow,
)
from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.constraints import DELIVERY, PICKUP, SHIPMENT_NUMBERS, Constraints
from vrpcore.instance.instance import CustomerId
from vrpcore.instance.vehicle_types import ALWAYS, Window

LATENESS = ("max_late", "late_cost")  # need a window that closes
_OF_BOTH_ENDS = [each.key for each in attributes_of(Constraints) if each.of_shipment == "both_ends"]
# The compact arrays, and the keys of customers that they stand for.
COMPACT = {
    "coords": "",
    "demands": "demand",
    "windows": "window",
    "services": "service",
    "pickups": "pickup",
    "prizes": "prize",
}


Columns = Mapping[str, tuple[Any, ...]]


def columns_of(rows: Sequence[msgspec.Struct], kind: type[msgspec.Struct]) -> Columns:
    """The values of each key of rows that are all of one kind."""
    keys = kind.__struct_fields__
    if not rows:
        return dict.fromkeys(keys, ())
    columns = zip(*map(msgspec.structs.astuple, rows), strict=True)
    return dict(zip(keys, columns, strict=True))


def is_any(values: Sequence[object]) -> bool:
    """Return whether some value is there."""
    return values.count(None) < len(values)


class Stops:
    """The N stops of an instance as they are read, with the places where they were found.

    Args:
        place: Of the instance; begins each message.
        customers: In order.
        shipments: Those that are on board come before others, and all behind the customers.
        compact: The first compact array that is given; empty: customers are objects.

    Attributes:
        visits: Where and when.
        units: Of each stop its customer or shipment.
        ends: `PICKUP` or `DELIVERY`; empty for a customer.
        owners: Indices of the units in their lists.
        order: Positions in the document, where that has another order; else None.
        ids: Names.
        num_customers: Stops that are no ends of shipments; they come first.
    """

    def __init__(
        self,
        place: str,
        customers: Sequence[CustomerRow],
        shipments: Sequence[ShipmentRow],
        compact: str = "",
    ) -> None:
        self._place, self._compact, self.num_customers = place, compact, len(customers)
        rows = sorted(range(len(shipments)), key=lambda row: shipments[row].on_board is None)
        ends = [(row, *each) for row in rows for each in ends_of(shipments[row])]
        units, visits = [shipments[row] for row, *_ in ends], [visit for _, visit, _ in ends]
        self.visits: list[VisitRow] = [*customers, *visits]
        self.units: list[CustomerRow | ShipmentRow] = [*customers, *units]
        self.ends = [""] * len(customers) + [end for *_, end in ends]
        self.owners = [*range(len(customers)), *(row for row, *_ in ends)]
        own = (row if each.id is None else each.id for row, each in enumerate(customers, start=1))
        self.ids: tuple[CustomerId, ...] = (
            *own,
            *(f"{shipments[row].id}{end}" for row, _, end in ends),
        )
        self.order: list[int] | None = None
        if rows != sorted(rows):
            stops = range(len(self))
            found = sorted(stops, key=lambda row: (bool(self.ends[row]), self.owners[row]))
            self.order = sorted(stops, key=found.__getitem__)  # where each is among those
        self._tables = (
            columns_of(customers, CustomerRow),
            columns_of(visits, VisitRow),
            columns_of(units, ShipmentRow),
        )

    def of_visits(self, key: str) -> tuple[Any, ...]:
        """N values of a key of places and times; None where it is missing."""
        return self._tables[0][key] + self._tables[1][key]

    def of_units(self, key: str) -> tuple[Any, ...]:
        """N values of a key of customers and shipments."""
        return self._tables[0][key] + self._tables[2][key]

    def of_customers(self, key: str) -> tuple[Any, ...]:
        """The values of a key that only customers have."""
        return self._tables[0][key]

    def of_ends(self, key: str) -> tuple[Any, ...]:
        """The values of a key that only shipments have, one for each of their stops."""
        return self._tables[2][key]

    def __len__(self) -> int:
        return len(self.visits)

    @property
    def num_pairs(self) -> int:
        """Shipments with both ends; they come last."""
        return self.ends.count(PICKUP)

    def where(self, row: int) -> str:
        """The place of a stop."""
        owner = self._owner(row)
        return f"{owner}.{self.ends[row].removeprefix(':')}" if self.ends[row] else owner

    def _owner(self, row: int) -> str:
        key = "shipments" if self.ends[row] else self._compact or "customers"
        return f"{self._place}.{key}[{self.owners[row]}]"

    def at(self, row: int, key: str) -> str:
        """The place of a key of the customer or shipment of a stop."""
        if self._compact and not self.ends[row] and key != "id":
            return f"{self._place}.{key}s[{row}]"
        return f"{self._owner(row)}.{key}"

    def unit(self, row: int) -> str:
        """The id of the customer or shipment of a stop, as text."""
        return str(self.ids[row]).removesuffix(self.ends[row])

    def names_unit(self, row: int) -> bool:
        """Return whether a stop names its customer or shipment: the first stop of a shipment."""
        unit = self.units[row]
        on_board = isinstance(unit, ShipmentRow) and unit.on_board is not None
        return on_board or self.ends[row] != DELIVERY

    def amounts(self) -> Iterable[Given]:
        """Amounts that stops take or give, with the places."""
        for row, unit in enumerate(self.units):
            yield from amounts_of(unit, lambda key, row=row: self.at(row, key))  # type: ignore[misc]


def amounts_of(unit: CustomerRow | ShipmentRow, at: Callable[[str], str]) -> Iterable[Given]:
    """Amounts that a customer or shipment takes or gives; `at`: the places of its keys."""
    keys = ("amount",) if isinstance(unit, ShipmentRow) else ("demand", "pickup")
    found = ((getattr(unit, key), at(key)) for key in keys)
    return [(amount, place) for amount, place in found if amount is not None]


def gives_and_takes(unit: CustomerRow | ShipmentRow) -> bool:
    """Return whether a customer has a demand and a pickup, neither of them 0."""
    return isinstance(unit, CustomerRow) and is_some(unit.demand) and is_some(unit.pickup)


def read_stops(doc: InstanceDocument, place: str) -> Stops:
    """All stops of an instance: customers, shipments that are on board, then the ends of others.

    Raises:
        InstanceError: One is not what it should be, or two have one name; `code` says which.
    """
    listed, shipments = doc.customers or (), doc.shipments or ()
    compact = compact_keys(doc, place)
    if compact:
        listed = _compact_customers(doc, place, compact)
    for index, unit in enumerate(shipments):
        check_shipment(unit, f"{place}.shipments[{index}]")
    stops = Stops(place, listed, shipments, *compact[:1])
    _check_names(stops)
    return stops


def compact_keys(doc: InstanceDocument | PlainDocument, place: str) -> list[str]:
    """The compact arrays that are given, in place of customers as objects (code CONFLICT)."""
    found = [key for key in COMPACT if getattr(doc, key, None) is not None]
    if found and doc.customers is not None:
        message = f"given with '{found[0]}'; give one form or the other"
        raise fault(f"{place}.customers", message, "CONFLICT")
    return found


def ends_of(unit: ShipmentRow) -> list[tuple[VisitRow, str]]:
    """Pickup and delivery of a shipment; only the delivery of one that is on board."""
    ends = [(unit.delivery, DELIVERY)]
    return ends if unit.pickup is None else [(unit.pickup, PICKUP), *ends]


def _compact_customers(
    doc: InstanceDocument, place: str, given: Sequence[str]
) -> list[CustomerRow]:
    """Customers from the compact arrays that are given."""
    size = len(getattr(doc, given[0]))
    rows: list[dict[str, Any]] = [{} for _ in range(size)]
    for key in given:
        values = getattr(doc, key)
        if len(values) != size:
            message = f"{len(values)} values, but {size} of '{given[0]}'"
            raise fault(f"{place}.{key}", message, "SHAPE")
        for index, (row, value) in enumerate(zip(rows, values, strict=True)):
            if key == "coords":
                row["x"], row["y"] = value
            else:
                row[COMPACT[key]] = value
            if key == "windows" and value is not None:
                check_window(value, f"{place}.windows[{index}]")
    return [CustomerRow(**row) for row in rows]


def check_window(window: Sequence[float | None], place: str) -> Window:
    """[opens, closes], in this order or equal; null: it never closes, or has always been open."""
    opens, closes = (
        never if time is None else time for time, never in zip(window, ALWAYS, strict=True)
    )
    if opens > closes:
        message = f"opens at {show(opens)}, after it closes at {show(closes)}"
        raise fault(place, message, "WINDOW")
    return opens, closes


def windows_of(row: VisitRow | BreakRow, place: str) -> tuple[Window, ...]:
    """Windows of a stop or a break, given one or several, in order and without overlap."""
    if row.windows is None:
        return (ALWAYS,) if row.window is None else (check_window(row.window, f"{place}.window"),)
    place = f"{place}.windows"
    if row.window is not None:
        message = "given with 'window'; give one or the other"
        raise fault(place, message, "CONFLICT")
    return check_windows(row.windows, place)


def check_windows(rows: Sequence[Sequence[float | None]], place: str) -> tuple[Window, ...]:
    """Windows in order, without overlap."""
    found = tuple(check_window(each, f"{place}[{index}]") for index, each in enumerate(rows))
    for index, ((_, before), (after, _)) in enumerate(itertools.pairwise(found)):
        if after <= before:
            message = f"opens at {show(after)}, the window before it closes at {show(before)}"
            raise fault(f"{place}[{index + 1}]", f"{message}; expected order", "WINDOW")
    return found


def check_visit(row: VisitRow, place: str) -> tuple[Window, ...]:
    """Check what the keys of a stop mean to each other.

    Returns:
        Its windows.
    """
    for key, other in (("x", "y"), ("y", "x")):
        if getattr(row, key) is None and getattr(row, other) is not None:
            raise fault(f"{place}.{key}", "missing", "MISSING")
    windows = windows_of(row, place)
    if windows[-1][1] == math.inf:
        for key in LATENESS:
            if getattr(row, key) is not None:
                message = "no window closes, so that it would be late; give one with an end"
                raise fault(f"{place}.{key}", message, "MISSING")
    return windows


def check_shipment(unit: ShipmentRow, place: str) -> None:
    """Check that a shipment is picked up, or is on board and asks for nothing before."""
    if unit.on_board is None:
        if unit.pickup is None:
            raise fault(f"{place}.pickup", "missing", "MISSING")
        if unit.ridden is not None:
            message = "given without 'on_board': its ride begins at the pickup; leave it out"
            raise fault(f"{place}.ridden", message, "CONFLICT")
        return
    longest = [getattr(unit, each.key) for each in SHIPMENT_NUMBERS]
    if unit.ridden is not None and longest == [None]:
        message = "missing; only with it 'ridden' means something"
        raise fault(f"{place}.max_ride", message, "MISSING")
    for key in ("pickup", *_OF_BOTH_ENDS):
        if getattr(unit, key) is not None:
            message = "given with 'on_board': it is in the vehicle from the start; leave it out"
            raise fault(f"{place}.{key}", message, "CONFLICT")


def _check_names(stops: Stops) -> None:
    """Check that customers and shipments have names of their own, as texts."""
    first = stops.num_customers
    if first == len(stops):
        if len(set(map(str, stops.ids))) == first:
            return
    else:
        for row in range(first):
            if is_reserved(text := str(stops.ids[row])):
                raise reserved_id(text, stops.at(row, "id"))
    rows = filter(stops.names_unit, range(len(stops)))
    check_unique((stops.unit(row), stops.at(row, "id")) for row in rows)


def is_reserved(name: str) -> bool:
    """Return whether a customer's id is kept for stops of shipments, where there are some."""
    return name.endswith((PICKUP, DELIVERY))


def reserved_id(name: str, place: str) -> InstanceError:
    """The error of a customer with such an id in an instance with shipments."""
    message = f"{describe(name)} ends like a stop of a shipment; choose another id"
    return fault(place, message, "DUPLICATE")


def check_unique(names: Iterable[tuple[object, str]]) -> None:
    """Check that names with their places are all different (code DUPLICATE)."""
    seen: dict[object, str] = {}
    for name, place in names:
        if name in seen:
            message = f"duplicate id {describe(name)}, also at {seen[name]}"
            raise fault(place, message, "DUPLICATE")
        seen[name] = place
