"""PyVRP's dialect of `.vrp` in: depots, vehicles, times, prizes, shipments and groups.

PyVRP ignores what it does not know. Here, everything is read or refused by its name.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from vrpcore.errors import describe, fault, show
from vrpcore.formats.json.assembly import Base, constrained_instance
from vrpcore.formats.json.keys import check_fits, check_not_negative, check_window
from vrpcore.formats.text.lilim import check_pairs, pair_ids
from vrpcore.formats.text.pyvrp_fleet import MAX_DURATION, RELOADS, read_fleet, served_by, single
from vrpcore.formats.text.pyvrp_groups import GROUPS, read_groups
from vrpcore.formats.text.rows import Visit, visit_columns
from vrpcore.formats.text.vrptables import (
    Table,
    check_number_of,
    read_depots,
    read_dimension,
    read_geometry,
    read_table,
)
from vrpcore.formats.text.vrptext import DIALECT_HEADERS, DIALECT_SECTIONS, VrpText
from vrpcore.instance.constraints import MAX_DIMENSIONS, Constraints, Int64, plain_columns
from vrpcore.instance.instance import Float64, Instance
from vrpcore.instance.vehicle_types import ALWAYS, MAX_DEPOTS, Depot, Window

_PAIRS = "PICKUP_AND_DELIVERY_SECTION"
# Kinds of problems, and the section without which a file would be another one.
_TYPES: Mapping[str, str] = {
    "CVRP": "",
    "ACVRP": "",
    "HFVRP": "",
    "MDVRP": "",
    "CVRPTW": "TIME_WINDOW_SECTION",
    "VRPTW": "TIME_WINDOW_SECTION",
    "MDVRPTW": "TIME_WINDOW_SECTION",
    "SDVRPTW": "TIME_WINDOW_SECTION",
    "PCVRP": "PRIZE_SECTION",
    "PCVRPTW": "PRIZE_SECTION",
    "CPTP": "PRIZE_SECTION",
    "VRPB": "BACKHAUL_SECTION",
    "VRPMPD": "BACKHAUL_SECTION",
    "VRPSPD": "BACKHAUL_SECTION",
    "PDP": _PAIRS,
    "PDPTW": _PAIRS,
    "GVRP": GROUPS,
    "GTSP": GROUPS,
    "MTVRP": RELOADS,
    "MTVRPTW": RELOADS,
    "MTVRPTWR": RELOADS,
}
_PLAIN_TYPES = ("CVRP", "ACVRP")  # an asymmetric matrix is read like any other
# What to write in place of other kinds, or that they are not there.
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
    **dict.fromkeys(
        ("M-PDTSP", "MPDTSP", "1-PDTSP", "PDTSP"),
        "pickups and deliveries on one tour are read as TYPE : PDP with VEHICLES : 1 and "
        f"{_PAIRS}; a commodity with several sources or sinks is not supported",
    ),
    **dict.fromkeys(("SDVRP", "SDCVRP"), "a customer served by several vehicles is not supported"),
    **dict.fromkeys(("SOP", "HCP"), "an order of nodes, or a mere tour, is not supported"),
    "TSPTW": "one tour with windows: write TYPE : VRPTW, and VEHICLES : 1",
    "PVRP": "customers who are visited on several days are not supported; solve day by day",
}
_CLIENTS = (
    "DEMAND_SECTION", "LINEHAUL_SECTION", "BACKHAUL_SECTION", "TIME_WINDOW_SECTION",
    "SERVICE_TIME_SECTION", "RELEASE_TIME_SECTION", "PRIZE_SECTION",
)  # fmt: skip


def has_constraints(parts: VrpText) -> bool:
    """Whether a file asks for more than one capacity and one depot."""
    kind = parts.headers.get("TYPE")
    return (
        not parts.sections.keys().isdisjoint(DIALECT_SECTIONS)
        or not parts.headers.keys().isdisjoint(DIALECT_HEADERS)
        or (kind is not None and kind.value not in _PLAIN_TYPES)
    )


def read_pyvrp(parts: VrpText, name: str) -> Instance:
    """Reads one instance; the duration of a leg is its length.

    A client's id is its node - 1, and the shipment from node 4 to node 5 has the id "3-4":
    the numbers that routes have in `.sol` files. Several depots are the first nodes. Vehicles
    that are alike are one type, in the order of the first of each. Clients that not all
    vehicles may serve ask for a skill. A prize of 0 means required. Of a group, one client is
    served. In a VRPB, no route begins with a pickup.

    Args:
        parts: The file, for which `has_constraints`.
        name: The instance's name.

    Raises:
        InstanceError: Something in it is wrong or not supported; the message names the line.

    Source:
        https://pyvrp.org/dev/supported_vrplib_fields.html
    """
    _check_supported(parts)
    size = read_dimension(parts)
    depots = _depots(parts, size)
    clients = np.array([node for node in range(1, size + 1) if node not in set(depots)], np.int64)
    nodes = _Nodes(parts, size, depots)
    fleet = read_fleet(parts, size, depots)
    stops = (
        nodes.shipments(fleet.capacity)
        if _PAIRS in parts.sections
        else nodes.clients(clients, fleet.capacity)
    )
    opens = min([0.0, *(window[0] for window in stops.depots if window != ALWAYS)])
    vehicles, skills = served_by(fleet, stops.nodes, (opens, math.inf))
    geometry = read_geometry(parts, size)
    order = np.array([*depots, *stops.nodes], np.int64) - 1
    dimensions = len(fleet.capacity)
    listed = not (fleet.capacity[0] < math.inf and single(vehicles))
    constraints = Constraints(
        depots=tuple(Depot(id=str(i), window=window) for i, window in enumerate(stops.depots)),
        vehicles=vehicles,
        groups=read_groups(parts, size, clients),
        num_shipments=len(stops.nodes) // 2 if _PAIRS in parts.sections else 0,
        backhauls="last" if _is_vrpb(parts) else "mixed",
        pickup_only_routes=not _is_vrpb(parts),
        listed_amounts=dimensions > 1,
        listed_vehicles=listed,
        **(plain_columns(len(stops.nodes), dimensions) | dict(stops.columns) | {"skills": skills}),
    )
    coords, matrix = geometry.coords, geometry.distances
    base = Base(
        stops.ids,
        None if coords is None else coords[order],
        None if matrix is None else matrix[np.ix_(order, order)],
        constraints,
    )
    return constrained_instance(name, base, geometry.metric)


def _is_vrpb(parts: VrpText) -> bool:
    kind = parts.headers.get("TYPE")
    return kind is not None and kind.value == "VRPB"


def _check_supported(parts: VrpText) -> None:
    _check_type(parts)
    for name in ("SERVICE_TIME", "RELEASE_TIME", "CAPACITY", *_of_vehicles()):
        if name in parts.headers and f"{name}_SECTION" in parts.sections:
            message = f"given with {name}_SECTION; give one or the other"
            raise fault(parts.headers[name].place, message, "CONFLICTING_KEYS")
    if {"DEMAND_SECTION", "LINEHAUL_SECTION"} <= parts.sections.keys():
        line = parts.sections["LINEHAUL_SECTION"].line
        message = "given with DEMAND_SECTION; give one or the other"
        raise fault(f"line {line}: LINEHAUL_SECTION", message, "CONFLICTING_KEYS")
    if "DISTANCE" in parts.headers:
        _check_distance(parts)
    if _PAIRS in parts.sections:
        if GROUPS in parts.sections:
            place = f"line {parts.sections[GROUPS].line}: {GROUPS}"
            message = f"groups of shipments, with {_PAIRS}, are not supported"
            raise fault(place, message, "UNSUPPORTED")
        for name in _CLIENTS:
            if name in parts.sections:
                place = f"line {parts.sections[name].line}: {name}"
                message = f"given with {_PAIRS}, which says it for each node; leave it out"
                raise fault(place, message, "CONFLICTING_KEYS")
        for name in ("SERVICE_TIME", "RELEASE_TIME"):
            if name in parts.headers:
                message = f"given with {_PAIRS}, which says it for each node; leave it out"
                raise fault(parts.headers[name].place, message, "CONFLICTING_KEYS")


def _check_distance(parts: VrpText) -> None:
    """CVRPLIB's limit of a route: its length and its services, which is not said with windows."""
    found = parts.headers["DISTANCE"]
    for name in (MAX_DURATION, f"{MAX_DURATION}_SECTION"):
        if name in parts.headers or name in parts.sections:
            message = f"given with {name}; give one or the other"
            raise fault(found.place, message, "CONFLICTING_KEYS")
    if {"TIME_WINDOW_SECTION", _PAIRS} & parts.sections.keys():
        message = f"does waiting count? if so, write {MAX_DURATION}, else VEHICLES_MAX_DISTANCE"
        raise found.fault(message, "UNSUPPORTED")
    if found.number() <= 0:
        raise found.fault("expected more than 0; leave it out where nothing limits", "NOT_POSITIVE")


