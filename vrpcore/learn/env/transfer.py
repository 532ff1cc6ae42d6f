"""Copies of arrays to the device, and of answers back."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.cost.cost import Tours


def tensors_on(arrays: Iterable[NDArray[Any]], device: torch.device) -> list[Tensor]:
    """Moves arrays to the device: to CUDA through page-locked memory, without waiting."""
    return send([torch.from_numpy(np.ascontiguousarray(array)) for array in arrays], device)


def send(tensors: Iterable[Tensor], device: torch.device) -> list[Tensor]:
    """Moves tensors of the host to the device; what is page-locked is not copied again."""
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
        """The values on the host; waits only for this copy."""
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
        self._tours: Tours | None = None

    def wait(self) -> Tours:
        """[B, S, T] int16, of a CPU int64; waits only for this copy, and only the first time."""
        if self._tours is None:
            self._tours = self._copy.wait().numpy()
        return self._tours
