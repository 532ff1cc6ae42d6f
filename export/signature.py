"""The inputs of every exported file: examples of them, and which axes are free."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from vrpcore.arrays.batch import Batch
from vrpcore.solve.backend import INPUT_NAMES, VARIANTS_FORMAT


def example_inputs(
    model_format: str, batch_size: int = 3, num_nodes: int = 9, num_starts: int = 4
) -> dict[str, Tensor]:
    """Small valid inputs by name, in the order of the signature, with one padded row.

    Args:
        model_format: What the model knows: one of `INPUT_NAMES`.
        batch_size: B.
        num_nodes: M.
        num_starts: S.
    """
    generator = torch.Generator().manual_seed(0)
    demand = torch.randint(1, 10, (batch_size, num_nodes), generator=generator).float()
    valid = torch.ones(batch_size, num_nodes, dtype=torch.bool)
    valid[0, -1] = False
    demand[:, 0] = 0.0
    demand[0, -1] = 0.0
    batch = Batch(
        coords_unit=torch.rand(batch_size, num_nodes, 2, generator=generator).numpy(),
        demand=demand.numpy(),
        capacity=np.full(batch_size, 20.0, np.float32),
        valid=valid.numpy(),
    )
    arrays = batch.full() if model_format == VARIANTS_FORMAT else batch.columns
    choices = (
        torch.arange(1, num_starts + 1).repeat(batch_size, 1),
        torch.tensor(0.0),
        torch.arange(batch_size),
    )
    values = [*(torch.from_numpy(array.copy()) for array in arrays), *choices]
    return dict(zip(INPUT_NAMES[model_format], values, strict=True))


def free_axes(inputs: Mapping[str, Tensor]) -> dict[str, dict[int, str]]:
    """Names the axes that differ from call to call: B instances, M nodes, S starts.

    Args:
        inputs: From `example_inputs`.

    Returns:
        Of each input that has axes, their names by number; the two coordinates are fixed.
    """
    return {
        name: dict(enumerate(("B", "S" if name == "starts" else "M")[: value.ndim]))
        for name, value in inputs.items()
        if value.ndim
    }
