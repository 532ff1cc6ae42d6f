import dataclasses
import json

import numpy as np
import pytest

from tests.vrpcore.variants import NAMES, labelled
from vrpcore.arrays.batch import make_batch
from vrpcore.cost.tour_routes import route_costs, tour_to_routes
from vrpcore.errors import InstanceError
from vrpcore.formats.read import read_instances
from vrpcore.instance.instance import METRICS
from vrpcore.learn.train.label_files import read_labels, read_variant_labels, write_labels


def arrays(**changes):
    values = {
        "coords": np.random.default_rng(0).random((2, 3, 2)).astype(np.float32),
        "demand": np.array([[0, 2, 3], [0, 4, 1]]),
        "capacity": np.array(5),
        "tour": np.array([[1, 2, 0], [2, 1, 0]]),
        "cost": np.ones(2),
    }
    return {**values, **changes}


@pytest.fixture
def packed(tmp_path):
    """Labels read from arrays."""

    def read(needs_routes=True, **columns):
        np.savez(tmp_path / "a.npz", **columns)
        return read_labels(str(tmp_path / "a.npz"), needs_routes)

    return read


@pytest.fixture
def written(tmp_path):
    """Labels read from instances as JSON."""

    def read(*instances, needs_routes=True):
        (tmp_path / "a.json").write_text(json.dumps(instances))
        return read_labels(str(tmp_path / "a.json"), needs_routes)

    return read


def test_reads_a_labelled_file(packed):
    labels = packed(**arrays())
    assert len(labels) == 2
    assert labels.batch.capacity.tolist() == [5, 5]
    assert labels.size.tolist() == [2, 2]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"coords": np.full((2, 3, 2), np.nan)}, "coords: not all finite"),
        ({"coords": np.zeros(3)}, "coords: shape"),
        ({"coords": np.array([{"a": 1}, {"b": 2}], object)}, r"not a readable \.npz"),
        ({"coords": np.full((2, 3, 2), "x")}, "coords: .*expected numbers"),
        ({"demand": np.full((2, 3), np.nan)}, "demand: not all whole"),
        ({"capacity": np.array([5, 5, 5])}, "capacity: shape"),
        ({"capacity": np.array(np.inf)}, "capacity: must be whole numbers"),
        ({"capacity": np.array(np.nan)}, "capacity: must be whole numbers"),
        ({"capacity": np.array(5.5)}, "capacity: must be whole numbers"),
        ({"capacity": np.array("5")}, "capacity: .*expected numbers"),
        ({"tour": np.array([1, 2])}, "tour: shape"),
        ({"tour": np.array([[1, 2, 0], [2, -1, 0]])}, "tour: node -1"),
        ({"demand": np.array([[0, 2, 3], [0, 9, 1]])}, r"demand\[1\]"),
        ({"tour": np.array([[1, 2, 0], [1, 1, 0]])}, r"tour\[1\]: does not visit each customer ex"),
        ({"tour": np.array([[1, 7, 0], [1, 2, 0]])}, "node 7 of 3"),
        ({"demand": np.array([[0, 3, 3], [0, 4, 1]])}, r"tour\[0\]: .* each customer exactly once"),
        ({"cost": np.ones(3)}, r"cost: shape \(3,\), expected \(2,\)"),
        ({"num_customers": np.array([2, 5])}, "num_customers"),
        ({"capacity": np.array([5, 0])}, r"capacity: must be whole numbers in 1\.\.2\^24 - 1"),
        ({"capacity": np.array(2**24)}, r"capacity: must be whole numbers in 1\.\.2\^24 - 1"),
        ({"cost": np.array([1.0, 0.0])}, r"cost\[1\]: 0, expected a positive number, or NaN"),
        ({"cost": np.array([-7.5, 1.0])}, r"cost\[0\]: -7\.5, expected a positive number"),
        ({"cost": np.array([np.nan, np.inf])}, r"cost\[1\]: inf, expected a positive number"),
        ({"demand": np.array([[0, 2, 3], [0, 4, -1]])}, r"demand\[1\]: .* in 0\.\.capacity, 5"),
    ],
)
def test_says_what_is_wrong(packed, changes, message):
    with pytest.raises(InstanceError, match=message):
        packed(**arrays(**changes))


