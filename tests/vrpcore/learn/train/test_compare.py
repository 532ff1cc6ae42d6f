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


def test_a_leader_dearer_than_expected_stays_the_best():
    gain = Comparison(np.array([[10.0]]), leader=4.0).advantage(np.array([[12.0, 11.0, 13.0]]))
    assert gain.tolist() == [[-2.0, -1.0, -3.0]]


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


def test_relative_advantages_are_shares_of_the_mean():
    cost = np.array([[1.0, 3.0], [30.0, 50.0]])
    gain = Comparison(leader=2.0, relative=True).advantage(cost)
    assert gain.tolist() == [[1.0, -0.5], [0.5, -0.25]]


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


def test_of_two_tours_the_cheaper_one_pulls_and_a_likely_one_less():
    cost = torch.tensor([[2.0, 1.0]])
    assert preference(cost, torch.zeros(1, 2)).tolist() == [[-0.5, 0.5]]
    unlikely, likely = (preference(cost, torch.tensor([[0.0, log]]))[0, 1] for log in (-40.0, 40.0))
    assert float(likely) < 0.2 < 0.8 < float(unlikely)


def test_other_writings_of_a_tour_are_not_compared():
    cost = torch.tensor([[0.1 + 0.2, 0.3, 0.4]], dtype=torch.float64)
    assert preference(cost, torch.zeros(1, 3)).tolist() == [[0.5, 0.5, -1.0]]


def test_pairs_with_an_improved_tour_count_less():
    cost = torch.tensor([[3.0, 2.0, 1.0]])
    part = IMPROVED_WEIGHT / 2
    expected = [[-0.5 - part, 0.5 - part, 2 * part]]
    assert preference(cost, torch.zeros(1, 3), improved=True).tolist() == expected


def test_the_leader_of_pairs_gains_more_and_nobody_loses_more():
    cost = torch.tensor([[3.0, 1.0, 1.0, 0.5]])
    plain = preference(cost, torch.zeros(1, 4))
    assert plain.tolist() == [[-1.5, 0.0, 0.0, 1.5]]
    assert preference(cost, torch.zeros(1, 4), leader=4.0).tolist() == [[-1.5, 0.0, 0.0, 6.0]]
    # The improved tour was not sampled: the first of the cheapest before it leads.
    part = IMPROVED_WEIGHT / 2
    led = preference(cost, torch.zeros(1, 4), improved=True, leader=4.0)
    assert led.tolist() == [[-1.0 - part, 2.0 - part, 0.5 - part, 3 * part]]


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
