"""The whole solve as one TorchScript file."""

import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from torch.jit.frontend import FrontendError

from vrpcore.errors import ExportError, OutputError
from vrpcore.export.manifest import ModelSource, Stage
from vrpcore.export.split_heads import split_heads
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.learn.policy.policy import Policy, is_ours


def script_rollout(policy: Policy) -> Any:
    """The rollout compiled by TorchScript, weights included.

    Not frozen: that was measured to gain nothing here.

    Raises:
        ExportError: TorchScript does not know the user's own code.
    """
    rollout = build_rollout(split_heads(policy)).eval()
    with warnings.catch_warnings():
        # torch.jit is deprecated, yet within the pinned range of torch the only form
        # that C++ and Java services load without Python.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return torch.jit.script(rollout)
        except (RuntimeError, FrontendError) as error:
            if is_ours(policy):
                raise
            reason = " ".join(str(error).split())[:300]
            raise ExportError(
                f"TorchScript does not compile code of your own: {reason}; write it without "
                "super(), with the types of what are no tensors, or export to ONNX"
            ) from None


def export_torchscript(source: ModelSource, path: Path, stage: Stage = nullcontext) -> None:
    """Writes the file; `write_proved` in `parity` is the careful way.

    Raises:
        OutputError: The file cannot be written.
    """
    with stage("compiling to TorchScript"):
        scripted = script_rollout(source.policy)
    try:
        with stage("writing"), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            torch.jit.save(scripted, str(path), _extra_files=dict(source.metadata))
    except (OSError, RuntimeError) as error:
        raise OutputError(f"{path}: cannot be written: {error}") from None
