"""The one place that sets devices, precision, compilation, threads and seeds."""

import ctypes
import importlib.util
import os
import platform
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

# Read at the first product: oneDNN keeps a program for each shape, 1024 of them otherwise, which
# are gigabytes where batches have many sizes and products are in bfloat16 (docs/decisions.md).
os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "100")
import torch
from torch.fx.experimental import _config as shapes

from vrpcore.errors import ConfigError, DeviceError
from vrpcore.threads import num_cores

if sys.platform != "win32":
    import resource

Precision = Literal["auto", "fp32", "tf32", "bf16"]
CompileChoice = Literal["auto"] | bool
# Triton divides approximately by default, and `ceil` of a quotient that should be whole would
# then be one too many: the compiled step has to count vehicles as the host does.
COMPILE_OPTIONS: dict[str, Any] = {"eager_numerics.division_rounding": True}
# Of a training step. With fewer, waking the other threads takes longer than they save
# (docs/decisions.md).
_FEW_ROWS = 3000
_COMPILERS = ("torch._dynamo.", "torch._inductor.", "triton.")  # modules of their errors
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # glibc's malloc.h


def choose_device(name: str) -> torch.device:
    """`auto`, `cpu`, `cuda` or `cuda:N` as a device that is there.

    Raises:
        DeviceError: It is not available, or the name is not one of these.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise DeviceError(
            f"device: {name!r} is not a device; expected auto, cpu, cuda or cuda:N"
        ) from None
    if device.type == "cuda":
        count = torch.cuda.device_count()
        if (device.index or 0) >= count:
            raise DeviceError(
                f"device: {name} is not available ({count} CUDA devices found); use --device cpu"
            )
    elif device.type != "cpu":
        raise DeviceError(f"device: {name!r} is not supported; expected auto, cpu, cuda or cuda:N")
    return device


def set_precision(device: torch.device, precision: Precision) -> str:
    """Sets how float32 matrix products are computed.

    Args:
        device: Where.
        precision: `auto` is TF32 on CUDA; on a CPU bfloat16 where the processor has
            instructions for it, which double the speed of its products, else float32.

    Returns:
        `fp32`, `tf32` or `bf16`; for the last the caller opens an autocast region.

    Raises:
        ConfigError: TF32 asked for on a CPU, or bfloat16 where it is slower than float32.
    """
    resolved = precision
    if precision == "auto":
        resolved = "tf32" if device.type == "cuda" else "fp32"
        if device.type == "cpu" and has_bfloat16(device):
            resolved = "bf16"
    if resolved == "tf32" and device.type != "cuda":
        raise ConfigError("train.precision: tf32 needs CUDA; use auto, fp32 or bf16")
    if resolved == "bf16" and not has_bfloat16(device):
        raise ConfigError(
            f"train.precision: bf16, but {device} has no fast instructions for bfloat16; use auto "
            "or fp32"
        )
    if device.type == "cuda":
        # Sets both `fp32_precision` and the older `allow_tf32`. With the former alone, reading the
        # latter fails, which PyTorch's own compiler did up to 2.12.
        torch.set_float32_matmul_precision("highest" if resolved == "fp32" else "high")
        torch.backends.cudnn.benchmark = True
    return str(resolved)


class _Lent:
    """The application's own settings, while threads have others."""

    lock, num_threads = threading.Lock(), 0
    benchmark, coarse, fine = False, "highest", ("none", "none")
    num_single, threads = 0, 1  # of `threads_for`


@contextmanager
def tf32_within(device: torch.device) -> Iterator[None]:
    """Within it products of float32 on CUDA are in TF32; then the application's settings are back.

    They belong to the process: of threads that are within at once, the first takes note of them,
    and the last one sets them again.
    """
    if device.type != "cuda":
        yield
        return
    with _Lent.lock:
        if _Lent.num_threads == 0:
            _note_settings()
        _Lent.num_threads += 1
        set_precision(device, "auto")
    try:
        yield
    finally:
        with _Lent.lock:
            _Lent.num_threads -= 1
            if _Lent.num_threads == 0:
                _restore_settings()


