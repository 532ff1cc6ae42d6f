"""Instances with constraints as `vrp-instances/1` has them, in the form of objects."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from vrpcore.errors import fault
from vrpcore.formats.json.json_numbers import json_number, json_numbers, said
from vrpcore.instance.attributes import Attribute, attributes_of
from vrpcore.instance.constraints import SHIPMENT_NUMBERS, UNIT_NUMBERS, VISIT_NUMBERS, Constraints
from vrpcore.instance.instance import Float64, Instance
from vrpcore.instance.relations import Balance
from vrpcore.instance.service_unit import stop_groups
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
        raise fault(instance.name, message, "NOT_WRITABLE")
    parts = _Parts(instance)
    found = {"name": instance.name, "depots": parts.depots(), **parts.fleet()}
    shipments = parts.shipments()
    return found | said(
        customers=parts.customers() if parts.num_customers or not shipments else None,
        shipments=shipments or None,
        metric=_unless("euclidean", instance.metric),
        speed=_unless(1, json_number(constraints.speed)),
        distances=_matrix(instance.distances),
        durations=_matrix(constraints.durations),
        costs=_matrix(constraints.costs),
        matrices={
            name: said(**{key: _matrix(matrix) for key, matrix in each._asdict().items()})
            for name, each in constraints.matrices.items()
        }
        or None,
        backhauls=_unless("mixed", constraints.backhauls),
        pickup_only_routes=_unless(True, constraints.pickup_only_routes),
        goods=_unless("own", constraints.goods),
        split_step=_unless(1, json_number(constraints.split_step)),
        groups=parts.groups() or None,
        relations=parts.relations() or None,
        balance=None if constraints.balance is None else _balance(constraints.balance),
    )


class _Parts:
    """Depots, vehicles, stops and what ties these, of an instance, as objects."""

    def __init__(self, instance: Instance) -> None:
        self._name, self._ids = instance.name, instance.ids
        self._constraints = instance.own_constraints
        self._points = None if instance.coords is None else json_numbers(instance.coords)
        self._units = [*stop_groups(instance)]
        split = self._constraints.split
        self._split = None if split is None else split.tolist()
        board, shipments = self._constraints.on_board, self._constraints.num_shipments
        carried = 0 if board is None else int((board >= 0).sum())
        self.num_customers = self._constraints.num_stops - 2 * shipments - carried
        self._visit_numbers = self._used(VISIT_NUMBERS)
        self._unit_numbers = self._used((*UNIT_NUMBERS, *SHIPMENT_NUMBERS))

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
        rows = [
            self._at(index)
            | said(window=_window(depot.window, ALWAYS))
            | _numbers(depot, attributes_of(Depot))
            for index, depot in enumerate(depots)
        ]
        rows = _named(rows, [depot.id for depot in depots], ["0"])
        return [[*row.values()] if row.keys() == {"x", "y"} else row for row in rows]

    def fleet(self) -> Written:
        """`vehicles`, or their short form."""
        vehicles = self._constraints.vehicles
        if self._is_short():
            (vehicle,) = vehicles
            return said(
                capacity=self._amount(vehicle.capacity),
                max_vehicles=vehicle.count,
                return_to_depot=None if vehicle.end == 0 else False,
            )
        rows = [self._vehicle(own, f"vehicles[{index}]") for index, own in enumerate(vehicles)]
        return {"vehicles": _named(rows, [vehicle.id for vehicle in vehicles], ["0"])}

    def customers(self) -> list[Written]:
        constraints, size, rows = self._constraints, self.num_customers, list[Written]()
        for row in range(size):
            delivery, pickup = constraints.delivery[row], constraints.pickup[row]
            amounts = said(
                demand=self._amount(delivery) if delivery.any() or not pickup.any() else None,
                pickup=self._amount(pickup) if pickup.any() else None,
            )
            place, times = self._at(constraints.num_depots + row), self._times(row)
            split = said(split=None if self._split is None else self._split[row] or None)
            rows.append(place | amounts | times | self._wanted(row) | split)
        return _named(rows, self._ids[:size], range(1, size + 1))

    def shipments(self) -> list[Written]:
        """One for each that is on board, then for each pickup and its delivery."""
        constraints, rows = self._constraints, list[Written]()
        for name, stops in self._units[self.num_customers :]:
            own = [stop - 1 for stop in stops]
            visits = [self._at(constraints.num_depots + row) | self._times(row) for row in own]
            board = constraints.on_board
            found = said(
                id=name,
                amount=self._amount(-constraints.shipment[own[-1]]),
                pickup=visits[0] if len(visits) > 1 else None,
                delivery=visits[-1],
                on_board=None
                if board is None or len(visits) > 1
                else constraints.vehicles[board[own[0]]].id,
            )
            rows.append(found | self._wanted(*own))
        return rows

    def groups(self) -> list[Written]:
        """One for each; ids are left out where all are the default ones."""
        groups = self._constraints.groups
        units = {stops[0]: name for name, stops in self._units}
        rows = [
            said(
                members=[units[stop] for stop in each.members],
                prize=None if each.prize == math.inf else json_number(each.prize),
                priority=each.priority or None,
            )
            for each in groups
        ]
        defaults = [f"group-{row}" for row in range(len(groups))]
        return _named(rows, [each.id for each in groups], defaults)

    def relations(self) -> list[Written]:
        types = self._constraints.vehicles
        return [
            said(
                kind=each.kind,
                stops=[self._ids[stop - 1] for stop in each.stops],
                vehicle=None if each.vehicle is None else types[each.vehicle].id,
                at=each.at,
            )
            for each in self._constraints.relations
        ]

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
        start, end, reloads = vehicle.start, vehicle.end, vehicle.reloads
        return {
            **said(
                count=vehicle.count,
                capacity=self._limited(vehicle.capacity, f"{place}.capacity"),
            ),
            **({} if start == 0 else {"start": self._depot_id(start)}),
            **({} if end == start else {"end": self._depot_id(end)}),
            **said(window=_window(vehicle.window, DEFAULT_SHIFT)),
            **_numbers(vehicle, attributes_of(VehicleType)),
            **said(
                matrix=vehicle.matrix,
                breaks=self._breaks(vehicle.breaks, f"{place}.breaks") or None,
                skills=sorted(vehicle.skills) or None,
                reloads=None if reloads is None else [*map(self._depot_id, reloads)],
                lost=vehicle.is_lost or None,
                loading=_unless("any", vehicle.loading),
                initial_load=self._amount(vehicle.initial_load)
                if vehicle.initial_load is not None and any(vehicle.initial_load)
                else None,
            ),
        }

    def _breaks(self, breaks: Sequence[Break], place: str) -> list[Written]:
        rows = [
            _windows(each.windows)
            | said(
                duration=json_number(each.duration) or None,
                max_load=None
                if each.max_load is None
                else self._limited(each.max_load, f"{place}[{row}].max_load"),
            )
            for row, each in enumerate(breaks)
        ]
        return _named(rows, [each.id for each in breaks], [*map(str, range(len(breaks)))])

    def _limited(self, limit: Sequence[float], place: str) -> object:
        """A limit on what is on board; None: there is none."""
        limits = [math.isfinite(amount) for amount in limit]
        if not any(limits):
            return None
        if not all(limits):
            message = "unlimited in only some load dimensions; write a large number"
            raise fault(f"{self._name}: {place}", message, "NOT_WRITABLE")
        return self._amount(limit)

    def _depot_id(self, index: int | None) -> str | None:
        return None if index is None else self._constraints.depots[index].id

    def _at(self, node: int) -> Written:
        x, y = (None, None) if self._points is None else self._points[node]
        places = self._constraints.places
        return said(x=x, y=y, place=None if places is None else places[node])

    @property
    def _listed(self) -> bool:
        return self._constraints.listed_amounts or self._constraints.delivery.shape[1] > 1

    def _amount(self, amount: Sequence[float] | Float64) -> object:
        numbers = [json_number(each) for each in amount]
        return numbers if self._listed else numbers[0]

    def _times(self, row: int) -> Written:
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
        stated = {"pickup": rows[:1], "delivery": rows[-1:]}.get(each.of_shipment, rows)
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
                place = f"{self._name}: {self._ids[own[0]]}"
                raise fault(place, "no type may serve it", "NOT_WRITABLE")
            if not allowed.all():
                found["vehicles"] = [types[row].id for row in np.flatnonzero(allowed)]
        if constraints.vehicle_cost is not None:
            costs = constraints.vehicle_cost[:, own].sum(axis=1).tolist()
            if any(costs):
                named = {types[row].id: json_number(cost) for row, cost in enumerate(costs) if cost}
                found["vehicle_cost"] = named
        return found


def _window(window: Window, neutral: Window | None = None) -> list[int | float | None] | None:
    """[opens, closes]; None where it is neutral."""
    if window == neutral:
        return None
    return [json_number(time) if math.isfinite(time) else None for time in window]


def _windows(windows: Sequence[Window]) -> Written:
    if len(windows) == 1:
        return said(window=_window(windows[0], ALWAYS))
    return {"windows": [_window(each) for each in windows]}


def _named(
    rows: list[Written], ids: Sequence[str | int], defaults: Sequence[str | int]
) -> list[Written]:
    """Rows with their ids in front, unless all of these are the default ones."""
    if list(ids) == list(defaults):
        return rows
    return [{"id": own} | row for own, row in zip(ids, rows, strict=True)]


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
    """Return whether a number has to be written; `other` gives those of the same item by name."""
    if each.priced_by:  # no limit is what follows from the price alone
        return value != math.inf and (value != 0 or other(each.priced_by) != 0)
    limit = _LIMIT_OF.get(each.name)
    return value != each.default or (limit is not None and other(limit) == math.inf)


def _unless(neutral: object, value: object) -> object:
    """A value; None where it is neutral."""
    return None if value == neutral else value


def _balance(balance: Balance) -> Written:
    """The prices of a balance; where all are 0, the first one, so that it is written."""
    values = {each.key: getattr(balance, each.name) for each in attributes_of(Balance)}
    priced = {key: json_number(value) for key, value in values.items() if value}
    return priced or {next(iter(values)): 0}


def _matrix(matrix: Float64 | None) -> list[Any] | None:
    """Rows of numbers, null where there is no road, if there is a matrix."""
    if matrix is None:
        return None
    missing = np.isinf(matrix)
    rows = json_numbers(np.where(missing, 0.0, matrix))
    for row, column in np.argwhere(missing).tolist():
        rows[row][column] = None
    return rows
