"""Candidates of a batch: how many, from which starts, and in which order."""

import dataclasses

import numpy as np
import pytest

from tests.export.models import save_variants
from tests.vrpcore.solve.doubles import NearestFirst, problems
from tests.vrpcore.variants import NAMES, drawn
from vrpcore.api import Solver
from vrpcore.arrays.batch import Batch, make_batch
from vrpcore.cost.cost import batch_cost
from vrpcore.cost.tour_routes import routes_to_tour
from vrpcore.cost.variant_cost import variant_tour_length
from vrpcore.errors import ModelError
from vrpcore.instance.plan import Plan
from vrpcore.instance.variant_generator import VARIANTS
from vrpcore.solve import construct as construct_module
from vrpcore.solve.construct import (
    NUM_TOURS,
    asks_policy,
    asks_variants,
    batch_limit,
    construct,
    construct_rows,
    num_rollouts,
    num_routes,
    policy_work,
    ranks,
    starts_of,
)
from vrpcore.solve.models import open_backend
from vrpcore.solve.order import POLICY_SKIPPED, SIZE_OUT_OF_TRAINING
from vrpcore.solve.solve_options import SolveOptions

ALONE = SolveOptions(improve="none")


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


@pytest.mark.parametrize(
    ("tour", "message"),
    [
        ([1, 2, 9, 0], r"\(node 9, expected 0 to 4\); export it again with vrp export"),
        ([1, 2, -1, 0], r"\(node -1, expected 0 to 4\)"),
        ([1, 2, 3, 0], r"\(p-0: 3 of 4 customers in 3 visits\)"),
        ([1, 2, 3, 2, 0, 4], r"\(p-0: 4 of 4 customers in 5 visits\)"),
        ([1.0, 2.0, 3.0, 4.0], r"\(tours of shape \[1, 1, 4\] \(float64\), expected \[1, 1, T\]"),
        ([1, 2, 3, 4], r"\(p-0: a route with more than the capacity\)"),
    ],
)
def test_what_a_model_returns_is_checked(tour, message, monkeypatch):
    instance = dataclasses.replace(problems([4])[0], capacity=40.0, demand=np.array([0] + [11] * 4))
    monkeypatch.setattr(NearestFirst, "construct", lambda *_: np.array([[tour]]))
    with pytest.raises(ModelError, match=f"t: the model constructs no valid tours {message}"):
        construct([instance], NearestFirst(), SolveOptions(decode="greedy"))


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


def test_an_accelerators_tours_are_ranked_as_they_come(monkeypatch):
    """In 16 bits, and of copies of several instances together."""
    given, backend = problems([6, 4, 5]), NearestFirst()
    options = SolveOptions(augment=4, improve="fast")
    expected = construct(given, backend, options)
    assert [plans for (plans,) in (construct([one], backend, options) for one in given)] == expected
    made = backend.construct
    monkeypatch.setattr(backend, "construct", lambda *of: made(*of).astype(np.int16))
    assert construct(given, backend, options) == expected


def test_an_accelerator_runs_all_rows_at_once():
    backend = NearestFirst()
    backend.info = backend.info._replace(device="cuda:0")
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
    assert not asks_policy(100, SolveOptions(time_per_instance=0.01))
    assert asks_policy(100, SolveOptions(time_per_instance=1.0))