def _note_settings() -> None:
    backends = torch.backends
    _Lent.benchmark = backends.cudnn.benchmark
    of_cpu = backends.mkldnn.matmul.fp32_precision  # type: ignore[attr-defined]
    _Lent.fine = backends.cuda.matmul.fp32_precision, of_cpu
    try:
        _Lent.coarse = torch.get_float32_matmul_precision()
    except RuntimeError:  # where the application has only set the fine ones, nobody can read it
        _Lent.coarse = "highest"


def _restore_settings() -> None:
    backends = torch.backends
    backends.cudnn.benchmark = _Lent.benchmark
    torch.set_float32_matmul_precision(_Lent.coarse)  # sets the fine ones as well
    backends.cuda.matmul.fp32_precision = _Lent.fine[0]
    backends.mkldnn.matmul.fp32_precision = _Lent.fine[1]  # type: ignore[attr-defined]


def uses_tf32() -> bool:
    """Return whether matrix products of float32 are computed in TF32 on CUDA.

    Not `allow_tf32`: reading it fails once an application has set `fp32_precision`.
    """
    return bool(torch.backends.cuda.matmul.fp32_precision == "tf32")


def has_bfloat16(device: torch.device) -> bool:
    """Return whether products in bfloat16 are faster than in float32 there.

    On a CPU its own ability and that of oneDNN, which multiplies them: the variable
    ONEDNN_MAX_CPU_ISA may forbid what the processor could do. Without instructions
    they run at a twentieth of float32's rate, or less. Intel's processors with float16
    (Sapphire Rapids and later) are fast only in AMX, which virtual machines may hide;
    their AVX-512 multiplies bfloat16 at half of float32's rate (docs/decisions.md).
    """
    if device.type == "cuda":
        with torch.cuda.device(device):  # of several cards, this one
            return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    features = torch.cpu.get_capabilities()
    fast = features.get("avx512_bf16") and not features.get("avx512_fp16")
    native = fast or features.get("amx_bf16")
    return bool(native) and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def choose_compile(device: torch.device, choice: CompileChoice) -> tuple[bool, str]:
    """Decide whether to compile the encoder and the decoder step, and say why.

    Args:
        device: Where training runs.
        choice: `auto`: under CUDA wherever that can be compiled for, not on a CPU.
    """
    if choice != "auto":
        return choice, "asked for"
    if device.type == "cuda":
        if importlib.util.find_spec("triton") is None:
            return False, "Triton, which compiles for CUDA, is not installed"
        if not (os.environ.get("CC") or shutil.which("gcc") or shutil.which("clang")):
            return False, "no C compiler, which Triton needs: install gcc or clang, or set CC"
        return True, "always on under CUDA"
    return False, "on a CPU it makes no step faster; turn it on with train.compile=true"


def is_compiler_error(error: BaseException | None) -> bool:
    """True where PyTorch's compiler or Triton failed; not what it compiled, nor the device."""
    found = False
    while error is not None:
        if isinstance(error, torch.AcceleratorError):
            return False
        found |= any(kind.__module__.startswith(_COMPILERS) for kind in type(error).__mro__)
        error = error.__cause__
    return found


def runs_triton(device: torch.device) -> bool:
    """Return whether Triton programs can run on a device, by what is installed."""
    installed = torch.version.cuda is not None and importlib.util.find_spec("triton") is not None
    return device.type == "cuda" and installed


def keep_sizes_apart() -> None:
    """Compiles from now on for sizes that differ, also where the first ones were equal.

    PyTorch takes equal sizes for one, say the instances of a batch and their starts, and would
    compile once more when they first differ.
    """
    shapes.use_duck_shape = False


def set_threads(count: int | None) -> int:
    """Sets the threads of one operation; None: PyTorch's choice, but no more than there are cores.

    Returns:
        The number.
    """
    torch.set_num_threads(count or min(torch.get_num_threads(), num_cores()))
    return torch.get_num_threads()


