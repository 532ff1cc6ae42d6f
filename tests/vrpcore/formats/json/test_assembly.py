"""Instances with constraints as JSON has them: a whole one by hand, and whatever may be wrong."""

import math

import pytest
from hypothesis import given

from tests.vrpcore.formats.json.cases import (
    COMPACT,
    FULL,
    SHORT,
    WHOLE,
    WRONG,
    C,
    V,
    spoiled,
    with_,
)
from vrpcore.errors import InstanceError
from vrpcore.formats.json.plain_json import build_instance
from vrpcore.formats.write import instance_to_dict


def build(value):
    return build_instance(value, "i", "name")


def test_a_whole_one_by_hand():
    found = build(FULL)
    constraints = found.own_constraints
    assert found.ids == (7, 8, "s1:pickup", "s1:delivery")
    assert found.coords.tolist() == [[0, 0], [6, 1], [1, 9], [3, 8], [2, 2], [9, 4]]
    assert found.demand.tolist() == [0, 0, 3, 0, 0, 0]
    assert (found.capacity, found.max_vehicles, found.num_depots) == (40, 4, 2)
    assert constraints.delivery.tolist() == [[3, 0], [0, 0], [0, 0], [0, 0]]
    assert constraints.pickup.tolist() == [[1, 0], [0, 0], [0, 0], [0, 0]]
    assert constraints.shipment.tolist() == [[0, 0], [0, 0], [2, 0], [-2, 0]]
    assert constraints.windows[0].tolist() == [[60, 120], [math.inf, math.inf]]
    assert constraints.windows[1].tolist() == [[0, 60], [200, 260]]
    assert constraints.prize.tolist() == [math.inf, 12.5, math.inf, math.inf]
    assert constraints.service.tolist() == [0, 0, 5, 0]
    van, bike = constraints.vehicles
    assert (van.start, van.end, bike.start, bike.end, bike.speed) == (0, 0, 1, None, 2)
    assert (constraints.num_shipments, constraints.listed_amounts, constraints.listed_vehicles) == (
        1,
        True,
        True,
    )


def test_the_short_form_and_compact_arrays_are_the_same():
    listed, compact = build(SHORT), build(COMPACT)
    for found in (listed, compact):
        assert (found.ids, found.capacity, found.demand.tolist()) == ((1, 2), 9, [0, 2, 3])
        assert found.own_constraints.service.tolist() == [1, 0]
        assert not found.own_constraints.listed_vehicles


TIMES = [[0, 4, 5], [6, 0, 7], [8, 9, 0]]
ONES = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
NOWHERE = {"capacity": 9, "customers": [{"demand": 2}, {"demand": 3}]}
NAMING = {"vehicles": [{"matrix": "slow"}], "customers": [{}, {}]}


def test_matrices():
    found = build({**NOWHERE, "durations": TIMES})
    assert found.coords is None
    assert found.distances.tolist() == found.own_constraints.durations.tolist() == TIMES
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
    slow = build({**base, "matrices": {"slow": {"durations": TIMES}}}).own_constraints.matrices[
        "slow"
    ]
    assert slow.durations.tolist() == TIMES
    assert (None if slow.distances is None else slow.distances.tolist()) == lengths


@pytest.mark.parametrize("own", [{}, {"durations": ONES}])
def test_a_named_matrix_of_distances_alone_has_durations_of_the_speed(own):
    named = {"slow": {"distances": TIMES}}
    found = build({**SHORT, "matrices": named, "speed": 2, **own}).own_constraints.matrices["slow"]
    assert found.distances.tolist() == TIMES
    assert found.durations.tolist() == [[0, 2, 2.5], [3, 0, 3.5], [4, 4.5, 0]]


def test_shipments_on_board_come_before_the_others_with_their_rows():
    """In the file: a depot, a customer, the ends of p, q on board, the ends of r, s on board."""
    visits = [{"pickup": {"place": 1}, "delivery": {"place": 2}}, {"delivery": {"place": 3}}]
    visits += [{"pickup": {"place": 4}, "delivery": {"place": 5}}, {"delivery": {"place": 6}}]
    rows = [{"id": name, "amount": 1, **row} for name, row in zip("pqrs", visits, strict=True)]
    rows[1]["on_board"], rows[3]["on_board"] = "van", "bike"
    matrix = [[10 * a + b for b in range(8)] for a in range(8)]
    document = {
        "vehicles": [{"id": "van", "count": 1, "matrix": "m"}, {"id": "bike", "count": 1}],
        "customers": [{"id": "c"}],
        "shipments": rows,
        "distances": matrix,
        "durations": matrix,
        "costs": matrix,
        "matrices": {"m": {"durations": matrix}},
    }
    found = build(document)
    constraints = found.own_constraints
    order = [0, 1, 4, 7, 2, 3, 5, 6]
    moved = [[matrix[a][b] * (a != b) for b in order] for a in order]
    own = (found.distances, constraints.durations, constraints.costs)
    for each in (*own, constraints.matrices["m"].durations):
        assert each.tolist() == moved
    names = "c q:delivery s:delivery p:pickup p:delivery r:pickup r:delivery"
    assert found.ids == tuple(names.split())
    assert constraints.places == (None, None, 3, 6, 1, 2, 4, 5)
    assert constraints.num_shipments == 2
    assert constraints.on_board.tolist() == [-1, 0, 1, -1, -1, -1, -1]
    assert constraints.shipment[:, 0].tolist() == [0, -1, -1, 1, -1, 1, -1]
    assert [constraints.partner(stop) for stop in range(1, 8)] == [None, None, None, 5, 4, 7, 6]


