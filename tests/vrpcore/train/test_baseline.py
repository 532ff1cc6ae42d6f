import numpy as np
import pytest

from tests.vrpcore.decode.cases import SMALL
from tests.vrpcore.train.cases import random_batch
from vrpcore.errors import ShapeError
from vrpcore.policy.policy import build_policy
from vrpcore.train.baseline import (
    Comparison,
    GreedyRollout,
    MovingAverage,
    build_baseline,
    surely_positive,
)
from vrpcore.train.distributed import World
from vrpcore.train.validate import greedy_cost


def test_by_hand():
    gain = Comparison().advantage(np.array([[1.0, 3.0], [10.0, 10.0]]))
    assert gain.tolist() == [[1.0, -1.0], [0.0, 0.0]]
    assert World().spread(gain) == (pytest.approx(0.5**0.5), 4)


def test_against_what_was_expected():
    gain = Comparison(np.array([[2.0], [11.0]])).advantage(np.array([[1.0, 3.0], [10.0, 10.0]]))
    assert gain.tolist() == [[1.0, -1.0], [1.0, 1.0]]


def test_the_leader_counts_more():
    cost = np.array([[1.0, 3.0, 2.0], [5.0, 4.0, 6.0]])
    gain = Comparison(leader=4.0).advantage(cost)
    assert gain.tolist() == [[4.0, -1.0, 0.0], [0.0, 4.0, -1.0]]
    expected = np.array([[0.0], [7.0]])
    gain = Comparison(expected, 2.0).rows(slice(1, 2)).advantage(cost[1:])
    assert gain.tolist() == [[2.0, 6.0, 1.0]]


def test_equal_costs_teach_nothing():
    gain = Comparison().advantage(np.full((2, 3), 7.0))
    assert (gain == 0).all()
    assert World().spread(gain) == (1.0, 6)
    assert World().spread(gain + 0.1) == (1.0, 6)


def test_unit_does_not_matter():
    cost = np.random.default_rng(0).random((4, 5))
    small, large = Comparison().advantage(cost), Comparison().advantage(cost * 1e6)
    spread = World().spread
    assert large / spread(large)[0] == pytest.approx(small / spread(small)[0])


def test_one_start_cannot_be_compared():
    with pytest.raises(ShapeError, match=r"cost \(3, 1\) needs two starts"):
        Comparison().advantage(np.ones((3, 1)))
    assert Comparison(np.full((3, 1), 2.0)).advantage(np.ones((3, 1))).tolist() == [[1.0]] * 3


def test_moving_average_is_one_a_size_and_survives_a_checkpoint():
    policy, small, large = build_policy(SMALL, 0), random_batch(5), random_batch(9)
    baseline = MovingAverage(policy)
    first = greedy_cost(policy, small).mean()
    assert baseline.expected(small) == pytest.approx(np.full((6, 1), first))
    baseline.observe(small, 3.0)
    again = build_baseline("ema", build_policy(SMALL, 0))
    again.load(baseline.state())
    assert again.expected(small) == pytest.approx(np.full((6, 1), 0.8 * first + 0.2 * 3.0))
    assert again.expected(large) == pytest.approx(greedy_cost(policy, large).mean())


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
