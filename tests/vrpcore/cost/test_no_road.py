"""Legs without a road: ways round them, and numbers that look as if they meant none."""

import numpy as np
import pytest

from vrpcore.cost.no_road import Legs, suspected_no_road
from vrpcore.formats.read import read_instances

# 0 is the depot; the only way leads 0 - 1 - 2 - 3 - 0.
RING = [[0, 1, None, None], [None, 0, 1, None], [None, None, 0, 1], [1, None, None, 0]]


def read(document):
    (instance,) = read_instances(document)
    assert not hasattr(instance, "error"), instance.error
    return instance


def ring(customers=({}, {}, {}), **keys):
    return read({"depots": [{}], "vehicles": [{}], "customers": list(customers), **keys})


def test_of_types_that_are_alike_the_first_that_has_vehicles_counts():
    vehicles = [{"count": 0}, {"capacity": 2}, {"count": 1}, {"capacity": 2, "count": 3}, {}]
    named = [{"id": f"v{number}", **each} for number, each in enumerate(vehicles)]
    assert Legs(ring(distances=RING, vehicles=named)).kinds == [1, 2]


def test_ways_lead_through_others():
    legs = Legs(ring(distances=RING))
    assert legs.drivable(0).tolist() == [[each is not None for each in row] for row in RING]
    assert legs.path(0, 0, 1, ()) == []
    assert legs.path(0, 0, 3, ()) == [1, 2]
    assert legs.path(0, 0, 3, {2}) is None
    assert legs.path(0, 2, 1, ()) is None  # not through the depot
    assert legs.unreachable(0, [0, 3, 0]) is None
    assert legs.unreachable(0, [0, 1, 2, 0]) is None
    assert legs.unreachable(0, [0, 1, 3, 0]) is None
    assert legs.unreachable(0, [0, 1, 3, 2, 0]) == (1, 3)  # not twice through 2


def test_nobody_drives_through_a_stop_without_its_skills():
    legs = Legs(ring([{"skills": ["x"]}, {}, {}], distances=RING))
    assert legs.path(0, 0, 3, ()) is None


@pytest.mark.parametrize("key", ["distances", "durations", "costs"])
def test_a_road_is_missing_where_any_matrix_lacks_it(key):
    whole = [[1] * 4] * 4
    keys = {"distances": whole, "durations": whole, "costs": whole, key: RING}
    assert (
        Legs(ring(**keys)).drivable(0).tolist() == Legs(ring(distances=RING)).drivable(0).tolist()
    )


def suspicion(matrix, **keys):
    return suspected_no_road(ring(distances=matrix, **keys))


def test_a_number_a_thousand_times_all_others_is_suspected():
    for large, told in ((2999, False), (3000, True), (1e9, True)):
        found = suspicion([[0, 1, 2, 3], [1, 0, large, 1], [2, 1, 0, large], [1, 2, 3, 0]])
        assert (found is not None) == told
    assert found == (
        "distances from 1 to 2: 1e+09, all smaller ones are at most 3; "
        "write null where there is no road"
    )


def test_what_is_not_suspected():
    assert suspicion(RING) is None
    near = [[0, 9000, 9001, 9002], [9000, 0, 1, 1], [9001, 1, 0, 1], [9002, 1, 1, 0]]
    assert suspicion(near) is None  # a depot far away
    assert suspicion(np.where(np.eye(4), 0, 5000).tolist()) is None
    assert (
        suspected_no_road(read({"capacity": 1, "depot": [0, 0], "coords": [], "demands": []}))
        is None
    )


def test_the_matrix_is_named():
    odd = [[0, 1, 5000, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]]
    assert suspicion(RING, durations=odd).startswith("durations from the depot to 2: 5000")
    named = {"truck": {"durations": odd}}
    keys = {"matrices": named, "vehicles": [{"matrix": "truck"}]}
    assert suspicion(RING, **keys).startswith("matrices.truck.durations from")


def test_between_stops_ways_lead_through_reloads():
    # 1 leads only to the depot, from where a road leads to 2; 2 leads nowhere but to the depot.
    roads = [[0, 1, 1], [1, 0, None], [1, None, 0]]
    shipment = [{"id": "s", "amount": 1, "pickup": {}, "delivery": {}}]
    keys = {"depots": [{}], "distances": roads}
    apart = read({**keys, "vehicles": [{}], "customers": [{}, {}]})
    assert Legs(apart).unreachable(0, [0, 1, 2, 0]) == (1, 2)
    carried = read({**keys, "vehicles": [{"reloads": ["0"]}], "shipments": shipment})
    assert Legs(carried).unreachable(0, [0, 1, 2, 0]) == (1, 2)  # in one trip
    # From the depot no road leads to 2 but over the other depot, behind 1.
    roads = [[0, 9, 1, None], [1, 0, None, 1], [1, 1, 0, None], [1, None, None, 0]]
    two = {"depots": [{"id": "a"}, {"id": "b"}], "distances": roads, "customers": [{}, {}]}
    for reloads, found in ((["b"], None), ([], (0, 3))):
        van = {"start": "a", "end": "a", "reloads": reloads}
        assert Legs(read({**two, "vehicles": [van]})).unreachable(0, [0, 3, 0]) == found


def test_ways_lead_only_through_stops_that_are_permitted():
    vehicles = [{"id": "a"}, {"id": "b"}]
    legs = Legs(ring(({}, {"vehicles": ["b"]}, {}), distances=RING, vehicles=vehicles))
    assert legs.permits.tolist() == [[True, False, True], [True, True, True]]
    assert legs.path(0, 0, 3, ()) is None
    assert legs.path(1, 0, 3, ()) == [1, 2]
