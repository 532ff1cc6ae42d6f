"""The compiled training step: is it there, and what its threads share.

numba compiles it when it is first called, for the processor at hand, and keeps the result
beside the source (or in the user's cache folder where that cannot be written): about five
seconds on a machine's first run, a tenth of one later.
"""

import importlib
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import torch

from vrpcore.errors import MissingExtraError
from vrpcore.train.distributed import World

try:
    import numba
except ImportError:
    INSTALLED = False
else:
    INSTALLED = True

# For who trains on a CPU without it.
ADVICE = "on a CPU, steps are several times as fast with numba: pip install 'vrp[improve]'"


class Workspace:
    """What all steps of a run share.

    Args:
        dtype: Of the encoder's products: float32 or bfloat16.
        world: The processes that learn as one.

    Attributes:
        kernel: The module `vrpcore.train.kernel`.

    Raises:
        MissingExtraError: numba is not installed.
    """

    def __init__(self, dtype: torch.dtype, world: World) -> None:
        self.dtype, self.world, self.kernel = dtype, world, _import_kernel()
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


def _import_kernel() -> ModuleType:
    if not INSTALLED:
        raise MissingExtraError("improve", "training on a CPU")
    try:
        return importlib.import_module("vrpcore.train.kernel")
    except RuntimeError:  # neither beside the source nor in the user's folder may be written
        vars(numba.config)["CACHE_DIR"] = tempfile.mkdtemp(prefix="vrp-numba-")
        return importlib.import_module("vrpcore.train.kernel")
