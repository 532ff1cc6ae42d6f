import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vrpcore.formats.json.cases import JUNK
from vrpcore.errors import InstanceError
from vrpcore.formats.json.plain_json import build_instance
from vrpcore.instance.instance import MAX_CUSTOMERS
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
    return build_instance(value, "instances[0]", "instance-0")


def test_the_compact_form():
    found = build(COMPACT)
    assert (found.name, found.capacity, found.ids) == ("instance-0", 10.0, (1, 2))
    assert found.coords.tolist() == [[0.5, 0.5], [0, 1], [1, 0]]
    assert found.demand.tolist() == [0, 3, 4.5]
    assert (found.metric, found.distances, found.routes) == ("euclidean", None, None)


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
    assert found.routes == ((2, 1),)


@pytest.mark.parametrize("more", [{}, {"speed": 2}])
def test_routes_may_break_limits_and_name_what_is_gone(more):
    found = build({**LISTED, **more, "routes": [[2, 2], ["a"]], "max_vehicles": 1})
    assert (found.routes, found.unknown_in_routes) == (((2, 2), (1,)), ())
    assert build({**LISTED, **more, "routes": []}).routes == ()
    assert build({**LISTED, **more}).routes is None
    gone = build({**LISTED, **more, "routes": [["b", 2], ["2"], ["a"]]})
    assert gone.routes == ((2,), (2,), (1,))
    assert gone.unknown_in_routes == ("stop 'b'",)


def test_an_id_that_is_null_is_missing():
    rows = [{"id": None, "x": 1, "y": 1, "demand": 1}, {"id": "b", "x": 1, "y": 1, "demand": 1}]
    assert build({**LISTED, "customers": rows}).ids == (1, "b")


def test_a_load_may_exceed_the_capacity_by_rounding():
    tenths = {**COMPACT, "capacity": 0.3, "demands": [0.1, 0.2], "routes": [[1, 2]]}
    assert build(tenths).routes == ((1, 2),)


@given(st.permutations(range(6)))
def test_a_permutation_of_customers_keeps_the_nodes(order):
    rows = [{"id": f"c{i}", "x": i / 7, "y": i * i, "demand": i} for i in range(6)]
    found = build({**LISTED, "customers": [rows[i] for i in order]})
    assert found.ids == tuple(f"c{i}" for i in order)
    assert found.demand[1:].tolist() == list(order)
    assert np.array_equal(found.coords[1:, 1], np.square(order))


