"""Shipped models, and opening a model whatever its form."""

import json
import os
import re
import threading
from collections.abc import Callable, Collection
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import vrpcore.models
from vrpcore.arrays.batch import Batch
from vrpcore.cost.cost import Tours
from vrpcore.errors import DeviceError, ModelError, describe
from vrpcore.solve.accelerator import cuda_device_count, why_not_torch
from vrpcore.solve.backend import VARIANTS_FORMAT, Backend, Int64, ModelInfo, model_kind

DEFAULT_MODEL = "base"
# By name, so that solving does not depend on learning; loaded when a checkpoint is asked for.
TORCH_BACKEND = "vrpcore.learn.torch_backend"
BEST = "best.pt"  # what `vrp train` writes into the folder of a run
# What constructs instances with constraints where the default model constructs plain ones.
VARIANTS_MODEL = "variants"


class ShippedModel(NamedTuple):
    """A model in the package.

    Attributes:
        name: What `--model` takes.
        onnx: The exported file.
        checkpoint: The weights, to train on from.
        sha256: Hash of the weights, from the card.
        train_sizes: Smallest and largest N that it was trained on, from the card.
        format: What it knows, from the card.
    """

    name: str
    onnx: Path
    checkpoint: Path
    sha256: str
    train_sizes: tuple[int, int]
    format: str


def shipped_models() -> dict[str, ShippedModel]:
    """The models of the package by name."""
    folder = Path(vrpcore.models.__path__[0])
    models = {}
    for card in sorted(folder.glob("*.json")):
        name, facts = card.stem, json.loads(card.read_text(encoding="utf-8"))
        low, high = facts["train_sizes"]
        models[name] = ShippedModel(
            name=name,
            onnx=folder / f"{name}.onnx",
            checkpoint=folder / f"{name}.pt",
            sha256=facts["sha256"],
            train_sizes=(low, high),
            format=facts["format"],
        )
    return models


def checkpoint_path(model: str | os.PathLike[str] | None) -> Path:
    """The checkpoint of a shipped name (None: the default one), or the file of a path.

    Raises:
        ModelError: Neither a shipped name nor something that looks like a path, or a folder without
            a best checkpoint.
    """
    shipped = _shipped(model)
    return shipped.checkpoint if shipped else _file(str(model))


def _file(path: str) -> Path:
    """The file of a path: of a folder of a run its best checkpoint."""
    found = Path(path)
    if not found.is_dir():
        return found
    if not (best := found / BEST).is_file():
        raise ModelError(f"{path}: a folder without {BEST}; give a checkpoint or an exported model")
    return best


def open_backend(
    model: str | os.PathLike[str] | None, device: str = "auto", own: Collection[str] = ()
) -> Backend:
    """Opens a model for solving.

    A shipped name runs as ONNX on a CPU, without loading PyTorch, and as a checkpoint
    through PyTorch on CUDA, where ONNX's loop would wait for the host at every step. `auto` is the
    CPU where what would run the model cannot use the device.

    Args:
        model: A shipped name, a path to a checkpoint, TorchScript or ONNX file (known by
            content) or to the folder of a run, or None for the default model.
        device: `auto`, `cpu`, `cuda` or `cuda:N`.
        own: Classes of the user's own code that are imported where a checkpoint names them.

    Raises:
        ModelError: No such name, or a file that is no model, or that names other classes.
        ConfigError: One of `own` cannot be imported.
        DeviceError: The device is not available.
    """
    chosen = _choose_device(device)
    shipped = _shipped(model)
    if shipped is None:
        return _opened_file(_file(str(model)), device, chosen, own)
    if device == "auto" and chosen != "cpu" and why_not_torch() is not None:
        chosen = "cpu"
    backend = _Deferred(shipped, chosen)
    variants = shipped_models().get(VARIANTS_MODEL) if shipped.name == DEFAULT_MODEL else None
    if variants:
        backend.variants = _Deferred(variants, chosen)
    return backend


class _Deferred:
    """A shipped model that is opened when it is asked first.

    Small and large instances never ask it, nor do those with constraints by default. On CUDA,
    PyTorch and its context take seconds to load, of a time limit, too.
    """

    def __init__(self, model: ShippedModel, device: str) -> None:
        self._model, self._lock = model, threading.Lock()
        self._backend: Backend | None = None
        self.variants: Backend | None = self if model.format == VARIANTS_FORMAT else None
        self._path = model.onnx if device == "cpu" else model.checkpoint
        self.info = ModelInfo(
            name=model.name,
            sha256=model.sha256,
            train_sizes=model.train_sizes,
            backend="onnx" if device == "cpu" else "torch",
            device=device,
            format=model.format,
        )

    def construct(self, batch: Batch, starts: Int64, temperature: float, seed: Int64) -> Tours:
        """See `Backend.construct`."""
        return self._open().construct(batch, starts, temperature, seed)

    def until(self, over: Callable[[], bool]) -> Backend:
        """See `Backend.until`."""
        return self._open().until(over)

    def _open(self) -> Backend:
        with self._lock:
            if self._backend is None:
                self._backend = _opened(self._path, self.info.device, self._model)
            return self._backend

    def tune(self) -> str:
        """See `Backend.tune`; nothing before it was asked."""
        return self._backend.tune() if self._backend else ""


def _opened_file(path: Path, device: str, chosen: str, own: Collection[str]) -> Backend:
    """Opens a file of the caller's, with `auto` on the CPU where it runs on no other device."""
    try:
        return _opened(path, chosen, None, own)
    except DeviceError:
        if device != "auto":
            raise
        return _opened(path, "cpu", None, own)


def _opened(
    path: Path, chosen: str, shipped: ShippedModel | None, own: Collection[str] = ()
) -> Backend:
    kind = model_kind(path)
    if kind == "onnx":
        from vrpcore.solve.onnx_backend import OnnxBackend

        backend: Backend = OnnxBackend(path, chosen)
    else:
        torch_backend = import_module(TORCH_BACKEND)
        scripted = kind == "torchscript"
        backend = torch_backend.TorchBackend(path, chosen, scripted=scripted, own=own)
    if shipped and backend.info.sha256 != shipped.sha256:
        raise ModelError(f"{path}: does not match its model card; reinstall the package")
    return backend


def _shipped(model: str | os.PathLike[str] | None) -> ShippedModel | None:
    if isinstance(model, os.PathLike):
        return None
    if not isinstance(model, str | None):
        raise ModelError(f"model: {describe(model)}, expected a shipped name or a path")
    models = shipped_models()
    name = DEFAULT_MODEL if model is None else model
    if name in models:
        return models[name]
    if model is None or not ("/" in model or "." in model):
        raise ModelError(
            f"model {name!r} is not shipped ({', '.join(models) or 'none is'}); "
            "to use a file, give its path, e.g. ./my-model.onnx"
        )
    return None


def _choose_device(device: str) -> str:
    if device == "auto":
        return "cuda" if cuda_device_count() else "cpu"
    if device == "cpu":
        return device
    named = re.fullmatch(r"cuda(?::([0-9]{1,4}))?", device)
    if named is None:
        raise DeviceError(f"device: {device!r} is not auto, cpu, cuda or cuda:N")
    count = cuda_device_count()
    if int(named[1] or 0) >= count:
        raise DeviceError(
            f"device: {device} is not available ({count} CUDA devices found); use cpu"
        )
    return device
