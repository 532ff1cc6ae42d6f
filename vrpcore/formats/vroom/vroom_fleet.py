"""VROOM's vehicles as vehicle types and depots; the routes that they come with."""

import dataclasses
import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from vrpcore.errors import fault
from vrpcore.formats.json.key_schema import Fields, check_few, check_list
from vrpcore.formats.vroom.vroom_instance import Pin, Spot, Van, VanBreak
from vrpcore.formats.vroom.vroom_keys import (
    BREAK,
    COSTS,
    PER_HOUR,
    STEP,
    VEHICLE,
    Node,
    read_spot,
)
from vrpcore.formats.vroom.vroom_pins import read_pin
from vrpcore.instance.instance import MAX_STOPS
from vrpcore.instance.vehicle_types import (
    MAX_BREAKS,
    MAX_DEPOTS,
    MAX_VEHICLE_TYPES,
    Break,
    Depot,
    VehicleType,
    Window,
)

_HOUR_S = 3600.0
_KILOMETRE_M = 1000.0
_PERCENT = 100  # speed factors count to this share of a duration
_START, _END, _BREAK = "start", "end", "break"
_ALWAYS: Window = (0.0, math.inf)


class Fleet(NamedTuple):
    """All vehicles.

    Attributes:
        nodes: The depots: every different location where a route begins or ends.
        types: Vehicles that are alike are one type; `matrix` is their profile.
        names: What VROOM calls the type of each of them; None where nothing depends on it.
        capacities: Of the vehicles, with their places; None where not stated.
    """

    vans: tuple[Van, ...]
    nodes: tuple[Node, ...]
    types: tuple[VehicleType, ...]
    names: tuple[str | None, ...]
    capacities: tuple[tuple[tuple[int, ...] | None, str], ...]

    @property
    def depots(self) -> tuple[Depot, ...]:
        """One for each node, open all the time."""
        return tuple(Depot(id=str(index)) for index in range(len(self.nodes)))


def read_fleet(found: Fields, place: str, known: Collection[str]) -> Fleet:
    """Reads the vehicles of a document.

    Args:
        found: Its keys.
        place: Begins each message.
        known: Types of vehicles that some times of tasks depend on.

    Raises:
        InstanceError: Something is not what it should be, or not supported.
    """
    where = f"{place}.vehicles"
    if "vehicles" not in found:
        raise fault(where, "missing", "MISSING_KEY")
    rows = check_few(found.raw("vehicles"), where, "vehicles", MAX_STOPS)
    gathered = _Gathered(known)
    for position, row in enumerate(rows):
        gathered.add(row, f"{where}[{position}]")
    fleet = gathered.fleet()
    _check_number(len(fleet.types), "different vehicles", MAX_VEHICLE_TYPES, where)
    _check_number(len(fleet.nodes), "different starts and ends of vehicles", MAX_DEPOTS, where)
    return fleet


class _Gathered:
    """Gathers vehicles, and what is different among them.

    Args:
        known: See `read_fleet`.
    """

    def __init__(self, known: Collection[str]) -> None:
        self._known = known
        self._depots: dict[Spot, int] = {}
        self._nodes: list[Node] = []
        # By what they have in common; a vehicle that tasks are pinned to is like no other.
        self._kinds: dict[tuple[VehicleType, str | None, int | None], int] = {}
        self._vans: list[Van] = []
        self._capacities: list[tuple[tuple[int, ...] | None, str]] = []
        self._places: dict[int, str] = {}  # by id

    def add(self, row: object, place: str) -> None:
        """Reads one vehicle."""
        fields = Fields(row, place, VEHICLE)
        if (identifier := fields["id"]) in self._places:
            message = f"duplicate id {identifier}, also at {self._places[identifier]}"
            raise fault(f"{place}.id", message, "DUPLICATE_ID")
        self._places[identifier] = place
        start, end = _ends(fields, place)
        depots = (self._depot(start, f"{place}.start"), self._depot(end, f"{place}.end"))
        breaks = list(_breaks(fields, place))
        name = fields.get("type")
        alike = _vehicle(fields, place, depots, tuple(each for each, _ in breaks))
        own_breaks = tuple(each for _, each in breaks)
        read = list(_steps(fields, place, {each.id for each in own_breaks}))
        steps, pins = tuple(step for step, _ in read), tuple(pin for _, pin in read if pin)
        key = (alike, name if name in self._known else None, identifier if pins else None)
        kind = self._kinds.setdefault(key, len(self._kinds))
        description = fields.get("description")
        factor = fields.get("speed_factor", 1.0)
        self._vans.append(
            Van(identifier, description, kind, start, end, own_breaks, steps, pins, factor)
        )
        self._capacities.append((fields.get("capacity"), f"{place}.capacity"))

    def _depot(self, spot: Spot | None, place: str) -> int | None:
        if spot is None:
            return None
        index = self._depots.setdefault(spot, len(self._depots))
        if index == len(self._nodes):
            self._nodes.append(Node(spot, place))
        return index

    def fleet(self) -> Fleet:
        """All of them; a type is named after its first vehicle."""
        counts = Counter(van.kind for van in self._vans)
        first = {van.kind: str(van.id) for van in reversed(self._vans)}
        types = (
            dataclasses.replace(alike, id=first[kind], count=counts[kind])
            for (alike, _, _), kind in self._kinds.items()
        )
        names = tuple(name for _, name, _ in self._kinds)
        vans, capacities = tuple(self._vans), tuple(self._capacities)
        return Fleet(vans, tuple(self._nodes), tuple(types), names, capacities)


