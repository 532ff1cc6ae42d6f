"""Instances with constraints as JSON has them: a whole one by hand, and whatever may be wrong."""

import math

import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.validate import build_instance

FULL = {
    "depots": [{"id": "n", "x": 0, "y": 0, "window": [0, 600]}, {"id": "s", "x": 6, "y": 1}],
    "vehicles": [
        {"id": "van", "count": 4, "capacity": [40, 12], "start": "n", "max_duration": 420},
        {"id": "bike", "capacity": [8, 2], "start": "s", "end": None, "speed": 2},
    ],
    "customers": [
        {"id": 7, "x": 1, "y": 9, "demand": [3, 0], "pickup": [1, 0], "window": [60, 120]},
        {"id": 8, "x": 3, "y": 8, "windows": [[0, 60], [200, 260]], "prize": 12.5},
    ],
    "shipments": [
        {
            "id": "s1",
            "amount": [2, 0],
            "pickup": {"x": 2, "y": 2, "window": [0, 200], "service": 5},
            "delivery": {"x": 9, "y": 4},
        }
    ],
}
SHORT = {
    "capacity": 9,
    "depot": [0, 0],
    "customers": [{"x": 1, "y": 1, "demand": 2, "service": 1}, {"x": 2, "y": 2, "demand": 3}],
}
COMPACT = {
    "capacity": 9,
    "depot": [0, 0],
    "coords": [[1, 1], [2, 2]],
    "demands": [2, 3],
    "services": [1, 0],
}


def build(value):
    return build_instance(value, "i", "name")


def with_(base, *path, **changes):
    """A copy with keys of the object at a path changed; `...` takes one away."""
    if path:
        copy = dict(base) if isinstance(base, dict) else list(base)
        copy[path[0]] = with_(base[path[0]], *path[1:], **changes)
        return copy
    copy = {**base, **changes}
    return {key: value for key, value in copy.items() if value is not ...}


def test_a_whole_one_by_hand():
    found = build(FULL)
    rules = found.rules
    assert found.ids == (7, 8, "s1:pickup", "s1:delivery")
    assert found.coords.tolist() == [[0, 0], [6, 1], [1, 9], [3, 8], [2, 2], [9, 4]]
    assert found.demand.tolist() == [0, 0, 3, 0, 0, 0]
    assert (found.capacity, found.max_vehicles, found.num_depots) == (40, 4, 2)
    assert rules.delivery.tolist() == [[3, 0], [0, 0], [0, 0], [0, 0]]
    assert rules.pickup.tolist() == [[1, 0], [0, 0], [0, 0], [0, 0]]
    assert rules.shipment.tolist() == [[0, 0], [0, 0], [2, 0], [-2, 0]]
    assert rules.windows[0].tolist() == [[60, 120], [math.inf, math.inf]]
    assert rules.windows[1].tolist() == [[0, 60], [200, 260]]
    assert rules.prize.tolist() == [math.inf, 12.5, math.inf, math.inf]
    assert rules.service.tolist() == [0, 0, 5, 0]
    van, bike = rules.vehicles
    assert (van.start, van.end, bike.start, bike.end, bike.speed) == (0, 0, 1, None, 2)
    assert (rules.num_shipments, rules.listed_amounts, rules.listed_vehicles) == (1, True, True)


def test_the_short_form_and_compact_arrays_are_the_same():
    listed, compact = build(SHORT), build(COMPACT)
    for found in (listed, compact):
        assert (found.ids, found.capacity, found.demand.tolist()) == ((1, 2), 9, [0, 2, 3])
        assert found.rules.service.tolist() == [1, 0]
        assert not found.rules.listed_vehicles


TIMES = [[0, 4, 5], [6, 0, 7], [8, 9, 0]]
ONES = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
NOWHERE = {"capacity": 9, "customers": [{"demand": 2}, {"demand": 3}]}
NAMING = {"vehicles": [{"matrix": "slow"}], "customers": [{}, {}]}


def test_matrices():
    found = build({**NOWHERE, "durations": TIMES})
    assert found.coords is None
    assert found.distances.tolist() == found.rules.durations.tolist() == TIMES
    found = build({**NOWHERE, "durations": TIMES, "distances": [[9, 1, 1], [1, 9, 1], [1, 1, 9]]})
    assert found.distances.tolist() == ONES


