"""To the device and back: a batch of instances there, its answers here."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.arrays.batch import Batch


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
    """Moves a host batch to the device: see `tensors_on`."""
    return DeviceBatch(*tensors_on(batch, device))


def tensors_on(arrays: Iterable[NDArray[Any]], device: torch.device) -> list[Tensor]:
    """Moves arrays to the device: to CUDA through page-locked memory, without waiting."""
    return send([torch.from_numpy(np.ascontiguousarray(array)) for array in arrays], device)


def send(tensors: Iterable[Tensor], device: torch.device) -> list[Tensor]:
    """The same for tensors of the host; what is page-locked already is not copied again."""
    if device.type == "cuda":
        tensors = [tensor.pin_memory() for tensor in tensors]
    return [tensor.to(device, non_blocking=True) for tensor in tensors]


class HostCopy:
    """A tensor on its way to the host.

    Args:
        values: On any device; must not change until `wait` returns.
    """

    def __init__(self, values: Tensor) -> None:
        self._event: torch.cuda.Event | None = None
        if values.is_cuda:
            self._values = torch.empty(values.shape, dtype=values.dtype, pin_memory=True)
            stream = torch.cuda.Stream(values.device)  # type: ignore[no-untyped-call]
            stream.wait_stream(torch.cuda.current_stream(values.device))
            with torch.cuda.stream(stream):
                self._values.copy_(values, non_blocking=True)
                self._event = torch.cuda.Event(blocking=True)  # type: ignore[no-untyped-call]
                self._event.record(stream)
            values.record_stream(stream)
        else:
            self._values = values

    def wait(self) -> Tensor:
        """The values on the host; waits for this copy alone."""
        if self._event is not None:
            self._event.synchronize()
        return self._values


class TourCopy:
    """Tours on their way to the host: node numbers are small, so each crosses as 16 bits.

    Args:
        tours: [B, S, T] int64, nodes below 2^15, on any device.
    """

    def __init__(self, tours: Tensor) -> None:
        short = tours.to(torch.int16) if tours.is_cuda else tours
        self.num_bytes = short.nbytes if tours.is_cuda else 0
        self._copy = HostCopy(short)

    def wait(self) -> NDArray[np.int64]:
        """[B, S, T] on the host; waits for this copy alone."""
        tours: NDArray[np.int64] = self._copy.wait().numpy().astype(np.int64, copy=False)
        return tours
