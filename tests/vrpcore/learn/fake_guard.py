"""Makes PyTorch's C++ side accept a CUDA device that is not there."""

import contextlib
import ctypes
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

_CUDA_SLOT = 1  # c10::DeviceType::CUDA


@contextlib.contextmanager
def device_guard() -> Iterator[None]:
    """The device is accepted within.

    PyTorch puts a stand-in where its guard for CUDA finds no device. Builds without CUDA have no
    guard at all, so they are given one for a moment whose functions all return 0.
    """
    name = "_ZN3c104impl26device_guard_impl_registryE"
    try:
        library = ctypes.CDLL(str(Path(torch.__path__[0]) / "lib" / "libc10.so"))
        slot = (ctypes.c_void_p * (_CUDA_SLOT + 1)).in_dll(library, name)
    except (OSError, ValueError):
        pytest.skip("needs a PyTorch for Linux")
    before = slot[_CUDA_SLOT]
    nothing = ctypes.CFUNCTYPE(ctypes.c_int8)(lambda: 0)
    functions = (ctypes.c_void_p * 64)(*[ctypes.cast(nothing, ctypes.c_void_p).value] * 64)
    guard = ctypes.c_void_p(ctypes.addressof(functions))
    if before is None:
        slot[_CUDA_SLOT] = ctypes.addressof(guard)
    torch._C._ensureCUDADeviceGuardSet()
    try:
        yield
    finally:
        slot[_CUDA_SLOT] = before
