"""How sampled tours are compared, and what each one's log-likelihood counts in the gradient."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.config.sections import Config
from vrpcore.env.transfer import TourCopy, send
from vrpcore.errors import ShapeError
from vrpcore.instance.instance import Float64
from vrpcore.threads import num_cores, side_by_side
from vrpcore.train.data import TrainBatch
from vrpcore.train.distributed import World
from vrpcore.train.improved import improved_tours

Improve = Callable[[TrainBatch, NDArray[np.int64], Float64], NDArray[np.int64]]

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
    """How the tours of one instance are compared with each other, or with what was expected.

    Comparing starts of one instance with each other needs no critic, and a hard
    instance cannot drown out an easy one. As only the best start is what a solver
    returns, it may count more than the others.

    Attributes:
        expected: [B, 1] float64 cost that each instance's tours are compared with, in
            the instances' unit; None: the mean of its own starts.
        leader: What the advantage of each instance's best start is multiplied by; with `pairs`,
            what it counts for being cheaper than the others.
        relative: Advantages are shares of the mean cost of an instance's tours, so that
            instances with long routes do not drown the others.
        pairs: Only which tour of two is cheaper counts, see `preference`, and of the above the
            leader only.
        improve: Gives one better tour of each instance, [b, 1, T] int64, which is compared as
            the last one. Takes the instances, their sampled tours, [b, S, T] int64, and the costs
            of these, [b, S] float64. With `pairs` only. None: only sampled tours are compared.

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
        """The same for some of the instances."""
        return self if self.expected is None else self._replace(expected=self.expected[rows])

    def advantage(self, cost: Float64) -> Float64:
        """How much better each tour is than what was expected of it.

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
            leading = np.take_along_axis(gain, best, axis=1) * self.leader
            np.put_along_axis(gain, best, leading, axis=1)
        return gain / cost.mean(axis=1, keepdims=True) if self.relative else gain

    def weight(self, advantage: Float64, cost: Float64, likelihood: Tensor) -> Tensor:
        """What each tour's log-likelihood counts, before scaling.

        Args:
            advantage: [B, S] float64, of `advantage`.
            cost: [B, S] float64.
            likelihood: [B, S] float64, the tours' log-likelihoods.

        Returns:
            [B, S] float64.
        """
        if self.pairs:
            return self.preference(torch.from_numpy(cost), likelihood)
        return torch.from_numpy(advantage)

    def preference(self, cost: Tensor, likelihood: Tensor) -> Tensor:
        """What each tour's log-likelihood counts among pairs; see the function of this name."""
        return preference(cost, likelihood, self.improve is not None, self.leader)


def build_comparison(config: Config, expected: Float64 | None) -> Comparison:
    """What the configuration asks for; `expected` as `Comparison` has it."""
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
    """What each tour's log-likelihood counts in the gradient of preference optimisation.

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


def costs_in_blocks(tours: NDArray[np.int64], costs: Callable[[slice], Float64]) -> Float64:
    """Costs of a batch on all cores: meanwhile the device may have nothing to do.

    Args:
        tours: [B, S, T] int64.
        costs: Gives [b, S] float64 of some rows of it.

    Returns:
        [B, S] float64.
    """
    count = len(tours)
    size = max(1, BLOCK_NODES * count // max(1, tours.size))
    rows = [slice(first, min(first + size, count)) for first in range(0, count, size)]
    return np.concatenate(side_by_side([partial(costs, part) for part in rows], num_cores()))


def improved_in_blocks(
    improve: Improve, batch: TrainBatch, tours: NDArray[np.int64], cost: Float64
) -> NDArray[np.int64]:
    """Improved tours of a batch on all cores; see `Comparison` for what is given and returned."""
    count, num_nodes = batch.inputs.valid.shape
    size = max(1, min(BLOCK_ROWS, BLOCK_CELLS // num_nodes**2))
    rows = [slice(first, min(first + size, count)) for first in range(0, count, size)]
    tasks = [partial(improve, batch.take(part), tours[part], cost[part]) for part in rows]
    return np.concatenate(side_by_side(tasks, num_cores()))


class Compared(NamedTuple):
    """Tours whose likelihoods are to be weighed.

    Attributes:
        tours: [B, S, T] int64, on their device.
        costs: Gives theirs, [B, S] float64; waits for the tours.
        to_host: Bytes.
        to_device: Bytes.
    """

    tours: Tensor
    costs: Callable[[], Float64]
    to_host: int
    to_device: int


def compared_tours(comparison: Comparison, batch: TrainBatch, tours: Tensor) -> Compared:
    """Sends sampled tours to the host, and improved ones back where they are asked for.

    Without improved ones nothing waits here. With them the device waits for the host.

    Args:
        comparison: How tours are compared.
        batch: The instances.
        tours: [B, S, T] int64, sampled, on their device.
    """
    copy = TourCopy(tours)

    def costs(found: NDArray[np.int64]) -> Float64:
        return costs_in_blocks(found, lambda rows: batch.take(rows).costs(found[rows]))

    if comparison.improve is None:
        return Compared(tours, lambda: costs(copy.wait()), copy.num_bytes, 0)
    sampled = copy.wait()
    cost = costs(sampled)
    better = improved_in_blocks(comparison.improve, batch, sampled, cost)
    (sent,) = send([torch.from_numpy(better)], tours.device)
    to_device = better.nbytes if tours.is_cuda else 0
    return Compared(
        torch.cat([tours, sent], 1),
        lambda: np.concatenate([cost, costs(better)], 1),
        copy.num_bytes,
        to_device,
    )


class Weights:
    """What the log-likelihoods of a batch's tours count, on the device.

    The host computes costs while the device is at work; one number for each tour goes back.

    Args:
        comparison: How tours are compared.
        costs: Gives [B, S] float64; called once, when the first weights are asked for.
        world: The processes that learn as one.
        device: Where the policy is.

    Attributes:
        cost: [B, S] float64, once it is known.
    """

    cost: Float64

    def __init__(
        self,
        comparison: Comparison,
        costs: Callable[[], Float64],
        world: World,
        device: torch.device,
    ) -> None:
        self._comparison, self._costs, self._world = comparison, costs, world
        self._device, self._scale = device, 0.0
        self._sent: Tensor | None = None

    def __call__(self, rows: slice, likelihood: Tensor) -> Tensor:
        """The weights of some instances' tours.

        Args:
            rows: Which instances.
            likelihood: [b, S] float32, their tours' log-likelihoods.

        Returns:
            [b, S] float32.
        """
        if self._sent is None:
            self._sent = self._first()
        sent = self._sent[rows]
        if not self._comparison.pairs:
            return sent
        return self._comparison.preference(sent, likelihood) * self._scale

    def _first(self) -> Tensor:
        """Costs of all tours and their scale; what is sent."""
        self.cost = self._costs()
        gain = self._comparison.advantage(self.cost)
        deviation, count = self._world.spread(gain)
        self._scale = 1.0 / (deviation * count)
        numbers = self.cost if self._comparison.pairs else gain * self._scale
        (sent,) = send([torch.from_numpy(numbers).float()], self._device)
        return sent
