"""Matrices in the user's units, from services and from great circles."""

import dataclasses
import math
import sys

import numpy as np
import pytest

from tests.vrpcore.roads.standin import metres, seconds
from vrpcore.errors import ConfigError, MissingExtraError
from vrpcore.roads.road_matrices import Roads
from vrpcore.roads.road_options import RoadOptions
from vrpcore.roads.services import KNOWN, RoadMatrices

COORDS = [[8.1, 49.0], [8.4, 49.2], [8.1, 49.0], [8.2, 49.1]]


def table(measure, scale=1.0):
    places = [tuple(map(float, place)) for place in COORDS]
    return np.array([[measure(start, end) for end in places] for start in places]) / scale


@pytest.mark.parametrize(
    ("units", "time", "length"),
    [
        ({}, 1.0, 1.0),
        ({"matrix_time": "min", "matrix_distance": "km"}, 60.0, 1000.0),
        ({"matrix_time": "h", "matrix_distance": "mi"}, 3600.0, 1609.344),
    ],
)
def test_units(standin, units, time, length):
    with Roads(RoadOptions(matrix=f"osrm={standin.url}", **units)) as roads:
        found = roads.matrices(COORDS)
    assert found.durations == pytest.approx(table(seconds, time), rel=1e-15)
    assert found.distances == pytest.approx(table(metres, length), rel=1e-15)
    assert found.durations[0, 2] == found.distances[2, 0] == 0.0
    assert len(standin.paths) == 1


def test_great_circles_need_a_speed_and_no_network():
    quarter = 10_007_557.2  # metres, of the Earth's mean circumference
    options = RoadOptions(matrix="haversine", matrix_time="h", matrix_distance="km")
    with Roads(options, 100.0) as roads:
        found = roads.matrices([[0, 0], [90, 0], [0, 90]])
    apart = ~np.eye(3, dtype=bool)
    assert found.distances[apart] == pytest.approx(quarter / 1000, rel=1e-6)
    assert found.durations == pytest.approx(found.distances / 100, rel=1e-12)
    assert not found.durations.diagonal().any()


def test_great_circles_of_many_places():
    coords = np.random.default_rng(3).uniform(-80, 80, (600, 2))
    with Roads(RoadOptions(matrix="haversine"), 36.0) as roads:
        found = roads.matrices(coords)
        assert np.allclose(found.distances, found.distances.T)
        pair = roads.matrices(coords[[3, 570]])
    assert found.durations[3, 570] == pytest.approx(pair.distances[0, 1] / 10)


def test_no_road(standin):
    standin.islands.add((8.2, 49.1))
    with Roads(RoadOptions(matrix=f"osrm={standin.url}")) as roads:
        found = roads.matrices(COORDS)
    for matrix in found:
        assert [[math.isinf(each) for each in row] for row in matrix] == [
            [(row == 3) != (column == 3) for column in range(4)] for row in range(4)
        ]


def test_no_road_where_one_of_two_numbers_is_missing(standin, monkeypatch):
    def read(reply, shape):
        durations = np.where(np.arange(shape[1]) == 1, np.nan, np.ones(shape))
        return RoadMatrices(durations, np.ones(shape))

    monkeypatch.setitem(KNOWN, "osrm", dataclasses.replace(KNOWN["osrm"], read=read))
    with Roads(RoadOptions(matrix=f"osrm={standin.url}", matrix_cache="none")) as roads:
        durations, distances = roads.matrices(COORDS[:2])
    assert distances.tolist() == durations.tolist() == [[0, math.inf], [1, 0]]


def test_without_a_source():
    with pytest.raises(ConfigError, match="matrix: missing"):
        Roads(RoadOptions())


@pytest.mark.parametrize(
    ("matrix", "speed", "message"),
    [
        ("haversine", None, "matrix: haversine needs a speed in km/h: --matrix haversine --speed"),
        ("haversine", 0.0, "speed: 0.0 is not a positive number"),
        ("haversine", float("inf"), "speed: inf is not a positive number"),
        ("haversine", float("nan"), "speed: nan is not a positive number"),
        ("osrm=http://x", 30.0, "speed: not with --matrix osrm=URL, which has durations of"),
        ("osm=x.osm.pbf", 30.0, "speed: not with --matrix osm=FILE, which has durations of"),
    ],
)
def test_great_circles_have_a_speed_and_services_have_none(matrix, speed, message):
    with pytest.raises(ConfigError) as caught:
        Roads(RoadOptions(matrix=matrix), speed)
    assert message in str(caught.value)


def test_other_units_over_the_same_connection(standin):
    with Roads(RoadOptions(matrix=f"osrm={standin.url}", matrix_cache="none")) as roads:
        found = roads.matrices(COORDS)
        other = roads.measured("min", "km").matrices(COORDS)
    assert other.durations == pytest.approx(found.durations / 60)
    assert other.distances == pytest.approx(found.distances / 1000)
    assert standin.connections == 1


def test_the_extra_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx2", None)
    for module in ("road_client", "map_tiles", "map_client", "fetch"):
        monkeypatch.delitem(sys.modules, f"vrpcore.roads.{module}", raising=False)
    with pytest.raises(MissingExtraError, match="'roads', which is not installed"):
        Roads(RoadOptions(matrix="osrm=http://localhost"))
    with pytest.raises(MissingExtraError, match=r"^--matrix osm=FILE needs the extra 'roads'"):
        Roads(RoadOptions(matrix="osm=map.osm.pbf"))
    Roads(RoadOptions(matrix="haversine"), 30.0).close()
