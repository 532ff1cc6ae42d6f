"""A batch of instances on the device."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from vrpcore.instance.batch import Batch


class DeviceBatch(NamedTuple):
    """What the policy reads; distances are not among it.

    Attributes:
        coords: [B, M, 2] float32, unit square, depot first.
        demand: [B, M] float32, whole numbers, depot and padding 0.
        capacity: [B] float32, whole numbers.
        valid: [B, M] bool, False for padding.
    """

    coords: Tensor
    demand: Tensor
    capacity: Tensor
    valid: Tensor


def to_device(batch: Batch, device: torch.device) -> DeviceBatch:
    """Moves a host batch to the device, without waiting where its memory is pinned."""
    arrays = (batch.coords_unit, batch.demand, batch.capacity, batch.valid)
    tensors = (torch.from_numpy(np.ascontiguousarray(array)) for array in arrays)
    return DeviceBatch(*(tensor.to(device, non_blocking=True) for tensor in tensors))