@pytest.mark.parametrize(
    ("base", "lengths"),
    [
        (SHORT, None),
        ({**NOWHERE, "distances": ONES}, None),
        ({**NOWHERE, "durations": ONES}, None),
        (NAMING, TIMES),
    ],
)
def test_a_named_matrix_of_durations_alone_leaves_lengths_where_there_are_some(base, lengths):
    slow = build({**base, "matrices": {"slow": {"durations": TIMES}}}).rules.matrices["slow"]
    assert slow.durations.tolist() == TIMES
    assert (None if slow.distances is None else slow.distances.tolist()) == lengths


@pytest.mark.parametrize("own", [{}, {"durations": ONES}])
def test_a_named_matrix_of_distances_alone_has_durations_of_the_speed(own):
    named = {"slow": {"distances": TIMES}}
    found = build({**SHORT, "matrices": named, "speed": 2, **own}).rules.matrices["slow"]
    assert found.distances.tolist() == TIMES
    assert found.durations.tolist() == [[0, 2, 2.5], [3, 0, 3.5], [4, 4.5, 0]]


def test_odd_but_legal():
    assert build({"vehicles": [{}], "depot": [0, 0], "customers": []}).num_customers == 0
    assert build({**SHORT, "capacity": [9], "customers": [{"x": 1, "y": 1, "demand": [9]}]})
    assert build(with_(FULL, "vehicles", 0, count=0)).rules.vehicles[0].count == 0
    assert build({**SHORT, "backhauls": None, "speed": None, "windows": None}).rules.speed == 1
    assert build(with_(FULL, "vehicles", 0, capacity=None)).capacity == math.inf
    assert build(with_(FULL, "customers", 0, demand=[99, 0])).rules.delivery[0, 0] == 99


