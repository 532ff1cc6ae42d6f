"""Comparison of sampled tours, and the weight of each tour's log-likelihood in the gradient."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.config.sections import Config
from vrpcore.cost.cost import Tours
from vrpcore.errors import ShapeError
from vrpcore.instance.instance import Float64
from vrpcore.learn.env.transfer import TourCopy, send
from vrpcore.learn.train.data import TrainBatch
from vrpcore.learn.train.distributed import World, own_cores
from vrpcore.learn.train.improved import improved_tours
from vrpcore.threads import side_by_side

Improve = Callable[[TrainBatch, Tours, Float64], NDArray[np.int64]]

# Nodes of tours that one core costs at a time, in about a millisecond.
BLOCK_NODES = 100_000
# Instances whose tours one core improves at a time: the largest of 100 customers, in some 10 ms.
BLOCK_ROWS, BLOCK_CELLS = 8, 100_000
# What a difference of two log-likelihoods counts when the tours are compared in pairs.
SHARPNESS = 0.05
# What a pair with an improved tour counts. That one wins nearly all of its pairs, and is less
# likely than those that were sampled: at the full weight it would outvote them.
IMPROVED_WEIGHT = 0.25


class Comparison(NamedTuple):
    """A comparison of an instance's tours with each other, or with an expected cost.

    Comparing starts of one instance with each other needs no critic, and a hard
    instance cannot drown out an easy one. As only the best start is what a solver
    returns, it may count more than the others.

    Attributes:
        expected: [B, 1] float64 cost that each instance's tours are compared with, in
            the instances' unit; None: the mean of its own starts.
        leader: What the advantage of each instance's best start is multiplied by where it is
            positive; with `pairs`, what it counts for being cheaper than the others.
        relative: Advantages are shares of the mean cost of an instance's tours, so that
            instances with long routes do not drown the others.
        pairs: Only which tour of two is cheaper counts, see `preference`, and of the above the
            leader only.
        improve: Gives one better tour of each instance, [b, 1, T] int64, which is compared as
            the last one. Takes the instances, their sampled tours, [b, S, T] integers, and their
            costs, [b, S] float64. With `pairs` only. None: only sampled tours are compared.

    Source:
        Kwon et al. 2020, arXiv:2010.16011 (shared baseline); Wang et al. 2024,
        arXiv:2405.13947 (leader reward).
    """

    expected: Float64 | None = None
    leader: float = 1.0
    relative: bool = False
    pairs: bool = False
    improve: Improve | None = None

    def rows(self, rows: slice) -> "Comparison":
        """Select some of the instances."""
        return self if self.expected is None else self._replace(expected=self.expected[rows])

    def advantage(self, cost: Float64) -> Float64:
        """How much better each tour is than expected.

        Of pairs, what each would count if all were equally likely.

        Args:
            cost: [B, S] float64, any unit.

        Returns:
            [B, S] float64, same unit, or without one; positive is better.

        Raises:
            ShapeError: Fewer than two starts, which cannot be compared with each other.
        """
        if self.expected is None and (cost.ndim != 2 or cost.shape[1] < 2):
            raise ShapeError(f"advantage: cost {cost.shape} needs two starts or more")
        if self.pairs:
            costs = torch.from_numpy(cost)
            found: Float64 = self.preference(costs, torch.zeros_like(costs)).numpy()
            return found
        expected = cost.mean(axis=1, keepdims=True) if self.expected is None else self.expected
        gain: Float64 = expected - cost
        if self.leader != 1.0:
            best = cost.argmin(axis=1)[:, None]
            leading = np.take_along_axis(gain, best, axis=1)
            np.put_along_axis(gain, best, np.maximum(leading, leading * self.leader), axis=1)
        return gain / cost.mean(axis=1, keepdims=True) if self.relative else gain

    def preference(self, cost: Tensor, likelihood: Tensor) -> Tensor:
        """The weight of each tour's log-likelihood among pairs; see the function of this name."""
        return preference(cost, likelihood, self.improve is not None, self.leader)


def build_comparison(config: Config, expected: Float64 | None) -> Comparison:
    """Build the configured comparison; `expected` as `Comparison` has it."""
    train = config.train
    return Comparison(
        expected,
        train.leader,
        relative=config.policy.variants,
        pairs=train.objective == "prefer",
        improve=partial(improved_tours, iterations=train.improve) if train.improve else None,
    )


def preference(
    cost: Tensor, likelihood: Tensor, improved: bool = False, leader: float = 1.0
) -> Tensor:
    """Weights of the tours' log-likelihoods in the gradient of preference optimisation.

    Its loss is the sum of -log sigmoid(`SHARPNESS` * (l - m)) over all pairs of tours of an
    instance, where l is the log-likelihood of the cheaper one and m that of the other; what is
    returned is the gradient of minus that loss, divided by `SHARPNESS`.

    Args:
        cost: [B, S], any unit; compared in float32, so that other writings of a tour cost the same.
        likelihood: [B, S] float, the tours' log-likelihoods.
        improved: The last tour of each instance was not sampled but improved: its pairs count
            `IMPROVED_WEIGHT`.
        leader: What the cheapest sampled tour's gain from its pairs is multiplied by, though not
            what the others lose to it.

    Returns:
        [B, S], as `likelihood`.

    Source:
        Pan et al. 2025, arXiv:2505.08735 (preference optimisation by the Bradley-Terry model;
        tours of a local search among the preferred); Wang et al. 2024, arXiv:2405.13947
        (leader reward).
    """
    doubt = torch.sigmoid(SHARPNESS * (likelihood.unsqueeze(1) - likelihood.unsqueeze(2)))
    cost = cost.float()
    pull = torch.where(cost.unsqueeze(2) < cost.unsqueeze(1), doubt, 0.0)
    if improved:
        pull[:, -1] *= IMPROVED_WEIGHT
        pull[:, :-1, -1] *= IMPROVED_WEIGHT
    won, lost = pull.sum(2), pull.sum(1)
    if leader != 1.0:
        best = cost[:, : cost.shape[1] - improved].argmin(1, keepdim=True)
        won.scatter_(1, best, won.gather(1, best) * leader)
    return won - lost


