"""From the locations of VROOM's matrices to depots and stops."""

import json
from dataclasses import replace

import numpy as np
import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json.explain import read_as
from vrpcore.formats.vroom.vroom_documents import Node, Spot, VroomProfile
from vrpcore.formats.vroom.vroom_matrices import node_coords, read_matrices, whole_matrix
from vrpcore.instance.vehicle_types import VehicleType

CAR = VehicleType(id="1", capacity=(1.0,), matrix="car", distance_cost=0.0, travel_cost=1.0)
TIMES = [[0, 10, 20], [11, 4, 21], [12, 22, 0]]


def nodes(*rows):
    return [Node(Spot(None, row), f"place {row}") for row in rows]


def read(matrices, places, types=(CAR,), *, roads=False):
    found = read_as(dict[str, VroomProfile], matrices or {}, "problem.matrices")
    return read_matrices(found, "problem.matrices", types, places, roads=roads)


def test_the_diagonal_of_a_matrix_is_kept():
    assert np.array_equal(whole_matrix([[7, 1], [2, 9]], "m"), [[7, 1], [2, 9]])


def test_no_road_in_a_matrix():
    none = np.inf
    given = [[None, 2**31 - 1, 2**31], [2**32 - 1, 2**32 - 1, 2**32 - 2], [None, 3, 2**31 - 1]]
    found = whole_matrix(given, "m")
    assert found.tolist() == [[0, none, 2**31], [none, 0, 2**32 - 2], [none, 3, 0]]


@pytest.mark.parametrize(
    ("rows", "code", "message"),
    [
        ([[0, 1.5], [1, 0]], "WRONG_TYPE", "x[0][1]: 1.5, expected a whole number below 2^53"),
        ([[0, -2], [1, 0]], "OUT_OF_RANGE", "x[0][1]: -2 is negative, expected at least 0"),
        ([[0.5]], "WRONG_TYPE", "x[0][0]: 0.5, expected a whole number below 2^53"),
        (
            [[0, 1]],
            "SHAPE",
            "x[0]: 2 numbers, expected a square matrix, 1 x 1 (a row and a column for each "
            "location)",
        ),
    ],
)
def test_faults_of_a_matrix(rows, code, message):
    with pytest.raises(InstanceError) as raised:
        whole_matrix(rows, "x")
    assert (raised.value.code, str(raised.value)) == (code, message)


def test_nodes_get_the_rows_of_their_locations():
    matrices, tells = read({"car": {"durations": TIMES}}, nodes(2, 0, 2))
    assert not tells
    assert np.array_equal(matrices["car"].durations, [[0, 12, 0], [20, 0, 20], [0, 12, 0]])
    assert matrices["car"].distances is matrices["car"].durations


def test_two_stops_of_one_location_have_its_diagonal_between_them():
    matrices, _ = read({"car": {"durations": TIMES}}, nodes(0, 1, 1))
    assert matrices["car"].durations[1].tolist() == [11, 0, 4]


def test_each_profile_has_its_own():
    bike = VehicleType(id="2", capacity=(1.0,), matrix="bike", distance_cost=0.1)
    given = {"durations": TIMES, "distances": [[7] * 3] * 3}
    matrices, tells = read({"car": given, "bike": given}, nodes(0, 1), (CAR, bike))
    assert tells
    assert matrices.keys() == {"car", "bike"}
    assert matrices["bike"].distances.tolist() == [[0, 7], [7, 0]]


def test_costs_of_legs_are_spread_as_well():
    matrices, tells = read({"car": {"durations": TIMES, "costs": TIMES}}, nodes(2, 0))
    assert not tells
    assert matrices["car"].costs.tolist() == [[0, 12], [20, 0]]
    paid = replace(CAR, travel_cost=0.5)
    with pytest.raises(InstanceError, match="vehicle 1 has 'per_hour' or 'per_km', but") as raised:
        read({"car": {"durations": TIMES, "costs": TIMES}}, nodes(0), (paid,))
    assert raised.value.code == "CONFLICT"


