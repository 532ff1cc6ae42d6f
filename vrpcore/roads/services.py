"""Requests and replies of each routing service, without a network.

Written from the services' published descriptions: OSRM's table and route services (HTTP API, v1),
Valhalla's time-distance matrix (`sources_to_targets`) and `route`, and openrouteservice's matrix
and directions (v2).
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, NoReturn

import numpy as np

from vrpcore.errors import describe
from vrpcore.instance.instance import Float64
from vrpcore.instance.polyline import decode_polyline

Point = tuple[float, float]  # longitude and latitude in degrees
Reply = Mapping[str, object]
Shape = tuple[int, int]

MAP_POINTS = 1000  # of one question about a way on a map on this machine
_LARGEST = 1e9  # seconds or metres; more is no journey on Earth
_KILOMETRE = 1000.0
_DIGITS = 3  # of metres: 1.001 km are 1001 m, not 1000.9999999999999
_FINE, _COARSE = 6, 5  # digits of the degrees of a way: OSRM's and Valhalla's, openrouteservice's


class MatrixBlock(NamedTuple):
    """A part of a matrix. Sources and targets are the same, or have no point in common."""

    sources: tuple[Point, ...]
    targets: tuple[Point, ...]

    @property
    def shape(self) -> Shape:
        """Rows and columns."""
        return len(self.sources), len(self.targets)

    @property
    def points(self) -> tuple[Point, ...]:
        """Each point once."""
        return self.sources if self.sources == self.targets else self.sources + self.targets

    @property
    def target_indices(self) -> range:
        """Indices of the targets in `points`."""
        first = 0 if self.sources == self.targets else len(self.sources)
        return range(first, first + len(self.targets))


class RoadMatrices(NamedTuple):
    """Durations and distances between locations, row = from, column = to.

    Where no road leads from one to another: NaN in replies, infinite in what `Roads` returns.

    Attributes:
        durations: [R, C] float64; in replies in seconds, from `Roads` in the units asked for.
        distances: [R, C] float64; in replies in metres, likewise.
    """

    durations: Float64
    distances: Float64


class Ask(NamedTuple):
    """A request.

    Attributes:
        path: Behind the service's URL.
        body: Sent as JSON by POST; None: GET.
        optional: The answer is good without the reply, so nobody waits long for it.
    """

    path: str
    body: Mapping[str, object] | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A kind of routing service.

    Attributes:
        profile: Where nothing else is said.
        ask: The request for a piece with a profile.
        read: A reply as a block of a shape; ValueError says what is wrong with it.
        ask_way: The request for the way by some points with a profile.
        read_way: A reply as longitudes and latitudes; ValueError as for `read`.
        way_points: Most of one request, which its public servers take; of a map, our own limit.
        refusal: What the service says is wrong with the request, None if nothing is.
        profiles: What it calls the vehicles that others call so.
        key_variable: The environment variable with its key; None: it takes none.
    """

    profile: str
    ask: Callable[[MatrixBlock, str], Ask]
    read: Callable[[Reply, Shape], RoadMatrices]
    ask_way: Callable[[Sequence[Point], str], Ask]
    read_way: Callable[[Reply], list[Point]]
    way_points: int
    refusal: Callable[[Reply], str | None]
    profiles: Mapping[str, str] = field(default_factory=dict)
    key_variable: str | None = None


