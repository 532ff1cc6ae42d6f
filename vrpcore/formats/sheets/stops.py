"""Rows of stops as customers, shipments, depots, groups and relations of a JSON document."""

import re
from collections.abc import Sequence
from typing import Any, Literal, get_args

from vrpcore.errors import InstanceError, describe
from vrpcore.formats.json.json_numbers import said
from vrpcore.formats.json.stop_rows import LATENESS, check_window, check_windows
from vrpcore.formats.sheets.cells import NO_NAME, Cells
from vrpcore.formats.sheets.headings import AMOUNTS, family
from vrpcore.formats.sheets.ride_headings import ENDS
from vrpcore.formats.sheets.sheet_columns import OF_VISITS
from vrpcore.formats.sheets.sheet_places import Document, PlaceParts, Stop
from vrpcore.formats.sheets.table import SheetRow
from vrpcore.formats.sheets.terms import Terms
from vrpcore.instance.attributes import Attribute, attributes_of
from vrpcore.instance.constraints import (
    DELIVERY,
    PICKUP,
    SHIPMENT_NUMBERS,
    UNIT_NUMBERS,
    VISIT_NUMBERS,
    Constraints,
)
from vrpcore.instance.vehicle_types import Depot

_OF_SERVED = {"skills", "only_vehicle", "one_of", "before_stop", "shipment"}
Kind = Literal["customer", "depot", "pickup", "delivery"]
_KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)} | {
    "": "customer", "stop": "customer", "warehouse": "depot", "drop": "delivery",
    "dropoff": "delivery",
}  # fmt: skip
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})")


def read_stops(cells: Cells, terms: Terms, parts: PlaceParts) -> None:
    """Reads the rows of a table; what is wrong in them is noted by the cells."""
    _StopsReader(cells, terms, parts).read()


