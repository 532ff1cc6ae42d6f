"""The compiled search: is it there, is it compiled, and compiling it for this machine.

numba compiles a function when it is first called, for the processor at hand, and keeps the
result beside the source (or in the user's cache folder where that cannot be written). The
first call on a machine takes seconds, every later process a tenth of one.
"""

import importlib
import subprocess
import sys
import tempfile
import threading
import time
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from vrpcore.errors import MissingExtraError

try:
    import numba
except ImportError:
    INSTALLED = False
else:
    INSTALLED = True

_POLL_S = 0.05
_LOAD_S = 0.25  # what a process needs to load what another one compiled
_lock = threading.Lock()
_ready = threading.Event()


def load_kernel() -> ModuleType:
    """The module `kernel`, compiled; the first call in a process takes a while.

    Raises:
        MissingExtraError: numba is not installed.
    """
    if not INSTALLED:
        raise MissingExtraError("improve", "the search")
    with _lock:
        kernel = _import_kernel()
        if not _ready.is_set():
            _call_each(kernel)
            _ready.set()
    return kernel


def is_compiled() -> bool:
    """Whether this machine has the compiled search already; numba is installed."""
    if _ready.is_set():
        return True
    kernel = _import_kernel()
    # numba has no public way to ask; the index is read from disk anew each time.
    indices = (entry._cache._cache_file._load_index() for entry in _entries(kernel))
    return all(indices)


def _import_kernel() -> ModuleType:
    try:
        return importlib.import_module("vrpcore.improve.kernel")
    except RuntimeError:  # neither beside the source nor in the user's folder may be written
        vars(numba.config)["CACHE_DIR"] = tempfile.mkdtemp(prefix="vrp-numba-")
        return importlib.import_module("vrpcore.improve.kernel")


@cache
def compile_aside() -> None:
    """Starts compiling in a process of its own, which outlives this one if need be."""
    subprocess.Popen(
        [sys.executable, "-m", "vrpcore.improve.compiled"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def wait_for_kernel(end: float) -> bool:
    """Waits for the compiled search where that leaves time for it.

    Args:
        end: `time.perf_counter()` at which the search would end.

    Returns:
        Whether it can be called now. If not, it is being compiled for the next process.

    Raises:
        MissingExtraError: numba is not installed.
    """
    if not INSTALLED:
        raise MissingExtraError("improve", "the search")
    while not _ready.is_set():
        if is_compiled():
            if end - time.perf_counter() < _LOAD_S:
                return False
            load_kernel()
            break
        compile_aside()
        if end - time.perf_counter() < _LOAD_S:
            return False
        time.sleep(_POLL_S)
    return True


def _entries(kernel: ModuleType) -> tuple[Any, ...]:
    return kernel.begin, kernel.anneal, kernel.admit, kernel.breed


def _call_each(kernel: ModuleType) -> None:
    """Calls each entry with the smallest problem: that compiles it, or loads it."""
    from vrpcore.improve.arrays import (
        Problem,
        make_line,
        make_population,
        make_scratch,
        write_tour,
    )

    distance = np.ones((3, 3), np.int32)
    ones = np.ones(3, np.int64)
    problem = Problem(distance, ones, np.array([[1], [2], [1]], np.int32), ones, ones)
    line = make_line(problem, 2, 0)
    scratch, population = make_scratch(line), make_population(2, line)
    write_tour(line, [[1], [2]])
    kernel.begin(problem, line, scratch)
    kernel.anneal(problem, line, scratch, np.array([1.0, 1.0, 1.0]))
    kernel.admit(population, line)
    kernel.breed(problem, line, scratch, population, np.array([0.0, 1.0, 1.0, 1.0]))


if __name__ == "__main__":
    load_kernel()
