"""Requests for the way along roads, by routing service, and their replies.

Written from the services' published descriptions: OSRM's route service (HTTP API, v1), Valhalla's
`route`, and openrouteservice's directions (v2).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from vrpcore.errors import describe
from vrpcore.instance.polyline import decode_polyline
from vrpcore.roads.services import Ask, Point, Reply

MAP_POINTS = 1000  # of one question about a map on this machine
_FINE = 6  # digits of OSRM's and Valhalla's degrees


class Directions(NamedTuple):
    """The format in which a service describes a way.

    Attributes:
        most: Points of one request, which its public servers take; of a map, our own limit.
        ask: The request for the way by some points with a profile.
        read: A reply as longitudes and latitudes; ValueError says what is wrong with it.
    """

    most: int
    ask: Callable[[Sequence[Point], str], Ask]
    read: Callable[[Reply], list[Point]]


def _ask_osrm(points: Sequence[Point], profile: str) -> Ask:
    listed = ";".join(f"{longitude:.6f},{latitude:.6f}" for longitude, latitude in points)
    return Ask(f"/route/v1/{profile}/{listed}?overview=full&geometries=polyline6")


def _read_osrm(reply: Reply) -> list[Point]:
    return _line(_first(reply, "routes").get("geometry"), "routes[0].geometry", _FINE)


def _ask_valhalla(points: Sequence[Point], profile: str) -> Ask:
    locations = [{"lat": latitude, "lon": longitude} for longitude, latitude in points]
    body = {"locations": locations, "costing": profile, "directions_type": "none"}
    return Ask("/route", body)


def _read_valhalla(reply: Reply) -> list[Point]:
    trip = reply.get("trip")
    legs = trip.get("legs") if isinstance(trip, Mapping) else None
    if not isinstance(legs, list) or not legs:
        raise ValueError("trip.legs: missing, expected a list of objects")
    found: list[Point] = []
    for index, leg in enumerate(legs):
        place = f"trip.legs[{index}].shape"
        found += _line(leg.get("shape") if isinstance(leg, Mapping) else None, place, _FINE)
    return found


def _ask_ors(points: Sequence[Point], profile: str) -> Ask:
    body = {"coordinates": [list(point) for point in points], "instructions": False}
    return Ask(f"/v2/directions/{profile}", body)


def _read_ors(reply: Reply) -> list[Point]:
    return _line(_first(reply, "routes").get("geometry"), "routes[0].geometry")


def _first(reply: Reply, key: str) -> Mapping[str, object]:
    rows = reply.get(key)
    if not isinstance(rows, list) or not rows or not isinstance(rows[0], Mapping):
        raise ValueError(f"{key}: missing, expected a list of objects")
    return rows[0]


def _line(value: object, place: str, digits: int = 5) -> list[Point]:
    if not isinstance(value, str):
        found = "missing" if value is None else describe(value)
        raise ValueError(f"{place}: {found}, expected text")
    try:
        points = decode_polyline(value, digits)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
    if not points:
        raise ValueError(f"{place}: no points")
    return points


DIRECTIONS: Mapping[str, Directions] = {
    "osrm": Directions(100, _ask_osrm, _read_osrm),
    "valhalla": Directions(20, _ask_valhalla, _read_valhalla),
    "ors": Directions(50, _ask_ors, _read_ors),
    "osm": Directions(MAP_POINTS, _ask_valhalla, _read_valhalla),
}