class _StopsReader:
    def __init__(self, cells: Cells, terms: Terms, parts: PlaceParts) -> None:
        self._cells, self._parts = cells, parts
        self._axes, self._dimensions = terms.axes, terms.dimensions
        self._windows_of = {
            end: [*cells.columns.several(f"{end}open", f"{end}close").values()]
            for end in ("", *(f"{end}." for end in ENDS))
        }
        self._of_ends = [name for name in cells.columns.of if "." in name]
        names = (cells.text(row, "id") for row in cells.table.rows if self._kind_of(row) != "depot")
        self._whole_ids = all(_WHOLE.fullmatch(name) for name in names if name)

    def read(self) -> None:
        pairs: dict[str, dict[Kind, SheetRow]] = {}
        rides: list[SheetRow] = []
        cells, parts = self._cells, self._parts
        for row in cells.table.rows:
            kind, shipment = self._kind(row), cells.text(row, "shipment")
            if given := [name for name in self._of_ends if cells.text(row, name)]:
                if self._is_ride(row, kind, given):
                    rides.append(row)
            elif kind == "depot":
                parts.add("depots", self._depot(row), (cells, row))
            elif shipment:
                self._end(pairs.setdefault(shipment, {}), kind, row)
            elif kind == "pickup":
                goes = "is a ride to it" if self._of_ends else "has the column pickup"
                cells.wrong(row, f"a pickup of no shipment; what goes to the depot {goes}", "type")
            else:
                customer = self._customer(row)
                parts.add("customers", customer, (cells, row))
                own = str(customer.get("id", len(parts.stops) + 1))
                parts.stops.append(Stop(own, own, row))
        for row in rides:  # as shipments, behind all customers
            self._ride(row)
        for name, ends in pairs.items():
            if (missing := {"pickup", "delivery"} - ends.keys()) and ends:
                message = f"shipment {describe(name)} has no {min(missing)}"
                cells.wrong(next(iter(ends.values())), message, "shipment")
            elif not missing:
                pair = (ends["pickup"], ends["delivery"])
                parts.add("shipments", self._shipment(name, pair), (cells, pair[0]))
                parts.stops.append(Stop(f"{name}{PICKUP}", name, pair[0]))
                parts.stops.append(Stop(f"{name}{DELIVERY}", name, pair[1]))

    def _kind(self, row: SheetRow) -> Kind:
        kind = self._kind_of(row)
        if kind is None:
            text = self._cells.text(row, "type")
            message = f"{describe(text)} is none of {', '.join(get_args(Kind))}"
            self._cells.wrong(row, f"{message}; rename the column if it means otherwise", "type")
        return kind or "customer"

    def _kind_of(self, row: SheetRow) -> Kind | None:
        return _KINDS.get(re.sub(r"[\W_]", "", self._cells.text(row, "type").casefold()))

    def _end(self, ends: dict[Kind, SheetRow], kind: Kind, row: SheetRow) -> None:
        if kind == "customer":
            message = "a stop of a shipment; expected the type pickup or delivery"
            self._cells.wrong(row, message, "type", "shipment")
        elif kind in ends:
            message = f"a second {kind} of the shipment; the first is in row {ends[kind].number}"
            self._cells.wrong(row, message, "type", "shipment")
        else:
            ends[kind] = row

    def _depot(self, row: SheetRow) -> Document:
        cells, window = self._cells, self._windows(row)
        if len(window.get("windows", ())) > 1:
            cells.wrong(row, "a depot has one window", "open2", "close2")
        declared = attributes_of(Depot)
        others = {each.column for each in attributes_of(Constraints)}
        others = (others | _OF_SERVED) - {each.column for each in declared}
        given = [name for name in AMOUNTS if self._amount(row, name)]
        given += [name for name in cells.columns.of if name in others and cells.get(row, name)]
        given += ["split"] * bool(cells.is_said(row, "split"))
        if given:
            message = f"a depot has no {' and no '.join(given)}; leave it empty"
            cells.wrong(row, message, *given)
        own = said(id=cells.get(row, "id"))
        return {**own, **self._point(row), **window, **self._numbers(row, declared)}

    def _customer(self, row: SheetRow) -> Document:
        name, given = self._cells.get(row, "id"), self._numbers(row, SHIPMENT_NUMBERS)
        if given:
            message = f"only a shipment has {' and '.join(given)}; leave it empty"
            self._cells.wrong(row, message, *given)
        return {
            **said(id=int(name) if name and self._whole_ids else name),
            **self._visit(row),
            "demand": self._amount(row, "demand") or self._nothing(),
            **said(pickup=self._amount(row, "pickup"), split=self._cells.is_said(row, "split")),
            **self._wanted(row),
        }

    def _is_ride(self, row: SheetRow, kind: Kind, given: Sequence[str]) -> bool:
        """Return whether a row is a ride, of whose ends it says something; notes what is wrong."""
        places = [f"{end}.{axis}" for end in ENDS for axis in reversed(self._axes)]
        of, text = self._cells.columns.of, self._cells.text
        if kind != "customer":
            self._cells.wrong(row, f"a {kind} has one place; leave it empty", *given)
        elif missing := [name for name in places if name not in given]:
            message = "empty; a ride has two places, and a stop that is none has "
            self._cells.wrong(row, f"{message}{' and '.join(reversed(self._axes))}", *missing)
        elif both := [name for name in of if family(name) in OF_VISITS and text(row, name)]:
            name = [each for each in of if of[each] == of[both[0]]][-1]  # of a window, itself
            message = "of which end of the ride? Leave it empty, or call the column "
            self._cells.wrong(row, f"{message}pickup_{name} or delivery_{name}", *both)
        else:
            return True
        return False

    def _ride(self, row: SheetRow) -> None:
        cells, parts = self._cells, self._parts
        name = cells.text(row, "shipment") or cells.text(row, "id")
        if not name:  # a plan names its ends by it, and rows may move
            cells.wrong(row, "empty; a ride has an id, by which plans name its ends", "id")
        ends = {end: self._visit(row, f"{end}.") for end in ENDS}
        amount = self._amount(row, "demand") or self._nothing()
        ride = {"id": name, "amount": amount, **ends, **self._wanted_of_shipment(row)}
        parts.add("shipments", ride, (cells, row))
        parts.stops += [Stop(f"{name}{end}", name, row) for end in (PICKUP, DELIVERY)]

    def _shipment(self, name: str, pair: tuple[SheetRow, SheetRow]) -> Document:
        cells, above = self._cells, f"its pickup, row {pair[0].number}"
        first, second = (self._amount(row, "demand") for row in pair)
        taken, brought = (self._amount(row, "pickup") for row in pair)
        if first and taken and first != taken:
            message = "demand and pickup differ; a shipment has one amount"
            cells.wrong(pair[0], message, "demand", "pickup")
        first = first or taken
        if first and second and first != second:
            cells.wrong(pair[1], f"not the demand of {above}", "demand")
        if brought:
            message = f"a delivery picks nothing up; its pickup is in row {pair[0].number}"
            cells.wrong(pair[1], message, "pickup")
        wanted, other = map(self._wanted_of_shipment, pair)
        for key in other.keys() & wanted.keys():
            if other[key] != wanted[key]:
                column = "only_vehicle" if key == "vehicles" else key
                cells.wrong(pair[1], f"not the {key} of {above}", column)
        return {
            "id": name,
            "amount": first or second or self._nothing(),
            "pickup": self._visit(pair[0]),
            "delivery": self._visit(pair[1]),
            **other,
            **wanted,
        }

    def _visit(self, row: SheetRow, end: str = "") -> Document:
        """A stop, or an end of a ride: then `pickup.` or `delivery.`, as its columns begin."""
        numbers, windows = self._numbers(row, VISIT_NUMBERS, end), self._windows(row, end)
        last = windows.get("window") or windows.get("windows", [[None]])[-1]
        if last[-1] is None:  # nothing closes, so that it is never late
            numbers = {key: value for key, value in numbers.items() if key not in LATENESS}
        return {**self._point(row, end), **windows, **numbers}

    def _point(self, row: SheetRow, end: str = "") -> Document:
        if not end and self._of_ends and not self._cells.columns.of.keys() >= set(self._axes):
            message = f"no ride, but there are no columns {' and '.join(reversed(self._axes))}"
            self._cells.wrong(row, f"{message} for a stop or a depot")
            return {}
        x, y = (self._cells.require(row, f"{end}{axis}") for axis in self._axes)
        return {"x": x, "y": y}

    def _wanted(self, row: SheetRow) -> Document:
        skills, only = self._cells.get(row, "skills"), self._cells.get(row, "only_vehicle")
        vehicles = None if only is None else [only]
        return {**self._numbers(row, UNIT_NUMBERS), **said(skills=skills, vehicles=vehicles)}

    def _wanted_of_shipment(self, row: SheetRow) -> Document:
        if self._cells.is_said(row, "split"):
            self._cells.wrong(row, "a shipment is not split; leave it empty", "split")
        return {**self._wanted(row), **self._numbers(row, SHIPMENT_NUMBERS)}

    def _numbers(self, row: SheetRow, declared: Sequence[Attribute], end: str = "") -> Document:
        columns = {each.key: f"{end}{each.column}" for each in declared if each.column}
        return said(**{key: self._cells.get(row, name) for key, name in columns.items()})

    def _windows(self, row: SheetRow, end: str = "") -> Document:
        """`window`, or `windows` where there are several."""
        cells = self._cells
        windows, given = list[list[Any]](), list[str]()
        for fields in self._windows_of[end]:
            if pair := cells.window(row, check_window, *fields):
                windows.append(pair)
                given += fields
        if len(windows) < 2:
            return {"window": windows[0]} if windows else {}
        try:
            check_windows(windows, "")
        except InstanceError:
            cells.wrong(row, "windows overlap, or are not in order", *given)
        return {"windows": windows}

    def _amount(self, row: SheetRow, name: str) -> Any:
        """A number, or one for each load dimension; None where there is nothing."""
        found = self._cells.amount(row, name, self._dimensions)
        if not self._dimensions:
            return found
        return [each or 0.0 for each in found] if any(found) else None

    def _nothing(self) -> Any:
        return [0.0] * len(self._dimensions) if self._dimensions else 0.0


