"""Is there a CUDA device? Asked of the driver, without loading PyTorch."""

import ctypes
import sys


def cuda_device_count() -> int:
    """Number of CUDA devices that the driver reports; 0 without a driver."""
    library = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        driver = ctypes.CDLL(library)
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value
