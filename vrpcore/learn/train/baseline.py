"""Baselines: the costs that tours are compared with."""

import copy
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from vrpcore.instance.instance import Float64
from vrpcore.learn.policy.policy import Policy
from vrpcore.learn.train.data import TrainBatch
from vrpcore.learn.train.distributed import World
from vrpcore.learn.train.validate import greedy_cost

SMOOTHING = 0.8
SIGNIFICANCE = 0.05


class Baseline:
    """Estimates the expected cost of an instance's tours: here the mean of their own starts."""

    def expected(self, batch: TrainBatch) -> Float64 | None:  # noqa: ARG002
        """[B, 1] float64 in the instances' unit; None: the mean of their own starts."""
        return None

    def observe(self, cost: float) -> None:
        """Takes note of the mean cost of the batch that was asked for last."""

    def challenge(self, policy: Policy, sets: Mapping[str, TrainBatch]) -> None:
        """Is called after each validation with the policy that learns and fixed sets."""

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint."""
        return {}

    def load(self, state: Mapping[str, Any]) -> None:
        """The inverse of `state`."""


class MovingAverage(Baseline):
    """The exponential moving average of the mean cost, one for each size of each set.

    Sets may have other units and other capacities. A step's size is the largest of all processes'
    instances, so that all take the same average.

    Args:
        policy: The policy that learns; its greedy cost begins an average.
        world: The processes that learn as one: the costs of all count, so all know the same.

    Source:
        Kool et al. 2019, arXiv:1803.08475 (the exponential baseline).
    """

    def __init__(self, policy: Policy, world: World) -> None:
        self._policy, self._world = policy, world
        self._average: dict[str, float] = {}
        self._key = ""

    def expected(self, batch: TrainBatch) -> Float64 | None:
        """The average of the set's size."""
        size = self._world.largest(int(batch.inputs.valid.sum(1).max()))
        self._key = key = f"{batch.name} {size}"
        if key not in self._average:
            self._average[key] = self._mean(float(greedy_cost(self._policy, batch).mean()))
        return np.full((len(batch.coords), 1), self._average[key])

    def observe(self, cost: float) -> None:
        """Moves the average that was asked for last towards the cost."""
        before, mean = self._average[self._key], self._mean(cost)
        if math.isfinite(mean):  # else the step is skipped
            self._average[self._key] = SMOOTHING * before + (1 - SMOOTHING) * mean

    def _mean(self, cost: float) -> float:
        """Over the processes."""
        return self._world.total([cost])[0] / self._world.size

    def state(self) -> dict[str, Any]:
        """The averages by set and size."""
        return dict(self._average)

    def load(self, state: Mapping[str, Any]) -> None:
        """The inverse of `state`."""
        self._average = dict(state)


class GreedyRollout(Baseline):
    """A frozen copy's greedy tours; replaced when the learner is surely better.

    Args:
        policy: The policy that learns.
        world: The processes that learn as one, which all find the same.

    Source:
        Kool et al. 2019, arXiv:1803.08475 (rollout baseline, one-sided paired t-test). They draw
        new instances for each champion. Here the sets stay, so the tests of many validations
        together are wrong by chance more often than a single one.
    """

    def __init__(self, policy: Policy, world: World) -> None:
        self._champion, self._world = copy.deepcopy(policy).eval(), world

    def expected(self, batch: TrainBatch) -> Float64 | None:
        """The copy's greedy cost, first customers chosen by itself."""
        return greedy_cost(self._champion, batch)

    def challenge(self, policy: Policy, sets: Mapping[str, TrainBatch]) -> None:
        """Replaces the copy where the learner's mean greedy cost is lower beyond chance."""
        gains = []
        for batch in sets.values():
            before = greedy_cost(self._champion, batch, self._world)
            # In shares of each cost, so that sizes and units weigh alike.
            gains.append((before - greedy_cost(policy, batch, self._world)) / before)
        if surely_positive(np.concatenate(gains).ravel()):
            self._champion.load_state_dict(policy.state_dict())

    def state(self) -> dict[str, Any]:
        """The copy's weights."""
        return dict(self._champion.state_dict())

    def load(self, state: Mapping[str, Any]) -> None:
        """The inverse of `state`."""
        self._champion.load_state_dict(state)


def surely_positive(gain: Float64) -> bool:
    """One-sided paired t-test: is the mean above 0 beyond a chance of `SIGNIFICANCE`?

    Args:
        gain: [n] float64, differences of pairs. With the hundreds of pairs of a
            validation set Student's distribution is the normal one.
    """
    error = float(gain.std(ddof=1)) / math.sqrt(gain.size) if gain.size > 1 else 0.0
    mean = float(gain.mean())
    if mean <= 0 or error == 0.0:
        return mean > 0
    return 0.5 * math.erfc(mean / error / math.sqrt(2)) < SIGNIFICANCE


def build_baseline(name: str, policy: Policy, world: World) -> Baseline:
    """`multistart`, `rollout` or `ema`."""
    if name == "rollout":
        return GreedyRollout(policy, world)
    return MovingAverage(policy, world) if name == "ema" else Baseline()
