"""A small policy and random instances for it."""

import numpy as np
import torch

from vrpcore.config.sections import PolicyConfig

SMALL = PolicyConfig(embed_dim=16, num_heads=2, num_layers=2, feedforward_dim=32)


def make_inputs(seed, sizes, num_nodes, *, starts=3):
    """Random instances of the given sizes, padded to num_nodes."""
    rng = np.random.default_rng(seed)
    count = len(sizes)
    valid = np.arange(num_nodes) <= np.array(sizes)[:, None]
    demand = rng.integers(0, 10, (count, num_nodes)) * valid
    demand[:, 0] = 0
    coords = rng.random((count, num_nodes, 2)) * valid[..., None]
    first = 1 + np.arange(starts)[None, :] % np.array(sizes)[:, None]
    return (
        torch.from_numpy(coords.astype(np.float32)),
        torch.from_numpy(demand.astype(np.float32)),
        torch.full((count,), 15.0),
        torch.from_numpy(valid),
        torch.from_numpy(first),
    )


def solve(rollout, inputs, temperature=0.0, seed=None):
    seed = torch.arange(len(inputs[0])) if seed is None else seed
    with torch.no_grad():
        return rollout(*inputs, torch.tensor(temperature), seed)
