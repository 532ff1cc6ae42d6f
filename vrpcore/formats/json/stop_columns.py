"""Columns of `Constraints` from the stops of a document, and their tables by vehicle type."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vrpcore.errors import describe, fault
from vrpcore.formats.json.explain import plain_name
from vrpcore.formats.json.stop_rows import LATENESS, Stops, check_visit, is_any
from vrpcore.instance.attributes import Attribute, attributes_of
from vrpcore.instance.constraints import Constraints, Float64
from vrpcore.instance.vehicle_types import ALWAYS, VehicleType

_NEVER = (None, None)  # a pair of nulls: a window without ends
_NOTHING = frozenset[str]()


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
            InstanceError: There is none (code UNKNOWN).
        """
        if name not in self.rows:
            raise fault(place, f"no vehicle type has the id {describe(name)}", "UNKNOWN")
        return self.rows[name]


def columns_of_stops(stops: Stops, types: NamedTypes) -> dict[str, Any]:
    """Windows and numbers of stops, and what they say of single vehicle types, if anything.

    Raises:
        InstanceError: As `check_visit`; or a vehicle type is not there (code UNKNOWN), or
            there is not exactly one vehicle of a type that has a shipment on board (CONFLICT).
    """
    skills: Sequence[frozenset[str]] = (_NOTHING,) * len(stops)
    if is_any(given := stops.of_units("skills")):
        skills = tuple(_NOTHING if each is None else frozenset(each) for each in given)
    found = {"windows": _windows(stops), "skills": skills} | _numbers(stops, types)
    return found | _permitted(stops, types) | _on_board(stops, types, found)


def _windows(stops: Stops) -> Float64:
    """[N, W, 2] float64 of all windows, padded with windows that never open."""
    single = stops.of_visits("window")
    if None in single:
        single = tuple(_NEVER if each is None else each for each in single)
    flat = np.fromiter(chain.from_iterable(single), np.float64, 2 * len(single))
    table: Float64 = flat.reshape(-1, 1, 2)
    np.copyto(table, ALWAYS, where=np.isnan(table))
    special = any(is_any(stops.of_visits(key)) for key in ("windows", *LATENESS))
    if special or bool((table[:, 0, 0] > table[:, 0, 1]).any()):
        found = [check_visit(each, stops.where(row)) for row, each in enumerate(stops.visits)]
        table = padded_windows(found)
    return table


def padded_windows(windows: Sequence[Sequence[tuple[float, float]]]) -> Float64:
    """Windows of N stops as [N, W, 2] float64, padded with windows that never open."""
    most = max(map(len, windows), default=1)
    table = np.full((len(windows), most, 2), math.inf)
    if windows:
        sizes = np.array([*map(len, windows)])
        table[np.arange(most) < sizes[:, None]] = [*chain.from_iterable(windows)]
    return table


def _numbers(stops: Stops, types: NamedTypes) -> dict[str, Any]:
    declared, found = attributes_of(Constraints), dict[str, Any]()
    given = {each.name: _given(each, stops) for each in declared}
    for each in declared:
        own = given[each.name]
        if each.priced_by and own is not None and (price := given[each.priced_by]) is not None:
            own[np.isnan(own) & ~np.isnan(price)] = math.inf
        elif each.priced_by and (price := given[each.priced_by]) is not None:
            own = np.where(np.isnan(price), math.nan, math.inf)
        if own is None:
            values: Any = np.full(len(stops), each.default, each.dtype)
        else:
            values = np.where(np.isnan(own), each.default, own).astype(each.dtype, copy=False)
        if not each.optional or (values != each.default).any():
            found[each.name] = values
        if each.by_vehicle and (table := _by_type(each, values, stops, types)) is not None:
            found[f"{each.name}_by_type"] = table
    return found