def test_whole_coordinates_and_capacities_of_other_types_are_the_same(packed):
    coords, found = [[[0, 0], [3, 4], [9, 2]]] * 2, []
    for place, load in ((np.float32, np.int64), (np.int16, np.float32), (np.uint8, np.float64)):
        columns = {"coords": np.array(coords, place), "capacity": np.array([5, 6], load)}
        found.append(packed(**arrays(**columns, cost=np.full(2, np.nan))))
    for labels in found:
        assert np.array_equal(labels.batch.coords_unit, found[0].batch.coords_unit)
        assert labels.batch.capacity.tolist() == [5, 6]
        assert labels.cost == pytest.approx([5 + 40**0.5 + 85**0.5] * 2)


def test_what_stands_at_the_depot_and_in_padding_is_not_read(packed):
    own = {"num_customers": np.array([2, 1]), "tour": np.array([[1, 2, 0], [1, 0, 0]])}
    clean = packed(**arrays(**own, demand=[[0, 2, 3], [0, 4, 0]]))
    for dirt in (1, 99, -1, np.nan):
        found = packed(**arrays(**own, demand=np.array([[dirt, 2, 3], [dirt, 4, dirt]])))
        assert np.array_equal(found.batch.demand, clean.batch.demand)


@pytest.mark.parametrize("tour", [[0, 1, 0, 2, 0, 0], [1, 0, 0, 0, 2, 0], [0, 0, 1, 0, 0, 2]])
def test_empty_routes_are_left_out(packed, tour):
    found = packed(**arrays(tour=np.array([tour, [2, 1, 0, 0, 0, 0]], np.uint8))).tour
    assert found.tolist() == [[1, 0, 2, 0, 0, 0], [2, 1, 0, 0, 0, 0]]
    assert found.dtype == np.uint8


def test_says_what_is_missing(packed):
    found = arrays()
    del found["capacity"]
    with pytest.raises(InstanceError, match="lacks capacity"):
        packed(**found)


