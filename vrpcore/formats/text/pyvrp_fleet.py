"""The vehicles of PyVRP's dialect of `.vrp`, one by one in the file and as types here."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from vrpcore.errors import fault, show
from vrpcore.formats.json.keys import check_not_negative, check_positive_capacity
from vrpcore.formats.text.vrptables import check_number_of, read_table, whole
from vrpcore.formats.text.vrptext import Section, VrpText
from vrpcore.instance.constraints import MAX_DIMENSIONS, MAX_SKILLS
from vrpcore.instance.vehicle_types import MAX_VEHICLE_TYPES, VehicleType, Window

_ALLOWED = "VEHICLES_ALLOWED_CLIENTS_SECTION"
RELOADS = "VEHICLES_RELOAD_DEPOT_SECTION"
_MAX_RELOADS = "VEHICLES_MAX_RELOADS"
MAX_DURATION = "VEHICLES_MAX_DURATION"
# Sections with one number a vehicle: what the type calls it.
FLEET_NUMBERS: Mapping[str, str] = {
    "VEHICLES_MAX_DISTANCE": "max_distance",
    MAX_DURATION: "max_duration",
    "VEHICLES_FIXED_COST": "fixed_cost",
    "VEHICLES_UNIT_DISTANCE_COST": "distance_cost",
    _MAX_RELOADS: "max_reloads",
}
_APART = ("CAPACITY", "VEHICLES_DEPOT", "VEHICLES_ALLOWED_CLIENTS", "VEHICLES_RELOAD_DEPOT")
_MAX_VEHICLES = 50_000
Allowed = frozenset[int] | None


class Fleet(NamedTuple):
    """Vehicle types, before it is known what stops there are.

    Attributes:
        types: In the order of the first vehicle of each.
        allowed: Of each type: the nodes that it may serve, None for all.
        capacity: The largest of all, by load dimension.
    """

    types: tuple[VehicleType, ...]
    allowed: tuple[Allowed, ...]
    capacity: tuple[float, ...]


def read_fleet(parts: VrpText, size: int, depots: Sequence[int]) -> Fleet:
    """Vehicles that are alike as one type.

    Without VEHICLES there are as many as needed, or as many as clients where sections tell
    vehicles apart.

    Args:
        parts: The file.
        size: Number of nodes.
        depots: Those that are depots, 1..`size`.

    Raises:
        InstanceError: A section has not one row for each vehicle, or a value that it must
            not have.
    """
    apart = any(f"{name}_SECTION" in parts.sections for name in (*_APART, *FLEET_NUMBERS))
    count = whole(parts, "VEHICLES") if "VEHICLES" in parts.headers else None
    number = (size - len(depots) if count is None else count) if apart else 1
    if number > _MAX_VEHICLES:
        message = f"{number} vehicles of their own, the limit is {_MAX_VEHICLES}"
        raise fault("VEHICLES", message, "TOO_MANY_VEHICLES")
    capacities = _capacities(parts, number)
    allowed = _allowed(parts, number, size, depots)
    columns: dict[str, list[Any]] = {
        field: _numbers(parts, name, number) for name, field in FLEET_NUMBERS.items()
    }
    columns["start"] = _depots(parts, number, len(depots), depots)
    columns["reloads"] = _reloads(parts, number, size, depots)
    _check_max_reloads(parts, columns)
    kinds: dict[tuple[object, ...], list[int]] = {}
    for vehicle in range(number):
        own = (capacities[vehicle], allowed[vehicle])
        kinds.setdefault((*own, *(c[vehicle] for c in columns.values())), []).append(vehicle)
    if len(kinds) > MAX_VEHICLE_TYPES:
        message = f"{len(kinds)} different vehicles, the limit is {MAX_VEHICLE_TYPES}"
        raise fault("VEHICLES", message, "TOO_MANY_VEHICLES")
    types = tuple(
        VehicleType(
            id=str(index),
            count=len(members) if apart else count,
            capacity=capacities[members[0]],
            end=columns["start"][members[0]],
            **{field: column[members[0]] for field, column in columns.items()},
        )
        for index, members in enumerate(kinds.values())
    )
    most = tuple(np.max([each.capacity for each in types], axis=0).tolist())
    return Fleet(types, tuple(allowed[members[0]] for members in kinds.values()), most)


def single(vehicles: Sequence[VehicleType]) -> bool:
    """Whether vehicles are alike, from and to the first depot, with no limit but a capacity."""
    first = vehicles[0]
    plain = VehicleType(
        id=first.id, count=first.count, capacity=first.capacity, window=first.window
    )
    return len(vehicles) == 1 and first == plain


def served_by(
    fleet: Fleet, nodes: Sequence[int], window: Window
) -> tuple[tuple[VehicleType, ...], tuple[frozenset[str], ...]]:
    """Types and stops with skills.

    Of the vehicles with the same clients, all others have the skill not to be one: who is no
    client of theirs asks for it. So there are as many skills as such groups.

    Args:
        fleet: The types.
        nodes: Of the stops.
        window: Of all types.

    Raises:
        InstanceError: There are more such groups than an instance may have skills.
    """
    groups: dict[Allowed, str] = {}
    for vehicle, own in zip(fleet.types, fleet.allowed, strict=True):
        if own is not None and not own.issuperset(nodes):
            groups.setdefault(own, f"not-{vehicle.id}")
    if len(groups) > MAX_SKILLS:
        message = f"{len(groups)} groups of vehicles for clients of their own, the limit is "
        raise fault(_ALLOWED, f"{message}{MAX_SKILLS}", "TOO_MANY_SKILLS")
    types = tuple(
        replace(
            vehicle,
            window=window,
            skills=frozenset(name for other, name in groups.items() if other != own),
        )
        for vehicle, own in zip(fleet.types, fleet.allowed, strict=True)
    )
    sets = [(own, name) for own, name in groups.items() if own is not None]
    skills = [frozenset(name for own, name in sets if node not in own) for node in nodes]
    return types, tuple(skills)


def _capacities(parts: VrpText, number: int) -> list[tuple[float, ...]]:
    if "CAPACITY" in parts.headers:
        header = parts.headers["CAPACITY"]
        return [(check_positive_capacity(header.number(), header.place),)] * number
    if "CAPACITY_SECTION" not in parts.sections:
        return [(math.inf,) * _dimensions(parts)] * number
    section = parts.sections["CAPACITY_SECTION"]
    table = read_table(section, number, "vehicle capacity..", "VEHICLES")
    if table.values.shape[1] > MAX_DIMENSIONS:
        message = f"{table.values.shape[1]} load dimensions, the limit is {MAX_DIMENSIONS}"
        raise section.fault(message, "SHAPE")
    for row, values in enumerate(table.values.tolist()):
        for value in values:
            check_not_negative(value, table.place(row))
    return [tuple(row) for row in table.values.tolist()]


def _dimensions(parts: VrpText) -> int:
    """Load dimensions where no capacity says how many: those of the first amount."""
    for name in ("DEMAND_SECTION", "LINEHAUL_SECTION", "BACKHAUL_SECTION"):
        if name in parts.sections and parts.sections[name].rows:
            return max(1, len(parts.sections[name].rows[0][1]) - 1)
    return 1


def _numbers(parts: VrpText, name: str, number: int) -> list[float]:
    """A limit or cost of each vehicle."""
    if name == MAX_DURATION and "DISTANCE" in parts.headers:
        name = "DISTANCE"
    if name in parts.headers:
        header = parts.headers[name]
        return [check_not_negative(header.number(), header.place)] * number
    if f"{name}_SECTION" not in parts.sections:
        default = {"VEHICLES_FIXED_COST": 0.0, "VEHICLES_UNIT_DISTANCE_COST": 1.0}
        return [default.get(name, math.inf)] * number
    section = parts.sections[f"{name}_SECTION"]
    table = read_table(section, number, "vehicle value", "VEHICLES")
    values: list[float] = table.values[:, 0].tolist()
    return [check_not_negative(value, table.place(row)) for row, value in enumerate(values)]


def _depots(parts: VrpText, number: int, size: int, depots: Sequence[int]) -> list[int]:
    """Index of the depot of each vehicle."""
    if "VEHICLES_DEPOT_SECTION" not in parts.sections:
        return [0] * number
    section = parts.sections["VEHICLES_DEPOT_SECTION"]
    table = read_table(section, number, "vehicle depot", "VEHICLES")
    places = []
    for row, node in enumerate(table.values[:, 0].tolist()):
        if node not in depots:
            message = f"{node:g} is no depot, expected one of the {size} in DEPOT_SECTION"
            raise fault(table.place(row), message, "NO_DEPOT")
        places.append(depots.index(int(node)))
    return places


def _allowed(parts: VrpText, number: int, size: int, depots: Sequence[int]) -> list[Allowed]:
    """Nodes that each vehicle may serve; None: all."""
    if _ALLOWED not in parts.sections:
        return [None] * number
    section = parts.sections[_ALLOWED]
    found: list[Allowed] = []
    for line, nodes in _rows_of_nodes(section, number, size):
        for node in set(nodes).intersection(depots):
            message = f"node {node} is a depot, expected clients"
            raise section.fault(message, "OUT_OF_RANGE", line)
        found.append(frozenset(nodes))
    return found


def _reloads(
    parts: VrpText, number: int, size: int, depots: Sequence[int]
) -> list[tuple[int, ...] | None]:
    """Indices of the depots where each vehicle may reload; None: nowhere."""
    if RELOADS not in parts.sections:
        return [None] * number
    section, found = parts.sections[RELOADS], []
    for line, nodes in _rows_of_nodes(section, number, size):
        for index, node in enumerate(nodes):
            if node not in depots:
                message = f"{node} is no depot, expected some of the {len(depots)} in DEPOT_SECTION"
                raise section.fault(message, "NO_DEPOT", line)
            if node in nodes[:index]:
                raise section.fault(f"depot {node} is there twice", "DUPLICATE_ID", line)
        found.append(tuple(map(depots.index, nodes)) or None)
    return found


def _check_max_reloads(parts: VrpText, columns: Mapping[str, list[Any]]) -> None:
    """Checks that they are whole numbers of vehicles that may reload; 0 says nothing of others."""
    places = [_MAX_RELOADS]
    if _MAX_RELOADS in parts.headers:
        places = [parts.headers[_MAX_RELOADS].place]
    elif f"{_MAX_RELOADS}_SECTION" in parts.sections:
        section = parts.sections[f"{_MAX_RELOADS}_SECTION"]
        table = read_table(section, len(columns["max_reloads"]), "vehicle value", "VEHICLES")
        places = [table.place(row) for row in range(len(table.lines))]
    limits = columns["max_reloads"]
    for vehicle, most in enumerate(limits):
        place = places[min(vehicle, len(places) - 1)]
        if math.isfinite(most) and not most.is_integer():
            message = f"{show(most)}, expected a whole number of at least 0"
            raise fault(place, message, "NOT_AN_INTEGER")
        if columns["reloads"][vehicle] is not None:
            continue
        if RELOADS not in parts.sections and math.isfinite(most) and most > 0:
            message = f"vehicles may reload, but no {RELOADS} says at which depots"
            raise fault(place, message, "MISSING_SECTION")
        limits[vehicle] = math.inf


def _rows_of_nodes(section: Section, number: int, size: int) -> list[tuple[int, list[int]]]:
    """Line and nodes of the row of each vehicle."""
    found: dict[int, tuple[int, list[int]]] = {}
    for line, row in section.rows:
        vehicle = check_number_of(section, line, float(row[0]), number, "vehicle", "VEHICLES")
        if vehicle in found:
            raise section.fault(f"duplicate vehicle id {vehicle}", "DUPLICATE_ID", line)
        nodes = [check_number_of(section, line, each, size, "node") for each in row[1:].tolist()]
        found[vehicle] = line, nodes
    if len(found) != number:
        message = f"{len(found)} vehicles, VEHICLES says {number} (is the file truncated?)"
        raise section.fault(message, "SHAPE")
    return [found[vehicle] for vehicle in range(1, number + 1)]
