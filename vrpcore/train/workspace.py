"""What the steps of a run on a CPU share: the compiled step, threads, precision, company."""

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import torch

from vrpcore.threads import side_by_side
from vrpcore.train.distributed import World
from vrpcore.train.native import Step

Part = TypeVar("Part")
Found = TypeVar("Found")


class Team:
    """The compiled step and the threads that it runs on.

    Attributes:
        step: The compiled step.
        threads: As many as PyTorch may use.

    Raises:
        MissingLibraryError: It was not built.
    """

    def __init__(self) -> None:
        self.step = Step()
        self.threads = torch.get_num_threads()
        self._pool: ThreadPoolExecutor | None = None

    def shares(self, count: int) -> list[slice]:
        """About equal parts of `count` instances, one per thread."""
        threads = min(self.threads, count)
        bounds = [count * number // threads for number in range(threads + 1)]
        return [slice(*pair) for pair in itertools.pairwise(bounds)]

    def each(self, work: Callable[[Part], Found], parts: list[Part]) -> list[Found]:
        """Does the work on all parts, on all threads."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(max(1, self.threads - 1))
        return side_by_side([partial(work, part) for part in parts], self.threads, self._pool)


class Workspace(Team):
    """What all steps of a run share.

    Args:
        dtype: Of the encoder's products: float32 or bfloat16.
        world: The processes that learn as one.

    Raises:
        MissingLibraryError: The compiled step was not built.
    """

    def __init__(self, dtype: torch.dtype, world: World) -> None:
        super().__init__()
        self.dtype, self.world = dtype, world
