"""Vehicle types of an instance with constraints, one by one."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from vrpcore.errors import describe, fault
from vrpcore.formats.json.constrained_json import (
    LATENESS,
    check_unique,
    given_numbers,
    read_windows,
)
from vrpcore.formats.json.dimensions import Given, is_some
from vrpcore.formats.json.key_schema import Fields, check_few, check_list
from vrpcore.formats.json.keys import BREAK, VEHICLE, Amount, check_fits
from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.vehicle_types import (
    DEFAULT_SHIFT,
    MAX_BREAKS,
    MAX_VEHICLE_TYPES,
    Break,
    VehicleType,
)


class Capacities(NamedTuple):
    """What a vehicle type may have on board, as given, with the places of each.

    Attributes:
        most: Its capacity.
        in_breaks: The `max_load` of each of its breaks.
        initial: What is on board from the start.
    """

    most: Given
    in_breaks: Sequence[Given] = ()
    initial: Given = (None, "")

    def amounts(self) -> list[Given]:
        """All of them."""
        return [self.most, *self.in_breaks, self.initial]


def read_vehicles(
    found: Fields, place: str, depots: Sequence[str]
) -> tuple[list[VehicleType], list[Capacities]]:
    """Types without their capacities, and the capacities with their places."""
    if "vehicles" not in found:
        closed = found.get("return_to_depot", True)
        vehicle = VehicleType(
            id="0", capacity=(), count=found.get("max_vehicles"), end=0 if closed else None
        )
        capacity: Any = found["capacity"]
        return [vehicle], [Capacities((capacity, f"{place}.capacity"))]
    if isinstance(number := found.raw("vehicles"), int):
        message = f"{describe(number)}, expected a list of vehicle types; a number of equal ones is"
        raise fault(f"{place}.vehicles", f"{message} 'max_vehicles'", "WRONG_TYPE")
    for key in ("capacity", "max_vehicles", "return_to_depot"):
        if key in found:
            message = "given with 'vehicles', which say it for each type; leave it out"
            raise fault(f"{place}.{key}", message, "CONFLICTING_KEYS")
    listed = f"{place}.vehicles"
    rows = check_few(found.raw("vehicles"), listed, "vehicle types", MAX_VEHICLE_TYPES)
    places = [f"{listed}[{index}]" for index in range(len(rows))]
    types = [
        read_vehicle(row, where, index, depots)
        for index, (row, where) in enumerate(zip(rows, places, strict=True))
    ]
    vehicles = [vehicle for vehicle, _ in types]
    check_unique([(v.id, f"{where}.id") for v, where in zip(vehicles, places, strict=True)])
    return vehicles, [capacities for _, capacities in types]


def _breaks(vehicle: Fields, place: str) -> tuple[tuple[Break, ...], list[Given]]:
    """The breaks of a type without their loads, and the loads with their places."""
    if "breaks" not in vehicle:
        return (), []
    listed, breaks, loads, names = f"{place}.breaks", [], list[Given](), []
    rows = check_list(vehicle.raw("breaks"), listed, "breaks")
    if len(rows) > MAX_BREAKS:
        raise fault(listed, f"{len(rows)} breaks, the limit is {MAX_BREAKS}", "SHAPE")
    for index, row in enumerate(rows):
        where = f"{listed}[{index}]"
        fields = Fields(row, where, BREAK)
        name, windows = str(fields.get("id", index)), read_windows(fields, where)
        breaks.append(Break(id=name, windows=windows, duration=fields.get("duration", 0.0)))
        loads.append((fields.get("max_load"), f"{where}.max_load"))
        names.append((name, f"{where}.id"))
    check_unique(names)
    return tuple(breaks), loads


def read_vehicle(
    row: object, place: str, index: int, depots: Sequence[str]
) -> tuple[VehicleType, Capacities]:
    """One type without its capacities, and these; `index` makes the id of one that has none."""
    fields = Fields(row, place, VEHICLE)
    breaks, loads = _breaks(fields, place)
    start = fields["start"] if "start" in fields else depots[0]
    end = fields.get("end", start)
    given = given_numbers(fields, attributes_of(VehicleType))
    numbers: dict[str, Any] = {name: float(value) for name, value in given.items()}
    vehicle = VehicleType(
        id=str(fields.get("id", index)),
        count=fields.get("count"),
        capacity=(),
        start=_depot_index(start, depots, f"{place}.start"),
        end=_depot_index(end, depots, f"{place}.end"),
        window=fields.get("window", DEFAULT_SHIFT),
        matrix=fields.get("matrix"),
        skills=frozenset(fields.get("skills", ())),
        **numbers,
        breaks=breaks,
        reloads=_reloads(fields, place, depots),
        is_lost=fields.get("lost", False),
    )
    _check_needs(fields, place, vehicle)
    capacity = fields.get("capacity"), f"{place}.capacity"
    initial = fields.get("initial_load"), f"{place}.initial_load"
    return vehicle, Capacities(capacity, loads, initial)


def _reloads(vehicle: Fields, place: str, depots: Sequence[str]) -> tuple[int, ...] | None:
    """Indices of the depots where a type may reload, each once."""
    if "reloads" not in vehicle:
        return None
    names: Sequence[str] = vehicle["reloads"]
    found = (_depot_index(name, depots, f"{place}.reloads[{i}]") for i, name in enumerate(names))
    return tuple(dict.fromkeys(index for index in found if index is not None))


# Keys that only others give a meaning: these keys, and what the vehicle lacks without them.
_NEEDS = (
    (("max_reloads",), "reloads", "no 'reloads'; give the ids of depots"),
    (("max_overtime", "overtime_cost"), "max_duration", "no 'max_duration' that it may exceed"),
)


def _check_needs(fields: Fields, place: str, vehicle: VehicleType) -> None:
    """Checks that what is limited, or may be exceeded, is there (code MISSING_KEY)."""
    lacking = [(keys, message) for keys, needed, message in _NEEDS if needed not in fields]
    if vehicle.window[1] == math.inf:
        lacking.append((LATENESS, "no end of its 'window', after which it would be late"))
    for keys, message in lacking:
        for key in keys:
            if key in fields:
                raise fault(f"{place}.{key}", f"the vehicle has {message}", "MISSING_KEY")


def _depot_index(name: str | None, depots: Sequence[str], place: str) -> int | None:
    if name is None:
        return None
    if name not in depots:
        shown = ", ".join(map(describe, depots[:8])) + (", ..." if len(depots) > 8 else "")
        raise fault(place, f"no depot has the id {describe(name)}; known are {shown}", "NO_DEPOT")
    return depots.index(name)


def with_capacity(vehicle: VehicleType, given: Capacities, dimensions: int) -> VehicleType:
    """A type with what it and its breaks may have on board, and what it has at its start.

    Raises:
        InstanceError: It begins with more than it may have (code DEMAND_EXCEEDS_CAPACITY).
    """
    loads = (load for load, _ in given.in_breaks)
    breaks = tuple(
        each if load is None else dataclasses.replace(each, max_load=_in_full(load, dimensions))
        for each, load in zip(vehicle.breaks, loads, strict=True)
    )
    capacity = _in_full(given.most[0], dimensions)
    initial, place = given.initial
    if not is_some(initial):
        return dataclasses.replace(vehicle, capacity=capacity, breaks=breaks)
    load = _in_full(initial, dimensions)
    check_fits(np.array([load]), capacity, lambda _: place)
    return dataclasses.replace(vehicle, capacity=capacity, breaks=breaks, initial_load=load)


def _in_full(amount: Amount | float | None, dimensions: int) -> tuple[float, ...]:
    """One number a load dimension; unlimited in all of them where nothing is given."""
    if amount is None:
        return (math.inf,) * dimensions
    return amount if isinstance(amount, tuple) else (amount,)