def _of_vehicles() -> Iterator[str]:
    return (name for name in DIALECT_HEADERS if name.startswith("VEHICLES"))


def _check_type(parts: VrpText) -> None:
    kind = parts.headers.get("TYPE")
    if kind is None:
        return
    if kind.value not in _TYPES:
        known = f"expected one of {', '.join(_TYPES)}; this is a different problem"
        message = _OTHER_TYPES.get(kind.value.upper(), known)
        raise kind.fault(message, "UNSUPPORTED")
    needed = _TYPES[kind.value]
    if needed and not {needed, _PAIRS} & parts.sections.keys():
        raise kind.fault(f"but the file has no {needed}", "MISSING_SECTION")
    if _PAIRS in parts.sections and needed != _PAIRS:
        message = f"together with {_PAIRS}, where columns mean something else; expected PDPTW"
        raise kind.fault(message, "UNSUPPORTED")


def _depots(parts: VrpText, size: int) -> list[int]:
    """Nodes of the depots: any one, or the first of all."""
    depots = read_depots(parts, size)
    if len(depots) == 1:
        return depots
    place = f"line {parts.sections['DEPOT_SECTION'].line}: DEPOT_SECTION"
    if not 1 <= len(depots) <= MAX_DEPOTS:
        message = f"{len(depots)} depots, expected 1 to {MAX_DEPOTS}"
        raise fault(place, message, "SHAPE")
    if depots != list(range(1, len(depots) + 1)):
        message = f"several depots are the nodes from 1 to {len(depots)}, in this order"
        raise fault(place, f"{describe(depots[0])} ...: {message}", "DEPOTS_NOT_FIRST")
    return depots


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
    columns: Mapping[str, object]


