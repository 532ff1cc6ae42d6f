"""Policies of variants in a solve: what they are asked for, and what comes out."""

import numpy as np
import pytest

from tests.vrpcore.variants import NAMES, SMALL, drawn, random_policy
from vrpcore.api import Solver
from vrpcore.arrays.batch import make_batch
from vrpcore.config.reader import config_tree
from vrpcore.config.sections import Config, ProblemConfig
from vrpcore.cost.variant_cost import variant_tour_length
from vrpcore.instance.variant_generator import VARIANTS
from vrpcore.policy.checkpoint import save_checkpoint
from vrpcore.search import rich_library
from vrpcore.solve.construct_variants import (
    NUM_TOURS,
    asks_variants,
    construct_variants,
)
from vrpcore.solve.models import open_backend
from vrpcore.solve.order import POLICY_SKIPPED, SIZE_OUT_OF_TRAINING
from vrpcore.solve.solve_options import SolveOptions

pytestmark = pytest.mark.skipif(not rich_library.is_built(), reason="the search was not built")
ALONE = SolveOptions(improve="none")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "many.pt"
    config = Config(problem=ProblemConfig(variants="all"), policy=SMALL)
    content = {
        "name": "many", "version": "0", "config": config_tree(config), "train_sizes": [5, 20],
        "policy": random_policy(4).state_dict(),
    }  # fmt: skip
    save_checkpoint(path, content)
    return str(path)


def test_every_variant_is_solved(model):
    instances = [drawn(name, 1, 12)[0] for name in VARIANTS]
    answers = Solver(model, "cpu").solve(instances, improve="none", augment=8)
    assert [answer.status for answer in answers] == ["solved"] * len(instances)
    skipped = {
        instance.name.rsplit("-", 1)[0]
        for instance, answer in zip(instances, answers, strict=True)
        if POLICY_SKIPPED in answer.warnings
    }
    assert skipped == VARIANTS.keys() - set(NAMES)


def test_candidates_are_different_and_the_best_comes_first(model):
    instances = [drawn(name, 1, 12)[0] for name in ("mdvrptw", "ovrpmbl", "cvrp")]
    found = construct_variants(instances, open_backend(model, "cpu"), ALONE)
    batch = make_batch(instances, 15)
    for row, candidates in enumerate(found):
        assert 1 < len(candidates) <= NUM_TOURS
        depots = int(batch.num_depots[row])
        lengths = []
        for plan in candidates:
            assert sorted(stop for route in plan.routes for stop in route.stops) == list(
                range(1, 13)
            )
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
        construct_variants(instances, backend, ALONE),
        construct_variants(instances, backend, fewest),
        strict=True,
    ):
        assert few[0].num_vehicles <= usual[0].num_vehicles


def test_who_is_asked():
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


def test_a_policy_of_plain_instances_is_not_asked(tmp_path):
    answers = Solver("base", "cpu").solve(drawn("pdp", 1, 12), improve="none")
    assert POLICY_SKIPPED in answers[0].warnings
