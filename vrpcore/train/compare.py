"""How sampled tours are compared, and what each one's log-likelihood counts in the gradient."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.config.sections import Config
from vrpcore.env.batch import send
from vrpcore.errors import ShapeError
from vrpcore.instance.instance import Float64
from vrpcore.threads import num_cores, side_by_side
from vrpcore.train.distributed import World

# Nodes of tours that one core costs at a time, in about a millisecond.
BLOCK_NODES = 100_000
# What a difference of two log-likelihoods counts when the tours are compared in pairs.
SHARPNESS = 0.05


class Comparison(NamedTuple):
    """How the tours of one instance are compared with each other, or with what was expected.

    Comparing starts of one instance with each other needs no critic, and a hard
    instance cannot drown out an easy one. As the best start alone is what a solver
    returns, it may count more than the others.

    Attributes:
        expected: [B, 1] float64 cost that each instance's tours are compared with, in
            the instances' unit; None: the mean of its own starts.
        leader: What the advantage of each instance's best start is multiplied by.
        relative: Advantages are shares of the mean cost of an instance's tours, so that
            instances with long routes do not drown the others.
        pairs: Only which tour of two is cheaper counts, see `preference`, and none of the above.

    Source:
        Kwon et al. 2020, arXiv:2010.16011 (shared baseline); Wang et al. 2024,
        arXiv:2405.13947 (leader reward).
    """

    expected: Float64 | None = None
    leader: float = 1.0
    relative: bool = False
    pairs: bool = False

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
            cheaper = _cheaper(torch.from_numpy(cost))
            found: Float64 = 0.5 * (cheaper.sum(2) - cheaper.sum(1)).double().numpy()
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
            return preference(torch.from_numpy(cost), likelihood)
        return torch.from_numpy(advantage)


def build_comparison(config: Config, expected: Float64 | None) -> Comparison:
    """What the configuration asks for; `expected` as `Comparison` has it."""
    train = config.train
    pairs = train.objective == "prefer"
    return Comparison(expected, train.leader, relative=config.policy.variants, pairs=pairs)


def preference(cost: Tensor, likelihood: Tensor) -> Tensor:
    """What each tour's log-likelihood counts in the gradient of preference optimisation.

    Its loss is the sum of -log sigmoid(`SHARPNESS` * (l - m)) over all pairs of tours of an
    instance, where l is the log-likelihood of the cheaper one and m that of the other; what is
    returned is the gradient of minus that loss, divided by `SHARPNESS`.

    Args:
        cost: [B, S], any unit; compared in float32, so that other writings of a tour cost the same.
        likelihood: [B, S] float, the tours' log-likelihoods.

    Returns:
        [B, S], as `likelihood`.

    Source:
        Pan et al. 2025, arXiv:2505.08735 (preference optimisation by the Bradley-Terry model).
    """
    doubt = torch.sigmoid(SHARPNESS * (likelihood.unsqueeze(1) - likelihood.unsqueeze(2)))
    pull = torch.where(_cheaper(cost), doubt, 0.0)
    return pull.sum(2) - pull.sum(1)


def _cheaper(cost: Tensor) -> Tensor:
    """[B, S, S] bool: whether the first of two tours is the cheaper one, in float32."""
    cost = cost.float()
    return cost.unsqueeze(2) < cost.unsqueeze(1)


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
        return preference(sent, likelihood) * self._scale if self._comparison.pairs else sent

    def _first(self) -> Tensor:
        """Costs of all tours and their scale; what is sent."""
        self.cost = self._costs()
        gain = self._comparison.advantage(self.cost)
        deviation, count = self._world.spread(gain)
        self._scale = 1.0 / (deviation * count)
        numbers = self.cost if self._comparison.pairs else gain * self._scale
        (sent,) = send([torch.from_numpy(numbers).float()], self._device)
        return sent
