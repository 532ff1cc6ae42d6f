"""The weighted mean of two checkpoints, of which one went on from the other.

    python -m vrpcore.export.blend runs/further/last.pt runs/prefer/last.pt 0.25 runs/blend.pt

Source:
    Wortsman et al. 2022, arXiv:2203.05482 (averages of weights that one training path joins).
"""

import sys
from pathlib import Path

from vrpcore.errors import ConfigError
from vrpcore.learn.policy.checkpoint import (
    load_checkpoint,
    policy_from_checkpoint,
    save_checkpoint,
    without_training,
)


def blend(checkpoint: Path, other: Path, share: float, target: Path) -> None:
    """Writes `checkpoint` with `share` of each weight taken from `other`.

    Raises:
        ConfigError: A share outside [0, 1], or policies of another shape.
        ModelError: One is no checkpoint.
        OutputError: A file cannot be read or written.
    """
    if not 0 <= share <= 1:
        raise ConfigError(f"share {share}: expected a number from 0 to 1")
    content, added = load_checkpoint(checkpoint), load_checkpoint(other)
    weights = policy_from_checkpoint(content, str(checkpoint)).state_dict()
    others = policy_from_checkpoint(added, str(other)).state_dict()
    shapes, expected = ({k: v.shape for k, v in each.items()} for each in (others, weights))
    if shapes != expected:
        raise ConfigError(f"{other}: its policy has other layers than that of {checkpoint}")
    mixed = {name: value.lerp(others[name], share) for name, value in weights.items()}
    save_checkpoint(target, without_training(content) | {"policy": mixed})


if __name__ == "__main__":
    blend(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]), Path(sys.argv[4]))
