"""JSON documents of instances as the oracle reads them: plain lists and dictionaries.

Valid documents alone; nothing of the product is imported.
"""

import math
from typing import NamedTuple

ALWAYS = (-math.inf, math.inf)
EARTH_RADIUS_M = 6_371_008.8
METRICS = {
    "euclidean": lambda length: length,
    "euc_2d": lambda length: float(math.floor(length + 0.5)),
    "ceil_2d": lambda length: float(math.ceil(length)),
}


class _Stop(NamedTuple):
    """`change` is what a shipment's stop takes on board; `unit` the place of its unit.

    Attributes:
        max_late: By how much it may begin after its last window.
        late_cost: Of each unit of that.
        max_ride: To it, of a shipment.
        name: As relations and answers call it.
    """

    unit: int
    place: dict
    windows: list
    demand: list
    pickup: list
    change: list
    name: str
    max_late: float
    late_cost: float
    max_ride: float
    first: bool = True

    @property
    def closes(self):
        """The end of its last window."""
        return self.windows[-1][1]


class _Unit(NamedTuple):
    """A customer or a shipment; `prize` is None for those who are required.

    Attributes:
        types: Indices of the vehicle types that may serve it, skills apart.
        vehicle_cost: By id of a type, what it costs more.
        board: The type that has it on board; None: it is no such shipment.
    """

    name: str
    stops: int
    release: float
    prize: float | None
    priority: float
    skills: set
    types: set
    vehicle_cost: dict
    board: int | None


class _Group(NamedTuple):
    """Alternatives: places of units; `prize` is None where one is required."""

    name: str
    members: tuple
    prize: float | None
    priority: float


class _Relation(NamedTuple):
    """Places of stops; `vehicle` is the index of a type, `at` an end of the route."""

    kind: str
    stops: tuple
    vehicle: int | None
    at: str | None


class PlainProblem:
    """A document, with what is missing filled in."""

    def __init__(self, document):
        self.document = document
        self.depots = [_depot(row, place) for place, row in enumerate(_depot_rows(document))]
        self.vehicles = get(document, "vehicles", None) or [_short(document)]
        self.type_ids = [str(get(row, "id", place)) for place, row in enumerate(self.vehicles)]
        self.units, self.stops = [], []
        rows = _customer_rows(document)
        shipments = get(document, "shipments", [])
        breaks = [row for each in self.vehicles for row in get(each, "breaks", [])]
        size = _dimensions([*rows, *shipments, *self.vehicles, *breaks])
        for number, row in enumerate(rows, start=1):
            amounts = [amounts_of(row, key, size) for key in ("demand", "pickup")]
            self._add(get(row, "id", number), row, [("", row, *amounts, [0] * size)])
        for row in shipments:
            none, amount = [0] * size, amounts_of(row, "amount", size)
            off = [-each for each in amount]
            ends = [(":delivery", row["delivery"], none, none, off)]
            if get(row, "on_board", None) is None:
                ends.insert(0, (":pickup", row["pickup"], none, none, amount))
            self._add(row["id"], row, ends)
        self.lengths, self.times = self._ways()
        self.groups, self.relations = list(self._groups()), list(self._relations())

    def _add(self, name, row, stops):
        unit = _Unit(
            str(name),
            len(stops),
            get(row, "release", -math.inf),
            get(row, "prize", None),
            get(row, "priority", 0),
            set(get(row, "skills", [])),
            {self.type_ids.index(str(each)) for each in get(row, "vehicles", self.type_ids)},
            get(row, "vehicle_cost", {}),
            None if (board := get(row, "on_board", None)) is None else self._type(board),
        )
        for index, (end, place, *amounts) in enumerate(stops):
            windows = get(place, "windows", None) or [get(place, "window", ALWAYS)]
            late = allowance(place, "max_late", "late_cost")
            own = (*amounts, f"{name}{end}", *late, get(row, "max_ride", math.inf), index == 0)
            self.stops.append(_Stop(len(self.units), place, windows, *own))
        self.units.append(unit)

    def wanted(self):
        """Groups, and units that are in none: each has a `name`, a `prize` and a `priority`."""
        members = {member for group in self.groups for member in group.members}
        alone = [unit for place, unit in enumerate(self.units) if place not in members]
        return [*alone, *self.groups]

    def absent(self, served):
        """Of these, who is left out where units with these places are served."""
        names = {self.units[place].name for place in served}
        names |= {group.name for group in self.groups if served & set(group.members)}
        return [each for each in self.wanted() if each.name not in names]

    def _type(self, name):
        return self.type_ids.index(str(name))

    def _groups(self):
        names = [unit.name for unit in self.units]
        for place, row in enumerate(get(self.document, "groups", [])):
            yield _Group(
                str(get(row, "id", f"group-{place}")),
                tuple(names.index(str(member)) for member in row["members"]),
                get(row, "prize", None),
                get(row, "priority", 0),
            )

    def _relations(self):
        names = [stop.name for stop in self.stops]
        for row in get(self.document, "relations", []):
            vehicle = get(row, "vehicle", None)
            stops = tuple(names.index(str(name)) for name in row["stops"])
            vehicle = None if vehicle is None else self._type(vehicle)
            yield _Relation(row["kind"], stops, vehicle, get(row, "at", None))

    def _ways(self):
        """The instance's own lengths and durations."""
        document = self.document
        lengths, times = _matrix(document, "distances"), _matrix(document, "durations")
        places = [*self.depots, *(stop.place for stop in self.stops)]
        if lengths is None and "x" in places[0]:
            metric = get(document, "metric", "euclidean")
            lengths = [[_length(metric, first, last) for last in places] for first in places]
        lengths = lengths or times
        speed = get(document, "speed", 1)
        return lengths, times or [[length / speed for length in row] for row in lengths or []]

    def ways_of(self, vehicle):
        """Lengths and durations of legs for a vehicle."""
        lengths, times = self.lengths, self.times
        if (name := get(vehicle, "matrix", None)) is not None:
            own, speed = self.document["matrices"][name], get(self.document, "speed", 1)
            lengths = _matrix(own, "distances") or lengths
            times = _matrix(own, "durations") or [[each / speed for each in row] for row in lengths]
        factor = get(vehicle, "speed", 1)
        return lengths, [[each / factor for each in row] for row in times]

    def costs_of(self, vehicle):
        """Costs of legs where they are given."""
        if (name := get(vehicle, "matrix", None)) is not None:
            return _matrix(self.document["matrices"][name], "costs")
        return _matrix(self.document, "costs")

    def service_of(self, row, node, number):
        """Setup and service of a stop for a type that comes from a node; None: from nowhere."""
        place, name = self.stops[number].place, self.type_ids[row]
        times = {
            key: get(get(place, f"{key}_by_vehicle", {}), name, get(place, key, 0))
            for key in ("service", "setup")
        }
        same = node is not None and self.same_place(node, len(self.depots) + number)
        return times["service"] + (0 if same else times["setup"])

    def same_place(self, first, second):
        """Whether two nodes have the same number of a place, or both none and equal points."""
        places = [*self.depots, *(stop.place for stop in self.stops)]
        one, other = places[first], places[second]
        if get(one, "place", None) is not None or get(other, "place", None) is not None:
            return get(one, "place", None) == get(other, "place", None)
        if "x" not in one:
            return first == second
        return (one["x"], one["y"]) == (other["x"], other["y"])

    def depot_of(self, vehicle, key, default):
        """Index of the depot where a vehicle starts or ends; None: nowhere."""
        if key not in vehicle:
            return default
        if vehicle[key] is None:
            return None
        return [depot["id"] for depot in self.depots].index(str(vehicle[key]))


