import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.vrpcore.learn.decode.cases import SMALL
from tests.vrpcore.learn.train.cases import random_batch
from tests.vrpcore.learn.train.worlds import Meeting, OneOfTwo, together
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train.baseline import (
    GreedyRollout,
    MovingAverage,
    build_baseline,
    surely_positive,
)
from vrpcore.learn.train.distributed import World
from vrpcore.learn.train.validate import greedy_cost


def test_moving_average_is_one_a_size_and_survives_a_checkpoint():
    policy, small, large = build_policy(SMALL, 0), random_batch(5), random_batch(9)
    baseline = MovingAverage(policy, World())
    first = greedy_cost(policy, small).mean()
    assert baseline.expected(small) == pytest.approx(np.full((6, 1), first))
    baseline.observe(3.0)
    again = build_baseline("ema", build_policy(SMALL, 0), World())
    again.load(baseline.state())
    assert again.expected(small) == pytest.approx(np.full((6, 1), 0.8 * first + 0.2 * 3.0))
    assert again.expected(large) == pytest.approx(greedy_cost(policy, large).mean())


def test_sets_of_other_units_have_averages_of_their_own():
    baseline, batch = MovingAverage(build_policy(SMALL, 0), World()), random_batch()
    far = batch._replace(name="xstyle", coords=batch.coords * 1000)
    first, second = baseline.expected(batch), baseline.expected(far)
    assert second == pytest.approx(1000 * first)
    baseline.observe(float(second[0, 0]) + 5.0)
    assert (baseline.expected(batch) == first).all()
    assert baseline.expected(far) == pytest.approx(second + 1.0)


def test_processes_with_instances_of_other_sizes_take_the_same_average():
    policy, meeting = build_policy(SMALL, 0), Meeting(2)
    sizes = [[5, 9, 5], [5, 5, 9]]
    baselines = [MovingAverage(policy, OneOfTwo(rank, meeting)) for rank in (0, 1)]

    def of_file(size):
        return random_batch(size)._replace(name="own")

    def learn(rank):
        found = []
        for step, size in enumerate(sizes[rank]):
            found.append(float(baselines[rank].expected(of_file(size))[0, 0]))
            baselines[rank].observe(3.0 + rank + step)
        return found

    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(learn, (0, 1))
    assert one == other
    assert baselines[0].state() == baselines[1].state()
    small, large = (greedy_cost(policy, random_batch(size)).mean() for size in (5, 9))
    assert one[0] == pytest.approx(small)
    assert one[1] == pytest.approx((small + large) / 2)
    assert one[2] == pytest.approx(0.8 * one[1] + 0.2 * 4.5)


def test_a_cost_that_is_not_finite_is_not_averaged():
    baseline, batch = MovingAverage(build_policy(SMALL, 0), World()), random_batch()
    before = baseline.expected(batch)
    baseline.observe(math.nan)
    assert (baseline.expected(batch) == before).all()
    baseline.observe(float(before[0, 0]) + 1.0)
    assert baseline.expected(batch) == pytest.approx(before + 0.2)


def test_all_processes_decide_alike_whether_the_copy_is_replaced():
    policies, sets = [build_policy(SMALL, seed) for seed in (0, 1)], {"n9": random_batch()}
    costs = [greedy_cost(policy, sets["n9"]).mean() for policy in policies]
    better, worse = policies if costs[0] < costs[1] else policies[::-1]
    many = {"n9": random_batch(), "again": random_batch()}

    def challenged(world, learner):
        baseline = GreedyRollout(worse, world)
        baseline.challenge(learner, many)
        return same_weights(baseline, worse)

    assert together(lambda world: challenged(world, better)) == [False, False]
    assert together(lambda world: challenged(world, worse)) == [True, True]


def same_weights(baseline, policy):
    state = policy.state_dict()
    return all(bool((state[name] == part).all()) for name, part in baseline.state().items())


def test_a_better_learner_replaces_the_copy_and_an_equal_one_does_not():
    first, second = build_policy(SMALL, 0), build_policy(SMALL, 1)
    sets = {"n9": random_batch()}
    costs = [greedy_cost(policy, sets["n9"]).mean() for policy in (first, second)]
    better, worse = (first, second) if costs[0] < costs[1] else (second, first)
    baseline = GreedyRollout(worse, World())
    baseline.challenge(worse, sets)
    assert (baseline.expected(sets["n9"]) == greedy_cost(worse, sets["n9"])).all()
    again = GreedyRollout(better, World())
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


def test_padding_is_no_size():
    policy = build_policy(SMALL, 0)
    baseline = build_baseline("ema", policy, World())
    batch = random_batch()
    expected = baseline.expected(batch)
    baseline.observe(1e6)
    assert baseline.expected(batch.padded(64))[0, 0] > expected[0, 0]