@contextmanager
def threads_for(num_rows: int) -> Iterator[None]:
    """Within it PyTorch's own operations run on one thread if they work on few rows.

    Each thread has a number of its own, and begins with the last that any has set: the first of
    several within takes note of it.

    Args:
        num_rows: Instances times nodes; 0: only weights.
    """
    if num_rows >= _FEW_ROWS:
        yield
        return
    with _Lent.lock:
        if _Lent.num_single == 0:
            _Lent.threads = torch.get_num_threads()
        _Lent.num_single += 1
        torch.set_num_threads(1)
    try:
        yield
    finally:
        with _Lent.lock:
            _Lent.num_single -= 1
            torch.set_num_threads(_Lent.threads)  # of this thread, and of those that begin later


def keep_freed_memory() -> None:
    """Keeps freed memory for reuse instead of giving it back to the system.

    Training frees and takes the same few megabytes all the time, and each time fresh
    pages would cost more than what is computed in them. glibc only; elsewhere nothing.
    """
    if sys.platform != "linux":
        return
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        library.mallopt(_M_MMAP_THRESHOLD, 32 * 2**20)
        library.mallopt(_M_TRIM_THRESHOLD, 2**30)


class WorkTime:
    """Seconds from now to `end` by a device's clock: to give it work takes none of them.

    Args:
        device: Where; its current stream works.
    """

    def __init__(self, device: torch.device) -> None:
        self._on_cuda = device.type == "cuda"
        self._marks: list[Any] = [self._now()]

    def end(self) -> None:
        """Ends it behind what was given to the device by now."""
        self._marks.append(self._now())

    def seconds(self) -> float:
        """Wait for the device, and return how long it worked."""
        began, ended = self._marks
        if not self._on_cuda:
            return float(ended - began)
        ended.synchronize()
        return float(began.elapsed_time(ended)) / 1000

    def _now(self) -> Any:
        if not self._on_cuda:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
        event.record()
        return event


def waited(call: Callable[[], object], device: torch.device) -> Callable[[], object]:
    """Wrap a call so that it returns when the device has finished it."""
    if device.type != "cuda":
        return call

    def until_done() -> None:
        call()
        torch.cuda.synchronize(device)

    return until_done


def set_seed(seed: int) -> None:
    """Seeds PyTorch's global generators, from which layers of the user's own may draw."""
    torch.manual_seed(seed)


def describe_environment(
    device: torch.device, compile_: tuple[bool, str], precision: str, version: str
) -> dict[str, Any]:
    """The content of `environment.json`; call it after the settings above.

    Args:
        device: Where training runs.
        compile_: From `choose_compile`.
        precision: From `set_precision`.
        version: Of this package.
    """
    is_cuda = device.type == "cuda"
    return {
        "vrp": version,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "processor": f"{platform.machine()}, {os.cpu_count()} cores",
        "device": str(device),
        "device_name": torch.cuda.get_device_name(device) if is_cuda else platform.processor(),
        "threads": torch.get_num_threads(),
        "compile": compile_[0],
        "compile_reason": compile_[1],
        "precision": precision,
        "tf32": is_cuda and uses_tf32(),
        "cudnn_benchmark": bool(torch.backends.cudnn.benchmark),
    }


def utilisation(device: torch.device) -> dict[str, int]:
    """`gpu_utilisation` in percent, where NVIDIA's library can be asked: extra `nvml`."""
    try:
        return {"gpu_utilisation": torch.cuda.utilization(device)}
    except Exception:  # a driver has many ways to refuse, and none may end a run
        return {}


def peak_memory_mb(device: torch.device) -> float:
    """Largest memory so far: the device's allocations on CUDA, else the process's."""
    if device.type == "cuda":
        return round(torch.cuda.max_memory_allocated(device) / 2**20, 1)
    if sys.platform == "win32":
        return 0.0
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)
