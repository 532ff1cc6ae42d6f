"""The whole solve as one TorchScript file."""

import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch

from vrpcore.errors import OutputError
from vrpcore.export.manifest import ModelSource, Stage
from vrpcore.export.split_heads import split_heads
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.learn.policy.policy import Policy


def script_rollout(policy: Policy) -> Any:
    """The rollout compiled by TorchScript, weights included.

    Not frozen: that was measured to gain nothing here.
    """
    with warnings.catch_warnings():
        # torch.jit is deprecated, yet within the pinned range of torch the only form
        # that C++ and Java services load without Python.
        warnings.simplefilter("ignore", DeprecationWarning)
        return torch.jit.script(build_rollout(split_heads(policy)).eval())


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
