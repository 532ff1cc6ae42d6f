"""CVRPLIB `.vrp` files in, and PyVRP's dialect: depots, vehicles, times, prizes, shipments, groups.

PyVRP ignores what it does not know. Here, everything is read or refused by its name.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from vrpcore.errors import fault, show
from vrpcore.formats.json.explain import check_within
from vrpcore.formats.json.fleet_json import check_fits
from vrpcore.formats.json.plain_json import check_demands
from vrpcore.formats.json.stop_rows import check_window
from vrpcore.formats.json.values import MIN_MAGNITUDE
from vrpcore.formats.text.pyvrp_fleet import (
    FLEET_NUMBERS,
    MAX_DURATION,
    RELOADS,
    read_amounts,
    read_fleet,
    served_by,
    single,
)
from vrpcore.formats.text.rows import Visit, visit_columns
from vrpcore.formats.text.shipments import check_pairs, pair_ids
from vrpcore.formats.text.vrptables import (
    SectionTable,
    check_number_of,
    read_depots,
    read_dimension,
    read_geometry,
    read_lists,
    read_table,
)
from vrpcore.formats.text.vrptext import DIALECT, VrpText, split_vrp
from vrpcore.instance.constraints import Constraints, Int64, plain_columns
from vrpcore.instance.instance import Float64, Instance
from vrpcore.instance.relations import MAX_GROUPS, Group
from vrpcore.instance.vehicle_types import ALWAYS, MAX_DEPOTS, Depot, Window

_GROUPS = "MUTUALLY_EXCLUSIVE_GROUP_SECTION"
_PAIRS = "PICKUP_AND_DELIVERY_SECTION"
# Kinds of problems, and the section without which a file would be another one.
_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("CVRP", "ACVRP", "HFVRP", "MDVRP"), ""),
    **dict.fromkeys(("CVRPTW", "VRPTW", "MDVRPTW", "SDVRPTW"), "TIME_WINDOW_SECTION"),
    **dict.fromkeys(("PCVRP", "PCVRPTW", "CPTP"), "PRIZE_SECTION"),
    **dict.fromkeys(("VRPB", "VRPMPD", "VRPSPD"), "BACKHAUL_SECTION"),
    **dict.fromkeys(("PDP", "PDPTW"), _PAIRS),
    **dict.fromkeys(("GVRP", "GTSP"), _GROUPS),
    **dict.fromkeys(("MTVRP", "MTVRPTW", "MTVRPTWR"), RELOADS),
}
_PLAIN_TYPES = ("CVRP", "ACVRP")  # an asymmetric matrix is read like any other
# What to write in place of other kinds.
_OTHER_TYPES: Mapping[str, str] = {
    **dict.fromkeys(
        ("TSP", "ATSP"),
        "one tour through all nodes: write TYPE : CVRP, CAPACITY : the number of nodes, and a "
        "DEMAND_SECTION with 0 for the depot and 1 for every other node",
    ),
    **dict.fromkeys(
        ("OVRP", "COVRP", "OCVRP"),
        "routes that end at their last stop: write TYPE : CVRP to read the file, and solve it as "
        'JSON with "return_to_depot": false',
    ),
    **dict.fromkeys(
        ("DVRP", "DCVRP", "CDVRP"),
        "routes with a largest length: write TYPE : CVRP, and DISTANCE for it, services included",
    ),
}
_CLIENTS = (
    "DEMAND_SECTION", "LINEHAUL_SECTION", "BACKHAUL_SECTION", "TIME_WINDOW_SECTION",
    "SERVICE_TIME_SECTION", "RELEASE_TIME_SECTION", "PRIZE_SECTION", "SERVICE_TIME",
    "RELEASE_TIME", _GROUPS,
)  # fmt: skip
_AMOUNTS = (
    ("delivery", "DEMAND_SECTION"), ("delivery", "LINEHAUL_SECTION"), ("pickup", "BACKHAUL_SECTION")
)  # fmt: skip
_NUMBERS = (("service", "SERVICE_TIME"), ("release", "RELEASE_TIME"), ("prize", "PRIZE"))
# Two that say the same of something, or contradict each other.
_EITHER_OR = (
    *((name, f"{name}_SECTION") for name in ("SERVICE_TIME", "RELEASE_TIME", "CAPACITY")),
    *((name, f"{name}_SECTION") for name in FLEET_NUMBERS),
    ("LINEHAUL_SECTION", "DEMAND_SECTION"),
    ("DISTANCE", MAX_DURATION),
    ("DISTANCE", f"{MAX_DURATION}_SECTION"),
    *((name, _PAIRS) for name in _CLIENTS),
)


def read_vrp(text: str, fallback_name: str) -> Instance:
    """Reads one instance in the CVRPLIB format, or in PyVRP's dialect of it.

    Any node may be the depot, and is node 1 where none is named; ids are CVRPLIB's customer
    numbers, node - 1. `VEHICLES`, which the published files do not use, becomes
    `max_vehicles`. The diagonal of an EXPLICIT matrix is never travelled and read as 0; a
    full matrix may be asymmetric.

    Args:
        text: The file.
        fallback_name: Its name if it gives none.

    Returns:
        The instance; metric `euc_2d` or `ceil_2d`, or distances for EXPLICIT.

    Raises:
        InstanceError: Something in it is wrong or not supported; the message names the
            line and the keyword.

    Source:
        Format: Reinelt 1995, TSPLIB 95, chapter 1; Uchoa et al. 2017 (CVRPLIB).
    """
    parts = split_vrp(text)
    found = parts.headers.get("NAME")
    name = found.value if found and found.value else fallback_name
    if parts.kind not in ("", *_PLAIN_TYPES) or {*parts.headers, *parts.sections} & {*DIALECT}:
        return _read_dialect(parts, name)
    parts.header("TYPE")  # its value is CVRP: others have constraints
    size = read_dimension(parts)
    limit = parts.header("CAPACITY")
    capacity = check_within(limit.number(), limit.place, MIN_MAGNITUDE)
    table = read_table(parts.section("DEMAND_SECTION"), size, "node demand")
    demand = table.values[:, 0]
    check_demands(demand, capacity, lambda i: f"{table.place(i)}: demand")
    (depot,) = read_depots(parts, size)
    if demand[depot - 1] != 0:
        message = f"depot {depot} has a demand of {show(float(demand[depot - 1]))}, expected 0"
        raise fault(table.place(depot - 1), message, "OUT_OF_RANGE")
    others = np.delete(np.arange(size), depot - 1)
    order = np.concatenate(([depot - 1], others))
    return Instance(
        name=name,
        capacity=capacity,
        demand=demand[order],
        ids=tuple(others.tolist()),
        max_vehicles=parts.header("VEHICLES").whole() if "VEHICLES" in parts.headers else None,
        **read_geometry(parts, order),
    )


def _read_dialect(parts: VrpText, name: str) -> Instance:
    """Reads one instance; the duration of a leg is its length.

    A client's id is its node - 1, and the shipment from node 4 to node 5 has the id "3-4":
    the numbers that routes have in `.sol` files. Several depots are the first nodes. Vehicles
    that are alike are one type, in the order of the first of each. Clients that not all
    vehicles may serve ask for a skill. A prize of 0 means required. Of a group, one client is
    served. In a VRPB, no route begins with a pickup.

    Source:
        https://pyvrp.org/dev/supported_vrplib_fields.html
    """
    _check_supported(parts)
    size = read_dimension(parts)
    depots = read_depots(parts, size, MAX_DEPOTS)
    clients = np.delete(np.arange(1, size + 1), np.array(depots) - 1)
    fleet = read_fleet(parts, size, depots)
    nodes, paired = _Nodes(parts, size, depots, fleet.capacity), _PAIRS in parts.sections
    stops = nodes.shipments() if paired else nodes.clients(clients)
    opens = min([0.0, *(window[0] for window in stops.depots if window != ALWAYS)])
    vehicles, skills = served_by(fleet, stops.nodes, (opens, math.inf))
    geometry = read_geometry(parts, np.array([*depots, *stops.nodes], np.int64) - 1)
    dimensions = len(fleet.capacity)
    columns = plain_columns(len(stops.nodes), dimensions) | dict(stops.columns)
    constraints = Constraints(
        depots=tuple(Depot(id=str(i), window=window) for i, window in enumerate(stops.depots)),
        vehicles=vehicles,
        groups=_groups(parts, size, clients, columns["prize"]),
        num_shipments=len(stops.nodes) // 2 if paired else 0,
        backhauls="last" if parts.kind == "VRPB" else "mixed",
        pickup_only_routes=parts.kind != "VRPB",
        listed_amounts=dimensions > 1,
        listed_vehicles=not (fleet.capacity[0] < math.inf and single(vehicles)),
        **(columns | {"skills": skills}),
    )
    return Instance(
        name=name,
        ids=stops.ids,
        constraints=constraints,
        **constraints.shown(),
        **geometry,
    )


def _check_supported(parts: VrpText) -> None:
    _check_type(parts)
    for name, other in _EITHER_OR:
        place = parts.place(name)
        if place and parts.place(other):
            message = f"given with {other}; give one or the other"
            raise fault(place, message, "CONFLICT")
    if "DISTANCE" in parts.headers:  # CVRPLIB's: a route's length and services
        found = parts.headers["DISTANCE"]
        if {"TIME_WINDOW_SECTION", _PAIRS} & parts.sections.keys():
            message = f"does waiting count? if so, write {MAX_DURATION}, else VEHICLES_MAX_DISTANCE"
            raise found.fault(message, "UNSUPPORTED")
        if found.number() <= 0:
            message = "expected more than 0; leave it out where nothing limits"
            raise found.fault(message, "OUT_OF_RANGE")


def _check_type(parts: VrpText) -> None:
    if "TYPE" not in parts.headers:
        return
    kind = parts.headers["TYPE"]
    if kind.value not in _TYPES:
        known = f"expected one of {', '.join(_TYPES)}; this is a different problem"
        raise kind.fault(_OTHER_TYPES.get(kind.value.upper(), known), "UNSUPPORTED")
    needed = _TYPES[kind.value]
    if needed and not {needed, _PAIRS} & parts.sections.keys():
        raise kind.fault(f"but the file has no {needed}", "MISSING")
    if _PAIRS in parts.sections and needed != _PAIRS:
        message = f"together with {_PAIRS}, where columns mean something else; expected PDPTW"
        raise kind.fault(message, "UNSUPPORTED")


def _groups(parts: VrpText, size: int, clients: Int64, prize: Float64) -> tuple[Group, ...]:
    """Those of two or more clients: one client is served whatever a group says."""
    if _GROUPS not in parts.sections:
        return ()
    section = parts.sections[_GROUPS]
    stops = {node: stop for stop, node in enumerate(clients.tolist(), start=1)}
    known: dict[int, int] = {}
    groups = list[Group]()
    for line, nodes in read_lists(section, len(section.rows), "group", size):
        for node in nodes:
            if node not in stops:
                message = f"node {node} is a depot, expected clients"
                raise section.fault(message, "OUT_OF_RANGE", line)
            if node in known:
                message = f"node {node} is in a group already, on line {known[node]}"
                raise section.fault(message, "DUPLICATE", line)
            known[node] = line
            if len(nodes) > 1 and prize[stops[node] - 1] < math.inf:
                message = f"node {node} has a prize, expected none of clients in groups"
                raise section.fault(message, "CONFLICT", line)
        if len(nodes) > 1:
            groups.append(Group(f"group-{len(groups)}", tuple(stops[node] for node in nodes)))
    if len(groups) > MAX_GROUPS:
        message = f"{len(groups)} groups, the limit is {MAX_GROUPS}"
        raise section.fault(message, "SHAPE")
    return tuple(groups)


class _Stops(NamedTuple):
    """Stops in order.

    Attributes:
        nodes: Of each stop, 1..size.
        ids: Of each stop.
        depots: Window of each depot.
        columns: Of `Constraints`.
    """

    nodes: Sequence[int]
    ids: tuple[int | str, ...]
    depots: Sequence[Window]
    columns: Mapping[str, Float64]


class _Nodes:
    """Data of nodes, section by section."""

    def __init__(
        self, parts: VrpText, size: int, depots: Sequence[int], capacity: Sequence[float]
    ) -> None:
        self._parts, self._size, self._capacity = parts, size, capacity
        self._depots = np.array(depots) - 1

    def clients(self, nodes: Int64) -> _Stops:
        """All nodes but the depots."""
        rows, windows = nodes - 1, self._windows()
        columns: dict[str, Float64] = {"windows": windows[rows][:, None, :]}
        amounts = {}
        for key, name in _AMOUNTS:
            if name in self._parts.sections:
                amounts[key] = self._amounts(name)
                columns[key] = amounts[key].values[rows]
        for key, name in _NUMBERS:
            values = self._numbers(name)
            if values is not None:
                columns[key] = values[rows]
        if "prize" in columns:
            columns["prize"][columns["prize"] == 0] = math.inf
        if self._parts.kind == "VRPB" and len(amounts) == 2:
            both = np.all([table.values.any(axis=1) for table in amounts.values()], axis=0)
            for row in np.flatnonzero(both)[:1].tolist():
                message = "a pickup and a demand, which a VRPB has apart"
                raise fault(amounts["pickup"].place(row), message, "CONFLICT")
        depots = [(float(a), float(b)) for a, b in windows[self._depots].tolist()]
        return _Stops(nodes.tolist(), tuple(rows.tolist()), depots, columns)

    def shipments(self) -> _Stops:
        """Pickups and deliveries in turn."""
        section = self._parts.sections[_PAIRS]
        if len(self._capacity) != 1:
            message = f"one load dimension, but vehicles have {len(self._capacity)}"
            raise section.fault(message, "SHAPE")
        table = read_table(section, self._size, "node demand open close service pickup delivery")
        partners, visits = {}, []
        for row, (demand, opens, closes, service, *pair) in enumerate(table.values.tolist()):
            place, line, node = table.place(row), table.lines[row], row + 1
            check_within(service, f"{place}: service", 0)
            window = check_window([opens, closes], place)
            pickup, delivery = (
                check_number_of(section, line, each, self._size, "node") if each else 0
                for each in pair
            )
            partners[node] = pickup, delivery
            visits.append(Visit(line, node, (0.0, 0.0), demand, service, window))
        own = set(self._depots.tolist())
        depots = [visits[row].check_depot() for row in self._depots]
        others = [visit for row, visit in enumerate(visits) if row not in own]
        pairs = check_pairs(depots, others, partners, self._capacity[0])
        stops = [visit for pair in pairs for visit in pair]
        numbers, columns = [stop.number for stop in stops], visit_columns(stops, "shipment")
        return _Stops(numbers, pair_ids(pairs, -1), [depot.window for depot in depots], columns)

    def _amounts(self, name: str) -> SectionTable:
        """Amounts of all nodes, in the dimensions of the vehicles, and 0 at depots."""
        table = read_amounts(self._parts.sections[name], self._size, "node amount..")
        self._check_values(table)
        if table.values.shape[1] != len(self._capacity):
            message = f"{table.values.shape[1]} load dimensions, vehicles have "
            raise table.section.fault(f"{message}{len(self._capacity)}", "SHAPE")
        check_fits(table.values, self._capacity, table.place)
        return table

    def _check_values(self, table: SectionTable) -> None:
        for row in np.flatnonzero((table.values < 0).any(axis=1))[:1].tolist():
            value = show(float(table.values[row].min()))
            raise fault(
                table.place(row), f"{value} is negative, expected at least 0", "OUT_OF_RANGE"
            )
        for row in self._depots[table.values[self._depots].any(axis=1)][:1].tolist():
            message = f"depot {row + 1} has {show(float(table.values[row].max()))}, expected 0"
            raise fault(table.place(row), message, "OUT_OF_RANGE")

    def _numbers(self, name: str) -> Float64 | None:
        """A number of at least 0 of each node, 0 at depots; None where the file has none."""
        if name in self._parts.headers:
            found = self._parts.headers[name]
            values = np.full(self._size, check_within(found.number(), found.place, 0))
            values[self._depots] = 0.0
            return values
        if f"{name}_SECTION" not in self._parts.sections:
            return None
        table = read_table(self._parts.sections[f"{name}_SECTION"], self._size, "node value")
        self._check_values(table)
        return table.values[:, 0]

    def _windows(self) -> Float64:
        if "TIME_WINDOW_SECTION" not in self._parts.sections:
            return np.full((self._size, 2), ALWAYS)
        section = self._parts.sections["TIME_WINDOW_SECTION"]
        table = read_table(section, self._size, "node opens closes")
        for row, window in enumerate(table.values.tolist()):
            check_window(window, table.place(row))
        return table.values
