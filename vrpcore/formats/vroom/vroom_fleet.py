"""VROOM's vehicles as vehicle types and depots."""

import dataclasses
import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from vrpcore.errors import fault
from vrpcore.formats.json.stop_rows import check_unique, check_window
from vrpcore.formats.vroom.vroom_documents import Node, Spot, VroomCosts, VroomVehicle, windows_of
from vrpcore.formats.vroom.vroom_instance import Van
from vrpcore.formats.vroom.vroom_steps import read_steps
from vrpcore.instance.vehicle_types import MAX_DEPOTS, MAX_VEHICLE_TYPES, Break, VehicleType, Window

_HOUR_S = 3600.0
_KILOMETRE_M = 1000.0
_PERCENT = 100  # speed factors count to this share of a duration
_PER_HOUR = 3600  # the default cost of an hour: a unit a second
_FOREVER: Window = (0.0, math.inf)


class VroomFleet(NamedTuple):
    """All vehicles.

    Attributes:
        nodes: The depots: every different location where a route begins or ends.
        types: Vehicles that are alike are one type; `matrix` is their profile.
        names: What VROOM calls the type of each of them; None where nothing depends on it.
    """

    vans: tuple[Van, ...]
    nodes: tuple[Node, ...]
    types: tuple[VehicleType, ...]
    names: tuple[str | None, ...]


def read_fleet(rows: Sequence[VroomVehicle], place: str, known: Collection[str]) -> VroomFleet:
    """The vehicles of a document.

    Args:
        rows: All of them.
        place: Where they were found; begins each message.
        known: Types of vehicles that some times of tasks depend on.

    Raises:
        InstanceError: Something is not what it should be, or not supported.
    """
    vans = list[Van]()
    nodes: dict[Spot, tuple[int, str]] = {}
    # By what they have in common; a vehicle that tasks are pinned to is like no other.
    kinds: dict[tuple[VehicleType, str | None, int | None], int] = {}
    for position, row in enumerate(rows):
        where = f"{place}[{position}]"
        start, end = _ends(row, where)
        depots = [
            None if spot is None else nodes.setdefault(spot, (len(nodes), f"{where}.{key}"))[0]
            for key, spot in (("start", start), ("end", end))
        ]
        alike, breaks = _vehicle(row, where, depots), row.breaks or ()
        steps, pins = read_steps(row, where)
        name = row.type if row.type in known else None
        kind = kinds.setdefault((alike, name, position if pins else None), len(kinds))
        factor = 1.0 if row.speed_factor is None else row.speed_factor
        vans.append(Van(row.id, row.description, kind, start, end, breaks, steps, pins, factor))
    check_unique((van.id, f"{place}[{position}].id") for position, van in enumerate(vans))
    _check_number(len(kinds), "different vehicles", MAX_VEHICLE_TYPES, place)
    _check_number(len(nodes), "different starts and ends of vehicles", MAX_DEPOTS, place)
    counts = Counter(van.kind for van in vans)
    first = {van.kind: str(van.id) for van in reversed(vans)}
    return VroomFleet(
        tuple(vans),
        tuple(Node(spot, where) for spot, (_, where) in nodes.items()),
        # Each is named after its first vehicle.
        tuple(
            dataclasses.replace(alike, id=first[kind], count=counts[kind])
            for (alike, _, _), kind in kinds.items()
        ),
        tuple(name for _, name, _ in kinds),
    )


def _check_number(number: int, what: str, most: int, place: str) -> None:
    if number > most:
        raise fault(place, f"{number} {what}, the limit is {most}", "SHAPE")


def _ends(row: VroomVehicle, place: str) -> list[Spot | None]:
    given = (Spot(row.start, row.start_index), Spot(row.end, row.end_index))
    ends = [None if spot == (None, None) else spot for spot in given]
    if ends == [None, None]:
        message = "has neither a start nor an end, expected at least one"
        raise fault(place, message, "MISSING")
    return ends


def _breaks(row: VroomVehicle, place: str) -> Iterator[Break]:
    """Breaks of a vehicle, named by their positions so that vehicles may be alike."""
    size, breaks = len(row.capacity or ()), row.breaks or ()
    check_unique((own.id, f"{place}.breaks[{index}].id") for index, own in enumerate(breaks))
    for index, own in enumerate(breaks):
        where = f"{place}.breaks[{index}]"
        if own.max_load is not None and len(own.max_load) != size:
            message = f"{len(own.max_load)} load dimensions, but {place}.capacity has {size}"
            raise fault(f"{where}.max_load", message, "SHAPE")
        windows = [_FOREVER]
        if own.time_windows is not None:
            windows = [*map(_floats, windows_of(own.time_windows, f"{where}.time_windows"))]
        yield Break(
            id=str(index),
            windows=tuple(windows),
            duration=float(own.service or 0),
            max_load=tuple(map(float, own.max_load)) if own.max_load else None,
        )


def _floats(window: tuple[float, float]) -> Window:
    return float(window[0]), float(window[1])


def _or_none(limit: int | None) -> float:
    """A limit; infinite where there is none."""
    return math.inf if limit is None else float(limit)


def _vehicle(row: VroomVehicle, place: str, depots: Sequence[int | None]) -> VehicleType:
    """A vehicle without its id; `depots` are its start and its end."""
    costs = row.costs or VroomCosts()
    per_hour = _PER_HOUR if costs.per_hour is None else costs.per_hour
    # VROOM rounds what a speed factor makes of one second to hundredths.
    share = math.floor(_PERCENT / (row.speed_factor or 1.0) + 0.5)
    return VehicleType(
        id="",
        capacity=tuple(map(float, row.capacity or (math.inf,))),
        start=depots[0],
        end=depots[1],
        window=check_window(_floats(row.time_window or _FOREVER), f"{place}.time_window"),
        max_travel_time=_or_none(row.max_travel_time),
        max_distance=_or_none(row.max_distance),
        max_stops=_or_none(row.max_tasks),
        speed=_PERCENT / share,
        matrix="car" if row.profile is None else row.profile,
        fixed_cost=float(costs.fixed or 0),
        distance_cost=(costs.per_km or 0) / _KILOMETRE_M,
        travel_cost=per_hour / _HOUR_S,
        service_cost=(costs.per_task_hour or 0) / _HOUR_S,
        breaks=tuple(_breaks(row, place)),
        skills=frozenset(map(str, row.skills or ())),
    )