def costs_in_blocks(tours: Tours, costs: Callable[[slice], Float64]) -> Float64:
    """Costs of a batch on all cores: meanwhile the device may have nothing to do.

    Args:
        tours: [B, S, T] integers.
        costs: Gives [b, S] float64 of some rows of it.

    Returns:
        [B, S] float64.
    """
    rows = _blocks(len(tours), BLOCK_NODES * len(tours) // max(1, tours.size))
    return np.concatenate(side_by_side([partial(costs, part) for part in rows], own_cores()))


def _blocks(count: int, size: int) -> list[slice]:
    """Slices of `size` rows, at least one."""
    size = max(1, size)
    return [slice(first, min(first + size, count)) for first in range(0, count, size)]


class Compared:
    """Tours of a batch whose likelihoods are to be weighed, some rows at a time.

    Where improved tours are asked for, threads of the host search for them, in the order of the
    rows, so that the device can go on with the first rows while the host has those behind them.

    Args:
        comparison: How tours are compared.
        batch: The instances.
        tours: [B, S, T] int64, sampled, on their device. With improved ones, this waits for them.
        pool: Threads of the host.

    Attributes:
        to_host: Bytes that left the device.
        to_device: Bytes that were sent so far.
    """

    def __init__(
        self, comparison: Comparison, batch: TrainBatch, tours: Tensor, pool: Executor
    ) -> None:
        self._batch, self._tours, self._copy = batch, tours, TourCopy(tours)
        self.to_host, self.to_device = self._copy.num_bytes, 0
        self._found: list[tuple[slice, Future[tuple[NDArray[np.int64], Float64]]]] = []
        if comparison.improve is not None:
            count, num_nodes = batch.inputs.valid.shape
            sampled, size = self._copy.wait(), min(BLOCK_ROWS, BLOCK_CELLS // num_nodes**2)
            self._found = [
                (
                    rows,
                    pool.submit(with_improved, comparison.improve, batch.take(rows), sampled[rows]),
                )
                for rows in _blocks(count, size)
            ]

    def tours(self, rows: slice) -> Tensor:
        """[b, S, T] int64 of some rows, on their device; with improved ones, [b, S + 1, T]."""
        if not self._found:
            return self._tours[rows]
        better = self._improved(rows, 0)
        (sent,) = send([torch.from_numpy(better)], self._tours.device)
        self.to_device += better.nbytes if self._tours.is_cuda else 0
        return torch.cat([self._tours[rows], sent], 1)

    def costs(self, rows: slice) -> Float64:
        """[b, S] or [b, S + 1] float64, those of the tours; waits for them."""
        if self._found:
            return self._improved(rows, 1)
        batch, tours = self._batch.take(rows), self._copy.wait()[rows]
        return costs_in_blocks(tours, lambda part: batch.take(part).costs(tours[part]))

    def _improved(self, rows: slice, which: int) -> NDArray[Any]:
        """Wait for `with_improved` and return its tours of some rows."""
        met = [
            (part.start, found)
            for part, found in self._found
            if part.start < rows.stop and rows.start < part.stop
        ]
        first = met[0][0]
        whole = np.concatenate([found.result()[which] for _, found in met])
        return whole[rows.start - first : rows.stop - first]


def with_improved(
    improve: Improve, batch: TrainBatch, tours: Tours
) -> tuple[NDArray[np.int64], Float64]:
    """A better tour of each instance, [b, 1, T], and the costs of all tours, its own the last."""
    cost = batch.costs(tours)
    better = improve(batch, tours, cost)
    return better, np.concatenate([cost, batch.costs(better)], 1)


class Weights:
    """Weights of the log-likelihoods of a batch's tours, by their costs; see `Weigh`.

    Costs are computed on the host while the device is at work; one number for each tour goes back.

    Args:
        comparison: How tours are compared.
        shape: B and S.
        costs: Gives [b, S] float64 of some rows; called once for each.
        world: The processes that learn as one.

    Attributes:
        cost: [B, S] float64, NaN where it has not been asked for yet.
    """

    def __init__(
        self,
        comparison: Comparison,
        shape: tuple[int, int],
        costs: Callable[[slice], Float64],
        world: World,
    ) -> None:
        self._comparison, self._costs, self._world = comparison, costs, world
        self.cost, self._gain = np.full(shape, np.nan), np.zeros(shape)

    def __call__(self, rows: slice, likelihood: Tensor) -> Tensor:
        """See `Weigh`."""
        cost = self.cost[rows] = self._costs(rows)
        gain = self._gain[rows] = self._comparison.rows(rows).advantage(cost)
        pairs = self._comparison.pairs
        numbers = torch.from_numpy(cost if pairs else gain).to(likelihood.dtype)
        (sent,) = send([numbers], likelihood.device)
        return self._comparison.preference(sent, likelihood) if pairs else sent

    def scale(self) -> float:
        """See `Weigh`: by the deviation of all advantages, and their number."""
        deviation, count = self._world.spread(self._gain)
        return 1.0 / (deviation * count)
