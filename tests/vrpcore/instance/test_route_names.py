from tests.build import constrained, on_a_line, plain
from vrpcore.instance.plan import ANY_VEHICLE, Reload, Route
from vrpcore.instance.route_names import RouteNames

VANS = constrained(
    depots=[{"id": "n", "x": 0, "y": 0}, {"id": "s", "x": 9, "y": 0}],
    customers=on_a_line(1, 2, 3, 4),
    vehicles=[{"id": "bike", "start": "n", "end": "n"}, {"id": "van", "start": "s", "end": "s"}],
)


def test_reloads_stay_between_the_stops_that_are_left():
    names = RouteNames(VANS, VANS.listed_types)
    listed = [("n", 0), ("s", 1), ("n", 2), ("n", 4), ("s", 5), ("n", 9), ("x", 3)]
    found, stay = names.route([1, "x", "2", 3, 4, "y"], "van", listed)
    assert found == Route(1, (1, 2, 3, 4), (Reload(1, 1), Reload(0, 3)))
    assert stay == [True, False, True, True, True, False]
    assert names.unknown == ["stop 'x'", "stop 'y'", "depot 'x'"]


def test_a_route_without_a_known_vehicle():
    names = RouteNames(VANS, VANS.listed_types)
    assert names.route([4], None, ())[0] == Route(ANY_VEHICLE, (4,))
    assert names.route([4], "tram", ())[0] == Route(ANY_VEHICLE, (4,))
    assert names.unknown == ["vehicle type 'tram'"]
    assert RouteNames(plain(demand=[1]), ()).route([1], None, ())[0] == Route(0, (1,))


def test_an_id_means_its_own_before_anothers_text():
    names = RouteNames(plain(demand=[1, 1, 1], ids=("7", 7, "a")), ())
    assert names.route([7, "7", "a"], None, ())[0].stops == (2, 1, 3)
