"""A smaller policy from a larger one: some of its encoder layers, everything else as it is.

    python -m vrpcore.export.prune vrpcore/models/base.pt runs/pruned.pt 0 4 5

What comes out is for `vrp train --init`: untrained it is far worse than what it came from.
"""

import dataclasses
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from torch import Tensor

from vrpcore.config.reader import policy_from_tree
from vrpcore.errors import ConfigError
from vrpcore.learn.policy.checkpoint import (
    load_checkpoint,
    policy_from_checkpoint,
    save_checkpoint,
    without_training,
)

_LAYER = re.compile(r"encoder\.layers\.[0-9]+\..+")


def prune(checkpoint: Path, target: Path, layers: Sequence[int]) -> None:
    """Writes a checkpoint with only these encoder layers, numbered from 0, in this order.

    Raises:
        ConfigError: No layers, or one that is not there.
        ModelError: `checkpoint` is none.
        OutputError: A file cannot be read or written.
    """
    content = load_checkpoint(checkpoint)
    policy_from_checkpoint(content, str(checkpoint))
    config = policy_from_tree(content["config"]["policy"], str(checkpoint))
    if not layers or not set(layers) <= set(range(config.num_layers)):
        raise ConfigError(f"layers {[*layers]}: expected some of 0 to {config.num_layers - 1}")
    kept = without_training(content)
    smaller = dataclasses.replace(config, num_layers=len(layers))
    kept["config"] = {**content["config"], "policy": dataclasses.asdict(smaller)}
    save_checkpoint(target, kept | {"policy": _weights(content["policy"], layers)})


def _weights(weights: Mapping[str, Tensor], layers: Sequence[int]) -> dict[str, Tensor]:
    found = {name: value for name, value in weights.items() if not _LAYER.fullmatch(name)}
    for place, number in enumerate(layers):
        begin = f"encoder.layers.{number}."
        found |= {
            f"encoder.layers.{place}.{name.removeprefix(begin)}": value
            for name, value in weights.items()
            if name.startswith(begin)
        }
    return found


if __name__ == "__main__":
    prune(Path(sys.argv[1]), Path(sys.argv[2]), [int(word) for word in sys.argv[3:]])
