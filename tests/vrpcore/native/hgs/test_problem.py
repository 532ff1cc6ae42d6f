"""problem.hpp and savings.hpp against the model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import random_instance
from tests.vrpcore.native.hgs.instances import KINDS, draw
from tests.vrpcore.native.hgs.model.problem import Problem as ModelProblem
from tests.vrpcore.native.hgs.model.savings import savings_routes
from vrpcore.cost.distance import distance_matrix
from vrpcore.search import hgs_library


@pytest.fixture(autouse=True)
def library(inside):
    return inside


def compare(windows, instance):
    """Lengths, nearest customers and savings."""
    matrix = distance_matrix(instance)
    problem, model = hgs_library.Problem(instance, matrix), ModelProblem(instance, matrix)
    from_, into, near = windows.problem(problem)
    assert from_ == model.length
    assert into == np.transpose(model.length).tolist()
    assert near == model.near
    assert problem.savings() == savings_routes(model)
    return model


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), size=st.integers(2, 40))
def test_all_kinds(windows, kind, seed, size):
    compare(windows, draw(kind, seed, size)[0])


# With these seeds the routes of 150 customers are others where not all pairs compete.
@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        ("plain", 3),
        ("one way", 4),
        pytest.param("equal points", 5, marks=pytest.mark.slow),
        pytest.param("grid", 7, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize(
    "size",
    [
        *(100, 101, 150, 151),
        *(pytest.param(size, marks=pytest.mark.slow) for size in (102, 149, 152, 170)),
    ],
)
def test_limits_of_sizes(windows, kind, seed, size):
    compare(windows, draw(kind, seed, size)[0])


def test_many_light_routes_at_one_address(windows):
    """Who has only the own address among the nearest is joined in the second round."""
    instance = random_instance(3, 500, 200.0)
    instance.coords[1:] = np.repeat(np.arange(5.0), 100)[:, None] + [1.0, 0.0]
    instance.demand[1:] = 7.0
    compare(windows, instance)


@pytest.mark.parametrize("seed", [0, 1, 6])
def test_two_towns(windows, seed):
    """Light routes of either join in the second round: ends and starts, ends, starts."""
    instance, rng = random_instance(seed, 240, 200.0), np.random.default_rng(seed)
    towns = np.repeat(rng.random((2, 2)) * 100, 120, axis=0)
    instance.coords[1:] = towns + rng.random((240, 2))
    instance.demand[1:] = rng.integers(3, 9, 240)
    compare(windows, instance)


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([2.0, 3.0, 4.0], [2, 3, 4]),
        ([2.5, 3.0, 4.0], [833_333, 1_000_000, 1_333_333]),
        ([0.0, 0.0, 0.0], [0, 0, 0]),
        ([1e9, 1.0, 2.0], [10**9, 1, 2]),
        ([2e9, 1.0, 2.0], [10**9, 5000, 10**4]),
        ([4e4, 1.5, 2.0], [10**9, 37_500, 50_000]),
        ([1e12 + 0.5, 1e12, 3.0], [10**6, 10**6, 0]),
        ([1e300, 1e-300, 1e-300], [10**9, 10**4, 10**4]),
    ],
)
def test_scaling_by_hand(windows, lengths, expected):
    """Lengths of depot - 1, depot - 2 and 1 - 2."""
    matrix = np.zeros((3, 3))
    for length, (row, column) in zip(lengths, [(0, 1), (0, 2), (1, 2)], strict=True):
        matrix[row, column] = matrix[column, row] = length
    model = compare(windows, random_instance(0, 2, coords=None, distances=matrix))
    assert [model.length[0][1], model.length[0][2], model.length[1][2]] == expected


def test_a_sample_gives_the_scale_of_many_lengths(windows):
    """With 221 nodes each fourth length is looked at; where those are 0, the largest one."""
    instance = random_instance(4, 220)
    compare(windows, instance)
    matrix = np.zeros((221, 221))
    matrix[2, 3] = matrix[3, 2] = 0.75
    compare(windows, random_instance(5, 220, coords=None, distances=matrix))