def test_coordinates_of_all_or_of_none():
    placed = [Node(Spot((2.0, 48.0), 0), "a"), Node(Spot((3.0, 49.0), None), "b")]
    for needed in (True, False):
        assert node_coords(placed, needed=needed).tolist() == [[2.0, 48.0], [3.0, 49.0]]
        assert node_coords([*placed, *nodes(1)], needed=needed) is None
    beyond = [*placed, Node(Spot((2.0, 95.0), 0), "c")]
    assert node_coords(beyond, needed=False) is None
    with pytest.raises(InstanceError, match=r"c\.location: latitude 95, expected -90 to 90"):
        node_coords(beyond, needed=True)


def test_a_matrix_of_too_many_locations():
    with pytest.raises(InstanceError, match="10002 rows, the limit is 10001"):
        read({"car": {"durations": [[]] * 10_002}}, nodes(0))


@pytest.mark.parametrize(
    ("matrices", "rows", "code", "message"),
    [
        (None, [0], "UNKNOWN", "problem.matrices: none for 'car', the profile of"),
        ({}, [0], "UNKNOWN", "problem.matrices: none for 'car', the profile of"),
        (
            {"truck": {"durations": TIMES}, "bike": {"durations": TIMES}},
            [0],
            "UNKNOWN",
            "problem.matrices: none for 'car', the profile of vehicle 1; there are some for "
            "'truck', 'bike': call the profile of the vehicle, or of the matrices, alike",
        ),
        ({"car": {}}, [0], "MISSING", "problem.matrices.car.durations: missing"),
        (
            {"car": {"durations": TIMES, "costs": [[0]]}},
            [0],
            "SHAPE",
            "problem.matrices.car.costs: 1 rows, but 3 of durations",
        ),
        (
            {"car": {"durations": TIMES, "distances": [[0]]}},
            [0],
            "SHAPE",
            "problem.matrices.car.distances: 1 rows, but 3 of durations",
        ),
        (
            {"car": {"durations": TIMES}},
            [3],
            "OUT_OF_RANGE",
            "place 3: location_index 3, but the matrices have 3 rows",
        ),
        (
            {"car": {"durations": TIMES}},
            [None],
            "MISSING",
            "place None: has no location_index, which matrices need",
        ),
        (
            {"car": {"durations": [[0]]}},
            [0] * 10_100,
            "TOO_LARGE",
            "problem.matrices: 1 matrices for 10100 starts, ends and tasks are too large",
        ),
    ],
)
def test_faults(matrices, rows, code, message):
    with pytest.raises(InstanceError) as raised:
        read(matrices, nodes(*rows))
    assert raised.value.code == code
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("change", "key"),
    [({"distance_cost": 0.1}, "costs.per_km"), ({"max_distance": 5.0}, "max_distance")],
)
def test_who_pays_for_lengths_needs_some(change, key):
    vehicle = VehicleType(id="3", capacity=(1.0,), matrix="car", **{"distance_cost": 0.0} | change)
    with pytest.raises(InstanceError, match=f"vehicle 3 has '{key}', which needs distances"):
        read({"car": {"durations": TIMES}}, nodes(0), (vehicle,))


def test_who_has_no_matrices_is_told_where_to_get_some():
    with pytest.raises(InstanceError, match="ask a routing engine with vrp solve") as told:
        read(None, nodes(0))
    example = str(told.value).split('matrices": ')[1]
    assert json.loads(example) == {"car": {"durations": [[0, 60], [60, 0]]}}


def test_roads_will_give_what_is_missing():
    placed = [Node(Spot((8.0, 49.0), 1), "a"), Node(Spot((8.1, 49.0), 0), "b")]
    bike = replace(CAR, matrix="bike", distance_cost=0.1, max_distance=100.0)
    assert read(None, placed, (CAR, bike), roads=True) == ({}, True)
    matrices, tells = read({"car": {"durations": TIMES}}, placed, (CAR, bike), roads=True)
    assert (list(matrices), tells) == (["car"], False)


def test_roads_need_to_know_where_everything_is():
    placed = [Node(Spot((8.0, 49.0), None), "a"), Node(Spot(None, 3), "jobs[0]")]
    with pytest.raises(InstanceError) as raised:
        read(None, placed, roads=True)
    assert (raised.value.code, str(raised.value)) == (
        "MISSING",
        "jobs[0]: has no location, from which roads could be asked for; there are no matrices "
        "for 'car' either",
    )
    with pytest.raises(InstanceError, match="2 matrices for 10000 starts, ends and tasks are too"):
        read(None, placed[:1] * 10_000, roads=True)
