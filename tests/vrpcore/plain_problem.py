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
    """`change` is what a shipment's stop takes on board; `unit` the place of its unit."""

    unit: int
    place: dict
    windows: list
    demand: list
    pickup: list
    change: list
    first: bool = True


class _Unit(NamedTuple):
    """A customer or a shipment; `prize` is None for those who are required."""

    name: str
    stops: int
    release: float
    prize: float | None
    priority: float
    skills: set


class PlainProblem:
    """A document, with what is missing filled in."""

    def __init__(self, document):
        self.document = document
        self.depots = [_depot(row, place) for place, row in enumerate(_depot_rows(document))]
        self.vehicles = get(document, "vehicles", None) or [_short(document)]
        self.units, self.stops = [], []
        rows = _customer_rows(document)
        shipments = get(document, "shipments", [])
        breaks = [row for each in self.vehicles for row in get(each, "breaks", [])]
        size = _dimensions([*rows, *shipments, *self.vehicles, *breaks])
        for number, row in enumerate(rows, start=1):
            amounts = [amounts_of(row, key, size) for key in ("demand", "pickup")]
            self._add(get(row, "id", number), row, [(row, *amounts, [0] * size)])
        for row in shipments:
            none, amount = [0] * size, amounts_of(row, "amount", size)
            off = [-each for each in amount]
            ends = [(row["pickup"], none, none, amount), (row["delivery"], none, none, off)]
            self._add(row["id"], row, ends)
        self.lengths, self.times = self._ways()

    def _add(self, name, row, stops):
        unit = _Unit(
            str(name),
            len(stops),
            get(row, "release", -math.inf),
            get(row, "prize", None),
            get(row, "priority", 0),
            set(get(row, "skills", [])),
        )
        for index, (place, demand, pickup, change) in enumerate(stops):
            windows = get(place, "windows", None) or [get(place, "window", ALWAYS)]
            own = (place, windows, demand, pickup, change, index == 0)
            self.stops.append(_Stop(len(self.units), *own))
        self.units.append(unit)

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

    def service_of(self, vehicle, node, number):
        """Setup and service of a stop for who comes from a node; None: from nowhere."""
        place, row = self.stops[number].place, self.vehicles.index(vehicle)
        name = str(get(vehicle, "id", row))
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
        for key in ("demand", "pickup", "amount", "capacity", "max_load"):
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