WRONG = [
    (None, "WRONG_TYPE", "instances[0]: null, expected an object"),
    (
        {**COMPACT, "capcity": 1},
        "UNKNOWN_KEY",
        "instances[0]: unknown key 'capcity'; did you mean 'capacity'?",
    ),
    ({**COMPACT, "name": 5}, "WRONG_TYPE", "instances[0].name: 5, expected text"),
    (
        {**COMPACT, "metric": "manhattan"},
        "UNKNOWN_METRIC",
        "instances[0].metric: 'manhattan', expected one of euclidean, euc_2d, ceil_2d, haversine",
    ),
    ({**COMPACT, "metric": ["euclidean"]}, "UNKNOWN_METRIC", "instances[0].metric: a list of 1"),
    (
        {**COMPACT, "capacity": -4},
        "CAPACITY_NOT_POSITIVE",
        "instances[0].capacity: -4 is not a positive number",
    ),
    (
        {**COMPACT, "capacity": True},
        "NOT_A_NUMBER",
        "instances[0].capacity: true, expected a number",
    ),
    ({**COMPACT, "depot": None}, "MISSING_KEY", "instances[0].depot: missing"),
    ({**COMPACT, "depot": [[0, 0], [1, 1]]}, "NOT_A_NUMBER", "instances[0].depot[0]: a list of 2"),
    ({**COMPACT, "demands": [3, -1]}, "DEMAND_NEGATIVE", "instances[0].demands[1]: -1 is negative"),
    (
        {**COMPACT, "demands": [61, 1], "capacity": 40},
        "DEMAND_EXCEEDS_CAPACITY",
        "instances[0].demands[0]: 61 exceeds capacity 40",
    ),
    ({**COMPACT, "demands": [1]}, "SHAPE", "instances[0].coords: 2 points but 1 demands"),
    (
        {**COMPACT, "customers": []},
        "CONFLICTING_KEYS",
        "instances[0].customers: given with 'coords'",
    ),
    (
        {"capacity": 1, "depot": [0, 0]},
        "MISSING_KEY",
        "instances[0].customers: missing; expected 'customers', or 'coords' and 'demands'",
    ),
    (
        {"capacity": 1, "depot": [0, 0], "demands": [1]},
        "MISSING_KEY",
        "instances[0].coords: missing",
    ),
    (
        {"capacity": 1, "depot": [0, 0], "coords": [[0, 0]]},
        "MISSING_KEY",
        "instances[0].demands: missing",
    ),
    (
        {"capacity": 1, "coords": [[0, 0]], "demands": [1]},
        "MISSING_KEY",
        "instances[0].depot: missing",
    ),
    (
        {**COMPACT, "demands": [0] * 100_001},
        "TOO_MANY_CUSTOMERS",
        "instances[0].demands: 100001 customers, the limit is 100000",
    ),
    (
        {**LISTED, "customers": [{}] * 100_001},
        "TOO_MANY_CUSTOMERS",
        "instances[0].customers: 100001 customers, the limit is 100000",
    ),
    (
        {**LISTED, "customers": [[0, 0, 1]]},
        "WRONG_TYPE",
        "instances[0].customers[0]: a list of 3, expected an object",
    ),
    (
        {**LISTED, "customers": [{"x": 1, "demand": 1}]},
        "MISSING_KEY",
        "instances[0].customers[0].y: missing",
    ),
    (
        {**LISTED, "customers": [{"x": 1, "y": 1}]},
        "MISSING_KEY",
        "instances[0].customers[0].demand: missing",
    ),
    (
        {**LISTED, "customers": [{"x": 1, "y": "1", "demand": 1}]},
        "NOT_A_NUMBER",
        "instances[0].customers[0].y: '1', expected a number",
    ),
    (
        {**LISTED, "customers": [{"x": 1, "y": 1, "demand": 61}], "capacity": 40},
        "DEMAND_EXCEEDS_CAPACITY",
        "instances[0].customers[0].demand: 61 exceeds capacity 40",
    ),
    (
        {**LISTED, "customers": [{"x": 1, "y": 1, "demand": 1, "ID": 1}]},
        "UNKNOWN_KEY",
        "instances[0].customers[0]: unknown key 'ID'",
    ),
    (
        {**LISTED, "customers": [{"id": "a", "x": 1, "y": 1, "demand": 1}] * 2},
        "DUPLICATE_ID",
        "instances[0].customers[1].id: duplicate id 'a', also the id of customers[0]",
    ),
    (
        {
            **LISTED,
            "customers": [{"id": 2, "x": 1, "y": 1, "demand": 1}, {"x": 1, "y": 1, "demand": 1}],
        },
        "DUPLICATE_ID",
        "instances[0].customers[1].id: duplicate id 2 (the default: its position",
    ),
    (
        {**LISTED, "customers": [{"id": i, "x": 1, "y": 1, "demand": 1} for i in (7, "7")]},
        "DUPLICATE_ID",
        "instances[0].customers[1].id: duplicate id '7', also the id of customers[0]",
    ),
    (
        {**COMPACT, "metric": "haversine", "coords": [[0, 1], [0, 91]]},
        "OUT_OF_RANGE",
        "instances[0].coords[1]: latitude 91, expected -90 to 90",
    ),
    (
        {**LISTED, "metric": "haversine", "depot": [361, 0]},
        "OUT_OF_RANGE",
        "instances[0].depot: longitude 361, expected -360 to 360",
    ),
    (
        {**MATRIX, "distances": [[0, 1, 2], [1, 0, 3]]},
        "SHAPE",
        "instances[0].distances: 2 rows, expected a square matrix, 3 x 3",
    ),
    (
        {**MATRIX, "distances": [[0, 1, 2], [1, 0], [1, 1, 0]]},
        "SHAPE",
        "instances[0].distances[1]: 2 numbers, expected a square matrix",
    ),
    (
        {**MATRIX, "distances": [[0, 1, 2], [None, 0, "3"], [1, 1, 0]]},
        "NOT_A_NUMBER",
        "instances[0].distances[1][2]: '3'",
    ),
    (
        {**MATRIX, "distances": [[0, -1, 2], [1, 0, 3], [1, 1, 0]]},
        "DISTANCE_NEGATIVE",
        "instances[0].distances[0][1]: -1 is negative",
    ),
    (
        {**MATRIX, "depot": [0, 0]},
        "MISSING_KEY",
        "instances[0].depot: has coordinates but the customers have none",
    ),
    ({**MATRIX, "coords": [[0, 0], [1, 1]]}, "MISSING_KEY", "instances[0].depot: missing"),
    (
        {**COMPACT, "max_vehicles": 0},
        "TOO_SMALL",
        "instances[0].max_vehicles: 0, expected at least 1",
    ),
    (
        {**COMPACT, "max_vehicles": 1.0},
        "NOT_AN_INTEGER",
        "instances[0].max_vehicles: 1.0, expected an integer",
    ),
    ({**COMPACT, "routes": [[1, 2], []]}, "EMPTY_ROUTE", "instances[0].routes[1]: an empty route"),
    (
        {**COMPACT, "routes": [1, 2]},
        "WRONG_TYPE",
        "instances[0].routes[0]: 1, expected a list of customer ids",
    ),
    (
        {**COMPACT, "routes": [[1.5, 2]]},
        "WRONG_TYPE",
        "instances[0].routes[0][0]: 1.5, expected an id (text or integer)",
    ),
]


