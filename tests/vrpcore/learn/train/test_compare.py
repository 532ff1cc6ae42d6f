"""How tours are compared."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from tests.vrpcore.learn.train.cases import random_batch, sampled
from vrpcore.errors import ShapeError
from vrpcore.learn.train.compare import (
    IMPROVED_WEIGHT,
    SHARPNESS,
    Compared,
    Comparison,
    Weights,
    costs_in_blocks,
    preference,
)
from vrpcore.learn.train.distributed import World


@pytest.mark.parametrize(
    ("compared", "cost", "gain"),
    [
        ({}, [[1, 3], [10, 10]], [[1, -1], [0, 0]]),
        ({"expected": [[2], [11]]}, [[1, 3], [10, 10]], [[1, -1], [1, 1]]),
        ({"expected": [[7], [7]], "leader": 2.0}, [[5, 4, 6]] * 2, [[2, 6, 1]] * 2),
        ({"leader": 4.0}, [[1, 3, 2], [5, 4, 6]], [[4, -1, 0], [0, 4, -1]]),
        # One that is dearer than expected stays the best.
        ({"expected": [[10], [10]], "leader": 4.0}, [[12, 11, 13]] * 2, [[-2, -1, -3]] * 2),
        ({"leader": 2.0, "relative": True}, [[1, 3], [30, 50]], [[1, -0.5], [0.5, -0.25]]),
    ],
)
def test_advantages_by_hand(compared, cost, gain):
    if "expected" in compared:
        compared = compared | {"expected": np.array(compared["expected"], float)}
    comparison, cost = Comparison(**compared), np.array(cost, float)
    assert comparison.advantage(cost).tolist() == gain
    assert comparison.rows(slice(1, 2)).advantage(cost[1:]).tolist() == gain[1:]


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


def test_preference_is_the_gradient_of_its_loss():
    rng = np.random.default_rng(0)
    cost = torch.from_numpy(rng.integers(3, 6, (4, 5)).astype(float))  # some are equal
    likelihood = torch.from_numpy(-30 * rng.random((4, 5))).requires_grad_()
    loss = torch.zeros([], dtype=torch.float64)
    for row in range(4):
        for one in range(5):
            for other in range(5):
                if cost[row, one] < cost[row, other]:
                    difference = likelihood[row, one] - likelihood[row, other]
                    loss = loss - torch.nn.functional.logsigmoid(SHARPNESS * difference)
    loss.backward()
    expected = -likelihood.grad / SHARPNESS
    assert torch.allclose(preference(cost, likelihood.detach()), expected, rtol=1e-12)


def test_a_likely_tour_pulls_less():
    cost = torch.tensor([[2.0, 1.0]])
    unlikely, likely = (preference(cost, torch.tensor([[0.0, log]]))[0, 1] for log in (-40.0, 40.0))
    assert float(likely) < 0.2 < 0.8 < float(unlikely)


PART = IMPROVED_WEIGHT / 2


@pytest.mark.parametrize(
    ("cost", "more", "weights"),
    [
        ([2, 1], {}, [-0.5, 0.5]),
        # Another writing of the same tour, but for rounding.
        ([0.1 + 0.2, 0.3, 0.4], {}, [0.5, 0.5, -1]),
        ([3, 2, 1], {"improved": True}, [-0.5 - PART, 0.5 - PART, 2 * PART]),
        ([3, 1, 1, 0.5], {}, [-1.5, 0, 0, 1.5]),
        ([3, 1, 1, 0.5], {"leader": 4.0}, [-1.5, 0, 0, 6]),
        # The improved tour was not sampled: the first of the cheapest before it leads.
        (
            [3, 1, 1, 0.5],
            {"improved": True, "leader": 4.0},
            [-1 - PART, 2 - PART, 0.5 - PART, 3 * PART],
        ),
    ],
)
def test_weights_of_pairs_by_hand(cost, more, weights):
    cost = torch.tensor([cost], dtype=torch.float64)
    assert preference(cost, torch.zeros(cost.shape), **more).tolist() == [weights]


def test_pairs_know_no_unit():
    cost = np.random.default_rng(0).random((4, 5))
    pairs = Comparison(pairs=True)
    assert (pairs.advantage(cost) == pairs.advantage(cost * 1e6)).all()
    assert sorted(pairs.advantage(cost)[0]) == [-2.0, -1.0, 0.0, 1.0, 2.0]
    with pytest.raises(ShapeError, match="needs two starts"):
        pairs.advantage(np.ones((3, 1)))


def test_costs_in_blocks_are_those_of_the_whole(monkeypatch):
    tours = np.random.default_rng(0).integers(0, 9, (7, 3, 5))
    blocks = []

    def costs(rows):
        blocks.append(rows)
        return tours[rows].sum(2).astype(float)

    for nodes, expected in ((1, 7), (30, 4), (10**6, 1)):
        monkeypatch.setattr("vrpcore.learn.train.compare.BLOCK_NODES", nodes)
        blocks.clear()
        assert (costs_in_blocks(tours, costs) == tours.sum(2)).all()
        assert len(blocks) == expected


@pytest.mark.parametrize(
    "comparison",
    [Comparison(leader=3.0), Comparison(pairs=True), Comparison(leader=3.0, pairs=True)],
)
def test_weights_in_chunks_are_those_of_the_whole(comparison):
    rng = np.random.default_rng(0)
    cost, likelihood = rng.random((6, 5)), torch.from_numpy(-9 * rng.random((6, 5))).float()
    asked = []

    def costs(rows):
        asked.append((rows.start, rows.stop))
        return cost[rows]

    weights = Weights(comparison, cost.shape, costs, World())
    chunks = [weights(slice(at, at + 2), likelihood[at : at + 2]) for at in (0, 2, 4)]
    assert asked == [(0, 2), (2, 4), (4, 6)]
    assert (weights.cost == cost).all()
    gain = comparison.advantage(cost)
    whole = Weights(comparison, cost.shape, cost.__getitem__, World())
    expected = whole(slice(0, 6), likelihood.double()) / gain.std() / gain.size
    assert torch.allclose(weights.scale() * torch.cat(chunks).double(), expected, rtol=1e-5)


def test_tours_and_costs_of_some_rows_are_those_of_the_whole():
    batch = random_batch()
    tours = torch.from_numpy(sampled(batch))

    def improve(part, tours, cost):
        assert (cost == part.costs(tours)).all()
        return tours[np.arange(len(tours)), cost.argmin(1)][:, None, :]

    for better in (None, improve):
        with ThreadPoolExecutor(2) as pool:
            comparison = Comparison(pairs=True, improve=better)
            compared = Compared(comparison, batch, tours, pool)
            for rows in (slice(0, 6), slice(0, 1), slice(1, 5), slice(4, 6)):
                found = compared.tours(rows)
                assert (found[:, :4] == tours[rows]).all()
                assert found.shape[1] == 4 + (better is not None)
                assert (compared.costs(rows) == batch.take(rows).costs(found.numpy())).all()
        assert (compared.to_host, compared.to_device) == (0, 0)


def test_what_goes_wrong_while_tours_are_improved_is_said():
    def improve(*_):
        raise ShapeError("no")

    batch = random_batch()
    tours = torch.from_numpy(sampled(batch))
    with ThreadPoolExecutor(2) as pool:
        compared = Compared(Comparison(pairs=True, improve=improve), batch, tours, pool)
        with pytest.raises(ShapeError, match="no"):
            compared.tours(slice(0, 2))
