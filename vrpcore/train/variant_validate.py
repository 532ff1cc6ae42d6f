"""Greedy multi-start lengths of variants on fixed validation sets."""

import numpy as np
import torch
from numpy.typing import NDArray

from vrpcore.decode.rule_rollout import RuleRollout
from vrpcore.policy.rule_policy import RulePolicy
from vrpcore.train.validate import Validation
from vrpcore.train.variant_data import VariantBatch
from vrpcore.train.variant_learner import costs_of, to_device

_CHUNK_ELEMENTS = 1_000_000  # instances x starts x nodes^2 of a chunk


def validate_variants(policy: RulePolicy, batch: VariantBatch) -> Validation:
    """Decodes a set greedily, from its `starts` and from one that the policy chooses."""
    batch = batch._replace(starts=torch.nn.functional.pad(batch.starts, (1, 0)))
    count, num_nodes = batch.inputs.valid.shape
    chunk = max(1, _CHUNK_ELEMENTS // (num_nodes * num_nodes * batch.starts.shape[1]))
    rollout = RuleRollout(policy)
    cost = np.concatenate(
        [_decode(rollout, batch.take(slice(at, at + chunk))) for at in range(0, count, chunk)]
    )
    best = cost.min(axis=1)
    gap = best / batch.reference.numpy() - 1
    return Validation(float(best.mean()), float(gap.mean()), float(cost[:, 0].mean()))


def _decode(rollout: RuleRollout, batch: VariantBatch) -> NDArray[np.float64]:
    device = next(rollout.parameters()).device
    zero = torch.zeros([], device=device)
    seed = torch.zeros(len(batch.starts), dtype=torch.int64, device=device)
    with torch.no_grad():
        tours = rollout(*to_device(batch.inputs, device), batch.starts.to(device), zero, seed)
    return costs_of(batch, tours.cpu())
