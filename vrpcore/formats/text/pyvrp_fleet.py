"""The vehicles of PyVRP's dialect of `.vrp`, one by one in the file and as types here."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from vrpcore.errors import fault, show
from vrpcore.formats.json.explain import check_within
from vrpcore.formats.json.values import MIN_MAGNITUDE
from vrpcore.formats.text.vrptables import SectionTable, numbered_rows, read_lists, read_table
from vrpcore.formats.text.vrptext import Section, VrpText
from vrpcore.instance.constraints import MAX_DIMENSIONS, MAX_SKILLS
from vrpcore.instance.vehicle_types import MAX_VEHICLE_TYPES, VehicleType, Window

_ALLOWED = "VEHICLES_ALLOWED_CLIENTS_SECTION"
RELOADS = "VEHICLES_RELOAD_DEPOT_SECTION"
_STARTS = "VEHICLES_DEPOT_SECTION"
_MAX_RELOADS = "VEHICLES_MAX_RELOADS"
MAX_DURATION = "VEHICLES_MAX_DURATION"
# Sections with one number a vehicle: what the type calls it.
FLEET_NUMBERS: Mapping[str, str] = {
    "VEHICLES_MAX_DISTANCE": "max_distance",
    MAX_DURATION: "max_duration",
    "VEHICLES_FIXED_COST": "fixed_cost",
    "VEHICLES_UNIT_DISTANCE_COST": "distance_cost",
    _MAX_RELOADS: "max_reloads",
    "DISTANCE": "max_duration",  # CVRPLIB's: a route's length and services
}
_APART = ("CAPACITY", "VEHICLES_DEPOT", "VEHICLES_ALLOWED_CLIENTS", "VEHICLES_RELOAD_DEPOT")
_MAX_VEHICLES = 50_000
Allowed = frozenset[int] | None


class PyvrpFleet(NamedTuple):
    """Vehicle types, before it is known what stops there are.

    Attributes:
        types: In the order of the first vehicle of each.
        allowed: Of each type: the nodes that it may serve, None for all.
        capacity: The largest of all, by load dimension.
    """

    types: tuple[VehicleType, ...]
    allowed: tuple[Allowed, ...]
    capacity: tuple[float, ...]


def read_fleet(parts: VrpText, size: int, depots: Sequence[int]) -> PyvrpFleet:
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
    count = parts.headers["VEHICLES"].whole() if "VEHICLES" in parts.headers else None
    number = (count or max(1, size - len(depots))) if apart else 1
    if number > _MAX_VEHICLES:
        message = f"{number} vehicles of their own, the limit is {_MAX_VEHICLES}"
        raise fault("VEHICLES", message, "TOO_LARGE")
    columns: dict[str, list[Any]] = {
        "allowed": _allowed(parts, number, size, depots),
        "capacity": _capacities(parts, number),
        **{
            field: _numbers(parts, name, number)
            for name, field in FLEET_NUMBERS.items()
            if parts.place(name) or parts.place(f"{name}_SECTION")
        },
    }
    if _STARTS in parts.sections:
        columns["start"] = [index for (index,) in _depots(parts, _STARTS, number, depots)]
        columns["end"] = columns["start"]
    limits = columns.pop("max_reloads", [math.inf] * number)
    if RELOADS in parts.sections:
        columns["reloads"] = [own or None for own in _depots(parts, RELOADS, number, depots)]
        own = zip(limits, columns["reloads"], strict=True)
        columns["max_reloads"] = [most if reloads else math.inf for most, reloads in own]
    kinds = Counter(zip(*columns.values(), strict=True))
    if len(kinds) > MAX_VEHICLE_TYPES:
        message = f"{len(kinds)} different vehicles, the limit is {MAX_VEHICLE_TYPES}"
        raise fault("VEHICLES", message, "TOO_LARGE")
    found = [dict(zip(columns, kind, strict=True)) for kind in kinds]
    allowed = tuple(own.pop("allowed") for own in found)
    types = tuple(
        VehicleType(id=str(index), count=num if apart else count, **own)
        for index, (own, num) in enumerate(zip(found, kinds.values(), strict=True))
    )
    most = tuple(np.max([each.capacity for each in types], axis=0).tolist())
    return PyvrpFleet(types, allowed, most)


def single(vehicles: Sequence[VehicleType]) -> bool:
    """Return whether vehicles are alike, at the first depot, with no limit but a capacity."""
    first = vehicles[0]
    own = {name: getattr(first, name) for name in ("id", "count", "capacity", "window")}
    return len(vehicles) == 1 and first == VehicleType(**own)


def served_by(
    fleet: PyvrpFleet, nodes: Sequence[int], window: Window
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
        raise fault(_ALLOWED, f"{message}{MAX_SKILLS}", "TOO_LARGE")
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


def read_amounts(section: Section, number: int, columns: str) -> SectionTable:
    """A table of at most `MAX_DIMENSIONS` numbers a row (code SHAPE)."""
    table = read_table(section, number, columns)
    if table.values.shape[1] > MAX_DIMENSIONS:
        message = f"{table.values.shape[1]} load dimensions, the limit is {MAX_DIMENSIONS}"
        raise section.fault(message, "SHAPE")
    return table


def _capacities(parts: VrpText, number: int) -> list[tuple[float, ...]]:
    if "CAPACITY" in parts.headers:
        header = parts.headers["CAPACITY"]
        return [(check_within(header.number(), header.place, MIN_MAGNITUDE),)] * number
    if "CAPACITY_SECTION" not in parts.sections:
        return [(math.inf,)] * number
    table = read_amounts(parts.sections["CAPACITY_SECTION"], number, "vehicle capacity..")
    for row, values in enumerate(table.values.tolist()):
        for value in values:
            check_within(value, table.place(row), 0)
    return [tuple(row) for row in table.values.tolist()]


def _numbers(parts: VrpText, name: str, number: int) -> list[float]:
    """A limit or cost of each vehicle."""
    if name in parts.headers:
        header = parts.headers[name]
        values, places = [header.number()] * number, [header.place] * number
    else:
        table = read_table(parts.sections[f"{name}_SECTION"], number, "vehicle value")
        values, places = table.values[:, 0].tolist(), list(map(table.place, range(number)))
    for value, place in zip(values, places, strict=True):
        check_within(value, place, 0)
        if name == _MAX_RELOADS and not value.is_integer():
            message = f"{show(value)}, expected a whole number of at least 0"
            raise fault(place, message, "WRONG_TYPE")
        if name == _MAX_RELOADS and value > 0 and RELOADS not in parts.sections:
            message = f"vehicles may reload, but no {RELOADS} says at which depots"
            raise fault(place, message, "MISSING")
    return values


def _allowed(parts: VrpText, number: int, size: int, depots: Sequence[int]) -> list[Allowed]:
    """Nodes that each vehicle may serve; None: all."""
    if _ALLOWED not in parts.sections:
        return [None] * number
    section = parts.sections[_ALLOWED]
    found: list[Allowed] = []
    for line, nodes in read_lists(section, number, "vehicle", size):
        for node in set(nodes).intersection(depots):
            message = f"node {node} is a depot, expected clients"
            raise section.fault(message, "OUT_OF_RANGE", line)
        found.append(frozenset(nodes))
    return found


def _depots(parts: VrpText, name: str, number: int, depots: Sequence[int]) -> list[tuple[int, ...]]:
    """Indices of the depots that a section names for each vehicle."""
    section, found = parts.sections[name], []
    indices = {float(node): index for index, node in enumerate(depots)}
    for line, nodes in numbered_rows(section, number, "vehicle"):
        for node in nodes.tolist():
            if node not in indices:
                known = f"expected one of the {len(depots)} in DEPOT_SECTION"
                raise section.fault(f"{show(node)} is no depot, {known}", "UNKNOWN", line)
        own = tuple(indices[node] for node in nodes.tolist())
        if len(set(own)) < len(own):
            raise section.fault("a depot is there twice", "DUPLICATE", line)
        if name == _STARTS and len(own) != 1:
            message = f"{len(own) + 1} columns, expected 2 (vehicle depot)"
            raise section.fault(message, "SHAPE", line)
        found.append(own)
    return found
