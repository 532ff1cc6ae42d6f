"""Training steps on the field's variants on a CPU, by the compiled step."""

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.env.rule_inputs import RuleInputs, legs_of
from vrpcore.env.rules import servable_from
from vrpcore.policy.rule_policy import RulePolicy
from vrpcore.train.arrays import RuleArrays
from vrpcore.train.loop import Given, Loop
from vrpcore.train.loss import num_choices
from vrpcore.train.variant_data import VariantBatch
from vrpcore.train.variant_learner import costs_of, first_customers


class VariantLoopLearner(Loop[VariantBatch]):
    """Learns from the field's variants.

    Args:
        policy: The policy that learns.
        precision: See `Loop`.
        world: See `Loop`.
    """

    policy: RulePolicy

    def given(self, batch: VariantBatch) -> Given:
        """See `Loop`."""
        inputs = batch.inputs
        way = self.policy.way_weights(inputs.valid).flatten(1).t()
        return Given((inputs,), way, rule_arrays(inputs), 2 * inputs.valid.shape[1] + 1)

    def costs(
        self, batch: VariantBatch, rows: slice, choice: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """See `Loop`."""
        return costs_of(batch.take(rows), choice)

    def given_choices(self, batch: VariantBatch) -> tuple[Tensor, int]:
        """See `Loop`."""
        return batch.tours, num_choices(batch.tours, first_customers(batch))


def rule_arrays(inputs: RuleInputs) -> RuleArrays:
    """Instances as the compiled step reads them."""
    legs, batch_size = legs_of(inputs), len(inputs.capacity)
    given = {name: getattr(inputs, name) for name in RuleArrays._fields if hasattr(inputs, name)}
    arrays = RuleArrays(
        legs=legs.away.view(batch_size, -1, legs.away.shape[1]),
        servable=servable_from(inputs, legs),
        counted=legs.counted,
        **given,
    )
    return RuleArrays(*(array.contiguous() for array in arrays))
