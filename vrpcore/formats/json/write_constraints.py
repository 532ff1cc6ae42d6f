"""Instances with constraints as `vrp-instances/1` has them, in the form of objects."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from vrpcore.errors import InstanceError, fault
from vrpcore.formats.json.json_numbers import json_number, json_numbers
from vrpcore.formats.json.write_relations import between_to_dict
from vrpcore.instance.attributes import Attribute, attributes_of
from vrpcore.instance.constraints import (
    DELIVERY,
    PICKUP,
    UNIT_NUMBERS,
    VISIT_NUMBERS,
    Constraints,
)
from vrpcore.instance.instance import Float64, Instance
from vrpcore.instance.vehicle_types import ALWAYS, DEFAULT_SHIFT, Break, Depot, VehicleType, Window

Written = dict[str, Any]


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
    shipments = parts.shipments()
    if parts.num_customers or not shipments:
        found["customers"] = parts.customers()
    if shipments:
        found["shipments"] = shipments
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
    if constraints.goods != "own":
        found["goods"] = constraints.goods
    return found | between_to_dict(instance)


class _Parts:
    """Depots, vehicles, customers and shipments of an instance as objects."""

    def __init__(self, instance: Instance) -> None:
        self._name, self._ids, self._constraints = (
            instance.name,
            instance.ids,
            instance.own_constraints,
        )
        self._points = None if instance.coords is None else json_numbers(instance.coords)
        self._first = self._constraints.num_stops - 2 * self._constraints.num_shipments
        board = self._constraints.on_board
        self.num_customers = self._first - (0 if board is None else int((board >= 0).sum()))
        self._visit_numbers, self._unit_numbers = map(self._used, (VISIT_NUMBERS, UNIT_NUMBERS))

    def _used(self, declared: Sequence[Attribute]) -> list[Attribute]:
        """Numbers of which some stop has another than the default; limits with their prices."""
        constraints, used = self._constraints, set[str]()
        for each in declared:
            column = getattr(constraints, each.name)
            tables = each.by_vehicle and getattr(constraints, f"{each.name}_by_type") is not None
            if tables or (column is not None and bool((column != each.default).any())):
                used |= {each.name, each.priced_by, _LIMIT_OF.get(each.name, "")}
        return [each for each in declared if each.name in used]

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
        """One for each that is on board, then for each pickup and its delivery."""
        constraints, rows = self._constraints, self._on_board()
        for index in range(constraints.num_shipments):
            first = self._first + 2 * index
            found: Written = {"id": str(self._ids[first]).removesuffix(PICKUP)}
            found["amount"] = self._amount(constraints.shipment[first].tolist())
            for row, key in ((first, "pickup"), (first + 1, "delivery")):
                times = self._times(row)
                found[key] = self._at(constraints.num_depots + row) | times
            rows.append(found | self._wanted(first, first + 1))
        return rows

    def _on_board(self) -> list[Written]:
        """One for each shipment that is on board."""
        constraints, rows = self._constraints, list[Written]()
        for row in range(self.num_customers, self._first):
            found: Written = {"id": str(self._ids[row]).removesuffix(DELIVERY)}
            found["amount"] = self._amount((-constraints.shipment[row]).tolist())
            found["delivery"] = self._at(constraints.num_depots + row) | self._times(row)
            vehicle = 0 if constraints.on_board is None else constraints.on_board[row]
            found["on_board"] = constraints.vehicles[vehicle].id
            rows.append(found | self._wanted(row))
        return rows

    def _is_short(self) -> bool:
        """Return whether one capacity, a number of vehicles and an open end say it all."""
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
        found |= _numbers(vehicle, attributes_of(VehicleType))
        if vehicle.matrix is not None:
            found["matrix"] = vehicle.matrix
        if vehicle.breaks:
            found["breaks"] = self._breaks(vehicle.breaks, f"{place}.breaks")
        if vehicle.skills:
            found["skills"] = sorted(vehicle.skills)
        if vehicle.reloads is not None:
            found["reloads"] = [self._depot_id(depot) for depot in vehicle.reloads]
        if vehicle.is_lost:
            found["lost"] = True
        if vehicle.initial_load is not None and any(vehicle.initial_load):
            found["initial_load"] = self._amount(vehicle.initial_load)
        return found

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
        """Return whether amounts are lists."""
        return self._constraints.listed_amounts or self._constraints.delivery.shape[1] > 1

    def _amount(self, amount: Sequence[float]) -> object:
        numbers = [json_number(each) for each in amount]
        return numbers if self._listed else numbers[0]

    def _times(self, row: int) -> Written:
        """Windows and numbers of a stop."""
        constraints = self._constraints
        windows = [(opens, closes) for opens, closes in constraints.windows[row].tolist()]
        found = _windows([window for window in windows if window[0] < math.inf])
        for each in self._visit_numbers:
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
        if _is_said(each, own, lambda name: float(getattr(constraints, name)[rows[0]])):
            found[each.key] = json_number(own)
        by_type = () if table is None else zip(constraints.vehicles, table[:, rows[0]], strict=True)
        other = {kind.id: json_number(value) for kind, value in by_type if value != own}
        return found | ({f"{each.key}_by_vehicle": other} if other else {})

    def _wanted(self, *rows: int) -> Written:
        """Keys of a customer, or of both ends of a shipment."""
        constraints, found = self._constraints, Written()
        for each in self._unit_numbers:
            found |= self._number(each, *rows)
        skills = sorted(frozenset[str]().union(*(constraints.skills[row] for row in rows)))
        if skills:
            found["skills"] = skills
        types, own = constraints.vehicles, list(rows)
        if constraints.allowed is not None:
            allowed = constraints.allowed[:, own].all(axis=1)
            if not allowed.any():
                raise _not_writable(f"{self._name}: {self._ids[own[0]]}", "no type may serve it")
            if not allowed.all():
                found["vehicles"] = [types[row].id for row in np.flatnonzero(allowed)]
        if constraints.vehicle_cost is not None:
            costs = constraints.vehicle_cost[:, own].sum(axis=1).tolist()
            if any(costs):
                named = {types[row].id: json_number(cost) for row, cost in enumerate(costs) if cost}
                found["vehicle_cost"] = named
        return found


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
        if _is_said(each, value := getattr(item, each.name), partial(getattr, item))
    }


# By the name of what a unit up to a limit costs: the limit.
_LIMIT_OF = {
    each.priced_by: each.name
    for kind in (Constraints, VehicleType)
    for each in attributes_of(kind)
    if each.priced_by
}


def _is_said(each: Attribute, value: float, other: Callable[[str], float]) -> bool:
    """Return whether a number has to be written.

    Args:
        each: Its declaration.
        value: The number.
        other: Another number of the same item by its name.
    """
    if each.priced_by:  # no limit is what follows from the price alone
        return value != math.inf and (value != 0 or other(each.priced_by) != 0)
    limit = _LIMIT_OF.get(each.name)
    return value != each.default or (limit is not None and other(limit) == math.inf)


def _matrices(found: Mapping[str, Float64 | None]) -> Written:
    """Those that there are."""
    return {key: _matrix(each) for key, each in found.items() if each is not None}


def _matrix(matrix: Float64) -> list[Any]:
    """Rows of numbers, null where there is no road."""
    missing = np.isinf(matrix)
    rows = json_numbers(np.where(missing, 0.0, matrix))
    for row, column in np.argwhere(missing).tolist():
        rows[row][column] = None
    return rows


def _not_writable(place: str, message: str) -> InstanceError:
    return fault(place, message, "NOT_WRITABLE")