def read_ties(cells: Cells, parts: PlaceParts, *, has_fleet: bool) -> None:
    """Reads who is one of several, and who comes before whom; what is wrong is noted."""
    names = {stop.name for stop in parts.stops}
    ids = {cells.text(stop.row, "id"): stop.name for stop in reversed(parts.stops)}
    vans, taken = {each["id"] for each in parts.lists["vehicles"]}, {*names, *ids}
    taken |= {stop.unit for stop in parts.stops}
    members: dict[str, dict[str, None]] = {}
    for name, unit, row in parts.stops:
        if van := cells.text(row, "only_vehicle"):
            message = f"{describe(van)} is no id of the fleet"
            if not has_fleet:
                message = "names a vehicle, but there is no fleet; give --fleet"
            if van not in vans:
                cells.wrong(row, message, "only_vehicle")
        group = cells.text(row, "one_of")
        if group and group.casefold() not in NO_NAME:
            group = f"one_of {group}" if group in taken else group  # ids all differ
            if group not in members:
                parts.add("groups", {"id": group}, (cells, row))
            members.setdefault(group, {})[unit] = None
        if other := cells.text(row, "before_stop"):
            later = other if other in names else ids.get(other)
            if later is None:
                cells.wrong(row, f"{describe(other)} is no id of a stop", "before_stop")
            elif later == name:
                cells.wrong(row, "a stop before itself", "before_stop")
            else:
                parts.add("relations", {"kind": "order", "stops": [name, later]}, (cells, row))
    for each in parts.lists["groups"]:
        each["members"] = list(members[each["id"]])
