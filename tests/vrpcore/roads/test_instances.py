"""Instances get the matrices that they lack, and keep those that they have."""

import math

import numpy as np
import pytest

from tests.vrpcore.roads.places import PLACES, PLAIN, STOPS, TYPED, read
from tests.vrpcore.roads.standin import metres, seconds
from vrpcore.errors import RoadsError
from vrpcore.formats.options import SheetOptions
from vrpcore.formats.read import read_instances
from vrpcore.formats.sheets.sheet import Sheet
from vrpcore.formats.vroom.vroom_instance import Source
from vrpcore.instance.instance import InvalidInstance
from vrpcore.roads.instances import lacking, with_matrices
from vrpcore.roads.road_matrices import Roads
from vrpcore.roads.road_options import RoadOptions

TIMED = {**PLAIN, "windows": [[0, 900], None]}
GIVEN = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]


@pytest.fixture
def roads(standin):
    with Roads(RoadOptions(matrix=f"osrm={standin.url}")) as roads:
        yield roads


def table(measure, *more):
    return [[measure(start, end, *more) for end in PLACES] for start in PLACES]


def test_a_plain_instance_gets_distances(roads):
    found = with_matrices(read(PLAIN), roads)
    assert found.distances.tolist() == table(metres)
    assert (found.constraints, found.metric) == (None, "haversine")


def test_one_with_times_gets_both(roads):
    found = with_matrices(read({**TIMED, "speed": 3}), roads)
    assert found.distances.tolist() == table(metres)
    assert found.own_constraints.durations.tolist() == table(seconds)


def test_vehicle_types_get_those_of_their_profiles(roads, standin):
    found = with_matrices(read(TYPED), roads)
    assert found.own_constraints.durations.tolist() == table(seconds)
    assert list(found.own_constraints.matrices) == ["bike"]
    bike = found.own_constraints.matrices["bike"]
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
    assert found.own_constraints.matrices["bike"].durations.tolist() == GIVEN
    assert found.own_constraints.durations.tolist() == table(seconds)
    own = {**TYPED, "durations": GIVEN, "metric": "euc_2d"}
    found = with_matrices(read(own), roads)
    assert found.own_constraints.durations.tolist() == GIVEN
    assert (found.metric, found.distances) == ("euc_2d", None)
    assert list(found.own_constraints.matrices) == ["bike"]
    assert len(standin.paths) == 2


def test_names_of_matrices_are_errors_where_no_roads_are_asked_for():
    (item,) = read_instances(TYPED)
    words = "instances[0].vehicles[1].matrix: 'bike' is none of the instance's matrices"
    assert (item.code, item.error) == ("UNKNOWN", words)


@pytest.mark.parametrize(
    ("document", "code", "message"),
    [
        (
            {**PLAIN, "coords": [[8.2, 49.1], [500, 49]]},
            "OUT_OF_RANGE",
            "stop 2: longitude 500, expected -180 to 180 degrees",
        ),
        ({**TYPED, "vehicles": [{"matrix": "a/b"}]}, "ROADS", "'a/b' is not a profile"),
        ({**PLAIN, "depot": [0, 0]}, "ROADS", "for coordinate 0 (the depot)"),
        (
            {"depots": [{}], "customers": [{"demand": 1}], "vehicles": [{"matrix": "car"}]},
            "MISSING",
            "no coordinates; roads need the longitude and latitude of every location",
        ),
    ],
)
def test_an_instance_without_roads_is_invalid_among_the_others(roads, document, code, message):
    found = with_matrices(read({**document, "name": "far"}), roads)
    assert isinstance(found, InvalidInstance)
    assert (found.name, found.code) == ("far", code)
    assert message in found.error
    assert with_matrices(found, roads) is found
    assert with_matrices(read(PLAIN), roads).distances is not None


def test_more_customers_than_a_matrix_may_have(roads):
    many = {**PLAIN, "coords": [STOPS[0]] * 10_001, "demands": [1] * 10_001}
    found = with_matrices(read(many), roads)
    assert isinstance(found, InvalidInstance)
    assert found.code == "TOO_LARGE"
    assert "10001 customers, the limit with matrices is 10000" in found.error


def test_a_service_that_fails_is_no_fault_of_the_instance(standin):
    with Roads(RoadOptions(matrix=f"osrm={standin.url}/nowhere")) as roads:
        found = with_matrices(read(PLAIN), roads)  # OSRM says itself that the URL is wrong
        assert found.error.endswith("InvalidUrl: URL string malformed")
    standin.faults.append(lambda handler, _: handler.send(404, b"no such page"))
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


