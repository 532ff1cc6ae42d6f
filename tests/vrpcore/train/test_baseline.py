import numpy as np
import pytest

from tests.vrpcore.decode.cases import SMALL
from tests.vrpcore.train.cases import random_batch
from vrpcore.policy.policy import build_policy
from vrpcore.train.baseline import (
    GreedyRollout,
    MovingAverage,
    build_baseline,
    surely_positive,
)
from vrpcore.train.distributed import World
from vrpcore.train.validate import greedy_cost


def test_moving_average_is_one_a_size_and_survives_a_checkpoint():
    policy, small, large = build_policy(SMALL, 0), random_batch(5), random_batch(9)
    baseline = MovingAverage(policy, World())
    first = greedy_cost(policy, small).mean()
    assert baseline.expected(small) == pytest.approx(np.full((6, 1), first))
    baseline.observe(small, 3.0)
    again = build_baseline("ema", build_policy(SMALL, 0), World())
    again.load(baseline.state())
    assert again.expected(small) == pytest.approx(np.full((6, 1), 0.8 * first + 0.2 * 3.0))
    assert again.expected(large) == pytest.approx(greedy_cost(policy, large).mean())


def test_the_costs_of_all_processes_count():
    class Two(World):
        def total(self, values):
            return [value + 4.0 for value in values]  # the other one's are 4 each

    policy, batch = build_policy(SMALL, 0), random_batch(5)
    world = Two()
    world.size = 2
    baseline = MovingAverage(policy, world)
    first = (greedy_cost(policy, batch).mean() + 4.0) / 2
    assert baseline.expected(batch) == pytest.approx(np.full((6, 1), first))
    baseline.observe(batch, 3.0)
    assert baseline.expected(batch) == pytest.approx(np.full((6, 1), 0.8 * first + 0.2 * 3.5))


def test_a_better_learner_replaces_the_copy_and_an_equal_one_does_not():
    first, second = build_policy(SMALL, 0), build_policy(SMALL, 1)
    sets = {"n9": random_batch()}
    costs = [greedy_cost(policy, sets["n9"]).mean() for policy in (first, second)]
    better, worse = (first, second) if costs[0] < costs[1] else (second, first)
    baseline = GreedyRollout(worse)
    baseline.challenge(worse, sets)
    assert (baseline.expected(sets["n9"]) == greedy_cost(worse, sets["n9"])).all()
    again = GreedyRollout(better)
    again.load(baseline.state())
    assert (again.expected(sets["n9"]) == greedy_cost(worse, sets["n9"])).all()
    again.challenge(better, sets)
    replaced = (again.expected(sets["n9"]) == greedy_cost(better, sets["n9"])).all()
    before, after = (greedy_cost(policy, sets["n9"]) for policy in (worse, better))
    assert replaced == surely_positive(((before - after) / before).ravel())


def test_paired_t_test_by_hand():
    # mean 1, standard error 0.5: 2 errors above 0, a chance of 2.3 %.
    assert surely_positive(np.array([0.0, 2.0] * 2) + np.array([-0.2, 0.2, 0.2, -0.2]))
    assert not surely_positive(np.array([1.0, -0.9, 1.0, -0.9]))
    assert not surely_positive(np.zeros(5))
    assert not surely_positive(np.full(5, -1.0))
    assert surely_positive(np.full(5, 0.1))
