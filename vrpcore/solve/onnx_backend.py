"""ONNX Runtime: the shipped form; PyTorch is never loaded here."""

import contextlib
import io
from pathlib import Path

import numpy as np
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
        self._session = _open(content, str(path), device)
        metadata = self._session.get_modelmeta().custom_metadata_map
        self.info = info_from_metadata(metadata, str(path), "onnx", device)
        found = [item.name for item in self._session.get_inputs()]
        self.variants: Backend | None = self if self.info.format == VARIANTS_FORMAT else None
        self._names = INPUT_NAMES[self.info.format]
        if found != list(self._names) or len(self._session.get_outputs()) != 1:
            raise ModelError(f"{path}: inputs {found}, expected {list(self._names)}")
        digest = metadata.get("digest", "")
        if content_digest(content, digest) != digest:
            raise ModelError(f"{path}: has been changed since its export; export it again")

    def construct(self, batch: Batch, starts: Int64, temperature: float, seed: Int64) -> Int64:
        """See `Backend.construct`."""
        columns = self.info.inputs(batch).columns
        values = (*columns, starts, np.array(temperature, np.float32), seed)
        try:
            (tours,) = self._session.run(None, dict(zip(self._names, values, strict=True)))
        except Exception as error:  # ONNX Runtime's errors share no public base
            raise ModelError(f"{self.info.name}: ONNX Runtime: {error}") from error
        result: Int64 = tours
        return result

    def tune(self) -> str:
        """Nothing: the file is all there is."""
        return ""


def _open(content: bytes, place: str, device: str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what fails is in the exception
    providers: list[str | tuple[str, dict[str, str]]] = ["CPUExecutionProvider"]
    if device != "cpu":
        index = device.partition(":")[2] or "0"
        providers.insert(0, ("CUDAExecutionProvider", {"device_id": index}))
        # CUDA's libraries that pip installed are on no path; what is missing shows below.
        with contextlib.redirect_stdout(io.StringIO()):
            onnxruntime.preload_dlls()
    try:
        # From memory: a model cannot point at other files on this machine.
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
