"""Greedy multi-start lengths of variants on fixed validation sets."""

import numpy as np
import torch
from numpy.typing import NDArray

from vrpcore.decode.rule_fixed_shape import FixedShapeRuleRollout
from vrpcore.decode.rule_rollout import RuleRollout
from vrpcore.env.batch import TourCopy, send
from vrpcore.policy.rule_policy import RulePolicy
from vrpcore.train.validate import Validation, chunk_size
from vrpcore.train.variant_data import VariantBatch
from vrpcore.train.variant_learner import costs_of, to_device


def validate_variants(policy: RulePolicy, batch: VariantBatch) -> Validation:
    """Decodes a set greedily, from its `starts` and from one that the policy chooses."""
    batch = batch._replace(starts=torch.nn.functional.pad(batch.starts, (1, 0)))
    count, num_nodes = batch.inputs.valid.shape
    chunk = chunk_size(policy, num_nodes, batch.starts.shape[1])
    cost = np.concatenate(
        [_decode(policy, batch.take(slice(at, at + chunk))) for at in range(0, count, chunk)]
    )
    best = cost.min(axis=1)
    gap = best / batch.reference.numpy() - 1
    return Validation(float(best.mean()), float(gap.mean()), float(cost[:, 0].mean()))


def _decode(policy: RulePolicy, batch: VariantBatch) -> NDArray[np.float64]:
    device = next(policy.parameters()).device
    seed = torch.zeros(len(batch.starts), dtype=torch.int64, device=device)
    with torch.no_grad():
        inputs, (starts,) = to_device(batch.inputs, device), send([batch.starts], device)
        if device.type == "cpu":
            tours = RuleRollout(policy)(*inputs, starts, torch.zeros([]), seed)
        else:
            cache = policy.encode(inputs)
            tours = FixedShapeRuleRollout(policy).construct(cache, inputs, starts, seed, 0.0)
    return costs_of(batch, TourCopy(tours).wait())
