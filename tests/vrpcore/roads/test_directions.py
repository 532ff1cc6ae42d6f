"""What each service is asked for a way, and what is made of its reply."""

import pytest

from vrpcore.instance.polyline import encode_polyline
from vrpcore.roads.directions import DIRECTIONS
from vrpcore.roads.services import KNOWN, Ask

A, B, C = (8.5, 49.25), (-0.1, 51.5), (13.4, -33.0)
OSRM, VALHALLA, ORS = (DIRECTIONS[name] for name in ("osrm", "valhalla", "ors"))


def test_every_service_tells_ways():
    assert set(DIRECTIONS) == set(KNOWN)
    assert all(each.most >= 2 for each in DIRECTIONS.values())


def test_what_is_asked():
    path = "/route/v1/bike/8.500000,49.250000;-0.100000,51.500000"
    assert OSRM.ask([A, B], "bike") == Ask(f"{path}?overview=full&geometries=polyline6")
    places = [{"lat": 49.25, "lon": 8.5}, {"lat": 51.5, "lon": -0.1}]
    body = {"locations": places, "costing": "auto", "directions_type": "none"}
    assert VALHALLA.ask([A, B], "auto") == Ask("/route", body)
    body = {"coordinates": [list(A), list(B)], "instructions": False}
    assert ORS.ask([A, B], "driving-car") == Ask("/v2/directions/driving-car", body)


def test_what_is_read():
    fine, coarse = encode_polyline([A, B], 6), encode_polyline([A, B])
    assert OSRM.read({"routes": [{"geometry": fine}]}) == [A, B]
    legs = [{"shape": fine}, {"shape": encode_polyline([B, C], 6)}]
    assert VALHALLA.read({"trip": {"legs": legs}}) == [A, B, B, C]
    assert ORS.read({"routes": [{"geometry": coarse}]}) == [A, B]


@pytest.mark.parametrize(
    ("kind", "reply", "words"),
    [
        (OSRM, {}, "routes: missing, expected a list of objects"),
        (OSRM, {"routes": [5]}, "routes: missing, expected a list of objects"),
        (ORS, {"routes": [{}]}, r"routes\[0\].geometry: missing, expected text"),
        (ORS, {"routes": [{"geometry": 5}]}, r"routes\[0\].geometry: 5, expected text"),
        (ORS, {"routes": [{"geometry": ""}]}, r"routes\[0\].geometry: no points"),
        (OSRM, {"routes": [{"geometry": " "}]}, r"routes\[0\].geometry: no encoded polyline: ' '"),
        (VALHALLA, {"trip": []}, "trip.legs: missing, expected a list of objects"),
        (VALHALLA, {"trip": {"legs": []}}, "trip.legs: missing, expected a list of objects"),
        (VALHALLA, {"trip": {"legs": [5]}}, r"trip.legs\[0\].shape: missing, expected text"),
    ],
)
def test_unexpected_replies(kind, reply, words):
    with pytest.raises(ValueError, match=f"^{words}"):
        kind.read(reply)