class _Nodes:
    """What is said of nodes, section by section."""

    def __init__(self, parts: VrpText, size: int, depots: Sequence[int]) -> None:
        self._parts, self._size = parts, size
        self._depots = np.array(depots) - 1

    def _table(self, name: str, columns: str) -> Table | None:
        if name not in self._parts.sections:
            return None
        return read_table(self._parts.sections[name], self._size, columns)

    def clients(self, nodes: Int64, capacity: Sequence[float]) -> _Stops:
        """All nodes but the depots."""
        rows = nodes - 1
        delivery = self._amounts("DEMAND_SECTION")
        if delivery is None:
            delivery = self._amounts("LINEHAUL_SECTION")
        pickup = self._amounts("BACKHAUL_SECTION")
        windows = self._windows()
        prize = self._times("PRIZE_SECTION")
        columns: dict[str, object] = {
            "windows": windows[rows][:, None, :],
            "service": self._times("SERVICE_TIME_SECTION", "SERVICE_TIME")[rows],
            "prize": np.where(prize > 0, prize, math.inf)[rows],
        }
        if "RELEASE_TIME" in self._parts.headers or "RELEASE_TIME_SECTION" in self._parts.sections:
            columns["release"] = self._times("RELEASE_TIME_SECTION", "RELEASE_TIME")[rows]
        self._check_amounts(delivery, pickup, capacity)
        for key, table in (("delivery", delivery), ("pickup", pickup)):
            if table is not None:
                columns[key] = table.values[rows]
        depots = [(float(a), float(b)) for a, b in windows[self._depots].tolist()]
        return _Stops(nodes.tolist(), tuple(rows.tolist()), depots, columns)

    def shipments(self, capacity: Sequence[float]) -> _Stops:
        """Pickups and deliveries in turn."""
        names = "node demand open close service pickup delivery"
        table = read_table(self._parts.sections[_PAIRS], self._size, names)
        partners, visits = {}, []
        for row, (demand, opens, closes, service, *pair) in enumerate(table.values.tolist()):
            place = table.place(row)
            window = check_window([opens, closes], place)
            line, node = table.lines[row], row + 1
            check_not_negative(service, f"{place}: service")
            pickup, delivery = (
                check_number_of(table.section, line, each, self._size, "node") if each else 0
                for each in pair
            )
            partners[node] = pickup, delivery
            visits.append(Visit(line, node, (0.0, 0.0), demand, service, window))
        for index in self._depots.tolist():
            if partners[index + 1] != (0, 0):
                message = "the depot has a pickup or a delivery, expected 0 and 0"
                raise visits[index].check_depot().fault(message, "NO_PARTNER")
            visits[index].check_depot()
        others = [v for i, v in enumerate(visits) if i not in set(self._depots.tolist())]
        if len(capacity) != 1:
            message = f"one load dimension, but vehicles have {len(capacity)}"
            raise table.section.fault(message, "MIXED_AMOUNTS")
        pairs = check_pairs(others, partners, capacity[0])
        stops = [visit for pair in pairs for visit in pair]
        depots = [visits[index].window for index in self._depots.tolist()]
        numbers, columns = [stop.number for stop in stops], visit_columns(stops, "shipment")
        return _Stops(numbers, pair_ids(pairs, -1), depots, columns)

    def _amounts(self, name: str) -> Table | None:
        """Amounts of all nodes, at least 0, and 0 at depots."""
        table = self._table(name, "node amount..")
        if table is not None:
            if table.values.shape[1] > MAX_DIMENSIONS:
                message = f"{table.values.shape[1]} load dimensions, the limit is {MAX_DIMENSIONS}"
                raise table.section.fault(message, "SHAPE")
            self._check_values(table, "DEMAND_NEGATIVE", "DEPOT_DEMAND")
        return table

    def _check_values(self, table: Table, negative: str, depot: str) -> None:
        for row in np.flatnonzero((table.values < 0).any(axis=1))[:1].tolist():
            value = show(float(table.values[row].min()))
            raise fault(table.place(row), f"{value} is negative, expected at least 0", negative)
        for row in self._depots[table.values[self._depots].any(axis=1)][:1].tolist():
            message = f"depot {row + 1} has {show(float(table.values[row].max()))}, expected 0"
            raise fault(table.place(row), message, depot)

    def _times(self, name: str, header: str = "") -> Float64:
        """One number of at least 0 for each node; 0 at depots."""
        values = np.zeros(self._size)
        if header in self._parts.headers:
            found = self._parts.headers[header]
            values[:] = check_not_negative(found.number(), found.place)
            values[self._depots] = 0.0
        table = self._table(name, "node value")
        if table is not None:
            self._check_values(table, "NEGATIVE", "DEPOT_DEMAND")
            values = table.values[:, 0]
        return values

    def _windows(self) -> Float64:
        table = self._table("TIME_WINDOW_SECTION", "node opens closes")
        if table is None:
            return np.full((self._size, 2), ALWAYS)
        for row, window in enumerate(table.values.tolist()):
            check_window(window, table.place(row))
        return table.values

    def _check_amounts(
        self, delivery: Table | None, pickup: Table | None, capacity: Sequence[float]
    ) -> None:
        """That amounts have the dimensions of the vehicles and fit, and a VRPB's are apart."""
        for table in (delivery, pickup):
            if table is None:
                continue
            if table.values.shape[1] != len(capacity):
                message = f"{table.values.shape[1]} load dimensions, vehicles have "
                raise table.section.fault(f"{message}{len(capacity)}", "MIXED_AMOUNTS")
            check_fits(table.values, capacity, table.place)
        if _is_vrpb(self._parts) and delivery is not None and pickup is not None:
            both = delivery.values.any(axis=1) & pickup.values.any(axis=1)
            for row in np.flatnonzero(both)[:1].tolist():
                message = "a pickup and a demand, which a VRPB has apart"
                raise fault(pickup.place(row), message, "CONFLICTING_KEYS")
