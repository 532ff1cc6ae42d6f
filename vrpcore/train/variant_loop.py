"""Training steps on the field's variants on a CPU, by the compiled step."""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.decode.select import start_streams
from vrpcore.env.rules import RuleInputs, legs_between, servable_from
from vrpcore.policy.rule_policy import RulePolicy, way_scale
from vrpcore.train.arrays import Cases, RuleArrays
from vrpcore.train.baseline import Comparison
from vrpcore.train.distributed import World
from vrpcore.train.loop import Factors, Loop, Task, alike
from vrpcore.train.loss import StepResult
from vrpcore.train.variant_data import VariantBatch
from vrpcore.train.variant_learner import costs_of, num_rule_choices, relative_gain


class VariantLoopLearner:
    """Learns from the field's variants; arguments and errors of `Loop`.

    Args:
        policy: The policy that learns.
        precision: Of the encoder's products.
        world: The processes that learn as one.
    """

    def __init__(self, policy: RulePolicy, precision: str, world: World) -> None:
        self.policy, self.loop, self.world = policy, Loop(policy, precision), world

    def reinforce(self, batch: VariantBatch, seed: Tensor, comparison: Comparison) -> StepResult:
        """One REINFORCE step; see `Learner`. Advantages are from `relative_gain`."""
        count, num_starts = batch.starts.shape
        costs, gains = np.empty((count, num_starts)), np.empty((count, num_starts))

        def factors(rows: slice, choice: NDArray[np.int64]) -> NDArray[np.float64]:
            costs[rows] = costs_of(batch.take(rows), torch.from_numpy(choice))
            gains[rows] = relative_gain(comparison.rows(rows), costs[rows])
            return gains[rows]

        def scale() -> float:
            deviation, total = self.world.spread(gains)
            return 1.0 / (deviation * total)

        cases = Cases(batch.starts.contiguous(), start_streams(seed, num_starts))
        length = 2 * batch.inputs.valid.shape[1] + 1
        choice = torch.zeros(count, num_starts, length, dtype=torch.int64)
        loss = self._backward(batch, cases, choice, factors, scale)
        return StepResult(loss, float(costs.mean()))

    def imitate(self, batch: VariantBatch) -> StepResult:
        """One step towards given tours; see `Learner`."""

        def scale() -> float:
            (count,) = self.world.total([num_rule_choices(batch)])
            return 1.0 / count

        given = torch.full(batch.tours.shape[:2], -1)
        choice = batch.tours.contiguous()
        loss = self._backward(batch, Cases(given, given), choice, alike, scale)
        return StepResult(loss, float(costs_of(batch, batch.tours[:, :1]).mean()))

    def shrink(self) -> int:
        """Parts are small already."""
        return 0

    def _backward(
        self,
        batch: VariantBatch,
        cases: Cases,
        choice: Tensor,
        factors: Factors,
        scale: Callable[[], float],
    ) -> float:
        inputs = batch.inputs
        way = self.policy.way_factors * way_scale(inputs.valid).unsqueeze(1)
        task = Task((inputs,), way, rule_arrays(inputs), cases, choice, factors, scale)
        return self.loop.backward(task)


def rule_arrays(inputs: RuleInputs) -> RuleArrays:
    """Instances as the compiled step reads them."""
    legs = legs_between(inputs.coords)
    counted = torch.where(inputs.limit_has_service.unsqueeze(1), inputs.service, 0.0)
    given = {name: getattr(inputs, name) for name in RuleArrays._fields if hasattr(inputs, name)}
    arrays = RuleArrays(legs=legs, servable=servable_from(inputs, legs), counted=counted, **given)
    return RuleArrays(*(array.contiguous() for array in arrays))