def test_odd_but_legal():
    assert build({"vehicles": [{}], "depot": [0, 0], "customers": []}).num_customers == 0
    assert build({**SHORT, "capacity": [9], "customers": [{"x": 1, "y": 1, "demand": [9]}]})
    assert build(with_(FULL, *V, count=0)).own_constraints.vehicles[0].count == 0
    assert (
        build({**SHORT, "backhauls": None, "speed": None, "windows": None}).own_constraints.speed
        == 1
    )
    assert build(with_(FULL, *V, id=1)).own_constraints.vehicles[0].id == "1"
    assert build(with_(FULL, *V, capacity=None)).capacity == math.inf
    assert build(with_(FULL, *C, demand=[99, 0])).own_constraints.delivery[0, 0] == 99


@pytest.mark.parametrize(("base", "path", "changes", "message"), WRONG)
def test_each_error_by_its_message(base, path, changes, message):
    with pytest.raises(InstanceError) as caught:
        build(with_(base, *path, **changes))
    assert str(caught.value).startswith(message)
    assert str(caught.value).isprintable()
    assert caught.value.code.isupper()


@given(spoiled(WHOLE))
def test_junk_anywhere_is_an_instance_error_or_written_as_it_is_read(value):
    try:
        found = instance_to_dict(build(value))
    except InstanceError as error:
        assert str(error).startswith("i")
        assert str(error).isprintable()
        assert error.code.isupper()
    else:
        assert instance_to_dict(build(found)) == found


SPLIT = {
    "depot": [0, 0],
    "capacity": 3,
    "customers": [
        {"x": 1, "y": 0, "demand": 7},
        {"x": 2, "y": 0, "pickup": 2, "split": False},
        {"x": 3, "y": 0, "demand": 0},
        {"x": 4, "y": 0, "pickup": 4, "split": True},
    ],
}


def test_who_may_be_split():
    own = build(SPLIT | {"split": True, "split_step": 0.5}).own_constraints
    assert own.split.tolist() == [True, False, False, True]
    assert own.split_step == 0.5
    rows = [{**row, "demand": 1, "pickup": 0} for row in SPLIT["customers"][:3]]
    rows.append({"x": 4, "y": 0, "pickup": 4, "split": True})
    assert build(SPLIT | {"customers": rows}).own_constraints.split.tolist() == [False] * 3 + [True]
    assert build(SPLIT | {"customers": rows[:3], "split": False}).own_constraints.split is None
    compact = {"depot": [0, 0], "capacity": 3, "coords": [[1, 0]], "demands": [7], "split": True}
    assert build(compact).own_constraints.split.tolist() == [True]


ENDS = {"pickup": {"x": 1, "y": 0}, "delivery": {"x": 2, "y": 0}}
BOTH = {"x": 1, "y": 0, "demand": 1, "pickup": 1}


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"split": None}, "i.customers[0].demand: 7 exceeds capacity 3"),
        ({"shipments": [{"id": "s", **ENDS}]}, "i.split: given with 'shipments'; leave one of"),
        ({"groups": [{"members": [1]}]}, "i.split: given with 'groups'; leave one of them out"),
        ({"relations": [{"kind": "apart", "stops": [1, 2]}]}, "i.split: given with 'relations'"),
        (
            {"split": False, "customers": [{**BOTH, "split": True}], "groups": [{"members": [1]}]},
            "i.customers[0].split: given with 'groups'",
        ),
        ({"customers": [BOTH]}, "i.customers[0]: has a demand and a pickup; make two customers"),
        ({"customers": [{**BOTH, "pickup": 0, "demand": 1e6}]}, "i.split: at least 333334 visits"),
        ({"split_step": 0}, "i.split_step: 0 is not a positive number"),
        ({"split": 1}, "i.split: 1, expected"),
    ],
)
def test_splits_that_cannot_be(keys, said):
    with pytest.raises(InstanceError) as error:
        build(SPLIT | {"split": True} | keys)
    assert str(error.value).startswith(said)
