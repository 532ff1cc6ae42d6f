from dataclasses import replace

import numpy as np

from tests.vrpcore.vroom_problems import vroom_problem
from vrpcore.formats.read import read_instances
from vrpcore.instance.memory import num_bytes

PLAIN = {"capacity": 3, "depot": [0, 0], "coords": [[1, 1], [2, 2]], "demands": [2, 1]}


def test_a_plain_instance_by_hand():
    (item,) = read_instances(PLAIN)
    assert num_bytes(item) == 8 * (3 * 2 + 3)  # coordinates and demands
    (item,) = read_instances({**PLAIN, "distances": np.ones((3, 3)) - np.eye(3)})
    assert num_bytes(item) == 8 * (3 * 2 + 3 + 9)


def test_matrices_of_vehicles_and_columns_of_stops_count():
    (item,) = read_instances(vroom_problem(1, 4))
    constraints = item.own_constraints
    (named,) = constraints.matrices.values()
    bare = replace(item, constraints=replace(constraints, matrices={}))
    parts = {id(each): each.nbytes for each in named if each is not None}
    assert num_bytes(item) - num_bytes(bare) == sum(parts.values()) > 0
    many = np.tile(constraints.windows, (1, 100, 1))
    wide = replace(item, constraints=replace(constraints, windows=many))
    assert num_bytes(wide) - num_bytes(item) == many.nbytes - constraints.windows.nbytes


def test_an_array_that_stands_twice_counts_once():
    (item,) = read_instances({**PLAIN, "vehicles": [{"capacity": 3}], "capacity": None})
    matrix = np.zeros((3, 3))
    one = replace(item, distances=matrix)
    two = replace(one, constraints=replace(one.own_constraints, durations=matrix))
    assert num_bytes(two) == num_bytes(one) == num_bytes(item) + matrix.nbytes
