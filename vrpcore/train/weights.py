"""Weights in and out of a run: averaging, checkpoints, the configuration beside them."""

from pathlib import Path
from typing import Any

from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from vrpcore.config.reader import config_from_tree
from vrpcore.config.sections import Config
from vrpcore.errors import ModelError
from vrpcore.policy.checkpoint import load_checkpoint
from vrpcore.policy.policy import Policy


def averaged_policy(policy: Policy, decay: float) -> AveragedModel | None:
    """An exponential moving average of the weights; None without decay."""
    if decay == 0:
        return None
    blend = get_ema_multi_avg_fn(decay)  # type: ignore[no-untyped-call]
    return AveragedModel(policy, multi_avg_fn=blend)


def load_weights(policy: Policy, state: dict[str, Any], place: str) -> None:
    """Takes weights.

    Raises:
        ModelError: They are of another shape; `place` names their source.
    """
    try:
        policy.load_state_dict(state)
    except RuntimeError as error:
        raise ModelError(
            f"{place}: its weights do not fit this policy section: {str(error).splitlines()[-1]}"
        ) from None


def resumed_config(folder: Path) -> tuple[Config, str]:
    """Configuration and name of the run in a folder.

    Raises:
        ModelError: `last.pt` is damaged, or holds weights only.
        OutputError: There is none.
    """
    place = folder / "last.pt"
    content = load_checkpoint(place)
    if "training" not in content:
        raise ModelError(f"{place}: holds weights only; start a new run with --init")
    return config_from_tree(content["config"], str(place)), content["name"]