def vroom(*profiles, **more):
    """A problem of VROOM's with locations alone, and a vehicle of each profile."""
    return {
        "vehicles": [
            {"id": 5 + row, "start": PLACES[0], "end": PLACES[-1 - row]}
            | ({"profile": profile} if profile else {})
            for row, profile in enumerate(profiles)
        ],
        "jobs": [{"id": 1, "location": PLACES[1]}, {"id": 2, "location": PLACES[2]}],
        **more,
    }


def rounded(measure, *more):
    """The matrix between starts and ends (0, 2, 1), and jobs, as VROOM rounds."""
    order = [0, 2, 1, 1, 2]
    return [[math.floor(measure(PLACES[a], PLACES[b], *more) + 0.5) for b in order] for a in order]


def test_a_problem_of_vrooms_gets_whole_seconds_and_metres(roads, standin):
    found = with_matrices(read(vroom(None, "bike")), roads)
    assert isinstance(found.origin, Source)
    assert list(found.own_constraints.matrices) == ["car", "bike"]
    for profile, each in found.own_constraints.matrices.items():
        assert each.durations.tolist() == rounded(seconds, profile)
        assert each.distances.tolist() == rounded(metres)
    assert found.origin.tells_lengths
    asked = [path.split("?")[0] for path in standin.paths]
    points = ";".join(f"{x:.6f},{y:.6f}" for x, y in (PLACES[0], PLACES[2], PLACES[1]))
    assert asked == [f"/table/v1/{name}/{points}" for name in ("car", "bike")]


def test_what_a_problem_of_vrooms_calls_a_car_can_be_said(standin):
    options = RoadOptions(matrix=f"osrm={standin.url}", matrix_profile="driving-hgv")
    with Roads(options) as roads:
        found = with_matrices(read(vroom(None, "bike")), roads)
    assert list(found.own_constraints.matrices) == ["car", "bike"]
    assert [path.split("/")[3] for path in standin.paths] == ["driving-hgv", "bike"]


def test_matrices_of_a_problem_of_vrooms_stay(roads, standin):
    document = vroom("car", "bike", matrices={"car": {"durations": GIVEN}})
    for row, each in enumerate(document["vehicles"]):
        each |= {"start_index": 0, "end_index": 2 - row}
    for row, job in enumerate(document["jobs"], start=1):
        job["location_index"] = row
    found = with_matrices(read(document), roads)
    order = [0, 2, 1, 1, 2]
    assert found.own_constraints.matrices["car"].durations.tolist() == [
        [GIVEN[a][b] for b in order] for a in order
    ]
    assert found.own_constraints.matrices["bike"].durations.tolist() == rounded(seconds, "bike")
    assert not found.origin.tells_lengths
    assert len(standin.paths) == 1


def infinite(matrix):
    return [[math.isinf(each) for each in row] for row in matrix.tolist()]


def test_a_plain_instance_with_an_island_is_one_with_constraints(roads, standin):
    standin.islands.add((8.2, 49.1))
    found = with_matrices(read({**PLAIN, "max_vehicles": 2}), roads)
    assert infinite(found.distances) == [[bool((a - b) % 2) for b in range(3)] for a in range(3)]
    own = found.own_constraints
    assert (own.listed_vehicles, own.vehicles[0].count) == (False, 2)
    assert own.delivery.tolist() == [[each] for each in PLAIN["demands"]]
    standin.islands.clear()
    with Roads(roads.options) as others:
        assert with_matrices(read({**PLAIN, "depot": [8.0, 49.0]}), others).constraints is None


def test_vehicle_types_and_problems_of_vrooms_have_no_road_to_an_island(roads, standin):
    standin.islands.add(PLACES[1])
    found = with_matrices(read(vroom("car")), roads)
    own = found.own_constraints.matrices["car"]
    assert isinstance(found.origin, Source)
    assert infinite(own.durations) == infinite(own.distances)
    assert sum(map(sum, infinite(own.durations))) == 2 * (len(own.durations) - 1)


def test_a_spreadsheet_has_no_road_to_an_island(roads, standin):
    standin.islands.add(PLACES[1])
    options = SheetOptions(depot=(49.0, 8.1), capacity=(5.0,))
    (item,) = read_instances(b"id,lat,lon,demand\na,49.1,8.2,2\n", sheet=options, roads=True)
    found = with_matrices(item, roads)
    assert isinstance(found.origin, Sheet)
    assert infinite(found.distances) == [[False, True], [True, False]]


@pytest.mark.parametrize("option", [{"matrix_time": "min"}, {"matrix_distance": "km"}])
def test_a_problem_of_vrooms_counts_seconds_and_metres(standin, option):
    with Roads(RoadOptions(matrix=f"osrm={standin.url}", **option)) as roads:
        found = with_matrices(read(vroom("car")), roads)
    assert found.code == "CONFLICT"
    assert "but a problem of VROOM's has" in found.error
    assert not standin.paths
