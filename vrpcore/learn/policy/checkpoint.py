"""Checkpoints: written whole or not at all, read without executing anything."""

import hashlib
import io
import zipfile
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from vrpcore.arrays.coverage import trained_sizes
from vrpcore.config.reader import policy_from_tree
from vrpcore.config.sections import ProblemConfig, own_names
from vrpcore.errors import ModelError, OutputError
from vrpcore.formats.archive import archive_names
from vrpcore.formats.files import reason, write_bytes
from vrpcore.learn.policy.own_code import check_named
from vrpcore.learn.policy.policy import Policy

FORMAT = "vrp-checkpoint/1"
_POLICY_KEYS = ("name", "version", "config", "train_sizes", "policy")
_MAX_BYTES = 4 * 2**30
_ADVICE = "give a checkpoint that vrp train has written"


def save_checkpoint(path: Path, content: Mapping[str, Any]) -> None:
    """Writes a checkpoint of tensors, numbers, text, lists and dicts by rename.

    Raises:
        OutputError: The folder or the disk refuses.
    """
    buffer = io.BytesIO()  # written by us: PyTorch's writer hides why a disk refuses
    torch.save({"format": FORMAT, **content}, buffer)
    write_bytes(path, buffer.getvalue())


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Reads a checkpoint onto the CPU; nothing in it is executed.

    Raises:
        OutputError: It cannot be read.
        ModelError: It is not a checkpoint of this format.
    """
    try:
        names = archive_names(path, _MAX_BYTES)
        content = torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise OutputError(f"{path}: cannot be read: {reason(error)}") from None
    except zipfile.BadZipFile as error:
        advice = "of an exported model, give the checkpoint (.pt) that it came from"
        raise ModelError(f"{path}: not a readable checkpoint: {error}; {advice}") from None
    except Exception:  # torch.load raises many kinds, and advises to unpickle the file
        raise ModelError(f"{path}: {_what_else({Path(name).name for name in names})}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelError(f"{path}: not a checkpoint of format {FORMAT}; {_ADVICE}")
    return content


def _what_else(names: Collection[str]) -> str:
    """Guess what an archive is that is no checkpoint, by its file names, and advise."""
    if "constants.pkl" in names:
        return "a TorchScript file; give the checkpoint (.pt) that it came from"
    if "data.pkl" not in names:
        return f"an archive, but not of PyTorch; {_ADVICE}"
    return (
        "a file of PyTorch that is damaged, or holds objects other than tensors, numbers and text; "
        f"these are not unpickled, because that could run any code; {_ADVICE}"
    )


def without_training(content: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a checkpoint that describes its policy; a run cannot be resumed from it."""
    return {key: content[key] for key in _POLICY_KEYS}


def policy_from_checkpoint(
    content: Mapping[str, Any], place: str, own: Collection[str] = ()
) -> Policy:
    """Builds the policy that a checkpoint holds, on the CPU, in evaluation mode.

    Args:
        content: From `load_checkpoint`.
        place: Names the checkpoint in errors.
        own: Classes of the user's own code that may be imported where the checkpoint names them.

    Raises:
        ModelError: Weights and configuration do not fit, or it names other classes.
        ConfigError: One of `own` cannot be imported.
    """
    try:
        weights = dict(content["policy"])
        kinds = {part.dtype for part in weights.values() if part.is_floating_point()}
        if kinds - {torch.float32}:
            raise TypeError("not all of them are float32")
        config = policy_from_tree(content["config"]["policy"], place)
        environment = content["config"].get("problem", {}).get("environment")
        named = own_names(config, ProblemConfig(environment=environment))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _unfit(place, error) from None
    check_named(named, own, place)
    # No memory before it is known that the weights fit; others may keep tensors of their own.
    with nullcontext() if named else torch.device("meta"):
        policy = Policy(config, environment)
    try:
        policy.load_state_dict(weights, assign=True)
    except (AttributeError, TypeError, ValueError, RuntimeError) as error:
        raise _unfit(place, error) from None
    if not all(bool(torch.isfinite(tensor).all()) for tensor in policy.state_dict().values()):
        raise ModelError(f"{place}: the weights are not all finite")
    return policy.eval()


def _unfit(place: str, error: Exception) -> ModelError:
    words = str(error).splitlines()[0] if str(error) else type(error).__name__
    return ModelError(f"{place}: weights do not fit its configuration: {words}")


def checkpoint_identity(content: Mapping[str, Any], place: str) -> tuple[str, tuple[int, int]]:
    """Name of a checkpoint's policy, smallest and largest size that it was trained on.

    Raises:
        ModelError: It does not say; `place` names it.
    """
    try:
        return str(content["name"]), trained_sizes(content["train_sizes"])
    except (KeyError, ValueError) as error:
        raise ModelError(f"{place}: lacks name or train_sizes ({error})") from None


def weights_sha256(state: Mapping[str, Tensor]) -> str:
    """Hash of the weights by name, shape and float32 bytes, whatever file they are in."""
    digest = hashlib.sha256()
    for name in sorted(state):
        tensor = state[name].detach().to("cpu", torch.float32).contiguous()
        digest.update(f"{name}{tuple(tensor.shape)}".encode())
        digest.update(tensor.numpy().tobytes())
    return digest.hexdigest()
