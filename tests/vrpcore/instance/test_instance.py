import dataclasses
from dataclasses import replace

import numpy as np

from tests.build import plain
from tests.vrpcore.vroom_problems import vroom_problem
from vrpcore.formats.read import read_instances
from vrpcore.instance.constraints import Constraints, NamedMatrices, plain_columns
from vrpcore.instance.instance import Instance, with_constraints
from vrpcore.instance.plan import Plan
from vrpcore.instance.vehicle_types import Depot, VehicleType

SMALL = {"capacity": 3, "depot": [0, 0], "coords": [[1, 1], [2, 2]], "demands": [2, 1]}


def test_take_keeps_everything_about_the_customers_that_stay():
    """A field that `take` does not know would be as long as the whole."""
    whole = Instance(
        name="whole",
        capacity=12.5,
        coords=np.arange(8.0).reshape(4, 2),
        demand=np.array([0.0, 1.0, 2.0, 3.0]),
        ids=("a", "b", "c"),
        metric="ceil_2d",
        distances=np.arange(16.0).reshape(4, 4),
        max_vehicles=2,
        plan=Plan.of([[1, 2], [3]]),
    )
    part = whole.take([3, 1])
    assert part.ids == ("c", "a")
    assert part.demand.tolist() == [0.0, 3.0, 1.0]
    assert part.coords.tolist() == [[0.0, 1.0], [6.0, 7.0], [2.0, 3.0]]
    assert part.distances.tolist() == [[0.0, 3.0, 1.0], [12.0, 15.0, 13.0], [4.0, 7.0, 5.0]]
    assert part.plan is None
    same = {"name", "capacity", "metric", "max_vehicles", "origin"}
    taken = {"ids", "demand", "coords", "distances", "plan", "constraints"}
    assert {field.name for field in dataclasses.fields(Instance)} == same | taken
    for name in same:
        assert getattr(part, name) == getattr(whole, name)


def test_places_are_equal_by_number_or_by_coordinates():
    columns = plain_columns(5)
    constraints = Constraints(
        depots=(Depot(id="d"),),
        vehicles=(VehicleType(id="v", capacity=(1.0,)),),
        places=(None, 3, None, 3, None, None),
        **columns,
    )
    coords = np.array([[0, 0], [1, 1], [1, 1], [2, 2], [0, 0], [1, 1.0]])
    whole = Instance(
        name="i", capacity=1.0, coords=coords, demand=np.zeros(6), ids=(1, 2, 3, 4, 5),
        constraints=constraints,
    )  # fmt: skip
    assert whole.place_numbers() == [0, 1, 2, 1, 0, 2]
    bare = dataclasses.replace(whole, coords=None)
    assert bare.place_numbers() == [0, 1, 2, 1, 3, 4]


def test_names_of_nodes():
    plain = {"capacity": 1, "depot": [0, 0], "coords": [[1, 1]], "demands": [1]}
    depots = [{"x": 0, "y": 0, "id": "n"}, [1, 1]]
    (one,) = read_instances(plain)
    (two,) = read_instances({"depots": depots, "vehicles": [{}], "customers": []})
    assert [one.node_name(node) for node in (0, 1)] == ["the depot", "1"]
    assert two.node_name(0) == two.origin.node_in_words(two, 0) == "depot n"


def test_all_matrices_are_listed():
    found = {name: np.full((3, 3), number) for number, name in enumerate("abcdef")}
    one = plain(demand=[1, 1], distances=found["a"])
    assert [matrix[0, 0] for matrix in one.matrices] == [0]
    assert plain([[0, 0], [1, 1]]).matrices == []
    rich = with_constraints(one)
    named = {
        "car": NamedMatrices(found["d"], found["e"]),
        "bike": NamedMatrices(None, found["f"], found["f"]),
    }
    more = {"durations": found["b"], "costs": found["c"], "matrices": named}
    rich = replace(rich, constraints=replace(rich.own_constraints, **more))
    assert [matrix[0, 0] for matrix in rich.matrices] == [0, 1, 2, 3, 4, 5, 5]


def test_the_bytes_of_a_plain_instance_by_hand():
    (item,) = read_instances(SMALL)
    assert item.num_bytes == 8 * (3 * 2 + 3)  # coordinates and demands
    (item,) = read_instances({**SMALL, "distances": np.ones((3, 3)) - np.eye(3)})
    assert item.num_bytes == 8 * (3 * 2 + 3 + 9)


def test_bytes_of_matrices_of_vehicles_and_columns_of_stops_count():
    (item,) = read_instances(vroom_problem(1, 4))
    constraints = item.own_constraints
    (named,) = constraints.matrices.values()
    bare = replace(item, constraints=replace(constraints, matrices={}))
    parts = {id(each): each.nbytes for each in named if each is not None}
    assert item.num_bytes - bare.num_bytes == sum(parts.values()) > 0
    many = np.tile(constraints.windows, (1, 100, 1))
    wide = replace(item, constraints=replace(constraints, windows=many))
    assert wide.num_bytes - item.num_bytes == many.nbytes - constraints.windows.nbytes


def test_an_array_that_stands_twice_counts_once():
    (item,) = read_instances({**SMALL, "vehicles": [{"capacity": 3}], "capacity": None})
    matrix = np.zeros((3, 3))
    one = replace(item, distances=matrix)
    two = replace(one, constraints=replace(one.own_constraints, durations=matrix))
    assert two.num_bytes == one.num_bytes == item.num_bytes + matrix.nbytes
