"""PyTorch: checkpoints and TorchScript files."""

import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import torch
from torch import Tensor

from vrpcore.arrays.batch import Batch
from vrpcore.cost.cost import Tours
from vrpcore.errors import DeviceError, ModelError
from vrpcore.learn.decode.accelerated import AcceleratedRollout
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.learn.device import choose_device, has_bfloat16, threads_for
from vrpcore.learn.env.transfer import TourCopy, tensors_on
from vrpcore.learn.policy.checkpoint import (
    checkpoint_identity,
    load_checkpoint,
    policy_from_checkpoint,
    weights_sha256,
)
from vrpcore.solve.backend import VARIANTS_FORMAT, Backend, Int64, ModelInfo, info_from_metadata

_METADATA = ("format", "name", "sha256", "train_sizes", "version")


class TorchBackend:
    """A policy run by PyTorch.

    On a CPU one thread an operation, as `OnnxBackend` has.

    Args:
        path: A checkpoint or a TorchScript file.
        device: `cpu`, `cuda` or `cuda:N`.
        scripted: True for TorchScript.
        own: Classes of the user's own code that a checkpoint may name.

    Attributes:
        rollout: What constructs: a policy on an accelerator, or a module as it is.

    Raises:
        ModelError: Not a model of this project, or damaged.
        DeviceError: The device is not available.
    """

    def __init__(
        self, path: Path, device: str, *, scripted: bool, own: Collection[str] = ()
    ) -> None:
        self.rollout, self.info = (
            _load_script(path, choose_device(device))
            if scripted
            else _load_policy(path, choose_device(device), own)
        )
        self.variants: Backend | None = self if self.info.format == VARIANTS_FORMAT else None

    def construct(self, batch: Batch, starts: Int64, temperature: float, seed: Int64) -> Tours:
        """See `Backend.construct`.

        Raises:
            DeviceError: The device no longer responds.
        """
        on_host = self.info.device == "cpu"
        with self._lost(), threads_for(0) if on_host else nullcontext():
            return self.rollout.construct(self.info.inputs(batch), starts, temperature, seed)

    def until(self, _over: Callable[[], bool]) -> Backend:
        """See `Backend.until`: PyTorch's runs end by themselves."""
        return self

    def tune(self) -> str:
        """See `Backend.tune`.

        Raises:
            DeviceError: The device no longer responds.
        """
        with self._lost():
            compiled = self.rollout.compile_when_it_pays()
        return f"the policy is now compiled for {self.info.device}" if compiled else ""

    @contextmanager
    def _lost(self) -> Iterator[None]:
        """Says of a device that no longer responds which it is."""
        try:
            yield
        except torch.AcceleratorError as error:
            reason = str(error).splitlines()[0]
            raise DeviceError(f"{self.info.device} no longer responds: {reason}") from error


class CalledModule:
    """A module with the inputs of `PlainRollout` or `VariantsRollout`, run as it is.

    Args:
        module: On its device, in evaluation mode; whatever is called like one.
        device: Where it is.
    """

    def __init__(self, module: Callable[..., Tensor], device: torch.device) -> None:
        self._module, self._device = module, device

    def construct(self, batch: Batch, starts: Int64, temperature: float, seed: Int64) -> Tours:
        """See `Backend.construct`."""
        inputs = tensors_on(batch.columns, self._device)
        with torch.inference_mode():
            first, streams = tensors_on((starts, seed), self._device)
            heat = torch.full([], temperature, dtype=torch.float32, device=self._device)
            tours = self._module(*inputs, first, heat, streams)
        return TourCopy(tours).wait()

    def compile_when_it_pays(self) -> bool:
        """Nothing: False."""
        return False


_Rollout = CalledModule | AcceleratedRollout


def _load_policy(
    path: Path, device: torch.device, own: Collection[str]
) -> tuple[_Rollout, ModelInfo]:
    content = load_checkpoint(path)
    policy = policy_from_checkpoint(content, str(path), own)
    name, train_sizes = checkpoint_identity(content, str(path))
    info = ModelInfo(
        name=name,
        sha256=weights_sha256(policy.state_dict()),
        train_sizes=train_sizes,
        backend="torch",
        device=str(device),
    )
    if policy.knows_variants:
        info = info._replace(format=VARIANTS_FORMAT)
    if device.type == "cpu":
        return CalledModule(build_rollout(policy).eval(), device), info
    precision = "bf16" if has_bfloat16(device) else "tf32"
    return AcceleratedRollout(policy.to(device), precision), info


def _load_script(path: Path, device: torch.device) -> tuple[_Rollout, ModelInfo]:
    extra = dict.fromkeys(_METADATA, "")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # see vrpcore.export.torchscript
            module = torch.jit.load(  # type: ignore[no-untyped-call]
                str(path), map_location=device, _extra_files=extra
            )
    except (RuntimeError, ValueError) as error:
        reason = str(error).splitlines()[0][:200]
        raise ModelError(f"{path}: not a readable TorchScript file: {reason}") from None
    # PyTorch fills in bytes where text was given.
    metadata = {key: _text(value) for key, value in extra.items()}
    info = info_from_metadata(metadata, str(path), "torchscript", str(device))
    return CalledModule(module, device), info


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
