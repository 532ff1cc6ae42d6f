import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vrpcore.formats.json.cases import spoiled, with_
from vrpcore.errors import InstanceError
from vrpcore.formats.json.documents import InstanceDocument, PlainDocument
from vrpcore.formats.json.explain import read_as
from vrpcore.formats.json.fast_reading import DOCUMENTS, read_text
from vrpcore.formats.json.jsonparse import JsonText
from vrpcore.formats.json.plain_json import build_instance, has_constraints, instance_of
from vrpcore.formats.write import instance_to_dict
from vrpcore.instance.instance import MAX_CUSTOMERS
from vrpcore.instance.plan import Plan
from vrpcore.instance.vehicle_types import VehicleType

COMPACT = {"capacity": 10, "depot": [0.5, 0.5], "coords": [[0, 1], [1, 0]], "demands": [3, 4.5]}
LISTED = {
    "name": "monday",
    "capacity": 10,
    "depot": [0.5, 0.5],
    "customers": [
        {"id": "a", "x": 0, "y": 1, "demand": 3},
        {"x": 1, "y": 0, "demand": 4.5},
    ],
}
MATRIX = {"capacity": 10, "demands": [1, 1], "distances": [[0, 1, 2], [5, 0, 3], [2, 9, 0]]}


def build(value):
    return build_instance(value, "i", "instance-0")


def test_the_compact_form():
    found = build(COMPACT)
    assert (found.name, found.capacity, found.ids) == ("instance-0", 10.0, (1, 2))
    assert found.coords.tolist() == [[0.5, 0.5], [0, 1], [1, 0]]
    assert found.demand.tolist() == [0, 3, 4.5]
    assert (found.metric, found.distances, found.plan) == ("euclidean", None, None)


def test_the_listed_form():
    found = build(LISTED)
    assert (found.name, found.ids) == ("monday", ("a", 2))
    assert found.coords.tolist() == [[0.5, 0.5], [0, 1], [1, 0]]
    assert found.demand.tolist() == [0, 3, 4.5]


def test_a_matrix_alone_stays_asymmetric():
    found = build(MATRIX)
    assert found.coords is None
    assert found.distances.tolist() == MATRIX["distances"]
    listed = {**MATRIX, "customers": [{"demand": 1}, {"demand": 1, "id": "b"}]}
    del listed["demands"]
    assert build(listed).ids == (1, "b")


def test_the_diagonal_is_never_travelled():
    assert build({**MATRIX, "distances": [[7, 1, 2], [5, 7, 3], [2, 9, 7]]}).distances.trace() == 0


def test_odd_but_legal():
    assert build({**COMPACT, "capacity": 2**62}).capacity == 2.0**62
    assert build({**COMPACT, "max_vehicles": 1}).max_vehicles == 1
    assert build({**COMPACT, "demands": [0, 10]}).demand.tolist() == [0, 0, 10]
    for empty in (
        {"capacity": 1, "depot": [0, 0], "customers": []},
        {"capacity": 1, "depot": [0, 0], "coords": [], "demands": []},
        {"capacity": 1, "demands": [], "distances": [[0]]},
        {"capacity": 1, "depot": [0, 0], "customers": [], "distances": [[0]]},
    ):
        assert build(empty).num_customers == 0


def test_routes_become_customer_numbers():
    found = build({**LISTED, "routes": [[2, "a"]], "max_vehicles": 1})
    assert found.plan == Plan.of([[2, 1]])


@pytest.mark.parametrize("more", [{}, {"speed": 2}])
def test_routes_may_break_limits_and_name_what_is_gone(more):
    found = build({**LISTED, **more, "routes": [[2, 2], ["a"]], "max_vehicles": 1})
    assert found.plan == Plan.of([[2, 2], [1]])
    assert build({**LISTED, **more, "routes": []}).plan == Plan([])
    assert build({**LISTED, **more}).plan is None
    gone = build({**LISTED, **more, "routes": [["b", 2], ["2"], ["a"]]})
    assert gone.plan == Plan.of([[2], [2], [1]])._replace(unknown=("stop 'b'",))


def test_an_id_that_is_null_is_missing():
    rows = [{"id": None, "x": 1, "y": 1, "demand": 1}, {"id": "b", "x": 1, "y": 1, "demand": 1}]
    assert build({**LISTED, "customers": rows}).ids == (1, "b")


def test_a_load_may_exceed_the_capacity_by_rounding():
    tenths = {**COMPACT, "capacity": 0.3, "demands": [0.1, 0.2], "routes": [[1, 2]]}
    assert build(tenths).plan == Plan.of([[1, 2]])


@given(st.permutations(range(6)))
def test_a_permutation_of_customers_keeps_the_nodes(order):
    rows = [{"id": f"c{i}", "x": i / 7, "y": i * i, "demand": i} for i in range(6)]
    found = build({**LISTED, "customers": [rows[i] for i in order]})
    assert found.ids == tuple(f"c{i}" for i in order)
    assert found.demand[1:].tolist() == list(order)
    assert np.array_equal(found.coords[1:, 1], np.square(order))


