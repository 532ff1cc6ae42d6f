"""Instances with constraints as `vrp-instances/1` has them, in the form of objects."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vrpcore.errors import InstanceError, fault
from vrpcore.formats.json.json_numbers import json_number, json_numbers
from vrpcore.instance.attributes import Attribute, attributes_of
from vrpcore.instance.constraints import PICKUP, UNIT_NUMBERS, VISIT_NUMBERS
from vrpcore.instance.instance import Float64, Instance
from vrpcore.instance.vehicle_types import ALWAYS, DEFAULT_SHIFT, Break, Depot, VehicleType, Window

Written = dict[str, Any]
_LIMITS = [each for each in attributes_of(VehicleType) if each.is_limit]
_OTHERS = [each for each in attributes_of(VehicleType) if not each.is_limit]


def constrained_to_dict(instance: Instance) -> Written:
    """The object of an instance with constraints.

    Neutral values and known routes are left out, and ids of customers where all are the default
    ones. A customer has a demand, maybe of 0, unless it has a pickup.

    Args:
        instance: With constraints.

    Raises:
        InstanceError: The format has no place for something (code NOT_WRITABLE): a capacity
            that is unlimited in only some load dimensions, or shipments that count twice, as
            VROOM's do.
    """
    constraints = instance.own_constraints
    if constraints.counts_stops and constraints.num_shipments:
        message = "shipments of VROOM's, which count twice where not all can be served"
        raise _not_writable(instance.name, message)
    parts = _Parts(instance)
    found: Written = {"name": instance.name, "depots": parts.depots(), **parts.fleet()}
    if parts.num_customers or not constraints.num_shipments:
        found["customers"] = parts.customers()
    if constraints.num_shipments:
        found["shipments"] = parts.shipments()
    if instance.metric != "euclidean":
        found["metric"] = instance.metric
    if constraints.speed != 1:
        found["speed"] = json_number(constraints.speed)
    own = {
        "distances": instance.distances,
        "durations": constraints.durations,
        "costs": constraints.costs,
    }
    found |= _matrices(own)
    if constraints.matrices:
        found["matrices"] = {
            name: _matrices(each._asdict()) for name, each in constraints.matrices.items()
        }
    if constraints.backhauls != "mixed":
        found["backhauls"] = constraints.backhauls
    if not constraints.pickup_only_routes:
        found["pickup_only_routes"] = False
    return found


class _Parts:
    """Depots, vehicles, customers and shipments of an instance as objects."""

    def __init__(self, instance: Instance) -> None:
        self._name, self._ids, self._constraints = (
            instance.name,
            instance.ids,
            instance.own_constraints,
        )
        self._points = None if instance.coords is None else json_numbers(instance.coords)
        self.num_customers = self._constraints.num_stops - 2 * self._constraints.num_shipments

    def depots(self) -> list[Any]:
        """[x, y] where that says it all."""
        depots = self._constraints.depots
        ids = _ids([depot.id for depot in depots], ["0"])
        rows = [
            ids[index]
            | self._at(index)
            | _window(depot.window, ALWAYS)
            | _numbers(depot, attributes_of(Depot))
            for index, depot in enumerate(depots)
        ]
        return [[*row.values()] if row.keys() == {"x", "y"} else row for row in rows]

    def fleet(self) -> Written:
        """`vehicles`, or their short form."""
        vehicles = self._constraints.vehicles
        if self._is_short():
            (vehicle,) = vehicles
            found = self._capacity(vehicle, "capacity")
            if vehicle.count is not None:
                found["max_vehicles"] = vehicle.count
            return found if vehicle.end == 0 else {**found, "return_to_depot": False}
        ids = _ids([vehicle.id for vehicle in vehicles], ["0"])
        return {
            "vehicles": [
                ids[index] | self._vehicle(vehicle, f"vehicles[{index}]")
                for index, vehicle in enumerate(vehicles)
            ]
        }

    def customers(self) -> list[Written]:
        """One for each customer."""
        constraints = self._constraints
        ids = _ids(self._ids[: self.num_customers], range(1, self.num_customers + 1))
        rows = []
        for row in range(self.num_customers):
            found = ids[row] | self._at(constraints.num_depots + row)
            delivery, pickup = constraints.delivery[row], constraints.pickup[row]
            if delivery.any() or not pickup.any():
                found["demand"] = self._amount(delivery.tolist())
            if pickup.any():
                found["pickup"] = self._amount(pickup.tolist())
            rows.append(found | self._times(row) | self._wanted(row))
        return rows

    def shipments(self) -> list[Written]:
        """One for each pickup and its delivery."""
        constraints, rows = self._constraints, []
        for index in range(constraints.num_shipments):
            first = self.num_customers + 2 * index
            found: Written = {"id": str(self._ids[first]).removesuffix(PICKUP)}
            found["amount"] = self._amount(constraints.shipment[first].tolist())
            for row, key in ((first, "pickup"), (first + 1, "delivery")):
                times = self._times(row)
                found[key] = self._at(constraints.num_depots + row) | times
            rows.append(found | self._wanted(first, first + 1))
        return rows

    def _is_short(self) -> bool:
        """Whether one capacity, a number of vehicles and an open end say it all."""
        vehicle = self._constraints.vehicles[0]
        if self._constraints.listed_vehicles or len(self._constraints.vehicles) > 1:
            return False
        count, capacity, end = vehicle.count, vehicle.capacity, vehicle.end
        writable = all(map(math.isfinite, capacity)) and (self._listed or capacity[0] > 0)
        return (
            vehicle == VehicleType(id="0", count=count, capacity=capacity, end=end)
            and writable
            and count != 0
            and end in (0, None)
        )

    def _vehicle(self, vehicle: VehicleType, place: str) -> Written:
        """A type without its id."""
        found: Written = {} if vehicle.count is None else {"count": vehicle.count}
        found |= self._capacity(vehicle, f"{place}.capacity")
        if vehicle.start != 0:
            found["start"] = self._depot_id(vehicle.start)
        if vehicle.end != vehicle.start:
            found["end"] = self._depot_id(vehicle.end)
        found |= _window(vehicle.window, DEFAULT_SHIFT)
        found |= _numbers(vehicle, _LIMITS)
        if vehicle.matrix is not None:
            found["matrix"] = vehicle.matrix
        found |= _numbers(vehicle, _OTHERS)
        if vehicle.breaks:
            found["breaks"] = self._breaks(vehicle.breaks, f"{place}.breaks")
        return found | ({"skills": sorted(vehicle.skills)} if vehicle.skills else {})

    def _breaks(self, breaks: Sequence[Break], place: str) -> list[Written]:
        """One for each break of a type."""
        ids = _ids([each.id for each in breaks], [str(row) for row in range(len(breaks))])
        rows = []
        for row, each in enumerate(breaks):
            found = ids[row] | _windows(each.windows)
            if each.duration:
                found["duration"] = json_number(each.duration)
            if each.max_load is not None:
                found |= self._limited(each.max_load, "max_load", f"{place}[{row}].max_load")
            rows.append(found)
        return rows

    def _capacity(self, vehicle: VehicleType, place: str) -> Written:
        return self._limited(vehicle.capacity, "capacity", place)

    def _limited(self, limit: Sequence[float], key: str, place: str) -> Written:
        """A limit on what is on board; nothing where there is none."""
        limits = [math.isfinite(amount) for amount in limit]
        if not any(limits):
            return {}
        if not all(limits):
            message = "unlimited in only some load dimensions; write a large number"
            raise _not_writable(f"{self._name}: {place}", message)
        return {key: self._amount(limit)}

    def _depot_id(self, index: int | None) -> str | None:
        return None if index is None else self._constraints.depots[index].id

    def _at(self, node: int) -> Written:
        """Coordinates and number of a place."""
        found: Written = {}
        if self._points is not None:
            found["x"], found["y"] = self._points[node]
        places = self._constraints.places
        if places is not None and places[node] is not None:
            found["place"] = places[node]
        return found

    @property
    def _listed(self) -> bool:
        """Whether amounts are lists."""
        return self._constraints.listed_amounts or self._constraints.delivery.shape[1] > 1

    def _amount(self, amount: Sequence[float]) -> object:
        numbers = [json_number(each) for each in amount]
        return numbers if self._listed else numbers[0]

    def _times(self, row: int) -> Written:
        """Windows and numbers of a stop."""
        constraints = self._constraints
        windows = [(opens, closes) for opens, closes in constraints.windows[row].tolist()]
        found = _windows([window for window in windows if window[0] < math.inf])
        for each in VISIT_NUMBERS:
            found |= self._number(each, row)
        return found

    def _number(self, each: Attribute, *rows: int) -> Written:
        """A number of a customer, a shipment or an end of one, and those by vehicle type."""
        constraints, found = self._constraints, Written()
        column, table = getattr(constraints, each.name), None
        if each.by_vehicle:
            table = getattr(constraints, f"{each.name}_by_type")
        stated = rows[:1] if each.of_shipment == "pickup" else rows
        own = each.default if column is None else max(float(column[row]) for row in stated)
        if own != each.default:
            found[each.key] = json_number(own)
        by_type = () if table is None else zip(constraints.vehicles, table[:, rows[0]], strict=True)
        other = {kind.id: json_number(value) for kind, value in by_type if value != own}
        return found | ({f"{each.key}_by_vehicle": other} if other else {})

    def _wanted(self, *rows: int) -> Written:
        """What holds for a customer, or for both ends of a shipment."""
        constraints, found = self._constraints, Written()
        for each in UNIT_NUMBERS:
            found |= self._number(each, *rows)
        skills = sorted(frozenset[str]().union(*(constraints.skills[row] for row in rows)))
        return found | ({"skills": skills} if skills else {})


def _window(window: Window, neutral: Window) -> Written:
    return {} if window == neutral else {"window": _pair(window)}


def _windows(windows: Sequence[Window]) -> Written:
    """One window or several of a stop or a break."""
    if len(windows) == 1:
        return _window(windows[0], ALWAYS)
    return {"windows": [_pair(each) for each in windows]}


def _pair(window: Window) -> list[int | float | None]:
    return [json_number(time) if math.isfinite(time) else None for time in window]


def _ids(ids: Sequence[str | int], defaults: Sequence[str | int]) -> list[Written]:
    """{"id"} of each, or nothing where they are the default ones."""
    if list(ids) == list(defaults):
        return [{} for _ in ids]
    return [{"id": own} for own in ids]


def _numbers(item: Depot | VehicleType, declared: Sequence[Attribute]) -> Written:
    """Those of its numbers that are not the default ones."""
    return {
        each.key: json_number(value)
        for each in declared
        if (value := getattr(item, each.name)) != each.default
    }


def _matrices(found: Mapping[str, Float64 | None]) -> Written:
    """Those that there are."""
    return {key: _matrix(each) for key, each in found.items() if each is not None}


def _matrix(matrix: Float64) -> list[Any]:
    """Rows of numbers, null where there is no road."""
    rows = json_numbers(matrix)
    for row, column in np.argwhere(np.isinf(matrix)).tolist():
        rows[row][column] = None
    return rows


def _not_writable(place: str, message: str) -> InstanceError:
    return fault(place, message, "NOT_WRITABLE")
