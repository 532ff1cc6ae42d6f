"""What an exported file says about itself."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vrpcore.policy.checkpoint import (
    checkpoint_identity,
    load_checkpoint,
    policy_from_checkpoint,
    weights_sha256,
)
from vrpcore.policy.policy import Policy
from vrpcore.solve.backend import FORMAT
from vrpcore.version import VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A checkpoint ready to be exported.

    Attributes:
        policy: On the CPU, in evaluation mode.
        metadata: What the exported file carries, text by text.
    """

    policy: Policy
    metadata: dict[str, str]


def read_source(path: Path) -> Source:
    """Reads a checkpoint for export.

    Raises:
        ModelError: It is no checkpoint, or lacks what an export must say.
        OutputError: It cannot be read.
    """
    content = load_checkpoint(path)
    policy = policy_from_checkpoint(content, str(path))
    return Source(policy=policy, metadata=_metadata(content, policy, str(path)))


def _metadata(content: Mapping[str, Any], policy: Policy, place: str) -> dict[str, str]:
    name, train_sizes = checkpoint_identity(content, place)
    return {
        "format": FORMAT,
        "name": name,
        "sha256": weights_sha256(policy.state_dict()),
        "train_sizes": json.dumps(train_sizes),
        "version": VERSION,
    }
