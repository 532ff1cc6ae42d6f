"""The vehicles of an instance as PyVRP's dialect of `.vrp` lists them, one by one."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from vrpcore.formats.json.json_numbers import json_number
from vrpcore.formats.text.pyvrp_fleet import FLEET_NUMBERS
from vrpcore.formats.text.pyvrp_refusals import not_writable
from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.instance import Instance
from vrpcore.instance.vehicle_types import VehicleType

_DEFAULTS = {each.name: each.default for each in attributes_of(VehicleType)}


class VrpFleet(NamedTuple):
    """Lines of a file.

    Attributes:
        headers: `KEYWORD : value`.
        sections: With their rows.
    """

    headers: list[str]
    sections: list[str]


def fleet_lines(instance: Instance, most: float) -> VrpFleet:
    """Headers where vehicles are alike, and sections where they are not.

    Args:
        instance: With constraints that the dialect can say.
        most: Stands for no limit where others have one: more than any route's length or duration.

    Raises:
        InstanceError: An amount fits into no vehicle, which readers refuse (code NOT_WRITABLE).
    """
    constraints = instance.own_constraints
    types = [each for each in constraints.vehicles if each.count != 0]
    capacities = _capacities(instance, types)
    as_many = max(1, constraints.num_stops)
    counts = [as_many if each.count is None else each.count for each in types]
    rows = [row for row, count in enumerate(counts) for _ in range(count)]
    headers, sections = list[str](), list[str]()
    first = capacities[0]
    if len(first) == 1 and first[0] > 0 and all(each == first for each in capacities):
        headers.append(f"CAPACITY : {number_text(first[0])}")
    else:
        sections += _section("CAPACITY", rows, capacities)
    for name, field in FLEET_NUMBERS.items():
        values = [getattr(each, field) for each in types]
        if all(value == _DEFAULTS[field] for value in values):
            continue
        free = float(constraints.num_stops) if field == "max_reloads" else most
        finite = [value if math.isfinite(value) else free for value in values]
        if len(set(finite)) == 1:
            headers.append(f"{name} : {number_text(finite[0])}")
        else:
            sections += _section(name, rows, [(value,) for value in finite])
    if any(each.start for each in types):
        sections += _section("VEHICLES_DEPOT", rows, [((each.start or 0) + 1,) for each in types])
    if any(each.reloads is not None for each in types):
        nodes = [[depot + 1 for depot in each.reloads or ()] for each in types]
        sections += _section("VEHICLES_RELOAD_DEPOT", rows, nodes)
    sections += _allowed(instance, types, rows)
    if sections or types[0].count is not None or len(types) > 1:
        headers.append(f"VEHICLES : {len(rows)}")
    return VrpFleet(headers, sections)


def number_text(value: float) -> str:
    """A number as the text formats have it."""
    return str(json_number(value))


def _section(name: str, rows: Sequence[int], values: Sequence[Sequence[float]]) -> Iterator[str]:
    """A section with a row for each vehicle, by the row of its type."""
    yield f"{name}_SECTION"
    texts = [[number_text(value) for value in each] for each in values]
    for vehicle, row in enumerate(rows, start=1):
        yield " ".join([str(vehicle), *texts[row]])


def _capacities(instance: Instance, types: Sequence[VehicleType]) -> list[tuple[float, ...]]:
    """Of each type; in place of no limit, room for everything."""
    constraints = instance.own_constraints
    amounts = constraints.delivery, constraints.pickup, np.abs(constraints.shipment)
    total = np.maximum(sum(each.sum(axis=0) for each in amounts), 1.0)
    found = [np.where(np.isfinite(each.capacity), each.capacity, total) for each in types]
    if any((each > np.max(found, axis=0)).any() for each in amounts):
        raise not_writable(instance, "an amount that fits into no vehicle")
    return [tuple(each.tolist()) for each in found]


def _allowed(
    instance: Instance, types: Sequence[VehicleType], rows: Sequence[int]
) -> Iterator[str]:
    """The stops that each vehicle may serve, if some may not serve all."""
    constraints = instance.own_constraints
    permits = constraints.permits()[[constraints.vehicles.index(each) for each in types]]
    skilled = [[own <= each.skills for own in constraints.skills] for each in types]
    permits &= np.array(skilled, np.bool_).reshape(permits.shape)
    if not permits.all():
        nodes = [np.flatnonzero(each) + constraints.num_depots + 1 for each in permits]
        yield from _section("VEHICLES_ALLOWED_CLIENTS", rows, [each.tolist() for each in nodes])