@pytest.mark.parametrize(("value", "code", "message"), WRONG)
def test_each_error_by_its_message(value, code, message):
    with pytest.raises(InstanceError) as caught:
        build(value)
    assert str(caught.value).startswith(message)
    assert caught.value.code == code
    assert "\n" not in str(caught.value)


def test_the_limit_itself_is_legal():
    found = build({**COMPACT, "coords": [[0, 0]] * MAX_CUSTOMERS, "demands": [1] * MAX_CUSTOMERS})
    assert found.num_customers == MAX_CUSTOMERS


@given(st.sampled_from([COMPACT, LISTED, MATRIX]), st.data())
def test_junk_anywhere_is_an_instance_error_or_legal(base, data):
    key = data.draw(st.sampled_from(sorted({*base, "metric", "max_vehicles", "routes", "id"})))
    try:
        found = build({**base, key: data.draw(JUNK)})
    except InstanceError as error:
        assert str(error).startswith("instances[0]")
        assert error.code.isupper()
    else:
        assert np.isfinite(found.demand).all()


def test_a_plain_instance_that_lacks_a_road_gets_constraints():
    document = {"capacity": 4, "demands": [1, 2], "distances": [[None, 2, 3], [2, 0, 1], [3, 1, 0]]}
    assert build_instance(document, "a", "b").constraints is None  # nobody drives the diagonal
    lacking = {**document, "distances": [[0, 2, 3], [2, 0, None], [3, 1, 0]], "routes": [[1, 2]]}
    found = build_instance(lacking, "a", "b")
    assert found.distances[1, 2] == math.inf
    assert (found.capacity, found.demand.tolist(), found.routes) == (4, [0, 1, 2], ((1, 2),))
    assert found.own_constraints.delivery.tolist() == [[1], [2]]
    assert found.own_constraints.vehicles == (VehicleType(id="0", capacity=(4.0,)),)
    for wrong, message in [({"demands": [1, None]}, "null"), ({"demands": [1, 9]}, "exceeds")]:
        with pytest.raises(InstanceError, match=message):
            build_instance(lacking | wrong, "a", "b")
