"""What the steps of a run on a CPU share: precision, company, the compiled step, threads."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import torch

from vrpcore.train.distributed import World
from vrpcore.train.native import Step


class Workspace:
    """What all steps of a run share.

    Args:
        dtype: Of the encoder's products: float32 or bfloat16.
        world: The processes that learn as one.

    Attributes:
        step: The compiled step.

    Raises:
        MissingLibraryError: It was not built.
    """

    def __init__(self, dtype: torch.dtype, world: World) -> None:
        self.dtype, self.world, self.step = dtype, world, Step()
        self._pool: ThreadPoolExecutor | None = None

    def each(self, work: Callable[[slice], None], parts: list[slice]) -> None:
        """Does the work on all parts, on as many threads as PyTorch may use."""
        threads = min(torch.get_num_threads(), len(parts))
        if threads == 1:
            for part in parts:
                work(part)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(torch.get_num_threads())
        list(self._pool.map(work, parts))