ONE = {"x": 1, "y": 1, "demand": 1}
WRONG = [
    (COMPACT, {"capacity": ...}, "MISSING", ".capacity: missing"),
    (COMPACT, {"depot": None}, "MISSING", ".depot: missing"),
    (COMPACT, {"demands": ...}, "MISSING", ".demands: missing"),
    (COMPACT, {"coords": ...}, "MISSING", ".coords: missing"),
    (COMPACT, {"customers": []}, "CONFLICT", ".customers: given with 'coords'"),
    (COMPACT, {"demands": [1]}, "SHAPE", ".coords: 2 points but 1 demands"),
    (
        COMPACT,
        {"demands": [3, -1]},
        "OUT_OF_RANGE",
        ".demands[1]: -1 is negative, expected at least 0",
    ),
    (COMPACT, {"demands": [61, 1]}, "DEMAND_EXCEEDS_CAPACITY", ".demands[0]: 61 exceeds capacity"),
    (COMPACT, {"demands": [0] * 100_001}, "TOO_LARGE", ".demands: 100001 customers, the"),
    (COMPACT, {"routes": [[1, 2], []]}, "ROUTES", ".routes[1]: an empty route"),
    (
        {**COMPACT, "metric": "haversine"},
        {"coords": [[0, 1], [0, 91]]},
        "OUT_OF_RANGE",
        ".coords[1]: latitude 91, expected -90 to 90",
    ),
    (
        {**LISTED, "metric": "haversine"},
        {"depot": [361, 0]},
        "OUT_OF_RANGE",
        ".depot: longitude 361, expected -360 to 360",
    ),
    (LISTED, {"customers": ...}, "MISSING", ".customers: missing; expected 'customers', or"),
    (LISTED, {"customers": [{}] * 100_001}, "TOO_LARGE", ".customers: 100001 customers,"),
    (LISTED, {"customers": [ONE, with_(ONE, y=...)]}, "MISSING", ".customers[1].y: missing"),
    (LISTED, {"customers": [{"x": 1, "y": 1}]}, "MISSING", ".customers[0].demand: missing"),
    (
        LISTED,
        {"customers": [{**ONE, "demand": 61}]},
        "DEMAND_EXCEEDS_CAPACITY",
        ".customers[0].demand: 61 exceeds capacity 10",
    ),
    (
        LISTED,
        {"customers": [{**ONE, "id": 7}, {**ONE, "id": "7"}]},
        "DUPLICATE",
        ".customers[1].id: duplicate id '7', also the id of customers[0]",
    ),
    (
        LISTED,
        {"customers": [{**ONE, "id": 2}, ONE]},
        "DUPLICATE",
        ".customers[1].id: duplicate id 2 (the default: its position",
    ),
    (MATRIX, {"distances": [[0]]}, "SHAPE", ".distances: 1 rows, expected a square matrix, 3 x 3"),
    (MATRIX, {"depot": [0, 0]}, "MISSING", ".depot: has coordinates but the customers have"),
    (MATRIX, {"coords": [[0, 0], [1, 1]]}, "MISSING", ".depot: missing"),
]


@pytest.mark.parametrize(("base", "changes", "code", "message"), WRONG)
def test_each_error_by_its_message(base, changes, code, message):
    with pytest.raises(InstanceError) as caught:
        build(with_(base, **changes))
    assert str(caught.value).startswith(f"i{message}")
    assert caught.value.code == code


def test_the_limit_itself_is_legal():
    found = build({**COMPACT, "coords": [[0, 0]] * MAX_CUSTOMERS, "demands": [1] * MAX_CUSTOMERS})
    assert found.num_customers == MAX_CUSTOMERS


PLAIN = (COMPACT, LISTED, MATRIX, {**LISTED, "routes": [["a"], {"customers": [2]}]})


def outcome(read):
    try:
        return instance_to_dict(read())
    except InstanceError as error:
        return error.code, str(error)


@given(spoiled(st.sampled_from(PLAIN)))
def test_what_is_read_as_plain_is_the_same_instance(value):
    text = JsonText(json.dumps(value).encode())
    found = outcome(lambda: instance_of(read_text(text, "i", *DOCUMENTS), "i", "instance-0"))
    assert found == outcome(lambda: build(value))


def test_plain_ones_are_read_as_such():
    for value in PLAIN:
        assert (
            type(read_text(JsonText(json.dumps(value).encode()), "i", *DOCUMENTS)) is PlainDocument
        )
        assert not has_constraints(read_as(InstanceDocument, value, "i"))


ROW = {"x": 1, "y": 2, "demand": 3}


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ({"customers": [ROW, ROW | {"service": None}], "speed": None}, False),
        ({"customers": [ROW, ROW, ROW | {"service": 0}]}, True),
        ({"customers": [ROW, ROW | {"demand": [3]}]}, True),
        ({"capacity": [5]}, True),
        ({"depot": {"x": 1, "y": 2}}, True),
        ({"demands": [3, [3]]}, True),
        ({"return_to_depot": True}, True),
    ],
)
def test_who_asks_for_more(keys, found):
    assert has_constraints(read_as(InstanceDocument, keys, "i")) is found


def test_a_plain_instance_that_lacks_a_road_gets_constraints():
    document = {"capacity": 4, "demands": [1, 2], "distances": [[None, 2, 3], [2, 0, 1], [3, 1, 0]]}
    assert build_instance(document, "a", "b").constraints is None  # nobody drives the diagonal
    lacking = {**document, "distances": [[0, 2, 3], [2, 0, None], [3, 1, 0]], "routes": [[1, 2]]}
    found = build_instance(lacking, "a", "b")
    assert found.distances[1, 2] == math.inf
    assert (found.capacity, found.demand.tolist(), found.plan) == (4, [0, 1, 2], Plan.of([[1, 2]]))
    assert found.own_constraints.delivery.tolist() == [[1], [2]]
    assert found.own_constraints.vehicles == (VehicleType(id="0", capacity=(4.0,)),)
    for wrong, message in [({"demands": [1, None]}, "null"), ({"demands": [1, 9]}, "exceeds")]:
        with pytest.raises(InstanceError, match=message):
            build_instance(lacking | wrong, "a", "b")
