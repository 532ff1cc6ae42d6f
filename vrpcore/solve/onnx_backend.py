"""ONNX Runtime: the shipped form; PyTorch is never loaded here."""

import contextlib
import copy
import io
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

# Read when it is loaded: otherwise it keeps an identifier and a log of its use in the home folder.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import onnxruntime

from vrpcore.arrays.batch import Batch
from vrpcore.errors import DeviceError, ModelError, OutputError
from vrpcore.solve.backend import (
    INPUT_NAMES,
    VARIANTS_FORMAT,
    Backend,
    Int64,
    content_digest,
    info_from_metadata,
)
from vrpcore.solve.onnx_file import read_metadata

_POLL_S = 0.1  # between looks at whether a run is to end
_SILENT = 4  # what fails is in the exception


def built_in_providers() -> list[str]:
    """Return what ONNX Runtime was built with; whether a device works shows when it is opened."""
    return list(onnxruntime.get_available_providers())


class OnnxBackend:
    """A policy in an ONNX file.

    One thread an operation: the pipeline runs several batches side by side instead,
    which scales better than splitting such small operations.

    Args:
        path: The file.
        device: `cpu` or `cuda[:N]`.

    Raises:
        ModelError: Not an ONNX file of this project.
        DeviceError: The device was asked for and ONNX Runtime does not reach it.
        OutputError: The file cannot be read.
    """

    def __init__(self, path: Path, device: str) -> None:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise OutputError(f"{path}: cannot be read: {error}") from None
        metadata = read_metadata(content, str(path))
        self.info = info_from_metadata(metadata, str(path), "onnx", device)
        digest = metadata.get("digest", "")
        if content_digest(content, digest) != digest:
            raise ModelError(f"{path}: has been changed since its export; export it again")
        self._session = _open(content, str(path), device)
        self._over: Callable[[], bool] | None = None
        found = [item.name for item in self._session.get_inputs()]
        self.variants: Backend | None = self if self.info.format == VARIANTS_FORMAT else None
        self._names = INPUT_NAMES[self.info.format]
        if found != list(self._names) or len(self._session.get_outputs()) != 1:
            raise ModelError(f"{path}: inputs {found}, expected {list(self._names)}")

    def construct(self, batch: Batch, starts: Int64, temperature: float, seed: Int64) -> Int64:
        """See `Backend.construct`."""
        columns = self.info.inputs(batch).columns
        values = (*columns, starts, np.array(temperature, np.float32), seed)
        options = onnxruntime.RunOptions()
        options.log_severity_level = _SILENT
        try:
            with _watched(options, self._over):
                inputs = dict(zip(self._names, values, strict=True))
                (tours,) = self._session.run(None, inputs, options)
        except Exception as error:  # ONNX Runtime's errors share no public base
            if options.terminate:
                raise TimeoutError(f"{self.info.name}: ended") from None
            raise ModelError(f"{self.info.name}: ONNX Runtime: {error}") from error
        result: Int64 = tours
        return result

    def until(self, over: Callable[[], bool]) -> Backend:
        """See `Backend.until`."""
        watched = copy.copy(self)
        watched._over = over
        return watched

    def tune(self) -> str:
        """Nothing: the file is all there is."""
        return ""


@contextlib.contextmanager
def _watched(options: onnxruntime.RunOptions, over: Callable[[], bool] | None) -> Iterator[None]:
    """Ends the run of these options once `over` is true: a file may hold a loop without end."""
    if over is None:
        yield
        return
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_POLL_S):
            if over():
                options.terminate = True
                return

    threading.Thread(target=watch, name="model-end", daemon=True).start()
    try:
        yield
    finally:
        done.set()


def _open(content: bytes, place: str, device: str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = _SILENT
    # Known by its content, ONNX Runtime's own format would not be what was checked before.
    options.add_session_config_entry("session.load_model_format", "ONNX")
    providers: list[str | tuple[str, dict[str, str]]] = ["CPUExecutionProvider"]
    if device != "cpu":
        index = device.partition(":")[2] or "0"
        providers.insert(0, ("CUDAExecutionProvider", {"device_id": index}))
        # CUDA's libraries that pip installed are on no path; what is missing shows below.
        with contextlib.redirect_stdout(io.StringIO()):
            onnxruntime.preload_dlls()
    try:
        session = onnxruntime.InferenceSession(content, options, providers=providers)
    except Exception as error:  # ONNX Runtime's errors share no public base
        reason = " ".join(str(error).split())[:200]
        raise ModelError(f"{place}: ONNX Runtime cannot load it: {reason}") from None
    # get_available_providers() lists CUDA even where it does not work.
    if device != "cpu" and session.get_providers()[0] != "CUDAExecutionProvider":
        raise DeviceError(
            f"device: ONNX Runtime cannot use {device} here; use --device cpu, or a checkpoint "
            "(.pt), which runs through PyTorch"
        )
    return session
