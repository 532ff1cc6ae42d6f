"""Matrices and ways of a map on this machine, against lengths measured by hand."""

import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.vrpcore.roads.street_map import (
    ACROSS,
    OFF_MAP,
    PACE,
    POINTS,
    STREETS,
    UP,
    needs_valhalla,
    stand_in,
    write_map,
)
from vrpcore.errors import InstanceError, RoadsError
from vrpcore.roads.map_client import MapClient
from vrpcore.roads.map_tiles import program
from vrpcore.roads.road_matrices import Roads
from vrpcore.roads.road_options import Address, RoadOptions
from vrpcore.roads.services import KNOWN, MatrixBlock

pytestmark = needs_valhalla
QUESTION = KNOWN["osm"].ask(MatrixBlock((tuple(POINTS[1]),), (tuple(POINTS[2]),)), "auto")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return write_map(tmp_path_factory.mktemp("map") / "map.osm.pbf")


def roads(file, **options):
    return Roads(RoadOptions(matrix=f"osm={file}", **options))


def between(file, *numbers, vehicle=None, **options):
    with roads(file, **options) as source:
        return source.matrices([POINTS[number] for number in numbers], vehicle)


def test_lengths_and_durations_of_streets(file):
    found = between(file, 1, 2, 5)
    around = ACROSS + UP + ACROSS  # from 5 to 2, against the one-way street
    by_hand = [[0, ACROSS, ACROSS + UP], [ACROSS, 0, UP], [ACROSS + UP, around, 0]]
    assert found.distances == pytest.approx(np.array(by_hand), rel=5e-3)
    assert found.durations == pytest.approx(found.distances * PACE, rel=0.06, abs=1)


def test_trucks_and_bicycles_have_roads_of_their_own(file):
    assert between(file, 1, 4).distances[0, 1] == pytest.approx(UP, rel=5e-3)
    truck = between(file, 1, 4, vehicle="truck").distances
    assert truck[0, 1] == pytest.approx(2 * ACROSS + UP, rel=5e-3)
    assert truck[1, 0] == pytest.approx(6 * ACROSS + UP, rel=5e-3)
    assert between(file, 1, 7).distances[0, 1] == pytest.approx(UP, rel=5e-3)  # as far as 4
    bike = between(file, 1, 7, matrix_profile="bike")
    assert bike.distances[0, 1] == pytest.approx(2 * UP, rel=5e-3)
    assert bike.durations[0, 1] > 2 * PACE * bike.distances[0, 1]


def test_pieces_make_the_same_matrix(file):
    whole = between(file, 1, 3, 5, 6, 4, matrix_cache="none")
    parts = between(file, 1, 3, 5, 6, 4, matrix_cache="none", matrix_block=2)
    assert np.array_equal(whole.distances, parts.distances)
    assert np.array_equal(whole.durations, parts.durations)


def test_all_cores_work_on_a_matrix_until_one_fails(file, tmp_path, monkeypatch):
    monkeypatch.setattr("vrpcore.roads.fetch.num_cores", lambda: 3)
    coords, told = [POINTS[number] for number in range(1, 8)], []
    with roads(file, matrix_cache="none", matrix_block=1) as source:
        found = source.matrices(coords, report=lambda *count: told.append(count))
    assert np.array_equal(found.distances, between(file, *range(1, 8)).distances)
    assert told == [(done, 49) for done in range(1, 50)]

    real = program("valhalla_service")
    first = f"mkdir {tmp_path}/first 2>/dev/null && exit 7; touch {tmp_path}/begun.$$"
    script = stand_in(tmp_path, f'{first}; exec {real} "$@"')
    monkeypatch.setattr("vrpcore.roads.map_client.program", script)
    with (
        roads(file, matrix_cache="none", matrix_block=1) as source,
        pytest.raises(RoadsError, match=r"ended with status 7"),
    ):
        source.matrices(coords)
    assert len(list(tmp_path.glob("begun.*"))) < 21  # of 41 pieces