def get(row, key, default):
    """A value; null means missing."""
    value = row.get(key)
    return default if value is None else value


def allowance(row, most, price):
    """By how much a limit may be exceeded, and at what price; 0 where neither is said."""
    if get(row, most, None) is None and get(row, price, None) is None:
        return 0.0, 0.0
    return get(row, most, math.inf), get(row, price, 0.0)


def _matrix(owner, key):
    """Rows, infinite where there is no road; None where they are not given."""
    rows = get(owner, key, None)
    return rows and [[math.inf if each is None else each for each in row] for row in rows]


def _depot_rows(document):
    depots = get(document, "depots", None)
    return [get(document, "depot", {})] if depots is None else depots


def _depot(row, place):
    if isinstance(row, list):
        row = {"x": row[0], "y": row[1]}
    opens, closes = get(row, "window", ALWAYS)
    return row | {"id": str(get(row, "id", place)), "opens": opens, "closes": closes}


def _short(document):
    """The short form as a vehicle type."""
    vehicle = {"capacity": document["capacity"], "count": document.get("max_vehicles")}
    return vehicle if get(document, "return_to_depot", True) else vehicle | {"end": None}


def _customer_rows(document):
    if (rows := get(document, "customers", None)) is not None:
        return rows
    keys = {"demands": "demand", "windows": "window", "services": "service"}
    keys |= {"pickups": "pickup", "prizes": "prize"}
    rows = [{} for _ in get(document, "demands", [])]
    for key, name in keys.items():
        for row, value in zip(rows, document.get(key) or [], strict=False):
            row[name] = value
    for row, point in zip(rows, document.get("coords") or [], strict=False):
        row["x"], row["y"] = point
    return rows


def _dimensions(rows):
    for row in rows:
        for key in ("demand", "pickup", "amount", "capacity", "max_load", "initial_load"):
            if isinstance(row.get(key), list):
                return len(row[key])
    return 1


def amounts_of(row, key, size, missing=0):
    value = get(row, key, [missing] * size)
    return value if isinstance(value, list) else [value]


def _length(metric, first, last):
    if metric == "haversine":
        west, south, east, north = (
            math.radians(value) for value in (first["x"], first["y"], last["x"], last["y"])
        )
        half = math.sin((north - south) / 2) ** 2
        half += math.cos(south) * math.cos(north) * math.sin((east - west) / 2) ** 2
        return 2 * EARTH_RADIUS_M * math.asin(math.sqrt(half))
    return METRICS[metric](math.hypot(first["x"] - last["x"], first["y"] - last["y"]))
