import dataclasses

import numpy as np
import pytest

from tests.vrpcore.solve.doubles import NearestFirst, problems
from vrpcore.arrays.batch import Batch
from vrpcore.cost.cost import batch_cost
from vrpcore.cost.tour_routes import routes_to_tour
from vrpcore.instance.plan import Plan
from vrpcore.solve import construct as construct_module
from vrpcore.solve.construct import (
    asks_policy,
    batch_limit,
    construct,
    construct_rows,
    num_rollouts,
    places,
    policy_work,
)
from vrpcore.solve.solve_options import SolveOptions


@pytest.mark.parametrize(("size", "augment", "rows"), [(20, 1, 8192), (100, 1, 512), (100, 8, 64)])
def test_an_accelerator_gets_batches_that_fill_it(size, augment, rows):
    options = SolveOptions(augment=augment, improve="none")
    assert batch_limit(size, options, False) == rows


@pytest.mark.parametrize(("size", "rows"), [(1, 256), (20, 178), (100, 37), (1000, 7)])
def test_a_host_gets_batches_that_its_threads_can_share(size, rows):
    assert batch_limit(size, SolveOptions(), True) == rows


def test_work_grows_with_starts_samples_symmetries_and_size():
    def work(**options):
        return policy_work(50, SolveOptions(**options))

    assert work(decode="greedy") < work(starts=10) < work() < work(augment=2)
    assert work(decode="sample", samples=16) == work()
    assert work(augment=8) == 8 * work()
    assert policy_work(100, SolveOptions()) > 2 * policy_work(50, SolveOptions())


def test_candidates_are_different_and_cheapest_first():
    instances = problems([6, 7])
    for instance, plans in zip(
        instances, construct(instances, NearestFirst(), SolveOptions(augment=2)), strict=True
    ):
        size = instance.num_customers
        tours = np.stack(
            [routes_to_tour([each.stops for each in plan.routes], 2 * size) for plan in plans]
        )
        cost = batch_cost([instance], tours[None])[0]
        assert (np.diff(cost) > 0).all()


class FewOrCheap(NearestFirst):
    """A backend whose first start takes one vehicle and a long way, and the others two vehicles."""

    few, cheap = [[1, 2, 3, 4]], [[1, 3], [2, 4]]

    def construct(self, batch, starts, temperature, seed):
        tours = [routes_to_tour(self.few, 9), *[routes_to_tour(self.cheap, 9)] * 3]
        return np.stack([tours[: starts.shape[1]]] * len(starts))


def test_the_fewest_routes_come_first_where_they_are_asked_for():
    (problem,) = problems([4])
    coords = np.array([[0, 0], [1, 0], [-1, 0], [1, 0], [-1, 0]], float)  # to and fro: 8; else 4
    instance = dataclasses.replace(problem, coords=coords, capacity=100.0)
    few, cheap = FewOrCheap.few, FewOrCheap.cheap
    for fewest, expected in ((False, [cheap, few]), (True, [few, cheap])):
        options = SolveOptions(fewest_vehicles=fewest)
        assert construct([instance], FewOrCheap(), options) == [
            [Plan.of(routes) for routes in expected]
        ]


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


def test_sums_that_differ_in_their_last_digit_share_a_place():
    cost = np.array([3.0, 1.0 + 2e-16, 2.0, 1.0, 3.0 * (1 - 1e-15), 1.0 + 1e-9])
    assert places(cost).tolist() == [3, 0, 2, 0, 3, 1]
    assert places(np.zeros(3)).tolist() == [0, 0, 0]