def parse_reply(data: bytes) -> tuple[Reply | None, str]:
    """A JSON object; where it is something else, None and what it is."""
    try:
        value = json.loads(data, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        head = data[:40].decode("utf-8", "replace")
        return None, f"not JSON (it begins with {describe(head)})"
    return (value, "") if isinstance(value, dict) else (None, "no JSON object")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def read_table(value: object, name: str, shape: Shape) -> Float64:
    """A table of numbers of at least 0, or null.

    Args:
        value: Rows.
        name: Begins the message.
        shape: R and C.

    Returns:
        [R, C] float64, NaN for null.

    Raises:
        ValueError: It is something else.
    """
    rows, columns = shape
    if not isinstance(value, list) or len(value) != rows:
        raise ValueError(f"{name}: {_found(value)}, expected a list of {rows} rows")
    table = np.empty(shape)
    for index, row in enumerate(value):
        if not isinstance(row, list) or len(row) != columns:
            place = f"{name}[{index}]"
            raise ValueError(f"{place}: {_found(row)}, expected a list of {columns} numbers")
        table[index] = [_number(item, f"{name}[{index}]", place) for place, item in enumerate(row)]
    return table


def _found(value: object) -> str:
    return "missing" if value is None else describe(value)


def _number(value: object, row: str, column: int) -> float:
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LARGEST:
        expected = f"expected a number from 0 to {_LARGEST:.0e}, or null"
        raise ValueError(f"{row}[{column}]: {describe(value)}, {expected}")
    return float(value)


def _listed(indices: Sequence[int]) -> str:
    return ";".join(map(str, indices))


def _osrm_points(points: Sequence[Point]) -> str:
    return ";".join(f"{longitude:.6f},{latitude:.6f}" for longitude, latitude in points)


def _ask_osrm(piece: MatrixBlock, profile: str) -> Ask:
    path = f"/table/v1/{profile}/{_osrm_points(piece.points)}?annotations=duration,distance"
    if piece.sources != piece.targets:
        sources = _listed(range(len(piece.sources)))
        path += f"&sources={sources}&destinations={_listed(piece.target_indices)}"
    return Ask(path)


def _ask_osrm_way(points: Sequence[Point], profile: str) -> Ask:
    query = "overview=full&geometries=polyline6"
    return Ask(f"/route/v1/{profile}/{_osrm_points(points)}?{query}")


def _read_route(reply: Reply, digits: int) -> list[Point]:
    """The way of the first route."""
    rows = reply.get("routes")
    if not isinstance(rows, list) or not rows or not isinstance(rows[0], Mapping):
        raise ValueError("routes: missing, expected a list of objects")
    return _line(rows[0].get("geometry"), "routes[0].geometry", digits)


def _line(value: object, place: str, digits: int) -> list[Point]:
    if not isinstance(value, str):
        raise ValueError(f"{place}: {_found(value)}, expected text")
    try:
        points = decode_polyline(value, digits)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
    if not points:
        raise ValueError(f"{place}: no points")
    return points


def _read_tables(reply: Reply, shape: Shape) -> RoadMatrices:
    return RoadMatrices(
        read_table(reply.get("durations"), "durations", shape),
        read_table(reply.get("distances"), "distances", shape),
    )


def _osrm_refusal(reply: Reply) -> str | None:
    code = reply.get("code")
    if not isinstance(code, str) or code == "Ok":
        return None
    message = reply.get("message")
    return f"{code}: {message}" if isinstance(message, str) else code


def _valhalla_points(points: Sequence[Point]) -> list[dict[str, float]]:
    return [{"lat": latitude, "lon": longitude} for longitude, latitude in points]


def _ask_valhalla(piece: MatrixBlock, profile: str) -> Ask:
    body = {
        "sources": _valhalla_points(piece.sources),
        "targets": _valhalla_points(piece.targets),
        "costing": profile,
        "units": "kilometers",
    }
    return Ask("/sources_to_targets", body)


def _ask_valhalla_way(points: Sequence[Point], profile: str) -> Ask:
    body = {"locations": _valhalla_points(points), "costing": profile, "directions_type": "none"}
    return Ask("/route", body)


def _read_valhalla_way(reply: Reply) -> list[Point]:
    trip = reply.get("trip")
    legs = trip.get("legs") if isinstance(trip, Mapping) else None
    if not isinstance(legs, list) or not legs:
        raise ValueError("trip.legs: missing, expected a list of objects")
    found: list[Point] = []
    for index, leg in enumerate(legs):
        shape = leg.get("shape") if isinstance(leg, Mapping) else None
        found += _line(shape, f"trip.legs[{index}].shape", _FINE)
    return found


def _read_valhalla(reply: Reply, shape: Shape) -> RoadMatrices:
    name = "sources_to_targets"
    if reply.get("units", "kilometers") != "kilometers":
        raise ValueError(f"units: {describe(reply['units'])}, expected kilometers")
    rows = reply.get(name)
    if not isinstance(rows, list) or len(rows) != shape[0]:
        raise ValueError(f"{name}: {_found(rows)}, expected a list of {shape[0]} rows")
    times: list[list[object]] = []
    lengths: list[list[object]] = []
    for index, row in enumerate(rows):
        place = f"{name}[{index}]"
        if not isinstance(row, list) or not all(isinstance(item, Mapping) for item in row):
            raise ValueError(f"{place}: {_found(row)}, expected a list of objects")
        order = [(item.get("from_index"), item.get("to_index")) for item in row]
        if order != [(index, column) for column in range(shape[1])]:
            raise ValueError(f"{place}: expected from {index} to 0 .. {shape[1] - 1}, in order")
        times.append([item.get("time") for item in row])
        lengths.append([item.get("distance") for item in row])
    durations = read_table(times, f"{name}.time", shape)
    metres = read_table(lengths, f"{name}.distance", shape) * _KILOMETRE
    return RoadMatrices(durations, np.round(metres, _DIGITS))


def _valhalla_refusal(reply: Reply) -> str | None:
    message, code = reply.get("error"), reply.get("error_code")
    if not isinstance(message, str):
        return None
    return f"{message} (error_code {code})" if isinstance(code, int) else message


def _ask_ors(piece: MatrixBlock, profile: str) -> Ask:
    body = {
        "locations": [list(point) for point in piece.points],
        "sources": [str(index) for index in range(len(piece.sources))],
        "destinations": [str(index) for index in piece.target_indices],
        "metrics": ["duration", "distance"],
        "units": "m",
    }
    return Ask(f"/v2/matrix/{profile}", body)


def _ask_ors_way(points: Sequence[Point], profile: str) -> Ask:
    body = {"coordinates": [list(point) for point in points], "instructions": False}
    return Ask(f"/v2/directions/{profile}", body)


def _ors_refusal(reply: Reply) -> str | None:
    error = reply.get("error")
    if not isinstance(error, Mapping):
        return error if isinstance(error, str) else None
    return f"{error.get('message')} (code {error.get('code')})"


OSRM = Service(
    profile="driving",
    ask=_ask_osrm,
    read=_read_tables,
    ask_way=_ask_osrm_way,
    read_way=partial(_read_route, digits=_FINE),
    way_points=100,
    refusal=_osrm_refusal,
)
VALHALLA = Service(
    profile="auto",
    ask=_ask_valhalla,
    read=_read_valhalla,
    ask_way=_ask_valhalla_way,
    read_way=_read_valhalla_way,
    way_points=20,
    refusal=_valhalla_refusal,
    profiles={"car": "auto", "bike": "bicycle", "foot": "pedestrian"},
)
ORS = Service(
    profile="driving-car",
    ask=_ask_ors,
    read=_read_tables,
    ask_way=_ask_ors_way,
    read_way=partial(_read_route, digits=_COARSE),
    way_points=50,
    refusal=_ors_refusal,
    profiles={
        "car": "driving-car",
        "truck": "driving-hgv",
        "bike": "cycling-regular",
        "foot": "foot-walking",
    },
    key_variable="ORS_API_KEY",
)
KNOWN: Mapping[str, Service] = {
    "osrm": OSRM,
    "valhalla": VALHALLA,
    "ors": ORS,
    "osm": replace(VALHALLA, way_points=MAP_POINTS),
}
