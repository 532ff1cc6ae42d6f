"""Depots and vehicle types of a document."""

import dataclasses
import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple, cast

import msgspec
import numpy as np

from vrpcore.errors import describe, fault, show
from vrpcore.formats.json.dimensions import Amount, Given, is_some
from vrpcore.formats.json.documents import DepotRow, InstanceDocument, VehicleRow
from vrpcore.formats.json.stop_rows import LATENESS, check_unique, check_window, windows_of
from vrpcore.instance.attributes import Attribute, attributes_of
from vrpcore.instance.instance import Float64
from vrpcore.instance.vehicle_types import ALWAYS, DEFAULT_SHIFT, Break, Depot, VehicleType


class Place(NamedTuple):
    """A depot with its coordinates, or the number of its place, where it has some."""

    depot: Depot
    point: tuple[float, float] | None
    place: str
    number: int | None = None


def read_depots(doc: InstanceDocument, place: str) -> list[Place]:
    """Depots in order; one without a place where none is given."""
    if doc.depots is None:
        return [read_depot(DepotRow() if doc.depot is None else doc.depot, f"{place}.depot", 0)]
    if doc.depot is not None:
        message = "given with 'depot'; give one or the other"
        raise fault(f"{place}.depots", message, "CONFLICT")
    rows = enumerate(doc.depots)
    depots = [read_depot(row, f"{place}.depots[{index}]", index) for index, row in rows]
    check_unique((each.depot.id, f"{each.place}.id") for each in depots)
    return depots


def read_depot(row: DepotRow | tuple[float, float], place: str, index: int) -> Place:
    """One depot; `index` makes the id of one that has none."""
    if isinstance(row, tuple):
        return Place(Depot(id=str(index)), row, place)
    point = None
    if row.x is not None or row.y is not None:
        for key in ("x", "y"):
            if getattr(row, key) is None:
                raise fault(f"{place}.{key}", "missing", "MISSING")
        point = cast(float, row.x), cast(float, row.y)
    window = ALWAYS if row.window is None else check_window(row.window, f"{place}.window")
    numbers = given_numbers(row, attributes_of(Depot))
    depot = Depot(id=str(index if row.id is None else row.id), window=window, **numbers)
    return Place(depot, point, place, row.place)


def given_numbers(row: msgspec.Struct, declared: Sequence[Attribute]) -> dict[str, Any]:
    """Those that are given, by their names, and no limits where only their prices are."""
    values = {each.name: getattr(row, each.key) for each in declared}
    found = {name: value for name, value in values.items() if value is not None}
    return {each.name: math.inf for each in declared if each.priced_by in found} | found


class GivenVehicle(NamedTuple):
    """A vehicle type without what it and its breaks may have on board, which its row says."""

    kind: VehicleType
    row: VehicleRow
    place: str

    def amounts(self) -> list[Given]:
        """Its capacity, the `max_load` of each of its breaks, and what is on board at its start."""
        row, place = self.row, self.place
        rests = enumerate(row.breaks or ())
        loads = [(each.max_load, f"{place}.breaks[{index}].max_load") for index, each in rests]
        initial = row.initial_load, f"{place}.initial_load"
        return [(row.capacity, f"{place}.capacity"), *loads, initial]

    def complete(self, dimensions: int) -> VehicleType:
        """The type with these amounts, a number for each load dimension.

        Raises:
            InstanceError: It begins with more than it may have (code DEMAND_EXCEEDS_CAPACITY).
        """
        (most, _), *loads, (initial, place) = self.amounts()
        breaks = tuple(
            each if load is None else dataclasses.replace(each, max_load=_in_full(load, dimensions))
            for each, (load, _) in zip(self.kind.breaks, loads, strict=True)
        )
        capacity, load = _in_full(most, dimensions), None
        if is_some(initial):
            load = _in_full(initial, dimensions)
            check_fits(np.array([load]), capacity, lambda _: place)
        return dataclasses.replace(self.kind, capacity=capacity, breaks=breaks, initial_load=load)


def read_vehicles(doc: InstanceDocument, place: str, depots: Sequence[str]) -> list[GivenVehicle]:
    """The vehicle types; the short form is one at the place of the instance."""
    if doc.vehicles is None:
        if doc.capacity is None:
            raise fault(f"{place}.capacity", "missing", "MISSING")
        end: dict[str, Any] = {"end": None} if doc.return_to_depot is False else {}
        row = VehicleRow(count=doc.max_vehicles, capacity=doc.capacity, **end)
        return [read_vehicle(row, place, 0, depots)]
    for key in ("capacity", "max_vehicles", "return_to_depot"):
        if getattr(doc, key) is not None:
            message = "given with 'vehicles', which say it for each type; leave it out"
            raise fault(f"{place}.{key}", message, "CONFLICT")
    found = [
        read_vehicle(row, f"{place}.vehicles[{index}]", index, depots)
        for index, row in enumerate(doc.vehicles)
    ]
    check_unique((each.kind.id, f"{each.place}.id") for each in found)
    return found


