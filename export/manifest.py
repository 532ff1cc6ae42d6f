"""The description of an exported file inside it."""

import json
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from vrpcore.learn.policy.checkpoint import (
    checkpoint_identity,
    load_checkpoint,
    policy_from_checkpoint,
    weights_sha256,
)
from vrpcore.learn.policy.policy import Policy
from vrpcore.solve.backend import FORMAT, INPUT_NAMES, INPUT_WORDS, VARIANTS_FORMAT
from vrpcore.version import VERSION

# Called with a word or two for a stage of an export; the context is left when the stage ends.
Stage = Callable[[str], AbstractContextManager[object]]


class ModelSource(NamedTuple):
    """A checkpoint ready to be exported.

    Attributes:
        policy: On the CPU, in evaluation mode.
        metadata: What the exported file carries, text by text.
    """

    policy: Policy
    metadata: dict[str, str]


def format_of(policy: Policy) -> str:
    """The format that a file of a policy has: one of `INPUT_NAMES`."""
    return VARIANTS_FORMAT if policy.knows_variants else FORMAT


def read_source(path: Path, own: Collection[str] = ()) -> ModelSource:
    """Reads a checkpoint for export.

    Args:
        path: Of the checkpoint.
        own: Classes of the user's own code that it may name.

    Raises:
        ModelError: It is no checkpoint, or lacks what an export must say.
        OutputError: It cannot be read.
    """
    content = load_checkpoint(path)
    policy = policy_from_checkpoint(content, str(path), own)
    name, train_sizes = checkpoint_identity(content, str(path))
    metadata = {
        "format": format_of(policy),
        "name": name,
        "sha256": weights_sha256(policy.state_dict()),
        "train_sizes": json.dumps(train_sizes),
        "version": VERSION,
    }
    if metadata["format"] == VARIANTS_FORMAT:
        names = INPUT_NAMES[VARIANTS_FORMAT]
        metadata["inputs"] = json.dumps({name: INPUT_WORDS[name] for name in names})
    return ModelSource(policy, metadata)
