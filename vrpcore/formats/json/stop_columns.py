"""Columns of `Constraints` from stops as they were read, and their tables by vehicle type."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vrpcore.errors import describe, fault
from vrpcore.formats.json.keys import plain_name
from vrpcore.formats.json.stop import Stop
from vrpcore.instance.attributes import Attribute, attributes_of
from vrpcore.instance.constraints import Constraints, Float64
from vrpcore.instance.vehicle_types import VehicleType


class NamedTypes(NamedTuple):
    """Vehicle types by their ids.

    Attributes:
        types: All of them.
        rows: Indices by id; empty in the short form, where the type has none.
    """

    types: Sequence[VehicleType]
    rows: Mapping[str, int]

    @classmethod
    def of(cls, types: Sequence[VehicleType], *, listed: bool) -> "NamedTypes":
        """Those of an instance; `listed`: they are written out."""
        return cls(types, {each.id: row for row, each in enumerate(types)} if listed else {})

    def row(self, name: str, place: str) -> int:
        """The index of the type that a place names.

        Raises:
            InstanceError: There is none (code NO_VEHICLE).
        """
        if name not in self.rows:
            raise fault(place, f"no vehicle type has the id {describe(name)}", "NO_VEHICLE")
        return self.rows[name]


def columns_of_stops(stops: Sequence[Stop], types: NamedTypes) -> dict[str, Any]:
    """Numbers of stops, and what they say of single vehicle types, as far as there are some.

    Raises:
        InstanceError: A vehicle type is not there (code NO_VEHICLE), or there is not exactly one
            vehicle of a type that has a shipment on board (code ON_BOARD).
    """
    return _numbers(stops, types) | _permitted(stops, types) | _on_board(stops, types)


def _numbers(stops: Sequence[Stop], types: NamedTypes) -> dict[str, Any]:
    found = dict[str, Any]()
    for each in attributes_of(Constraints):
        own = [stop.numbers.get(each.name, each.default) for stop in stops]
        column = np.array(own, each.dtype)
        if not each.optional or (column != each.default).any():
            found[each.name] = column
        if any(each.name in stop.by_vehicle for stop in stops):
            table = _by_type(each, column, stops, types)
            if (table != column).any():
                found[f"{each.name}_by_type"] = table
    return found


def _by_type(each: Attribute, own: Any, stops: Sequence[Stop], types: NamedTypes) -> Float64:
    """[T, N] float64 of the numbers that stops give for single types; `own`: for others."""
    table: Float64 = np.tile(own, (len(types.types), 1))
    for column, stop in enumerate(stops):
        place = f"{stop.place}.{each.key}_by_vehicle"
        for row, value in _rows(stop.by_vehicle.get(each.name, {}), types, place):
            table[row, column] = value
    return table


def _rows(
    values: Mapping[str, float], types: NamedTypes, place: str
) -> Iterable[tuple[int, float]]:
    """Indices of types with what is said of each."""
    for name, value in values.items():
        if name not in types.rows:
            where = f"{place}.{plain_name(name)}"
            raise fault(where, "no vehicle type has this id", "NO_VEHICLE")
        yield types.rows[name], value


def _permitted(stops: Sequence[Stop], types: NamedTypes) -> dict[str, Any]:
    """`allowed` and `vehicle_cost`."""
    found, shape = dict[str, Any](), (len(types.types), len(stops))
    if any(stop.vehicles is not None for stop in stops):
        allowed: NDArray[np.bool_] = np.ones(shape, np.bool_)
        for column, stop in enumerate(stops):
            if stop.vehicles is not None:
                place = stop.at("vehicles")
                rows = [types.row(name, f"{place}[{i}]") for i, name in enumerate(stop.vehicles)]
                allowed[:, column] = np.isin(np.arange(shape[0]), rows)
        if not allowed.all():
            found["allowed"] = allowed
    if any(stop.vehicle_cost for stop in stops):
        costs: Float64 = np.zeros(shape)
        for column, stop in enumerate(stops):
            for row, value in _rows(stop.vehicle_cost, types, stop.at("vehicle_cost")):
                costs[row, column] = value
        if costs.any():
            found["vehicle_cost"] = costs
    return found


def _on_board(stops: Sequence[Stop], types: NamedTypes) -> dict[str, Any]:
    if all(stop.on_board is None for stop in stops):
        return {}
    column = np.full(len(stops), -1)
    for index, stop in enumerate(stops):
        if stop.on_board is not None:
            place = stop.at("on_board")
            column[index] = row = types.row(stop.on_board, place)
            if types.types[row].count != 1:
                message = f'vehicle type {describe(stop.on_board)} needs "count": 1'
                raise fault(place, f"{message}, so that it is clear which vehicle", "ON_BOARD")
    return {"on_board": column}