def _breaks(row: VehicleRow, place: str) -> tuple[Break, ...]:
    """The breaks of a type without their loads."""
    breaks = list[Break]()
    for index, each in enumerate(row.breaks or ()):
        windows = windows_of(each, f"{place}.breaks[{index}]")
        name = str(index if each.id is None else each.id)
        breaks.append(Break(id=name, windows=windows, duration=each.duration or 0.0))
    check_unique((each.id, f"{place}.breaks[{index}].id") for index, each in enumerate(breaks))
    return tuple(breaks)


def read_vehicle(row: VehicleRow, place: str, index: int, depots: Sequence[str]) -> GivenVehicle:
    """One type; `index` makes the id of one that has none."""
    breaks = _breaks(row, place)
    start = depots[0] if row.start is msgspec.UNSET else row.start
    end = start if row.end is msgspec.UNSET else row.end
    given = given_numbers(row, attributes_of(VehicleType))
    numbers: dict[str, Any] = {name: float(value) for name, value in given.items()}
    vehicle = VehicleType(
        id=str(index if row.id is None else row.id),
        count=row.count,
        capacity=(),
        start=_depot_index(start, depots, f"{place}.start"),
        end=_depot_index(end, depots, f"{place}.end"),
        window=DEFAULT_SHIFT if row.window is None else check_shift(row.window, f"{place}.window"),
        matrix=row.matrix,
        skills=frozenset(row.skills or ()),
        **numbers,
        breaks=breaks,
        reloads=_reloads(row, place, depots),
        is_lost=bool(row.lost),
        loading=row.loading or "any",
    )
    _check_needs(row, place, vehicle)
    return GivenVehicle(vehicle, row, place)


def check_shift(window: Sequence[float | None], place: str) -> tuple[float, float]:
    """A window that opens at 0 where nothing else is said."""
    opens, closes = window
    return check_window((0.0 if opens is None else opens, closes), place)


def _reloads(row: VehicleRow, place: str, depots: Sequence[str]) -> tuple[int, ...] | None:
    """Indices of the depots where a type may reload, each once."""
    if row.reloads is None:
        return None
    names = enumerate(row.reloads)
    found = (_depot_index(name, depots, f"{place}.reloads[{i}]") for i, name in names)
    return tuple(dict.fromkeys(index for index in found if index is not None))


# Keys that only others give a meaning: these keys, and what the vehicle lacks without them.
_NEEDS = (
    (("max_reloads",), "reloads", "no 'reloads'; give the ids of depots"),
    (("max_overtime", "overtime_cost"), "max_duration", "no 'max_duration' that it may exceed"),
)


def _check_needs(row: VehicleRow, place: str, vehicle: VehicleType) -> None:
    """Check that what is limited, or may be exceeded, is there (code MISSING)."""
    lacking = [(keys, said) for keys, needed, said in _NEEDS if getattr(row, needed) is None]
    if vehicle.window[1] == math.inf:
        lacking.append((LATENESS, "no end of its 'window', after which it would be late"))
    for keys, message in lacking:
        for key in keys:
            if getattr(row, key) is not None:
                raise fault(f"{place}.{key}", f"the vehicle has {message}", "MISSING")


def _depot_index(name: str | int | None, depots: Sequence[str], place: str) -> int | None:
    if name is None:
        return None
    if (text := str(name)) not in depots:
        shown = ", ".join(map(describe, depots[:8])) + (", ..." if len(depots) > 8 else "")
        raise fault(place, f"no depot has the id {describe(text)}; known are {shown}", "UNKNOWN")
    return depots.index(text)


def check_fits(amounts: Float64, capacity: Sequence[float], place: Callable[[int], str]) -> None:
    """Check that each amount fits into a vehicle.

    Args:
        amounts: [N, L] float64.
        capacity: L of them.
        place: The place of row i.

    Raises:
        InstanceError: One does not (code DEMAND_EXCEEDS_CAPACITY).
    """
    for row, column in np.argwhere(amounts > np.asarray(capacity))[:1].tolist():
        found, limit = show(float(amounts[row, column])), show(capacity[column])
        raise fault(place(row), f"{found} exceeds capacity {limit}", "DEMAND_EXCEEDS_CAPACITY")


def check_matrix_of(vehicle: VehicleType, names: Collection[str], place: str) -> None:
    """Check that a type names a matrix of its instance, or none (code UNKNOWN)."""
    if vehicle.matrix is not None and vehicle.matrix not in names:
        message = f"{describe(vehicle.matrix)} is none of the instance's matrices"
        raise fault(f"{place}.matrix", message, "UNKNOWN")


def _in_full(amount: Amount, dimensions: int) -> tuple[float, ...]:
    """One number a load dimension; unlimited in all of them where nothing is given."""
    if amount is None:
        return (math.inf,) * dimensions
    return (amount,) if isinstance(amount, int | float) else tuple(amount)
