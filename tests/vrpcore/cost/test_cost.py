import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import plain
from vrpcore.arrays.symmetry import symmetric
from vrpcore.cost import cost as cost_module
from vrpcore.cost.cost import batch_cost, tour_cost
from vrpcore.errors import ShapeError


def random_tours(rng, count, starts, size):
    """Random tours with returns and padding, [B, R, T]."""
    tours = np.zeros((count, starts, 2 * size + 1), np.int64)
    for row in np.ndindex(count, starts):
        places = np.sort(rng.choice(2 * size, size, replace=False))
        tours[row][places] = rng.permutation(size) + 1
    return tours


def naive(problem, tour):
    nodes = [0, *tour.tolist(), 0]
    legs = list(itertools.pairwise(nodes))
    if problem.distances is not None:
        return math.fsum(problem.distances[a, b] for a, b in legs if a or b)
    total = []
    for a, b in legs:
        (x, y), (u, v) = problem.coords[a], problem.coords[b]
        length = math.sqrt((x - u) ** 2 + (y - v) ** 2)
        if problem.metric == "euc_2d":
            length = math.floor(length + 0.5)
        elif problem.metric == "ceil_2d":
            length = math.ceil(length)
        total.append(length)
    return math.fsum(total)


def test_by_hand():
    square = np.array([[[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]]])
    cost = tour_cost(square, np.array([[[1, 2, 0, 0], [1, 0, 2, 0]]]))
    assert cost.tolist() == [[12.0, 16.0]]


@pytest.mark.parametrize("metric", ["euclidean", "euc_2d", "ceil_2d"])
def test_equals_a_naive_loop(metric):
    rng = np.random.default_rng(1)
    problems = [plain(rng.random((8, 2)) * 100, metric=metric) for _ in range(5)]
    tours = random_tours(rng, 5, 4, 7)
    cost = batch_cost(problems, tours)
    for row in np.ndindex(5, 4):
        assert cost[row] == pytest.approx(naive(problems[row[0]], tours[row]), rel=1e-14)


def test_mixed_metrics_sizes_and_matrices():
    rng = np.random.default_rng(2)
    problems = [
        plain(rng.random((6, 2)) * 9, metric="euc_2d"),
        plain(rng.random((4, 2))),
        plain(None, distances=rng.random((5, 5))),
        plain(rng.random((6, 2)) * 90, metric="euc_2d"),
    ]
    tours = np.zeros((4, 2, 11), np.int64)
    for row, problem in enumerate(problems):
        size = problem.num_customers
        tours[row, :, : 2 * size + 1] = random_tours(rng, 1, 2, size)[0]
    cost = batch_cost(problems, tours)
    for row in np.ndindex(4, 2):
        assert cost[row] == pytest.approx(naive(problems[row[0]], tours[row]), rel=1e-14)


@pytest.mark.parametrize("metric", ["euclidean", "euc_2d", "ceil_2d", "haversine", None])
@pytest.mark.parametrize("cores", [1, 3])
def test_many_tours_are_looked_up_and_cost_the_same_bits(monkeypatch, metric, cores):
    """In 16 bits, as an accelerator sends them: nothing widens them first."""
    rng = np.random.default_rng(3)
    points = rng.random((7, 9, 2)) * 90
    if metric is None:
        problems = [plain(None, distances=rng.random((9, 9))) for _ in points]
    else:
        problems = [plain(each, metric=metric) for each in points]
    tours = random_tours(rng, 7, 30, 8)
    one_by_one = [batch_cost(problems, tours[:, [start]]) for start in range(30)]
    monkeypatch.setattr(cost_module, "FEW_LEGS", 100)
    monkeypatch.setattr(cost_module, "CACHE_LEGS", 200)  # eleven tours at a time
    monkeypatch.setattr(cost_module, "CORE_LEGS", 500)
    monkeypatch.setattr(cost_module, "num_cores", lambda: cores)
    made = []
    table = cost_module.distance_matrix
    monkeypatch.setattr(cost_module, "distance_matrix", lambda of: made.append(of) or table(of))
    assert np.array_equal(batch_cost(problems, tours.astype(np.int16)), np.hstack(one_by_one))
    assert len(made) == 7


def test_haversine_quarter_of_the_equator():
    problem = plain([[0.0, 0.0], [90.0, 0.0]], metric="haversine")
    quarter = math.pi / 2 * 6_371_008.8
    assert batch_cost([problem], np.array([[[1]]])) == pytest.approx(2 * quarter, rel=1e-12)


def test_a_depots_own_entry_costs_nothing_and_a_customers_own_does():
    problem = plain(None, distances=[[50.0, 1, 2], [4, 60.0, 5], [7, 8, 70.0]])
    tours = np.array([[[0, 1, 2, 0, 0], [2, 0, 0, 1, 0], [1, 1, 0, 0, 0], [0, 0, 0, 0, 0]]])
    assert batch_cost([problem], tours).tolist() == [[1 + 5 + 7, 2 + 7 + 1 + 4, 1 + 60 + 4, 0]]


def test_instances_of_other_sizes_do_not_move_the_points():
    small, large = plain([[0, 0], [0, 2]]), plain([[1, 0], [1, 3], [5, 3]])
    tours = np.array([[[1, 0]], [[1, 2]], [[1, 0]]])
    assert batch_cost([small, large, small], tours).tolist() == [[4.0], [3.0 + 4.0 + 5.0], [4.0]]


@given(st.integers(0, 2**32 - 1), st.integers(0, 7))
def test_a_symmetry_keeps_the_cost(seed, index):
    rng = np.random.default_rng(seed)
    coords, tours = rng.random((2, 6, 2)).astype(np.float32), random_tours(rng, 2, 3, 5)
    before = tour_cost(coords.astype(float), tours)
    after = tour_cost(symmetric(coords, index).astype(float), tours)
    assert after == pytest.approx(before, rel=1e-6)


@given(st.integers(0, 2**32 - 1))
def test_padding_and_renaming_keep_the_cost(seed):
    rng = np.random.default_rng(seed)
    coords, tours = rng.random((1, 6, 2)), random_tours(rng, 1, 3, 5)
    order = np.concatenate(([0], rng.permutation(5) + 1))
    renamed = np.argsort(order)[tours]
    longer = np.concatenate((renamed, np.zeros((1, 3, 4), np.int64)), axis=2)
    assert tour_cost(coords[:, order], longer) == pytest.approx(tour_cost(coords, tours))


def test_shapes_that_do_not_fit():
    with pytest.raises(ShapeError, match=r"coords \(2, 3, 2\) and tours \(1, 1, 2\)"):
        tour_cost(np.zeros((2, 3, 2)), np.zeros((1, 1, 2), np.int64))
    for coords, tours in (((1, 3, 2), (1, 2)), ((3, 2), (1, 1, 2))):
        with pytest.raises(ShapeError, match="do not fit"):
            tour_cost(np.zeros(coords), np.zeros(tours, np.int64))
    with pytest.raises(ShapeError, match=r"batch_cost: 1 instances, tours \(1, 2\)"):
        batch_cost([plain([[0, 0], [1, 1]])], np.zeros((1, 2), np.int64))
    with pytest.raises(ShapeError, match="1 instances, tours"):
        batch_cost([plain([[0, 0], [1, 1]])], np.zeros((2, 1, 2), np.int64))