V, C, S, D = (
    ("vehicles", 0),
    ("customers", 0),
    ("shipments", 0),
    ("depots", 0),
)
WRONG = [
    (FULL, D, {"window": [9, 8]}, "i.depots[0].window: opens at 9, after it closes at 8"),
    (FULL, D, {"id": "s"}, "i.depots[1].id: duplicate id 's', also at i.depots[0].id"),
    (FULL, D, {"x": ...}, "i.depots[0].x: missing"),
    (FULL, D, {"x": "1"}, "i.depots[0].x: '1', expected a number"),
    (FULL, D, {"name": "n"}, "i.depots[0]: unknown key 'name'"),
    (FULL, D, {"id": 1.5}, "i.depots[0].id: 1.5, expected an id"),
    (FULL, (), {"depots": []}, "i.depots: 0 depots, expected 1 to 1000"),
    (FULL, (), {"depots": [[0, 0]] * 1001}, "i.depots: 1001 depots, expected 1 to 1000"),
    (FULL, (), {"depots": {}}, "i.depots: an object, expected a list of depots"),
    (FULL, (), {"depots": [7, 8]}, "i.depots[0]: 7, expected an object"),
    (FULL, (), {"depot": [0, 0]}, "i.depots: given beside 'depot'; give one or the other"),
    (FULL, (), {"capacity": 3}, "i.capacity: given beside 'vehicles'"),
    (FULL, (), {"max_vehicles": 3}, "i.max_vehicles: given beside 'vehicles'"),
    (FULL, (), {"return_to_depot": True}, "i.return_to_depot: given beside 'vehicles'"),
    (FULL, (), {"vehicles": []}, "i.vehicles: 0 vehicle types, expected 1 to 1000"),
    (FULL, (), {"vehicles": [{}] * 1001}, "i.vehicles: 1001 vehicle types, expected 1 to 1000"),
    (FULL, (), {"vehicles": [3]}, "i.vehicles[0]: 3, expected an object"),
    (FULL, (), {"vehicles": "van"}, "i.vehicles: 'van', expected a list of vehicle types"),
    (FULL, V, {"count": -1}, "i.vehicles[0].count: -1, expected at least 0"),
    (FULL, V, {"count": 1.0}, "i.vehicles[0].count: 1.0, expected an integer"),
    (FULL, V, {"count": 2**63}, "i.vehicles[0].count: 9223372036854775808, expected below 2^63"),
    (FULL, V, {"capacity": [40]}, "i.vehicles[1].capacity: a list of 2, but i.vehicles[0].cap"),
    (FULL, V, {"capacity": 40}, "i.vehicles[1].capacity: a list of 2, but i.vehicles[0].cap"),
    (FULL, V, {"capacity": [40, -1]}, "i.vehicles[0].capacity[1]: -1 is negative"),
    (FULL, V, {"start": "x"}, "i.vehicles[0].start: no depot has the id 'x'; there are n, s"),
    (FULL, V, {"end": 3}, "i.vehicles[0].end: no depot has the id '3'; there are n, s"),
    (FULL, V, {"start": ["n"]}, "i.vehicles[0].start: a list of 1, expected an id"),
    (FULL, V, {"id": "bike"}, "i.vehicles[1].id: duplicate id 'bike', also at i.vehicles[0].id"),
    (FULL, V, {"id": 1}, None),
    (FULL, V, {"window": [480, 0]}, "i.vehicles[0].window: opens at 480, after it closes at 0"),
    (FULL, V, {"speed": 0}, "i.vehicles[0].speed: 0 is not a positive number"),
    (FULL, V, {"max_duration": -1}, "i.vehicles[0].max_duration: -1 is negative"),
    (FULL, V, {"max_customers": 2.5}, "i.vehicles[0].max_customers: 2.5, expected an integer"),
    (FULL, V, {"fixed_cost": -5}, "i.vehicles[0].fixed_cost: -5 is negative"),
    (FULL, V, {"distance_cost": "1"}, "i.vehicles[0].distance_cost: '1', expected a number"),
    (FULL, V, {"skills": "cold"}, "i.vehicles[0].skills: 'cold', expected a list of skills"),
    (FULL, V, {"skills": [3]}, "i.vehicles[0].skills[0]: 3, expected text"),
    (FULL, V, {"matrix": "truck"}, "i.vehicles[0].matrix: 'truck' is none of the instance's"),
    (FULL, V, {"breaks": []}, "i.vehicles[0]: unknown key 'breaks'"),
    (
        FULL,
        V,
        {"max_distnace": 1},
        "i.vehicles[0]: unknown key 'max_distnace'; did you mean 'max_d",
    ),
    (FULL, C, {"demand": 3}, "i.customers[0].demand: a number, but i.vehicles[0].capacity is a l"),
    (FULL, C, {"demand": [3]}, "i.customers[0].demand: a list of 1, but i.vehicles[0].capacity"),
    (FULL, C, {"pickup": [0, -2]}, "i.customers[0].pickup[1]: -2 is negative"),
    (FULL, C, {"windows": [[0, 1]]}, "i.customers[0].windows: given beside 'window'"),
    (FULL, C, {"window": [1]}, "i.customers[0].window: a list of 1, expected two times"),
    (FULL, C, {"window": [0, 1e101]}, "i.customers[0].window[1]: 1e+101 is not a finite number"),
    (FULL, C, {"service": -1}, "i.customers[0].service: -1 is negative"),
    (FULL, C, {"prize": -1}, "i.customers[0].prize: -1 is negative"),
    (FULL, C, {"priority": 101}, "i.customers[0].priority: 101, expected 0 to 100"),
    (FULL, C, {"priority": 1.5}, "i.customers[0].priority: 1.5, expected an integer"),
    (FULL, C, {"release": "now"}, "i.customers[0].release: 'now', expected a number"),
    (FULL, C, {"id": "8"}, "i.customers[1].id: duplicate id '8', also at i.customers[0].id"),
    (FULL, C, {"id": "a:pickup"}, "i.customers[0].id: 'a:pickup' ends like a stop of a shipment"),
    (FULL, C, {"id": "s1"}, "i.shipments[0]"),
    (FULL, C, {"x": ..., "y": ...}, "i.customers[0]: has no coordinates; give x and y"),
    (FULL, C, {"y": ...}, "i.customers[0].y: missing"),
    (FULL, C, {"amount": 3}, "i.customers[0]: unknown key 'amount'"),
    (FULL, (), {"customers": {}}, "i.customers: an object, expected a list of customer objects"),
    (FULL, (), {"demands": [1]}, "i.customers: given beside 'demands'; give one form or the"),
    (FULL, S, {"id": ...}, "i.shipments[0].id: missing"),
    (FULL, S, {"pickup": ...}, "i.shipments[0].pickup: missing"),
    (FULL, S, {"delivery": None}, "i.shipments[0].delivery: missing"),
    (FULL, S, {"delivery": [1, 2]}, "i.shipments[0].delivery: a list of 2, expected an object"),
    (FULL, S, {"amount": [1]}, "i.shipments[0].amount: a list of 1, but i.vehicles[0].capacity"),
    (FULL, S, {"amount": [-1, 0]}, "i.shipments[0].amount[0]: -1 is negative"),
    (FULL, S, {"demand": [1, 1]}, "i.shipments[0]: unknown key 'demand'"),
    (FULL, (), {"shipments": "s"}, "i.shipments: 's', expected a list of shipment objects"),
    (FULL, (), {"backhauls": "last"}, "i.backhauls: 'last' beside shipments, which need 'mixed'"),
    (FULL, (), {"backhauls": "first"}, "i.backhauls: 'first', expected one of mixed, last"),
    (FULL, (), {"routes": [[7, 8]]}, "i.routes: is not supported beside keys that go beyond one"),
    (FULL, (), {"speed": 1e-101}, "i.speed: 1e-101 is not a positive number of at least 1e-100"),
    (FULL, (), {"speed": 0}, "i.speed: 0 is not a positive number"),
    (FULL, (), {"durations": [[0]]}, "i.durations: 1 rows, expected a square matrix, 6 x 6"),
    (FULL, (), {"distances": [[0] * 6] * 5}, "i.distances: 5 rows, expected a square matrix, 6"),
    (FULL, (), {"distances": [[-1] * 6] * 6}, "i.distances[0][0]: -1 is negative"),
    (FULL, (), {"matrices": []}, "i.matrices: a list of 0, expected an object"),
    (FULL, (), {"matrices": {"a": {}}}, "i.matrices.a: empty, expected distances or durations"),
    (FULL, (), {"matrices": {"a": {"cost": 1}}}, "i.matrices.a: unknown key 'cost'"),
    (FULL, (), {"groups": []}, "i: unknown key 'groups'"),
    (FULL, (), {"pickup_only_routes": "no"}, "i.pickup_only_routes: 'no', expected true or fals"),
    (SHORT, (), {"customers": ...}, None),
    (SHORT, C, {"demand": 10}, "i.customers[0].demand: 10 exceeds capacity 9"),
    (SHORT, C, {"pickup": 10}, "i.customers[0].pickup: 10 exceeds capacity 9"),
    (SHORT, C, {"demand": -1}, "i.customers[0].demand: -1 is negative, expected at least 0"),
    (SHORT, (), {"capacity": ..., "speed": 1}, "i.capacity: missing"),
    (SHORT, (), {"capacity": 0, "speed": 1}, "i.capacity: 0 is not a positive number"),
    (SHORT, (), {"depot": ..., "speed": 1}, "i.depot: has no coordinates; give x and y"),
    (SHORT, (), {"depot": {"x": 1}}, "i.depot.y: missing"),
    (SHORT, (), {"max_vehicles": 0}, "i.max_vehicles: 0, expected at least 1"),
    (SHORT, (), {"metric": "haversine", "depot": [0, 91]}, "i.depot: latitude 91, expected -90"),
    (SHORT, (), {"metric": "taxi"}, "i.metric: 'taxi', expected one of euclidean"),
    (COMPACT, (), {"services": [1]}, "i.services: 1 values, but 2 of 'coords'"),
    (COMPACT, (), {"services": [1, -1]}, "i.services[1]: -1 is negative"),
    (COMPACT, (), {"windows": [None, [2, 1]]}, "i.windows[1]: opens at 2, after it closes at 1"),
    (COMPACT, (), {"prizes": ["x", 1]}, "i.prizes[0]: 'x', expected a number"),
    (COMPACT, (), {"demands": [2, [3]]}, "i.demands[1]: a list of 1, but i.capacity is a number"),
    (COMPACT, (), {"demands": [2, 10]}, "i.demands[1]: 10 exceeds capacity 9"),
    (COMPACT, (), {"pickups": [10, 1]}, "i.pickups[0]: 10 exceeds capacity 9"),
    (COMPACT, (), {"coords": [[1], [2, 2]]}, "i.coords[0]: a list of 1, expected [x, y]"),
    (COMPACT, (), {"coords": 7}, "i.coords: 7, expected a list"),
]


@pytest.mark.parametrize(("base", "path", "changes", "message"), WRONG)
def test_each_error_by_its_message(base, path, changes, message):
    value = with_(base, *path, **changes)
    if message is None and "customers" in value:
        build(value)
        return
    with pytest.raises(InstanceError) as caught:
        build(value)
    assert str(caught.value).startswith(message or "i.")
    assert str(caught.value).isprintable()
    assert caught.value.code.isupper()


def test_backhauls_last_and_customers_with_both():
    both = with_(SHORT, "customers", 0, pickup=1)
    with pytest.raises(
        InstanceError, match=r"'last', but i.customers\[0\] has a demand and a pick"
    ):
        build({**both, "backhauls": "last"})


def test_too_many_skills_and_customers():
    rows = [{"x": 0, "y": 0, "demand": 0, "skills": [str(i)]} for i in range(257)]
    with pytest.raises(InstanceError, match="i: 257 different skills, the limit is 256"):
        build({**SHORT, "customers": rows})
    rows = [{"x": 0, "y": 0, "demand": 0, "service": 1}] * 10_001
    with pytest.raises(InstanceError, match="10001 customers and stops, the limit is 10000"):
        build({**SHORT, "customers": rows})