def test_a_spreadsheet_is_refused_with_what_is_read(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("id,lat,lon\n7,52.5,13.4\n")
    with pytest.raises(InstanceError) as told:
        read_labels(str(file), True)
    assert str(told.value).startswith(f"{file}: a spreadsheet; expected a JSON object or list")
    assert "CSV" not in str(told.value)


def test_sets_of_rl4co_have_no_routes(packed):
    found = arrays()
    coords, demand = found["coords"], np.float32(found["demand"][:, 1:])
    own = {"locs": coords[:, 1:], "depot": coords[:, 0], "capacity": [[5], [5]]}
    labels = packed(False, **own, demand=demand / 5)
    assert labels.batch.capacity.tolist() == [5, 5]
    assert labels.batch.demand.tolist() == [[0, 2, 3], [0, 4, 1]]
    with pytest.raises(InstanceError, match="has no routes to imitate"):
        packed(**own, demand=demand / 5)


TWO = {"capacity": 5, "depot": [0, 0], "coords": [[1, 0], [0, 1]], "demands": [2.5, 2]}


def test_reads_instances_with_routes(written):
    labels = written(TWO | {"routes": [[2, 1]]}, TWO | {"routes": [[1], [2]]})
    assert tour_to_routes(labels.tour[0]) == [[2, 1]]
    assert tour_to_routes(labels.tour[1]) == [[1], [2]]
    assert labels.batch.demand[0].tolist() == [0, 25, 20]


@pytest.mark.parametrize("metric", METRICS)
def test_a_policy_learns_on_the_map_on_which_it_solves(tmp_path, metric):
    plain = {"metric": metric, "capacity": 5, "depot": [179.9, 60], "demands": [2, 2, 1]}
    coords = [[-179.9, 60], [179.9, 60.1], [179.8, 59.9]]
    (tmp_path / "a.json").write_text(json.dumps(plain | {"coords": coords, "routes": [[1, 2, 3]]}))
    labels = read_labels(str(tmp_path / "a.json"), needs_routes=True)
    (instance,) = read_instances(str(tmp_path / "a.json"))
    assert np.array_equal(labels.batch.coords_unit, make_batch([instance]).coords_unit)
    (route,) = instance.plan.routes
    assert labels.cost == pytest.approx(route_costs(instance, [route.stops]), rel=0.01)


@pytest.mark.parametrize(
    ("routes", "message"),
    [
        ([[2, 1], [3]], "there is no stop 3"),
        ([[2, 1], [1]], r"routes\[1\]\[0\]: customer 1 is visited twice"),
        ([[2]], "customer 1 is in no route"),
    ],
)
def test_routes_to_learn_from_solve_their_instances(written, routes, message):
    with pytest.raises(InstanceError, match=f"instance-0: .*{message}"):
        written(TWO | {"routes": routes})


def test_instances_without_routes_cannot_be_imitated(written):
    with pytest.raises(InstanceError, match="has no routes to imitate"):
        written(TWO)


def test_instances_with_constraints_are_refused(written):
    customer = {"x": 1, "y": 1, "demand": 1, "window": [0, 2]}
    instance = {"name": "monday", "capacity": 2, "depot": [0, 0], "customers": [customer]}
    with pytest.raises(InstanceError, match="monday: training knows one capacity and no other"):
        written(instance, needs_routes=False)


def test_labels_of_variants_survive_a_file(tmp_path):
    labels = labelled()
    write_labels(tmp_path / "v.npz", labels)
    read = read_variant_labels(str(tmp_path / "v.npz"))
    assert np.allclose(read.cost, labels.cost)
    assert all(np.array_equal(*pair) for pair in zip(read.batch, labels.batch, strict=True))
    assert set(read.size.tolist()) == {8}


def test_damaged_labels_of_variants_are_refused(tmp_path):
    labels = labelled(NAMES[:3])
    path = tmp_path / "v.npz"

    def saved(**changes):
        arrays = labels.batch._asdict() | {"tour": labels.tour} | changes
        np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
        return str(path)

    batch = labels.batch
    nodes = np.arange(batch.valid.shape[1])
    late = np.roll(labels.tour, -1, axis=1)  # the first depot comes last
    wider = batch.padded(len(nodes) + 1)._asdict()
    astray = np.where(labels.tour == len(nodes) - 1, len(nodes), labels.tour)  # to padding
    for words, changes in {
        "lacks tour": {"tour": None},
        "num_depots: float32, expected int64": {"num_depots": batch.num_depots.astype(np.float32)},
        "demand: <U1, expected float32": {"demand": np.full(batch.demand.shape, "a")},
        "valid: uint8, expected bool": {"valid": batch.valid.astype(np.uint8)},
        r"num_depots: must lie in 1\.\.": {"num_depots": batch.num_depots * 0},
        r"num_depots: must .* so that one is served": {"num_depots": batch.valid.sum(axis=1)},
        "valid: expected padding only behind": {"valid": batch.valid & (nodes != 1)},
        r"capacity: must lie in 1\.\.2\^24 - 1": {"capacity": batch.capacity * 0},
        r"demand: must be whole numbers in 0\.\.capacity": {"demand": batch.demand + 0.5},
        "pickup: must be .* 0 at depots and padding": {"pickup": batch.pickup + 1},
        r"tour\[0\]: does not begin at a depot": {"tour": late},
        "lacks closing": {"closing": None},
        "limit: shape": {"limit": np.zeros(2, np.float32)},
        "not all finite": {"opening": labels.batch.opening * np.nan},
        r"tour\[0\]: does not visit each": {"tour": np.zeros_like(labels.tour)},
        r"tour\[0\]: .* exactly once": wider | {"tour": astray},
        "out of range": {"tour": labels.tour + 99},
    }.items():
        with pytest.raises(InstanceError, match=words):
            read_variant_labels(saved(**changes))


def test_arrays_of_variants_have_the_types_that_compiled_code_reads(tmp_path):
    labels = labelled(NAMES[:3])
    batch = labels.batch._replace(
        num_depots=labels.batch.num_depots.astype(np.int32),
        demand=labels.batch.demand.astype(np.float64),
        capacity=labels.batch.capacity.astype(np.int16),
    )
    write_labels(tmp_path / "v.npz", dataclasses.replace(labels, batch=batch))
    read = read_variant_labels(str(tmp_path / "v.npz")).batch
    for found, known in zip(read, labels.batch, strict=True):
        assert found.dtype == known.dtype
        assert np.array_equal(found, known)


def test_routes_without_a_cost_give_one(packed, written):
    coords = [[0, 0], [3, 4], [0, 2], [6, 8]]
    plain = {"capacity": 4, "depot": coords[0], "coords": coords[1:], "demands": [2, 2, 4]}
    (cost,) = written(plain | {"routes": [[1, 2], [3]]}).cost
    assert cost == pytest.approx(5 + 13**0.5 + 2 + 20)
    assert np.isnan(written(plain, needs_routes=False).cost).all()
    arrays = {
        "coords": np.array([coords], np.float32),
        "demand": np.array([[0, 2, 2, 4]]), "capacity": 4,
        "tour": np.array([[1, 2, 0, 3, 0]], np.uint8),
    }  # fmt: skip
    assert packed(**arrays).cost == pytest.approx(cost)
    assert packed(**arrays, cost=np.array([7.0])).cost == [7.0]
