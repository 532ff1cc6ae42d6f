"""Instances get the matrices that they lack, and keep those that they have."""

import numpy as np
import pytest

from tests.vrpcore.roads.standin import metres, seconds
from vrpcore.errors import RoadsError
from vrpcore.formats.jsonio import read_instances
from vrpcore.instance.instance import InvalidInstance
from vrpcore.roads.instances import lacking, with_matrices
from vrpcore.roads.matrices import Roads
from vrpcore.roads.options import RoadOptions

PLACES = [(8.1, 49.0), (8.2, 49.1), (8.3, 49.0)]
DEPOT, *STOPS = map(list, PLACES)
PLAIN = {"capacity": 5, "depot": DEPOT, "coords": STOPS, "demands": [2, 3]}
TIMED = {**PLAIN, "windows": [[0, 900], None]}
GIVEN = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
TYPED = {
    "depots": [{"id": "north", "x": 8.1, "y": 49.0}],
    "coords": STOPS,
    "demands": [2, 3],
    "vehicles": [{"id": "van"}, {"id": "cargo", "matrix": "bike"}, {"id": "e", "matrix": "bike"}],
}


@pytest.fixture
def roads(standin):
    with Roads(RoadOptions(matrix=f"osrm={standin.url}")) as roads:
        yield roads


def read(document):
    (item,) = read_instances(document, roads=True)
    assert not isinstance(item, InvalidInstance), item.error
    return item


def table(measure, *more):
    return [[measure(start, end, *more) for end in PLACES] for start in PLACES]


def test_a_plain_instance_gets_distances(roads):
    found = with_matrices(read(PLAIN), roads)
    assert found.distances.tolist() == table(metres)
    assert (found.constraints, found.metric) == (None, "haversine")


def test_one_with_times_gets_both(roads):
    found = with_matrices(read({**TIMED, "speed": 3}), roads)
    assert found.distances.tolist() == table(metres)
    assert found.rules.durations.tolist() == table(seconds)


def test_vehicle_types_get_those_of_their_profiles(roads, standin):
    found = with_matrices(read(TYPED), roads)
    assert found.rules.durations.tolist() == table(seconds)
    assert list(found.rules.matrices) == ["bike"]
    bike = found.rules.matrices["bike"]
    assert bike.durations.tolist() == table(seconds, "bike")
    assert bike.distances.tolist() == table(metres)
    assert len(standin.paths) == 2


def test_what_an_instance_gives_stays(roads, standin):
    for document in ({**PLAIN, "distances": GIVEN}, {**TIMED, "durations": GIVEN}):
        instance = read(document)
        assert lacking(instance) == []
        assert with_matrices(instance, roads) is instance
    given = {**TYPED, "matrices": {"bike": {"durations": GIVEN}}}
    found = with_matrices(read(given), roads)
    assert found.rules.matrices["bike"].durations.tolist() == GIVEN
    assert found.rules.durations.tolist() == table(seconds)
    own = {**TYPED, "durations": GIVEN, "metric": "euc_2d"}
    found = with_matrices(read(own), roads)
    assert found.rules.durations.tolist() == GIVEN
    assert (found.metric, found.distances) == ("euc_2d", None)
    assert list(found.rules.matrices) == ["bike"]
    assert len(standin.paths) == 2


def test_names_of_matrices_are_errors_where_no_roads_are_asked_for():
    (item,) = read_instances(TYPED)
    assert (item.code, item.error) == (
        "NO_MATRIX",
        "instances[0].vehicles[1].matrix: 'bike' is none of the instance's matrices",
    )


@pytest.mark.parametrize(
    ("document", "code", "message"),
    [
        (
            {**PLAIN, "coords": [[8.2, 49.1], [500, 49]]},
            "OUT_OF_RANGE",
            "stop 2: longitude 500, expected -180 to 180 degrees",
        ),
        ({**TYPED, "vehicles": [{"matrix": "a/b"}]}, "ROADS_PROFILE", "'a/b' is not a profile"),
        ({**PLAIN, "depot": [0, 0]}, "ROADS_REFUSED", "for coordinate 0 (the depot)"),
        (
            {**TYPED, "depots": [{"id": "north", "x": 9, "y": 9}, {"id": "s", "x": 8, "y": 49}]},
            "ROADS_UNROUTABLE",
            "no road leads from depot 'north' to depot 's', nor between 5 other pairs; depot "
            "'north' is in 6 of them",
        ),
        (
            {
                "depots": [{}],
                "customers": [{"demand": 1}],
                "vehicles": [{"matrix": "car"}],
            },
            "MISSING_KEY",
            "no coordinates; roads need the longitude and latitude of every place",
        ),
    ],
)
def test_an_instance_without_roads_is_invalid_among_the_others(
    roads, standin, document, code, message
):
    standin.islands.add((9.0, 9.0))
    found = with_matrices(read({**document, "name": "far"}), roads)
    assert isinstance(found, InvalidInstance)
    assert (found.name, found.code) == ("far", code)
    assert message in found.error
    assert with_matrices(found, roads) is found
    assert with_matrices(read(PLAIN), roads).distances is not None


def test_a_service_that_fails_is_no_fault_of_the_instance(standin):
    with Roads(RoadOptions(matrix=f"osrm={standin.url}/nowhere")) as roads:
        found = with_matrices(read(PLAIN), roads)  # OSRM says itself that the URL is wrong
        assert found.error.endswith("InvalidUrl: URL string malformed")
    standin.faults.append(lambda handler, _: handler._send(404, b"no such page"))
    with (
        Roads(RoadOptions(matrix=f"osrm={standin.url}")) as roads,
        pytest.raises(RoadsError, match="status 404"),
    ):
        with_matrices(read(PLAIN), roads)


def test_requests_are_counted(roads):
    told = []
    with_matrices(read(PLAIN), roads, lambda *counts: told.append(counts))
    assert told == [(1, 1)]


def test_lengths_are_those_of_the_answer(roads):
    found = with_matrices(read(TIMED), roads)
    assert np.all(found.take([2]).distances == np.array(table(metres))[np.ix_([0, 2], [0, 2])])
