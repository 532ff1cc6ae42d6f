"""Greedy multi-start cost on fixed validation sets."""

from typing import NamedTuple

import numpy as np
import torch

from vrpcore.cost.cost import tour_cost
from vrpcore.decode.rollout import Rollout
from vrpcore.train.data import TrainBatch

_CHUNK_ELEMENTS = 4_000_000  # instances x starts x nodes^2 of a chunk


class Validation(NamedTuple):
    """Means over the instances of one set.

    Attributes:
        cost: Best start's cost, in the instances' unit.
        gap: (cost - reference) / reference, NaN where references are unknown.
        single_cost: Cost of one greedy construction whose first customer the policy chose.
    """

    cost: float
    gap: float
    single_cost: float


def validate(rollout: Rollout, batch: TrainBatch) -> Validation:
    """Decodes a set greedily, from several starts and from one.

    Args:
        rollout: The construction around the policy.
        batch: The set; its `starts` are used.
    """
    device = next(rollout.parameters()).device
    num_nodes = batch.valid.shape[1]
    count = len(batch.coords)
    chunk = max(1, _CHUNK_ELEMENTS // (num_nodes * num_nodes * batch.starts.shape[1]))
    costs = []
    with torch.no_grad():
        for first in range(0, count, chunk):
            part = TrainBatch(*(tensor[first : first + chunk] for tensor in batch))
            inputs = part.to_device(device)
            starts = torch.nn.functional.pad(part.starts, (1, 0)).to(device)
            zero = torch.zeros([], device=device)
            seed = torch.zeros(len(starts), dtype=torch.int64, device=device)
            tours = rollout(*inputs, starts, zero, seed).cpu().numpy()
            costs.append(tour_cost(part.coords.numpy(), tours))
    cost = np.concatenate(costs)
    best = cost.min(axis=1)
    gap = best / batch.reference.numpy() - 1
    return Validation(float(best.mean()), float(gap.mean()), float(cost[:, 0].mean()))
