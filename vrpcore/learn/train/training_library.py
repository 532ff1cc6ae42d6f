"""The compiled training step as Python calls it: whole constructions and their gradient.

The libraries are built when the package is installed (`vrpcore.native.training`). They read and
write the memory of tensors (`arrays`), outside the interpreter's lock.
"""

import ctypes
import itertools
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar, cast

import torch
from torch import Tensor

from vrpcore.errors import DISTRIBUTION, MissingLibraryError
from vrpcore.learn.train.arrays import StepMemory
from vrpcore.native.levels import PLAIN, WIDER
from vrpcore.native.library import Functions, open_library
from vrpcore.threads import side_by_side

Part = TypeVar("Part")
Found = TypeVar("Found")

# For those who train on a CPU without it.
ADVICE = (
    "on a CPU, the compiled training step is several times faster: install "
    f"a C++ compiler, then install {DISTRIBUTION} again"
)

_pointer, _int64 = ctypes.c_void_p, ctypes.c_int64
_SIZES = ("nodes", "heads", "features", "numbers", "ways", "starts", "length")
_CONSTRUCT = (None, (_pointer, _pointer, _int64, _int64))
_GRADIENT = (None, (_pointer, _pointer, _int64, _int64, _pointer))
_FUNCTIONS: Functions = {
    "vrp_construct": _CONSTRUCT,
    "vrp_construct_variants": _CONSTRUCT,
    "vrp_gradient": _GRADIENT,
    "vrp_gradient_variants": _GRADIENT,
    "vrp_layer": (None, (_pointer, _int64, _int64)),
    "vrp_layer_gradient": (None, (_pointer, _int64, _int64)),
    "vrp_muon": (None, (_pointer,)),
}
_ARRAYS = 6 + 6 + 2 + 5 + 12  # tables, their gradient, cases, record, scratch

# What the layers of the encoder take: native/training/layer.hpp.
NUM_WEIGHTS = 10
LAID_OUT = 256 * 512
_LAYER_ARRAYS = 2 * NUM_WEIGHTS + 2 + 8 + 2 + 4  # gradient, nodes, record, bias, scratch


class _Layer(ctypes.Structure):
    """`Layer` of native/training/layer.hpp."""

    _fields_ = (("arrays", _pointer * _LAYER_ARRAYS), ("sizes", _int64 * 5))


class _Muon(ctypes.Structure):
    """`Muon` of native/training/muon.hpp."""

    _fields_ = (
        ("arrays", _pointer * 6),
        ("sizes", _int64 * 2),
        ("rates", ctypes.c_float * 3),
    )


class _Memory(ctypes.Structure):
    """`Memory` of native/training/memory.hpp."""

    _fields_ = (
        ("arrays", _pointer * _ARRAYS),
        *((name, _int64) for name in _SIZES),
    )


def is_built() -> bool:
    """Return whether the compiled step is installed and can be loaded."""
    try:
        load_library(library_file())
    except MissingLibraryError:
        return False
    return True


def level() -> str:
    """`AVX512`, `AVX2` or `plain`, of this processor or the one that ATEN_CPU_CAPABILITY names."""
    found = torch.backends.cpu.get_cpu_capability()
    return found if found in WIDER else "plain"


def library_file() -> Path:
    """The library for that level."""
    return WIDER.get(level(), PLAIN).file


@cache
def load_library(path: Path) -> ctypes.CDLL:
    """A library of the step: from `library_file`, or another build, for tests.

    Raises:
        MissingLibraryError: It was not built, or not for this machine.
    """
    try:
        return open_library(path, PLAIN.source, _FUNCTIONS)
    except OSError as error:
        raise MissingLibraryError("training step", str(error)) from error


class Step:
    """The step for this processor, on as many threads as PyTorch may use.

    Args:
        path: Another build of the library, for tests.

    Raises:
        MissingLibraryError: It was not built.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._library = load_library(path or library_file())
        self._threads = torch.get_num_threads()
        self._pool: ThreadPoolExecutor | None = None

    def shares(self, count: int) -> list[slice]:
        """About equal parts of `count` instances, one per thread."""
        threads = min(self._threads, count)
        bounds = [count * number // threads for number in range(threads + 1)]
        return [slice(*pair) for pair in itertools.pairwise(bounds)]

    def each(self, work: Callable[[Part], Found], parts: list[Part]) -> list[Found]:
        """Does the work on all parts, on all threads."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(max(1, self._threads - 1))
        return side_by_side([partial(work, part) for part in parts], self._threads, self._pool)

    def construct(self, memory: StepMemory, rows: slice) -> None:
        """Constructs S tours of each of some instances and records them.

        Args:
            memory: Its choices are 0, or given.
            rows: Which instances.
        """
        library, arguments = self._library, _laid_out(memory)
        run = library.vrp_construct_variants if memory.shape.num_ways else library.vrp_construct
        run(*arguments, rows.start, rows.stop)

    def gradient(self, memory: StepMemory, rows: slice, factors: Tensor) -> None:
        """Adds the gradient of -sum(factor * log-likelihood) by the tables.

        Args:
            memory: From `construct`; all of its record but the likelihood is used up.
            rows: Which instances.
            factors: [b, S] float64.
        """
        factors = factors.contiguous()
        library, arguments = self._library, _laid_out(memory)
        run = library.vrp_gradient_variants if memory.shape.num_ways else library.vrp_gradient
        run(*arguments, rows.start, rows.stop, factors.data_ptr())

    def layer(
        self,
        arrays: Sequence[Tensor | None],
        sizes: Sequence[int],
        rows: slice,
        gradient: bool = False,
    ) -> None:
        """Passes instances through a layer of the encoder, or their gradient back.

        Args:
            arrays: All of `Layer` in native/training/layer.hpp, contiguous float32.
            sizes: Its numbers: M, stride, H, D, F.
            rows: Which instances.
            gradient: Back.
        """
        layer = _Layer(_addresses(arrays), (_int64 * 5)(*sizes))
        run = self._library.vrp_layer_gradient if gradient else self._library.vrp_layer
        run(ctypes.byref(layer), rows.start, rows.stop)

    def muon(self, matrix: Tensor, mean: Tensor, rates: tuple[float, float, float]) -> None:
        """Moves a matrix of weights along its gradient by a step of Muon.

        Args:
            matrix: [rows, columns] float32, contiguous, with a gradient.
            mean: The same, the gradients' moving average; moves, too.
            rates: Share of the moving average that stays, share of a weight that decay leaves, and
                how far the matrix goes along the direction.
        """
        gradient = cast(Tensor, matrix.grad).contiguous()
        square = torch.empty(5 * min(matrix.shape) ** 2)
        memory = (torch.empty_like(matrix), square, torch.empty(LAID_OUT))
        addresses = _addresses((matrix, gradient, mean, *memory))
        muon = _Muon(addresses, (_int64 * 2)(*matrix.shape), (ctypes.c_float * 3)(*rates))
        self._library.vrp_muon(ctypes.byref(muon))


def _laid_out(memory: StepMemory) -> tuple[Any, Any]:
    """The memory and the instances, as the library takes them."""
    problem, *parts, shape = memory
    _, starts, length = memory.record.choice.shape
    arrays = _addresses(array for part in parts for array in part)
    return ctypes.byref(_Memory(arrays, *shape, starts, length)), _addresses(problem.values())


def _addresses(arrays: Iterable[Tensor | None]) -> Any:
    found = [None if array is None else array.data_ptr() for array in arrays]
    return (_pointer * len(found))(*found)
