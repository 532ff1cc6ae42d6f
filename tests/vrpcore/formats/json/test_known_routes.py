import dataclasses

import pytest

from tests.vrpcore.formats.json.working_day import COMPACT, DAY
from vrpcore.errors import InstanceError
from vrpcore.formats.json.known_routes import known_routes_to_list
from vrpcore.formats.json.plain_json import build_instance
from vrpcore.instance.plan import ANY_VEHICLE, Reload, kept_reloads


def build(routes, base=DAY):
    return build_instance(base | {"routes": routes}, "i", "i")


def test_by_hand():
    found = build(DAY["routes"])
    assert found.routes == ((1, 5, 2), (4,))
    assert found.route_vehicles == (0, ANY_VEHICLE)
    assert found.route_reloads == ((Reload(1, 2),), ())
    assert found.route_departures == (30, None)
    assert found.unknown_in_routes == ()
    assert known_routes_to_list(found) == DAY["routes"]


def test_lists_state_nothing_else():
    found = build([["a"], {"customers": ["b", 3]}])
    assert found.routes == ((1,), (2, 3))
    assert (found.route_vehicles, found.route_reloads, found.route_departures) == (None,) * 3
    assert known_routes_to_list(found) == [["a"], ["b", 3]]


def test_ids_are_compared_as_texts():
    assert build([["a", "3"], {"customers": ["b"]}]).routes == ((1, 3), (2,))
    found = build([["2", 1], {"customers": ["1", "x"], "reloads": []}], COMPACT)
    assert (found.routes, found.unknown_in_routes) == (((2, 1), (1,)), ("stop 'x'",))


def test_what_is_gone_is_left_out_and_named():
    reloads = [{"depot": "yard", "after": after} for after in (1, 2, 3, 4)]
    reloads += [{"depot": "mars", "after": 2}]
    found = build(
        [{"customers": ["a", "x", "b", "y"], "vehicle": "tram", "reloads": reloads}, ["z"]]
    )
    assert (found.routes, found.route_vehicles) == (((1, 2), ()), None)
    assert found.route_reloads == ((Reload(1, 1),), ())
    gone = ("vehicle type 'tram'", "stop 'x'", "stop 'y'", "depot 'mars'", "stop 'z'")
    assert found.unknown_in_routes == gone
    reload = {"depot": "yard", "after": 1}
    assert known_routes_to_list(found) == [{"customers": ["a", "b"], "reloads": [reload]}]


def test_a_plain_instance_has_no_types_and_no_reloads():
    row = {"customers": [1, 2], "vehicle": "van", "reloads": [{"depot": "0", "after": 1}]}
    found = build([row, {"customers": [2], "departure": 3}], COMPACT)
    assert found.routes == ((1, 2), (2,))
    assert found.unknown_in_routes == ("vehicle type 'van'", "depot '0'")
    assert found.route_departures == (None, 3)
    assert known_routes_to_list(found) == [[1, 2], {"customers": [2], "departure": 3}]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([], "i.routes[0]: an empty route"),
        ({"customers": []}, "i.routes[0].customers: an empty route"),
        ({"vehicle": "van"}, "i.routes[0].customers: missing"),
        ({"customers": [1.5]}, "i.routes[0].customers[0]: 1.5, expected an id"),
        ({"customers": ["a"], "reloads": 3}, "i.routes[0].reloads: 3, expected a list of reloads"),
        (
            {"customers": ["a"], "reloads": [{"depot": "hub"}]},
            "i.routes[0].reloads[0].after: missing",
        ),
        ({"customers": ["a"], "departure": "8:00"}, "i.routes[0].departure: '8:00', expected a nu"),
        ({"customers": ["a"], "cost": 3}, "i.routes[0]: unknown key 'cost'"),
        (3, "i.routes[0]: 3, expected a list of customer ids"),
    ],
)
def test_each_error_by_its_message(row, message):
    with pytest.raises(InstanceError) as caught:
        build([row])
    assert str(caught.value).startswith(message)


def test_reloads_stay_between_the_stops_that_are_left():
    unknown = []
    listed = [("n", 0), ("s", 1), ("n", 2), ("n", 4), ("s", 5), ("n", 9), ("x", 3)]
    found = kept_reloads(listed, [True, False, True, True, True, False], {"n": 0, "s": 1}, unknown)
    assert found == (Reload(1, 1), Reload(0, 3))
    assert unknown == ["depot 'x'"]


def test_a_part_of_an_instance_has_no_known_routes():
    found = build(DAY["routes"]).take([1])
    own = (found.routes, found.route_vehicles, found.route_reloads, found.route_departures)
    assert own == (None,) * 4
    assert dataclasses.replace(found, routes=()).routes == ()
