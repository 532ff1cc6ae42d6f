"""Batch size, padding, workers and order change nothing but ties within rounding."""

import numpy as np
import pytest

from vrpcore.instance.generator import as_instances, random_problems

SIZES = (7, 8, 20, 21, 22, 50)


@pytest.fixture(scope="module")
def instances():
    rng = np.random.default_rng(11)
    return [
        as_instances(random_problems("uniform", (1, size), "by_size", rng), f"{size}-{copy}")[0]
        for copy in range(2)
        for size in SIZES
    ]


def routes(solutions):
    return {item.name: {route.customers for route in item.routes} for item in solutions}


def assert_same(first, second):
    ours, theirs = routes(first), routes(second)
    assert ours.keys() == theirs.keys()
    same = sum(len(ours[name] & theirs[name]) for name in ours)
    total = sum(len(ours[name]) for name in ours)
    assert same >= 0.99 * total
    costs = [np.mean([item.cost for item in part]) for part in (first, second)]
    assert costs[0] == pytest.approx(costs[1], rel=1e-4)


@pytest.mark.parametrize("options", [{"improve": "none"}, {"decode": "sample"}, {}])
def test_the_same_answers_whatever_the_batch_and_order(solver, instances, options):
    first = solver.solve(instances, **options)
    assert_same(first, solver.solve(instances, batch=1, workers=1, threads=1, **options))
    assert_same(first, solver.solve(instances, batch=7, workers=2, threads=2, **options))
    assert_same(first, solver.solve(instances, batch=64, **options))
    order = np.random.default_rng(0).permutation(len(instances))
    assert_same(first, solver.solve([instances[row] for row in order], **options))
    assert routes(first) == routes(solver.solve(instances, **options))


def test_the_seed_matters_for_samples(solver, instances):
    first = solver.solve(instances, decode="sample", improve="none", seed=1)
    assert routes(first) != routes(solver.solve(instances, decode="sample", improve="none", seed=2))