def test_sums_that_differ_in_their_last_digit_share_a_place():
    cost = np.array([3.0, 1.0 + 2e-16, 2.0, 1.0, 3.0 * (1 - 1e-15), 1.0 + 1e-9])
    assert ranks(cost).tolist() == [3, 0, 2, 0, 3, 1]
    assert ranks(np.zeros(3)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("decode", ["multistart", "greedy"])
def test_starts_of_plain_instances_are_those_with_one_depot(decode):
    batch, options = make_batch(problems([20, 7])), SolveOptions(starts=9, decode=decode)
    starts = starts_of(batch, options)
    assert starts.tolist() == starts_of(batch.full(), options).tolist()
    assert (starts > 0).sum(axis=1).tolist() == ([9, 7] if decode == "multistart" else [0, 0])


def test_starts_are_customers_where_there_are_several_depots():
    batch = make_batch([drawn(name, 1, 12)[0] for name in ("mdvrptw", "cvrp")])
    starts = starts_of(batch, SolveOptions(starts=12))
    for row, depots in enumerate(batch.num_depots):
        assert sorted(starts[row].tolist()) == list(range(depots, depots + 12))


def test_routes_are_counted():
    plain = np.array([[[0, 1, 2, 0, 0, 3], [1, 2, 3, 0, 0, 0], [0, 1, 0, 2, 0, 3]]])
    assert num_routes(plain, np.array([1])).tolist() == [[2, 1, 3]]
    depots = np.array([[[1, 2, 3, 0, 4, 0], [0, 1, 2, 3, 4, 0]]])
    assert num_routes(depots, np.array([2])).tolist() == [[2, 1]]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "many.pt"
    return str(save_variants(path, train_sizes=[5, 20]))


def test_every_variant_is_solved(model):
    instances = [drawn(name, 1, 6)[0] for name in VARIANTS]
    answers = Solver(model, "cpu").solve(instances, improve="none", starts=2)
    assert [answer.status for answer in answers] == ["solved"] * len(instances)
    skipped = {
        instance.name.rsplit("-", 1)[0]
        for instance, answer in zip(instances, answers, strict=True)
        if POLICY_SKIPPED in answer.warnings
    }
    assert skipped == VARIANTS.keys() - set(NAMES)


def test_candidates_with_constraints_are_different_and_the_best_comes_first(model):
    instances = [drawn(name, 1, 12)[0] for name in ("mdvrptw", "ovrpmbl", "cvrp")]
    found = construct(instances, open_backend(model, "cpu"), ALONE)
    batch = make_batch(instances, 15)
    for row, candidates in enumerate(found):
        assert 1 < len(candidates) <= NUM_TOURS
        depots = int(batch.num_depots[row])
        lengths = []
        for plan in candidates:
            stops = [stop for route in plan.routes for stop in route.stops]
            assert sorted(stops) == list(range(1, 13))
            tour = [
                node
                for route in plan.routes
                for node in (route.vehicle, *(depots - 1 + stop for stop in route.stops))
            ]
            lengths.append(
                variant_tour_length(
                    batch.coords_unit[row : row + 1].astype(float),
                    np.array([[tour]]),
                    batch.num_depots[row : row + 1],
                    batch.open_end[row : row + 1],
                )[0, 0]
            )
        assert lengths == sorted(lengths)


def test_fewer_vehicles_come_first_where_that_is_asked_for(model):
    instances = drawn("vrptw", 4, 14)
    backend = open_backend(model, "cpu")
    fewest = SolveOptions(starts=14, fewest_vehicles=True)
    for usual, few in zip(
        construct(instances, backend, ALONE),
        construct(instances, backend, fewest),
        strict=True,
    ):
        assert few[0].num_vehicles <= usual[0].num_vehicles


def test_who_is_asked_with_constraints():
    assert asks_variants(100, ALONE)
    assert not asks_variants(1001, ALONE)
    assert not asks_variants(100, SolveOptions())
    assert asks_variants(100, SolveOptions(decode="greedy"))


def test_plain_instances_may_use_it_too(model):
    (instance,) = drawn("cvrp", 1, 12)
    plain = drawn("vrptw", 1, 12)[0].take([1, 2, 3])
    answers = Solver(model, "cpu").solve([instance, plain], improve="none")
    assert [answer.status for answer in answers] == ["solved"] * 2


def test_a_size_out_of_training_is_reported(model):
    small, large = drawn("vrptw", 1, 12)[0], drawn("vrptw", 1, 25)[0]
    answers = Solver(model, "cpu").solve([small, large], improve="none")
    told = [SIZE_OUT_OF_TRAINING in answer.warnings for answer in answers]
    assert told == [False, True]


def test_a_policy_of_plain_instances_is_not_asked():
    answers = Solver("base", "cpu").solve(drawn("pdp", 1, 12), improve="none")
    assert POLICY_SKIPPED in answers[0].warnings
