"""What each service is asked, and what is made of its reply."""

import math

import numpy as np
import pytest

from vrpcore.instance.polyline import encode_polyline
from vrpcore.roads.services import KNOWN, ORS, OSRM, VALHALLA, Ask, MatrixBlock, read_table

A, B, C = (8.5, 49.25), (-0.1, 51.5), (13.4, -33.0)
SQUARE = MatrixBlock((A, B), (A, B))
WIDE = MatrixBlock((A,), (B, C))


def test_a_piece_has_each_point_once():
    assert (SQUARE.points, list(SQUARE.target_indices)) == ((A, B), [0, 1])
    assert (WIDE.points, list(WIDE.target_indices), WIDE.shape) == ((A, B, C), [1, 2], (1, 2))


def test_osrm_is_asked_in_the_url():
    path = "/table/v1/driving/8.500000,49.250000;-0.100000,51.500000"
    assert OSRM.ask(SQUARE, "driving") == Ask(f"{path}?annotations=duration,distance")
    path = "/table/v1/bike/8.500000,49.250000;-0.100000,51.500000;13.400000,-33.000000"
    query = "annotations=duration,distance&sources=0&destinations=1;2"
    assert OSRM.ask(WIDE, "bike") == Ask(f"{path}?{query}")


def test_valhalla_is_asked_in_the_body():
    def place(point):
        return {"lat": point[1], "lon": point[0]}

    body = {
        "sources": [place(A)],
        "targets": [place(B), place(C)],
        "costing": "auto",
        "units": "kilometers",
    }
    assert VALHALLA.ask(WIDE, "auto") == Ask("/sources_to_targets", body)


def test_ors_is_asked_in_the_body():
    body = {
        "locations": [list(A), list(B), list(C)],
        "sources": ["0"],
        "destinations": ["1", "2"],
        "metrics": ["duration", "distance"],
        "units": "m",
    }
    assert ORS.ask(WIDE, "driving-car") == Ask("/v2/matrix/driving-car", body)


@pytest.mark.parametrize("service", [OSRM, ORS])
def test_tables_are_read(service):
    reply = {"durations": [[1, None]], "distances": [[2.5, 3]]}
    block = service.read(reply, (1, 2))
    assert np.array_equal(block.durations, [[1, math.nan]], equal_nan=True)
    assert block.distances.tolist() == [[2.5, 3.0]]


def cell(row, column, **values):
    return {"from_index": row, "to_index": column, **values}


def test_kilometres_of_valhalla_are_metres():
    reply = {
        "units": "kilometers",
        "sources_to_targets": [[cell(0, 0, time=7, distance=0.125), cell(0, 1, time=None)]],
    }
    block = VALHALLA.read(reply, (1, 2))
    assert np.array_equal(block.durations, [[7, math.nan]], equal_nan=True)
    assert np.array_equal(block.distances, [[125, math.nan]], equal_nan=True)


ROWS = "sources_to_targets"


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ({}, "sources_to_targets: missing, expected a list of 1 rows"),
        ({"units": "miles", ROWS: []}, "units: 'miles', expected kilometers"),
        ({ROWS: [[], []]}, "sources_to_targets: a list of 2, expected a list of 1 rows"),
        ({ROWS: [3]}, "sources_to_targets[0]: 3, expected a list of objects"),
        ({ROWS: [[3, 4]]}, "sources_to_targets[0]: a list of 2, expected a list of objects"),
        ({ROWS: [[cell(0, 0)]]}, "sources_to_targets[0]: expected from 0 to 0 .. 1, in order"),
        ({ROWS: [[cell(0, 1), cell(0, 0)]]}, "expected from 0 to 0 .. 1, in order"),
        (
            {ROWS: [[cell(0, 0, time="1"), cell(0, 1)]]},
            "sources_to_targets.time[0][0]: '1', expected a number from 0 to 1e+09, or null",
        ),
    ],
)
def test_other_shapes_of_valhalla_are_refused(reply, message):
    with pytest.raises(ValueError) as caught:
        VALHALLA.read(reply, (1, 2))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "durations: missing, expected a list of 1 rows"),
        ({"0": 1}, "durations: an object, expected a list of 1 rows"),
        ([[1, 2], [3, 4]], "durations: a list of 2, expected a list of 1 rows"),
        ([[1]], "durations[0]: a list of 1, expected a list of 2 numbers"),
        (["12"], "durations[0]: '12', expected a list of 2 numbers"),
        ([[1, True]], "durations[0][1]: true, expected a number from 0"),
        ([[1, "2"]], "durations[0][1]: '2', expected a number from 0"),
        ([[1, -0.5]], "durations[0][1]: -0.5, expected a number from 0"),
        ([[1, 2e9]], "durations[0][1]: 2000000000.0, expected a number from 0"),
        ([[1, 10**400]], "durations[0][1]: an integer of about 400 digits"),
        ([[1, math.nan]], "durations[0][1]: nan, expected"),
        ([[1, math.inf]], "durations[0][1]: inf, expected"),
        ([[1, [2]]], "durations[0][1]: a list of 1, expected"),
    ],
)
def test_other_tables_are_refused(value, message):
    with pytest.raises(ValueError) as caught:
        read_table(value, "durations", (1, 2))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("service", "reply", "text"),
    [
        ("osrm", {"code": "Ok"}, None),
        ("osrm", {"code": "TooBig", "message": "too many"}, "TooBig: too many"),
        ("osrm", {"code": "NoTable"}, "NoTable"),
        ("osrm", {"code": 3}, None),
        ("valhalla", {}, None),
        ("valhalla", {"error": "no", "error_code": 154}, "no (error_code 154)"),
        ("valhalla", {"error": "no"}, "no"),
        ("valhalla", {"error": {}}, None),
        ("ors", {"error": {"code": 6004, "message": "too many"}}, "too many (code 6004)"),
        ("ors", {"error": "Quota exceeded"}, "Quota exceeded"),
        ("ors", {"durations": []}, None),
    ],
)
def test_what_a_service_says_is_wrong(service, reply, text):
    assert KNOWN[service].refusal(reply) == text


def test_every_service_tells_ways():
    assert all(each.way_points >= 2 for each in KNOWN.values())


def test_what_is_asked_for_a_way():
    path = "/route/v1/bike/8.500000,49.250000;-0.100000,51.500000"
    assert OSRM.ask_way([A, B], "bike") == Ask(f"{path}?overview=full&geometries=polyline6")
    places = [{"lat": 49.25, "lon": 8.5}, {"lat": 51.5, "lon": -0.1}]
    body = {"locations": places, "costing": "auto", "directions_type": "none"}
    assert VALHALLA.ask_way([A, B], "auto") == Ask("/route", body)
    body = {"coordinates": [list(A), list(B)], "instructions": False}
    assert ORS.ask_way([A, B], "driving-car") == Ask("/v2/directions/driving-car", body)


def test_what_is_read_of_a_way():
    fine, coarse = encode_polyline([A, B], 6), encode_polyline([A, B])
    assert OSRM.read_way({"routes": [{"geometry": fine}]}) == [A, B]
    legs = [{"shape": fine}, {"shape": encode_polyline([B, C], 6)}]
    assert VALHALLA.read_way({"trip": {"legs": legs}}) == [A, B, B, C]
    assert ORS.read_way({"routes": [{"geometry": coarse}]}) == [A, B]


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
def test_unexpected_ways(kind, reply, words):
    with pytest.raises(ValueError, match=f"^{words}"):
        kind.read_way(reply)