def _check_number(number: int, what: str, most: int, place: str) -> None:
    if number > most:
        raise fault(place, f"{number} {what}, the limit is {most}", "SHAPE")


def _breaks(fields: Fields, place: str) -> Iterator[tuple[Break, VanBreak]]:
    """Breaks of a vehicle, named by their positions so that vehicles may be alike; their ids."""
    rows = fields.raw("breaks")
    listed = check_list([] if rows is None else rows, f"{place}.breaks", "breaks")
    if listed:
        check_few(listed, f"{place}.breaks", "breaks", MAX_BREAKS)
    size, seen = len(fields.get("capacity", ())), set[int]()
    for index, row in enumerate(listed):
        where = f"{place}.breaks[{index}]"
        own = Fields(row, where, BREAK)
        identifier, service, most = own["id"], own.get("service", 0), own.get("max_load")
        if identifier in seen:
            raise fault(f"{where}.id", f"duplicate id {identifier}", "DUPLICATE_ID")
        seen.add(identifier)
        if most is not None and len(most) != size:
            message = f"{len(most)} load dimensions, but {place}.capacity has {size}"
            raise fault(f"{where}.max_load", message, "MIXED_AMOUNTS")
        yield (
            Break(
                id=str(index),
                windows=own.get("time_windows", (_ALWAYS,)),
                duration=float(service),
                max_load=tuple(map(float, most)) if most else None,
            ),
            VanBreak(identifier, own.get("description"), service),
        )


def _ends(fields: Fields, place: str) -> tuple[Spot | None, Spot | None]:
    start, end = read_spot(fields, _START, "start_index"), read_spot(fields, _END, "end_index")
    if start is None and end is None:
        raise fault(place, "has neither a start nor an end, expected at least one", "MISSING_KEY")
    return start, end


def _vehicle(
    fields: Fields, place: str, depots: Sequence[int | None], breaks: tuple[Break, ...]
) -> VehicleType:
    """A vehicle without its id; `depots` are its start and its end."""
    rates = fields.raw("costs")
    costs = Fields({} if rates is None else rates, f"{place}.costs", COSTS)
    # VROOM rounds what a speed factor makes of one second to hundredths.
    share = math.floor(_PERCENT / fields.get("speed_factor", 1.0) + 0.5)
    return VehicleType(
        id="",
        capacity=tuple(map(float, fields.get("capacity", ()))) or (math.inf,),
        start=depots[0],
        end=depots[1],
        window=fields.get("time_window", _ALWAYS),
        max_travel_time=float(fields.get("max_travel_time", math.inf)),
        max_distance=float(fields.get("max_distance", math.inf)),
        max_stops=float(fields.get("max_tasks", math.inf)),
        speed=_PERCENT / share,
        matrix=fields.get("profile", "car"),
        fixed_cost=float(costs.get("fixed", 0)),
        distance_cost=costs.get("per_km", 0) / _KILOMETRE_M,
        travel_cost=costs.get("per_hour", PER_HOUR) / _HOUR_S,
        service_cost=costs.get("per_task_hour", 0) / _HOUR_S,
        breaks=breaks,
        skills=frozenset(map(str, fields.get("skills", ()))),
    )


def _steps(
    fields: Fields, place: str, breaks: Collection[int]
) -> Iterator[tuple[tuple[str, int], Pin | None]]:
    """Types and ids of the tasks of a vehicle's steps, and their pins; rests are found anew."""
    rows = fields.raw("steps")
    for index, row in enumerate(
        check_list([] if rows is None else rows, f"{place}.steps", "steps")
    ):
        where = f"{place}.steps[{index}]"
        step = Fields(row, where, STEP)
        pin = read_pin(step, where)
        if (kind := step["type"]) in (_START, _END):
            continue
        if kind != _BREAK or step["id"] not in breaks:
            yield (kind, step["id"]), pin


class KnownSteps(NamedTuple):
    """The routes that vehicles come with.

    Attributes:
        routes: 1..N of the tasks of each; None where no vehicle comes with steps.
        kinds: Their vehicle types; None in the same case.
        unknown: Tasks and breaks that steps name and the problem does not have, in words.
    """

    routes: tuple[tuple[int, ...], ...] | None
    kinds: tuple[int, ...] | None
    unknown: tuple[str, ...]


def known_routes(vans: Sequence[Van], stops: Mapping[tuple[str, int], int]) -> KnownSteps:
    """The routes that vehicles come with.

    Args:
        vans: All vehicles.
        stops: 1..N of each task, by type and id.
    """
    routes = ((tuple(stops[step] for step in van.steps if step in stops), van) for van in vans)
    kept = [(route, van.kind) for route, van in routes if route]
    unknown = (step for van in vans for step in van.steps if step not in stops)
    words = tuple(f"{kind} {identifier}" for kind, identifier in unknown)
    if not kept and not words:
        return KnownSteps(None, None, ())
    return KnownSteps(tuple(route for route, _ in kept), tuple(kind for _, kind in kept), words)
