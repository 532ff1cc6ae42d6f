import pytest

from tests.vrpcore.formats.json.working_day import COMPACT, DAY
from vrpcore.errors import InstanceError
from vrpcore.formats.json.known_routes import known_routes_to_list
from vrpcore.formats.json.plain_json import build_instance
from vrpcore.instance.plan import ANY_VEHICLE, KnownDay, Plan, Reload, Route


def build(routes, base=DAY):
    return build_instance(base | {"routes": routes}, "i", "i")


def written(instance):
    return known_routes_to_list(instance, instance.plan)


def test_by_hand():
    routes = [Route(0, (1, 5, 2), (Reload(1, 2),)), Route(ANY_VEHICLE, (4,))]
    found = build(DAY["routes"])
    assert found.plan == Plan.known(routes, [KnownDay(30), KnownDay()])
    assert written(found) == DAY["routes"]


def test_lists_state_nothing_else():
    found = build([["a"], {"customers": ["b", 3]}])
    assert found.plan == Plan([Route(ANY_VEHICLE, (1,)), Route(ANY_VEHICLE, (2, 3))])
    assert written(found) == [["a"], ["b", 3]]


def test_ids_are_compared_as_texts():
    found = build([["a", "3"], {"customers": ["b"]}])
    assert [route.stops for route in found.plan.routes] == [(1, 3), (2,)]
    found = build([["2", 1], {"customers": ["1", "x"], "reloads": []}], COMPACT)
    assert found.plan == Plan.of([[2, 1], [1]])._replace(unknown=("stop 'x'",))


def test_what_is_gone_is_left_out_and_named():
    reloads = [{"depot": "yard", "after": after} for after in (1, 2, 3, 4)]
    reloads += [{"depot": "mars", "after": 2}]
    found = build(
        [{"customers": ["a", "x", "b", "y"], "vehicle": "tram", "reloads": reloads}, ["z"]]
    )
    assert found.plan.routes == [
        Route(ANY_VEHICLE, (1, 2), (Reload(1, 1),)),
        Route(ANY_VEHICLE, ()),
    ]
    gone = ("vehicle type 'tram'", "stop 'x'", "stop 'y'", "depot 'mars'", "stop 'z'")
    assert found.plan.unknown == gone
    reload = {"depot": "yard", "after": 1}
    assert written(found) == [{"customers": ["a", "b"], "reloads": [reload]}]


def test_a_plain_instance_has_no_types_and_no_reloads():
    row = {"customers": [1, 2], "vehicle": "van", "reloads": [{"depot": "0", "after": 1}]}
    found = build([row, {"customers": [2], "departure": 3}], COMPACT)
    unknown, days = ("vehicle type 'van'", "depot '0'"), [KnownDay(), KnownDay(3)]
    assert found.plan == Plan.known(Plan.of([[1, 2], [2]]).routes, days, unknown)
    assert written(found) == [[1, 2], {"customers": [2], "departure": 3}]


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
