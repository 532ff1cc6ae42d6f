"""Matrices piece by piece: the right ones, each asked once."""

import contextlib
import random

import numpy as np
import pytest

from tests.vrpcore.roads.standin import changed, metres, seconds, status
from vrpcore.errors import InstanceError, RoadsError
from vrpcore.roads.fetch import Fetcher
from vrpcore.roads.locations import Locations
from vrpcore.roads.road_options import RoadOptions, silent

SERVICES = ("osrm", "valhalla", "ors")


@pytest.fixture
def fetcher(standin):
    """Makes fetchers from a service; all are closed with the test."""
    with contextlib.ExitStack() as held:

        def make(service="osrm", say=silent, **options):
            made = RoadOptions(matrix=f"{service}={standin.url}", **options)
            return held.enter_context(contextlib.closing(Fetcher(made.address, made, say=say)))

        yield make


def some_places(count, seed=1):
    draw = random.Random(seed)
    coords = [(round(draw.uniform(8, 9), 6), round(draw.uniform(49, 50), 6)) for _ in range(count)]
    return Locations(coords, [f"stop {number}" for number in range(count)])


def expected(measure, points, *more):
    return np.array([[measure(start, end, *more) for end in points] for start in points])


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize(("count", "block"), [(2, 50), (50, 50), (51, 50), (23, 7), (7, 1), (9, 4)])
def test_pieces_of_any_size_make_the_matrix(standin, fetcher, service, count, block):
    places, told = some_places(count), []
    asker = fetcher(service, matrix_block=block)
    found = asker.matrices(places, None, lambda *counts: told.append(counts))
    assert np.array_equal(found.distances, expected(metres, places.points))
    assert np.array_equal(found.durations, expected(seconds, places.points))
    assert count == 2 or not np.array_equal(found.durations, found.durations.T)
    cuts = -(-count // block)
    assert told == [(done, cuts**2) for done in range(1, cuts**2 + 1)]
    pieces = cuts**2 - (cuts if block == 1 else count % block == 1)  # one point needs no road
    assert (len(standin.paths), standin.connections) == (pieces, 1)


def test_no_place_and_one_place_need_no_request(standin, fetcher):
    for count in (0, 1):
        assert fetcher().matrices(some_places(count), None, None).durations.shape == (count, count)
    assert standin.paths == []


@pytest.mark.parametrize(
    ("service", "vehicle", "profile", "sent"),
    [
        ("osrm", None, None, "driving"),
        ("osrm", "truck", "bike", "truck"),
        ("osrm", None, "bike", "bike"),
        ("valhalla", None, None, "auto"),
        ("valhalla", "bike", None, "bicycle"),
        ("valhalla", "truck", None, "truck"),
        ("ors", "truck", None, "driving-hgv"),
        ("ors", None, "foot", "foot-walking"),
        ("ors", "wheelchair", None, "wheelchair"),
    ],
)
def test_profiles_by_each_services_names(standin, fetcher, service, vehicle, profile, sent):
    places = some_places(3)
    found = fetcher(service, matrix_profile=profile).matrices(places, vehicle, None)
    assert np.array_equal(found.durations, expected(seconds, places.points, sent))
    if service == "valhalla":
        assert f'"costing":"{sent}"' in standin.bodies[0].replace(" ", "")
    else:
        assert f"/{sent}" in standin.paths[0]


def test_a_profile_that_would_change_the_url(standin, fetcher):
    asker = fetcher()
    for name in ("../nearest", "a?b", "a b", "a\n"):
        with pytest.raises(InstanceError, match="is not a profile"):
            asker.matrices(some_places(2), name, None)
    assert standin.paths == []


def test_what_is_in_the_cache_needs_no_network(standin, fetcher):
    places = some_places(9)
    asker = fetcher(matrix_block=4)
    first = asker.matrices(places, None, None)
    asked = len(standin.paths)
    standin.faults.extend([status(400)] * 20)
    second = fetcher(matrix_block=4).matrices(places, None, None)
    assert len(standin.paths) == asked
    for one, other in zip(first, second, strict=True):
        assert np.array_equal(one, other)


def test_after_a_failure_the_pieces_before_it_are_kept(standin, fetcher):
    places = some_places(8)
    asker = fetcher(matrix_block=4)
    standin.faults.extend([None, None, status(404)])
    with pytest.raises(RoadsError):
        asker.matrices(places, None, None)
    assert len(standin.paths) == 3
    asker.matrices(places, None, None)
    assert len(standin.paths) == 5


def test_a_damaged_cache_is_asked_again(standin, fetcher, tmp_path):
    places, folder = some_places(5), tmp_path / "kept"
    asker = fetcher(matrix_cache=str(folder))
    first = asker.matrices(places, None, None)
    (file,) = folder.rglob("*.block")
    file.write_bytes(file.read_bytes()[:-3] + b"xyz")
    second = asker.matrices(places, None, None)
    assert len(standin.paths) == 2
    assert np.array_equal(first.durations, second.durations)


def test_replies_that_cannot_be_kept_are_used(standin, fetcher, tmp_path):
    folder, said = tmp_path / "kept", []
    asker = fetcher(say=said.append, matrix_cache=str(folder), matrix_block=2)
    folder.rmdir()
    folder.touch()  # as good as a full disk
    places = some_places(5)
    found = asker.matrices(places, None, None)
    assert np.array_equal(found.distances, expected(metres, places.points))
    assert said == [
        f"{folder}: cannot be written: Not a directory; choose another --matrix-cache, or none "
        "(replies are not kept)"
    ]


def test_without_a_cache_nothing_is_kept(standin, fetcher, tmp_path):
    asker = fetcher(matrix_cache="none")
    for _ in range(2):
        asker.matrices(some_places(3), None, None)
    assert len(standin.paths) == 2
    assert list(tmp_path.rglob("*.block")) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda reply: reply | {"durations": reply["durations"][:-1]}, "durations: a list of 2"),
        (lambda reply: reply | {"distances": None}, "distances: missing"),
        (lambda reply: reply | {"durations": [[0, -1, 0]] * 3}, "durations[0][1]: -1, expected"),
    ],
)
def test_a_reply_of_another_shape_is_told_and_not_kept(standin, fetcher, tmp_path, change, message):
    standin.faults.append(changed(change))
    with pytest.raises(RoadsError) as caught:
        fetcher().matrices(some_places(3), None, None)
    assert str(caught.value).startswith(f"osrm at {standin.url}: unexpected reply: {message}")
    assert list(tmp_path.rglob("*.block")) == []


def test_limits_of_a_service_are_told_as_it_says_them(standin, fetcher):
    for service, block, message in (
        ("osrm", 101, "TooBig: Too many table coordinates"),
        ("valhalla", 51, "Exceeded max location pairs (error_code 157)"),
        ("ors", 60, "configuration limits. (code 6004)"),
    ):
        with pytest.raises(InstanceError) as caught:
            fetcher(service, matrix_block=block).matrices(some_places(block), None, None)
        assert message in str(caught.value)


def test_a_place_without_a_street_is_named(standin, fetcher):
    places = Locations([(8.1, 49), (8.2, 49), (8.3, 49), (0, 0)], ["the depot", "A", "B", "C"])
    with pytest.raises(InstanceError) as caught:
        fetcher(matrix_block=2).matrices(places, None, None)
    assert "for coordinate 3 (C)" in str(caught.value)
    assert caught.value.code == "ROADS"
