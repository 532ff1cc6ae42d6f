"""Steps of one shape, recorded by CUDA and replayed as one launch."""

import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor

from vrpcore.learn.policy.decoder import Cache

State = Any  # of an environment: tensors in named tuples

# Whether all tours are done is asked after so many.
STEPS_BETWEEN_TESTS = 4
_ONE_RECORDING = threading.Lock()  # PyTorch can make one at a time in a process


class FixedInputs(NamedTuple):
    """Inputs that the steps of a construction read and do not change.

    Attributes:
        cache: Of the instances.
        problem: From `Environment.prepare`.
        weight: From `Policy.way_weights`.
        streams: [B, S] int64, from `start_streams`.
    """

    cache: Cache
    problem: Any
    weight: Tensor
    streams: Tensor


class GraphPool:
    """The stream and the memory pool in which a device's graphs are recorded.

    The stream is of high priority, because streams of that kind come from a pool of their
    own: no other thread's copies can land on it while it records. What graphs of one
    graph_pool hold in the pool between their steps may overlap, as they never run together.

    Args:
        device: A CUDA device.
    """

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.stream = torch.cuda.Stream(device, priority=-1)  # type: ignore[no-untyped-call]
        self.pool = torch.cuda.graph_pool_handle()


class StepGraph:
    """Some steps as a CUDA graph: what would be dozens of launches is one.

    A graph reads and writes the places it was recorded with: `load` copies a batch
    there, `replay` moves its state on. Not for several threads at once.

    Args:
        graph_pool: Of the device; the same for all graphs of a rollout.
        steps: Maps what does not change and a state to a later state, without asking the
            device anything.
        fixed: A batch of the shapes to record.
        state: Its state.

    Source:
        NVIDIA, CUDA C++ Programming Guide, "CUDA Graphs".
    """

    def __init__(
        self,
        graph_pool: GraphPool,
        steps: Callable[[FixedInputs, State], State],
        fixed: FixedInputs,
        state: State,
    ) -> None:
        self._fixed, self._state = _cloned(fixed), _cloned(state)
        self._graph = torch.cuda.CUDAGraph()
        current = torch.cuda.current_stream(graph_pool.device)
        # The outer stream comes back even where recording fails.
        with _ONE_RECORDING, torch.cuda.device(graph_pool.device), torch.cuda.stream(current):
            graph_pool.stream.wait_stream(current)
            try:
                with torch.cuda.stream(graph_pool.stream):  # compiling and measuring happen now
                    for _ in range(2):
                        steps(self._fixed, self._state)
                # Other threads may copy to and from the device meanwhile.
                with torch.cuda.graph(
                    self._graph,
                    graph_pool.pool,
                    graph_pool.stream,
                    capture_error_mode="thread_local",
                ):
                    _overwrite(self._state, steps(self._fixed, self._state))
            finally:  # what was cloned above may be given back now
                current.wait_stream(graph_pool.stream)

    def load(self, fixed: FixedInputs, state: State) -> None:
        """Takes a batch of the recorded shapes."""
        _overwrite(self._fixed, fixed)
        _overwrite(self._state, state)

    def replay(self) -> State:
        """The state some steps later; it changes with the next `replay` or `load`."""
        self._graph.replay()
        return self._state


def shapes(fixed: FixedInputs, state: State) -> tuple[tuple[torch.Size, torch.dtype], ...]:
    """Shape and dtype of each tensor: what a graph is bound to."""
    return tuple((tensor.shape, tensor.dtype) for tensor in _tensors((fixed, state)))


def _tensors(parts: Any) -> Iterator[Tensor]:
    """All tensors of nested tuples that are not empty."""
    if isinstance(parts, tuple):
        for part in parts:
            yield from _tensors(part)
    elif parts.numel():
        yield parts


def _cloned(parts: Any) -> Any:
    """Copy the tuples with tensors of their own."""
    if isinstance(parts, Tensor):
        return parts.clone() if parts.numel() else parts
    return type(parts)(*map(_cloned, parts))


def _overwrite(places: Any, values: Any) -> None:
    for place, value in zip(_tensors(places), _tensors(values), strict=True):
        place.copy_(value)
