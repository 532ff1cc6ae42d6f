import numpy as np
import pytest

from tests.vrpcore.formats.sheets.days import read
from vrpcore.cost.far import doubtful_places, far_nodes
from vrpcore.formats.read import read_instances

BERLIN = [[13.40, 52.52], [13.41, 52.56], [13.35, 52.50], [13.30, 52.49], [13.45, 52.53]]


def instance(places, depot=(13.38, 52.51), **keys):
    document = {"capacity": 9, "depot": [*depot], "coords": places, "demands": [1] * len(places)}
    (found,) = read_instances({"metric": "haversine"} | keys | document)
    return found


def test_far_is_ten_times_the_rest():
    line = np.array([[float(x), 0.0] for x in (0, 1, 2, 3, 4, 100, 900)])
    assert far_nodes(line, "euclidean") == [5, 6]
    assert far_nodes(np.array([[x, 0.0] for x in (0, 1, 2, 3, 4, 20)]), "euclidean") == []
    assert far_nodes(line[[0, 1, 2, 6]], "euclidean") == []  # three say little
    assert far_nodes(np.array([[0.0, 0.0]] * 6 + [[5.0, 0.0]]), "euclidean") == []


def test_in_degrees_it_is_also_far_by_road():
    village = np.array([[13.4 + step / 1000, 52.5] for step in range(8)])
    near, far = np.array([[13.7, 52.5]]), np.array([[16.4, 52.5]])
    assert far_nodes(np.concatenate([village, near]), "haversine") == []
    assert far_nodes(np.concatenate([village, far]), "haversine") == [8]


def test_zero_and_zero_is_far_from_a_whole_country_and_from_three_places():
    country = np.array([[9.99, 53.55], [13.4, 52.5], [7, 51], [11.6, 48.1], [0, 0], [0, 0]])
    assert far_nodes(country, "haversine") == [4, 5]
    assert far_nodes(country[2:5], "haversine") == [2]
    assert far_nodes(country[3:], "haversine") == []  # they are most
    assert far_nodes(np.vstack([country, [[150.0, -30.0]]]), "haversine") == [6, 4, 5]
    gulf = np.array([[0.0, 0.0], [1.5, 0.2], [2.5, -1], [-2, 1]])
    assert far_nodes(gulf, "haversine") == [] == far_nodes(country, "euclidean")


@pytest.mark.parametrize(
    "found",
    [
        instance(BERLIN),
        instance([[9.99, 53.55], [13.4, 52.5], [7, 51], [11.6, 48.1]], depot=(8.68, 50.11)),
        instance([[0.01, 0.0], [0.0, 0.0], [0.02, 0.5]], depot=(0, 0)),  # they are there
        instance([[0.0, 0.0], [500.0, 1.0]], depot=(0, 0), metric="euclidean"),
        instance([[0, 0]] * 3),
    ],
)
def test_usual_places_are_not_doubted(found):
    assert doubtful_places(found) == []


def planar(places, depot, **keys):
    stops = [{"id": row, "x": x, "y": y, "demand": 1} for row, (x, y) in enumerate(places)]
    vehicles = [{"id": "v", "capacity": 9}]
    document = {"depot": depot, "customers": stops, "vehicles": vehicles} | keys
    return read_instances(document)[0]


def test_degrees_in_a_plane_with_a_speed_are_doubted():
    (said,) = doubtful_places(planar(BERLIN, [13.38, 52.51], speed=30))
    assert said == (
        "coordinates from (13.3, 52.49) to (13.45, 52.56) look like longitudes and latitudes, but "
        'lengths are those of a plane; write "metric": "haversine", with a speed in metres per '
        "unit of time"
    )
    country = [[9.99, 53.55], [13.4, 52.5], [7.1, 51.2], [11.6, 48.1]]
    assert doubtful_places(planar(country, [8.68, 50.11], speed=60))
    quito = [[-78.5, -0.2], [-78.45, -0.15], [-78.48, 0.01]]
    assert doubtful_places(planar(quito, [-78.5, -0.18], speed=8.3, vehicles=[{"id": "v"}]))


