import dataclasses

import numpy as np
import pytest

from vrpcore.arrays.batch import Batch
from vrpcore.cost.cost import batch_cost
from vrpcore.cost.routes import routes_to_tour
from vrpcore.instance.generator import as_instances, random_problems
from vrpcore.solve import construct as construct_module
from vrpcore.solve.backend import ModelInfo
from vrpcore.solve.construct import (
    asks_policy,
    construct,
    construct_rows,
    num_rollouts,
    plan_batches,
)
from vrpcore.solve.options import SolveOptions


class NearestFirst:
    """A backend that needs no model: each start, then the others in order, one a route."""

    info = ModelInfo(name="t", sha256="", train_sizes=(1, 9), backend="test", device="cpu")

    def __init__(self):
        self.starts = []

    def construct(self, batch, starts, temperature, seed):
        self.starts.append(starts)
        count, num_nodes = batch.valid.shape
        tours = np.zeros((count, starts.shape[1], 2 * num_nodes), np.int64)
        for row, start in np.ndindex(*starts.shape):
            size = int(batch.valid[row].sum()) - 1
            order = np.roll(np.arange(1, size + 1), -int(starts[row, start]))
            tours[row, start] = routes_to_tour([[node] for node in order], 2 * num_nodes)
        return tours

    def tune(self):
        return ""


def problems(sizes, seed=0):
    rng = np.random.default_rng(seed)
    return [as_instances(random_problems("uniform", (1, n), 30, rng), "p")[0] for n in sizes]


def test_batches_hold_everything_once_and_like_sizes():
    sizes = [50, 10, 11, 100, 49, 10, 200, 12]
    groups = plan_batches(problems(sizes), SolveOptions(), True)
    assert sorted(row for group in groups for row in group) == list(range(8))
    for group in groups:
        largest, smallest = max(sizes[r] for r in group), min(sizes[r] for r in group)
        assert largest <= smallest * 1.15 + 1


def test_batch_option_bounds_the_groups():
    groups = plan_batches(problems([20] * 10), SolveOptions(batch=4), True)
    assert [len(group) for group in groups] == [4, 4, 2]


@pytest.mark.parametrize(("size", "augment", "rows"), [(20, 1, 8192), (100, 1, 512), (100, 8, 64)])
def test_an_accelerator_gets_batches_that_fill_it(size, augment, rows):
    (group,) = plan_batches(
        problems([size] * 20), SolveOptions(augment=augment, improve="none"), False
    )
    assert len(group) == 20
    many = [*problems([size])] * (rows + 1)
    groups = plan_batches(many, SolveOptions(augment=augment, improve="none"), False)
    assert [len(group) for group in groups] == [rows, 1]


def test_candidates_are_different_and_cheapest_first():
    instances = problems([6, 7])
    for instance, routes in zip(
        instances, construct(instances, NearestFirst(), SolveOptions(augment=2)), strict=True
    ):
        size = instance.num_customers
        tours = np.stack([routes_to_tour(part, 2 * size) for part in routes])
        cost = batch_cost([instance], tours[None])[0]
        assert (np.diff(cost) > 0).all()


def test_starts_are_spread_whatever_the_order_of_the_input():
    backend = NearestFirst()
    (instance,) = problems([20])
    construct([instance], backend, SolveOptions(starts=5))
    (starts,) = backend.starts
    assert len(set(starts[0].tolist())) == 5
    offset = instance.coords[starts[0]] - instance.coords[0]
    angles = np.arctan2(offset[:, 1], offset[:, 0])
    assert (np.diff(angles) > 0).all()


@pytest.mark.parametrize(
    "size, alone, searched",
    [(1, 1, 1), (10, 10, 10), (20, 20, 16), (50, 50, 16), (100, 50, 16), (1000, 8, 8)],
)
def test_default_starts(size, alone, searched):
    assert num_rollouts(size, SolveOptions(improve="none")) == alone
    assert num_rollouts(size, SolveOptions()) == searched
    assert num_rollouts(size, SolveOptions(starts=7)) == min(size, 7)


def test_rows_run_in_pieces_that_fit_and_keep_their_order():
    backend, rows, num_nodes = NearestFirst(), 200, 21
    batch = Batch(
        coords_unit=np.zeros((rows, num_nodes, 2), np.float32),
        demand=np.zeros((rows, num_nodes), np.float32),
        capacity=np.ones(rows, np.float32),
        valid=np.ones((rows, num_nodes), bool),
    )
    starts = np.arange(rows)[:, None] % 20 + np.arange(20)[None, :] % 3
    tours = construct_rows(backend, batch, starts, 0.0, np.zeros(rows, np.int64))
    sizes = [len(part) for part in backend.starts]
    assert len(sizes) == 4  # 200 rows of 20 * 21 pairs, 27 000 a run
    assert max(sizes) - min(sizes) <= 1
    whole = NearestFirst().construct(batch, starts, 0.0, np.zeros(rows, np.int64))
    assert np.array_equal(tours, whole[:, :, : tours.shape[2]])
    assert not whole[:, :, tours.shape[2] :].any()


def test_an_accelerator_runs_all_rows_at_once():
    backend = NearestFirst()
    backend.info = dataclasses.replace(backend.info, device="cuda:0")
    construct(problems([100] * 3), backend, SolveOptions(starts=100, augment=8))
    assert [part.shape for part in backend.starts] == [(24, 100)]


def test_a_small_group_runs_with_all_its_copies():
    backend = NearestFirst()
    construct(problems([20]), backend, SolveOptions(starts=20, augment=8))
    assert [part.shape for part in backend.starts] == [(8, 20)]


def test_who_is_constructed_by_the_policy(monkeypatch):
    monkeypatch.setattr(construct_module, "SEARCHED_ALONE", 30)
    asked = {size: asks_policy(size, SolveOptions()) for size in (1, 30, 31, 200, 1000, 1001)}
    assert [size for size in asked if asked[size]] == [31, 200, 1000]
    for options in (SolveOptions(improve="none"), SolveOptions(augment=8), SolveOptions(starts=4)):
        assert asks_policy(10, options)
    assert not asks_policy(1001, SolveOptions(improve="none"))
    assert not asks_policy(100, SolveOptions(time_per_instance_s=0.01))
    assert asks_policy(100, SolveOptions(time_per_instance_s=1.0))