def _given(each: Attribute, stops: Stops) -> Float64 | None:
    """[N] float64 of a number, NaN where it is missing; None where no stop has it."""
    if each.of_shipment == "delivery":
        values = (None,) * stops.num_customers + stops.of_ends(each.key)
    else:
        values = (stops.of_visits if each.of_shipment == "each_end" else stops.of_units)(each.key)
    if not is_any(values):
        return None
    found: Float64 = np.array(values, np.float64)
    if each.of_shipment == "pickup" and stops.num_pairs:  # at a delivery 0: it is the pickup's
        ends = found[-2 * stops.num_pairs + 1 :: 2]
        ends[~np.isnan(ends)] = 0.0
    if each.of_shipment == "delivery" and stops.num_pairs:
        found[-2 * stops.num_pairs :: 2] = math.nan
    return found


def _by_type(each: Attribute, own: Float64, stops: Stops, types: NamedTypes) -> Float64 | None:
    """[T, N] float64 of a number that stops give for single types; None: they do not."""
    key = f"{each.key}_by_vehicle"
    stated = stops.of_visits(key)
    if not is_any(stated):
        return None
    table: Float64 = np.tile(own.astype(np.float64), (len(types.types), 1))
    for stop, values in enumerate(stated):
        if values:
            for row, value in _rows(values, types, f"{stops.where(stop)}.{key}"):
                table[row, stop] = value
    return table if (table != own).any() else None


def _rows(
    values: Mapping[str, float], types: NamedTypes, place: str
) -> Iterable[tuple[int, float]]:
    """Indices of types with what is said of each."""
    for name, value in values.items():
        yield types.row(name, f"{place}.{plain_name(name)}"), value


def _permitted(stops: Stops, types: NamedTypes) -> dict[str, Any]:
    """`allowed` and `vehicle_cost`."""
    found, shape = dict[str, Any](), (len(types.types), len(stops))
    named, costs = stops.of_units("vehicles"), stops.of_units("vehicle_cost")
    if is_any(named):
        allowed: NDArray[np.bool_] = np.ones(shape, np.bool_)
        for stop, names in enumerate(named):
            if names is not None:
                place = stops.at(stop, "vehicles")
                rows = [types.row(str(name), f"{place}[{i}]") for i, name in enumerate(names)]
                allowed[:, stop] = np.isin(np.arange(shape[0]), rows)
        if not allowed.all():
            found["allowed"] = allowed
    if is_any(costs):
        table: Float64 = np.zeros(shape)
        for stop, values in enumerate(costs):
            if values and stops.names_unit(stop):
                for row, value in _rows(values, types, stops.at(stop, "vehicle_cost")):
                    table[row, stop] = value
        if table.any():
            found["vehicle_cost"] = table
    return found


def _on_board(stops: Stops, types: NamedTypes, columns: dict[str, Any]) -> dict[str, Any]:
    """Owners of what is on board; longest rides of that become ends of windows in the columns."""
    names = stops.of_ends("on_board")
    if not is_any(names):
        return {}
    ridden, longest = stops.of_ends("ridden"), columns["max_ride"]
    found = np.full(len(stops), -1)
    for stop, name in enumerate(names, start=stops.num_customers):
        if name is not None:
            place = stops.at(stop, "on_board")
            found[stop] = row = types.row(str(name), place)
            if types.types[row].count != 1:
                message = f'vehicle type {describe(str(name))} needs "count": 1'
                raise fault(place, f"{message}, so that it is clear which vehicle", "CONFLICT")
            if longest[stop] < math.inf:
                left = longest[stop] - (ridden[stop - stops.num_customers] or 0.0)
                begin, place = types.types[row].window[0], stops.at(stop, "max_ride")
                _end_windows(columns, stop, begin, begin + left, place)
                longest[stop] = math.inf
    return {"on_board": found}


def _end_windows(
    columns: dict[str, Any], stop: int, begin: float, until: float, place: str
) -> None:
    """Ends the windows of a stop at a time, after which nothing may be late."""
    windows = columns["windows"][stop]
    if columns["max_late"][stop] > 0:
        raise fault(place, "given with max_late or late_cost; leave one out", "CONFLICT")
    if until < begin or not (windows[:, 0] <= until).any():
        message = f"the ride is over at {until:g}, before it can be delivered"
        raise fault(place, f"{message}; give a larger one, or leave it out", "CONFLICT")
    windows[windows[:, 0] > until] = math.inf
    np.minimum(windows[:, 1], until, where=windows[:, 0] < math.inf, out=windows[:, 1])
