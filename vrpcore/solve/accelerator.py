"""Is there a CUDA device, and can PyTorch use it? Asked without loading PyTorch."""

import ctypes
import importlib.util
import re
import sys
from pathlib import Path


def cuda_device_count() -> int:
    """Number of CUDA devices that the driver reports; 0 without a driver."""
    driver, count = _driver(), ctypes.c_int(0)
    if driver is None or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def why_not_torch(torch: Path | None = None) -> str | None:
    """The reason why PyTorch cannot use the devices here, in words; None: it can.

    It may be built without CUDA, or for a later CUDA than that of the driver.

    Args:
        torch: Its folder; None: the one that is installed.
    """
    if torch is None:
        spec = importlib.util.find_spec("torch")
        torch = Path(str(spec.origin if spec else None)).parent
    try:
        text = (torch / "version.py").read_text(encoding="utf-8")
    except OSError:
        return "PyTorch is not installed"
    built = re.search(r"^cuda\b.*= *['\"](\d+)", text, re.MULTILINE)
    if built is None:
        return "PyTorch was built without CUDA"
    driver, version = _driver(), ctypes.c_int(0)
    if driver is not None:
        driver.cuDriverGetVersion(ctypes.byref(version))
    known = version.value // 1000
    if known < int(built[1]):
        return f"PyTorch was built for CUDA {built[1]}, and the driver knows CUDA {known}"
    return None


def _driver() -> ctypes.CDLL | None:
    """The driver, where it is there and starts."""
    library = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        driver = ctypes.CDLL(library)
    except OSError:
        return None
    return driver if driver.cuInit(0) == 0 else None
