import io
import math

import numpy as np
import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.npz.npz_instances import known_costs, npz_objects
from vrpcore.formats.options import SheetOptions
from vrpcore.formats.read import read_instances
from vrpcore.formats.write import npz_bytes
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Plan

COORDS = np.float32([[[0, 0], [3, 4], [6, 8]], [[1, 1], [2, 2], [4, 4]]])


def own(**more):
    """Two instances with two customers in this package's arrays."""
    return {"coords": COORDS, "demand": np.array([[0, 4, 5], [0, 6, 1]]), "capacity": 9} | more


def rl4co(**more):
    """The same in RL4CO's."""
    found = {
        "locs": COORDS[:, 1:],
        "depot": COORDS[:, 0],
        "demand": np.float32([[4, 5], [6, 1]]),
        "capacity": np.float32([9, 9]),
    }
    return found | more


def packed(arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def instances(arrays):
    return read_instances(packed(arrays))


def objects(arrays):
    return list(npz_objects({name: np.asarray(each) for name, each in arrays.items()}, "x"))


@pytest.mark.parametrize("arrays", [own(), rl4co(), rl4co(capacity=np.float32([[9], [9]]))])
def test_both_layouts_have_the_same_instances(arrays):
    first, second = instances(arrays)
    assert (first.name, second.name) == ("instance-0-0", "instance-0-1")
    assert (first.capacity, first.ids, first.constraints) == (9, (1, 2), None)
    assert first.coords.tolist() == [[0, 0], [3, 4], [6, 8]]
    assert second.coords.tolist() == [[1, 1], [2, 2], [4, 4]]
    assert (first.demand.tolist(), second.demand.tolist()) == ([0, 4, 5], [0, 6, 1])


def test_names_come_from_the_file(tmp_path):
    np.savez(tmp_path / "vrp2.npz", **rl4co())
    assert [each.name for each in read_instances(tmp_path / "vrp2.npz")] == ["vrp2-0", "vrp2-1"]


@pytest.mark.parametrize("capacity", [9, 30, 1000])
def test_shares_of_the_capacity_become_units(capacity):
    """As RL4CO's generator returns demands."""
    units = np.array([[1, capacity], [capacity // 3, 7]])
    shares = units.astype(np.float32) / np.float32(capacity)
    found = instances(rl4co(demand=shares, capacity=np.full((2, 1), capacity, np.float32)))
    assert [each.demand[1:].tolist() for each in found] == units.tolist()


@pytest.mark.parametrize("layout", [rl4co, own])
def test_shares_that_fill_a_capacity_of_one_are_exact(layout):
    units = np.array([[10, 20], [7, 23]], np.float32) / np.float32(30)
    units = units if layout is rl4co else np.pad(units, ((0, 0), (1, 0)))
    found = instances(layout(demand=units, capacity=np.float32(1)))
    assert [each.demand[1:].tolist() for each in found] == [[10 / 30, 20 / 30], [7 / 30, 23 / 30]]


def test_shares_that_are_no_whole_units_stay_as_they_are():
    first, _ = instances(rl4co(demand=np.array([[0.25, 1], [0.5, 0.3]]), capacity=np.array(10)))
    assert first.demand.tolist() == [0, 2.5, 10]


def test_whole_numbers_are_units_even_if_none_is_above_one():
    first, _ = instances(rl4co(demand=np.ones((2, 2))))
    assert first.demand.tolist() == [0, 1, 1]


def test_smaller_instances_leave_their_padding_out():
    first, second = instances(own(num_customers=np.array([2, 1])))
    assert (first.num_customers, second.num_customers) == (2, 1)
    assert second.demand.tolist() == [0, 6]


def test_tours_are_known_routes():
    first, second = instances(own(tour=np.uint8([[1, 0, 2, 0], [0, 2, 1, 0]])))
    assert (first.plan, second.plan) == (Plan.of([[1], [2]]), Plan.of([[2, 1]]))


def test_what_is_written_is_read():
    written = [
        Instance(name="a", capacity=9.0, coords=each, demand=np.array([0.0, 4, 5]), ids=(1, 2))
        for each in COORDS.astype(np.float64)
    ]
    for found, expected in zip(read_instances(npz_bytes(written)), written, strict=True):
        assert found.coords.tolist() == expected.coords.tolist()
        assert found.demand.tolist() == expected.demand.tolist()
        assert (found.capacity, found.ids) == (expected.capacity, expected.ids)


def test_one_bad_row_costs_only_itself():
    first, second = instances(rl4co(demand=np.float32([[4, -1], [6, 1]])))
    assert first.name == "instance-0-0"
    assert first.error.startswith("instances[0].demands[1]: -1 is negative")
    assert second.demand.tolist() == [0, 6, 1]
    first, second = instances(own(coords=np.where(COORDS == 8, math.nan, COORDS)))
    assert "instances[0].coords[1]" in first.error
    assert second.num_customers == 2


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("capacity", [math.inf, math.nan, 0.0, -1.0])
def test_capacities_that_are_none(capacity):
    shares = np.array([[0.5, 0], [0.5, 0]])
    first, second = instances(rl4co(demand=shares, capacity=np.array([capacity, 4])))
    assert first.error.startswith("instances[0].")
    assert second.demand.tolist() == [0, 2, 0]


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({}, "lacks coords, demand, capacity; found nothing; expected coords [B, N+1, 2]"),
        ({"locs": COORDS}, "lacks depot, demand, capacity; found locs; expected coords"),
        (own(coords=COORDS[0]), "coords: shape [3, 2], expected [B, N+1, 2]"),
        (own(coords=np.zeros((2, 0, 2))), "coords: shape [2, 0, 2], expected"),
        (own(coords=np.array([["a"]])), "coords: <U1, expected numbers"),
        (own(demand=np.ones((2, 4))), "demand: shape [2, 4], expected [2, 3]"),
        (own(capacity=np.ones(3)), "capacity: shape [3], expected one number or [2]"),
        (own(num_customers=np.array([1, 3])), "num_customers: not all in 0..2"),
        (own(num_customers=np.ones(2)), "num_customers: float64, expected integers"),
        (own(num_customers=np.array([1])), "num_customers: shape [1], expected [2]"),
        (own(tour=np.array([1, 2])), "tour: shape [2], expected [2, T]"),
        (own(tour=np.array([[1, 2]])), "tour: shape [1, 2], expected [2, T]"),
        (own(tour=np.ones((2, 2))), "tour: float64, expected integers"),
        (rl4co(depot=COORDS[:, :1]), "depot: shape [2, 1, 2], expected [2, 2]"),
        (rl4co(demand=np.ones((2, 3))), "demand: shape [2, 3], expected [2, 2]"),
        (rl4co(durations=np.ones((2, 2))), "durations: unknown in a CVRP, expected only locs"),
        ({"coords_unit": COORDS}, "coords_unit: these are labels of variants"),
    ],
)
def test_arrays_of_another_kind_or_shape(arrays, said):
    with pytest.raises(InstanceError) as error:
        objects(arrays)
    assert str(error.value).startswith(said)


def test_no_rows_are_no_instances():
    arrays = {name: np.asarray(each)[:0] for name, each in rl4co().items()}
    assert objects(arrays) == []


def test_known_costs():
    assert known_costs({}, 2) == [None, None]
    assert known_costs({"cost": np.float32([1.5, math.nan])}, 2) == [1.5, None]
    assert known_costs({"pyvrp_cost": np.array([3]), "ref_cost": np.array([2])}, 1) == [2]
    with pytest.raises(InstanceError, match=r"cost: float64 \[2\], expected one number for"):
        known_costs({"cost": np.ones(2)}, 3)
    with pytest.raises(InstanceError, match=r"cost: <U1 \[1\], expected"):
        known_costs({"cost": np.array(["a"])}, 1)


def test_options_of_spreadsheets_are_not_for_arrays():
    with pytest.raises(InstanceError, match="only for spreadsheets of stops"):
        read_instances(packed(own()), sheet=SheetOptions(speed=30.0))
