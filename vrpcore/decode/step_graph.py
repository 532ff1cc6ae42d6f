"""Steps of one shape, recorded by CUDA and replayed as one launch."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from vrpcore.env.state import State
from vrpcore.policy.decoder import Cache


class Fixed(NamedTuple):
    """What the steps of a construction read and do not change.

    Attributes:
        cache: Of the instances.
        demand: [B, M] float32.
        capacity: [B] float32.
        streams: [B, S] int64, from `start_streams`.
    """

    cache: Cache
    demand: Tensor
    capacity: Tensor
    streams: Tensor


class StepGraph:
    """Some steps as a CUDA graph: what would be dozens of launches is one.

    A graph reads and writes the places it was recorded with: `load` copies a batch
    there, `replay` moves its state on. Not for several threads at once.

    Args:
        steps: Maps what does not change and a state to a later state, without asking the
            device anything.
        fixed: A batch of the shapes to record.
        state: Its state.

    Source:
        NVIDIA, CUDA C++ Programming Guide, "CUDA Graphs".
    """

    def __init__(self, steps: Callable[[Fixed, State], State], fixed: Fixed, state: State) -> None:
        self._fixed = Fixed(Cache(*map(torch.clone, fixed.cache)), *map(torch.clone, fixed[1:]))
        self._state = State(*map(torch.clone, state))
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.device(state.need.device):
            side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):  # what compiles or chooses algorithms does so now
                for _ in range(2):
                    steps(self._fixed, self._state)
            torch.cuda.current_stream().wait_stream(side)
            # Other threads may copy to and from the device meanwhile.
            with torch.cuda.graph(self._graph, capture_error_mode="thread_local"):
                _overwrite(self._state, steps(self._fixed, self._state))

    def load(self, fixed: Fixed, state: State) -> None:
        """Takes a batch of the recorded shapes."""
        _overwrite(_flat(self._fixed), _flat(fixed))
        _overwrite(self._state, state)

    def replay(self) -> State:
        """The state some steps later; it changes with the next `replay` or `load`."""
        self._graph.replay()
        return self._state


def shapes(fixed: Fixed, state: State) -> tuple[tuple[torch.Size, torch.dtype], ...]:
    """Shape and dtype of each tensor: what a graph is bound to."""
    return tuple((tensor.shape, tensor.dtype) for tensor in (*_flat(fixed), *state))


def _flat(fixed: Fixed) -> tuple[Tensor, ...]:
    return (*fixed.cache, fixed.demand, fixed.capacity, fixed.streams)


def _overwrite(places: tuple[Tensor, ...], values: tuple[Tensor, ...]) -> None:
    for place, value in zip(places, values, strict=True):
        place.copy_(value)