RNG = np.random.default_rng(1)


@pytest.mark.parametrize(
    ("places", "depot", "keys"),
    [
        (BERLIN, [13.38, 52.51], {}),  # no speed
        (BERLIN, [13.38, 52.51], {"speed": 0.01}),  # in degrees
        (BERLIN, [13.38, 52.51], {"speed": 30, "metric": "haversine"}),
        (BERLIN, [13.38, 52.51], {"speed": 30, "durations": np.ones((6, 6)).tolist()}),
        (RNG.random((6, 2)).tolist(), [0.5, 0.5], {}),
        (RNG.random((6, 2)).tolist(), [0.5, 0.5], {"speed": 40}),
        ((RNG.random((6, 2)) * 100).round(2).tolist(), [35.5, 35.5], {"speed": 40}),
        ((RNG.random((6, 2)) * 60 + 20).tolist(), [50.5, 50.5], {"speed": 40}),
        (RNG.integers(0, 100, (6, 2)).tolist(), [35, 35], {"speed": 40}),
        (RNG.integers(80, 90, (6, 2)).tolist(), [85, 85], {"speed": 40}),
        ((RNG.random((6, 2)) * 10 + [5000, 3000]).tolist(), [5003.5, 3002.5], {"speed": 40}),
    ],
)
def test_other_coordinates_are_not_taken_for_degrees(places, depot, keys):
    assert doubtful_places(planar(places, depot, **keys)) == []


def test_zero_and_zero():
    assert doubtful_places(instance([*BERLIN, [0, 0]])) == [
        "6 is at latitude 0 and longitude 0; give its location"
    ]
    assert doubtful_places(instance(BERLIN, depot=(0, 0))) == [
        "the depot is at latitude 0 and longitude 0; give its location"
    ]


def test_one_stop_with_degrees_exchanged():
    assert doubtful_places(instance([*BERLIN, [52.52, 13.40]])) == [
        "6 is near a depot where its latitude and longitude are exchanged, else far from it; "
        "exchange them"
    ]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_all_stops_with_degrees_exchanged(count):
    (said,) = doubtful_places(instance([[y, x] for x, y in BERLIN[:count]]))
    who = {1: "the stop is", 2: "all 2 stops are", 5: "all 5 stops are"}[count]
    assert said == (
        f"{who} near a depot where latitude and longitude are exchanged, else far from it; check "
        "lat and lon (x is the longitude) of the stops and of the depot"
    )


def test_a_stop_or_depot_far_away():
    (said,) = doubtful_places(instance([*BERLIN, [-3.7, 40.4]]))
    assert said == (
        "6 is 1868 km from the middle of all locations, the others are within 6 km; "
        "check its location"
    )
    (said,) = doubtful_places(instance(BERLIN, depot=(-3.7, 40.4)))
    assert said.startswith("the depot is 1868 km from the middle")


@pytest.mark.parametrize(
    ("count", "rest"), [(6, "and 1 more location"), (8, "and 3 more locations")]
)
def test_of_many_places_some_are_named(count, rest):
    many = [*BERLIN * 5, *([x / 10, 40.4] for x in range(count))]
    found = doubtful_places(instance(many))
    assert len(found) == 6
    assert found[-1] == rest


def test_spreadsheets_are_reported_by_row_also_in_the_plane():
    rows = "".join(f"{name},{x},{x}\n" for name, x in zip("ABCDE", (1, 2, 3, 1, 200), strict=True))
    found = read("id,x,y\n" + rows, depot=(0, 0))
    assert doubtful_places(found) == [
        "input: row 6 (E) is 280.7 from the middle of all locations, the others are within 2.121; "
        "check its location"
    ]
    stops = "type,id,lat,lon\ndepot,hub,0,0\n" + "".join(f",{y},{y},{x}\n" for x, y in BERLIN)
    assert doubtful_places(read(stops)) == [
        "input: row 2 (depot) is at latitude 0 and longitude 0; give its location"
    ]