def test_streets_that_are_joined_to_nothing(file):
    found = between(file, 1, 8, 9)
    assert np.isinf(found.distances).tolist() == [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    assert found.distances[1, 2] == pytest.approx(ACROSS, rel=5e-3)


def test_ways_follow_the_streets(file):
    with roads(file) as source:
        way = source.way([POINTS[5], POINTS[2]])
        many = source.way([POINTS[number] for number in (1, 2) * 30])
    assert np.array(way) == pytest.approx(np.array([POINTS[n] for n in (5, 4, 1, 2)]), abs=2e-6)
    assert np.array(many) == pytest.approx(np.array([POINTS[n] for n in (1, 2) * 30]), abs=2e-6)


@pytest.mark.parametrize("block", [1, 50])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_stop_off_the_map_is_named(file, place, block):
    coords = [POINTS[1], POINTS[2]]
    coords.insert(place, OFF_MAP)
    names = ["the depot", "stop 'a'", "stop 'b'"]
    with roads(file, matrix_block=block) as source, pytest.raises(InstanceError) as caught:
        source.matrices(coords, "truck", names)
    assert caught.value.code == "ROADS"
    words = "osm=map.osm.pbf: no road of the map for truck within 5 km of"
    assert str(caught.value).startswith(words)
    assert str(caught.value).endswith(f"({names[place]})")


def test_ways_name_it_as_well(file):
    with roads(file) as source, pytest.raises(InstanceError, match=r"coordinate 1 \(stop 'a'\)$"):
        source.way([POINTS[1], OFF_MAP], None, ["the depot", "stop 'a'"])


def test_profiles_that_valhalla_does_not_know(file):
    with roads(file) as source, pytest.raises(InstanceError, match=r"No costing method.*'cargo'"):
        source.matrices([POINTS[1], POINTS[2]], "cargo")


def test_replies_are_kept_until_the_map_changes(tmp_path, monkeypatch):
    file = write_map(tmp_path / "map.osm.pbf")
    first = between(file, 1, 4)
    monkeypatch.setattr("vrpcore.roads.map_client.program", stand_in(tmp_path, "exit 7"))
    assert np.array_equal(between(file, 1, 4).distances, first.distances)
    monkeypatch.undo()
    write_map(file, STREETS[:3] + STREETS[4:])  # without the street from 1 to 4
    second = between(file, 1, 4)
    assert second.distances[0, 1] == pytest.approx(2 * ACROSS + UP, rel=5e-3)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo first >&2; echo the cause >&2; exit 7", "Valhalla ended with status 7: the cause$"),
        ("kill -9 $$", "Valhalla ended with status -9: no message$"),
        ("echo hello", r"the reply is not JSON \(it begins with 'hello"),
        ("echo '[]'", "the reply is no JSON object$"),
        ("head -c 2000 /dev/zero", "the reply has more than 1000 bytes$"),
        ("exec sleep 5", "no answer within 0.3 s; give --matrix-timeout more, or --matrix-block"),
    ],
)
def test_a_program_that_fails(file, tmp_path, monkeypatch, script, message):
    monkeypatch.setattr("vrpcore.roads.map_client.program", stand_in(tmp_path, script))
    client = MapClient(Address("osm", str(file)), 0.3)
    with pytest.raises(RoadsError, match=rf"^osm=map\.osm\.pbf: {message}"):
        client.ask(QUESTION, 1000)


def test_no_more_processes_than_allowed(file, tmp_path, monkeypatch):
    alone = f"mkdir {tmp_path}/busy || exit 7; sleep 0.1; rmdir {tmp_path}/busy; echo '{{}}'"
    monkeypatch.setattr("vrpcore.roads.map_client.program", stand_in(tmp_path, alone))
    client = MapClient(Address("osm", str(file)), 5.0, at_a_time=1)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda _: client.ask(QUESTION, 1000), range(4))) == [{}] * 4


def test_a_program_that_cannot_be_run(file, tmp_path, monkeypatch):
    monkeypatch.setattr("vrpcore.roads.map_client.program", stand_in(tmp_path, ""))
    (tmp_path / "stand_in").chmod(0o644)
    client = MapClient(Address("osm", str(file)), 5.0)
    words = "stand_in cannot be run, or temporary"
    with pytest.raises(RoadsError, match=f"{words} files not be written: Permission denied$"):
        client.ask(QUESTION, 1000)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(RoadsError, match=f"{words} files not be written: No such file"):
        client.ask(QUESTION, 1000)


def test_tiles_that_are_gone(tmp_path):
    file = write_map(tmp_path / "map.osm.pbf")
    client = MapClient(Address("osm", str(file)), 5.0)
    shutil.rmtree(f"{file}.valhalla")
    with pytest.raises(
        RoadsError, match=r"its tiles are gone; if the map was prepared again, start again$"
    ):
        client.ask(QUESTION, 1000)
