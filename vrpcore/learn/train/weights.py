"""Weights in and out of a run: averaging, checkpoints, their configuration."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from vrpcore.config.reader import config_from_tree
from vrpcore.config.sections import Config, PolicyConfig
from vrpcore.errors import ModelError, OutputError
from vrpcore.learn.policy.checkpoint import load_checkpoint
from vrpcore.learn.policy.own_code import check_named
from vrpcore.learn.policy.policy import Policy

# What a checkpoint keeps of a trainer by the names of its attributes, and in addition.
COUNTERS = (
    "step", "seconds", "instances", "skipped", "skipped_in_a_row", "kept", "best", "waited",
    "last_gap", "validated_step",
)  # fmt: skip
_HALVES = ("encoder", "decoder")  # of a policy; each may be a class of one's own
_STATE = {*COUNTERS, "model", "optimizer", "baseline", "window", "note", "validation", "random"}


class AveragedPolicy(AveragedModel):
    """An exponential moving average of the weights.

    Early steps keep less of it: with a constant decay, random weights would stay in the average of
    a short run. PyTorch's own sends the number of updates to an accelerator in every step, and
    waits for it.

    Args:
        policy: Whose weights.
        decay: Share of the average that each step keeps, once (1 + t) / (10 + t) is larger.
    """

    def __init__(self, policy: Policy, decay: float) -> None:
        super().__init__(policy)
        self._decay = decay

    @torch.no_grad()
    def update_parameters(self, model: nn.Module) -> None:
        """Moves the average towards the weights; the first call takes them as they are."""
        own: list[Tensor] = list(self.module.parameters())
        new: list[Tensor] = list(model.parameters())
        past = int(self.n_averaged)
        decay = min(self._decay, (1 + past) / (10 + past)) if past else 0.0
        torch._foreach_lerp_(own, new, 1 - decay)
        for mine, theirs in zip(self.module.buffers(), model.buffers(), strict=True):
            mine.copy_(theirs)  # statistics of layers of one's own
        self.n_averaged += 1  # on the host


def averaged_policy(policy: Policy, decay: float) -> AveragedPolicy | None:
    """An average of the weights, which begins with the next step; None without decay."""
    return AveragedPolicy(policy, decay) if decay > 0 else None


def load_weights(policy: Policy, state: dict[str, Any], place: str) -> None:
    """Takes weights.

    Raises:
        ModelError: They are of another shape; `place` names their source.
    """
    try:
        policy.load_state_dict(state)
    except RuntimeError as error:
        reason = str(error).splitlines()[-1].strip()
        raise ModelError(f"{place}: its weights do not fit this policy section: {reason}") from None


def check_policy(
    found: PolicyConfig, wanted: PolicyConfig, place: str, *, starts: bool = False
) -> None:
    """Raises where the weights of one policy are none of another.

    Args:
        found: The policy that a checkpoint holds.
        wanted: That of the run.
        place: Names the checkpoint.
        starts: A policy of variants may start from a plain one, and a class of one's own from the
            weights of what it replaces.

    Raises:
        ModelError: They differ; with the settings that make them equal.
    """
    names = [field.name for field in dataclasses.fields(PolicyConfig)]
    pairs = {name: (getattr(found, name), getattr(wanted, name)) for name in names}
    differ = {name: (there, here) for name, (there, here) in pairs.items() if there != here}
    for name in ("variants", *_HALVES) if starts else ():
        if getattr(wanted, name):
            differ.pop(name, None)
    if differ:
        words = [
            f"policy.{name} is {there} there and {here} here"
            for name, (there, here) in differ.items()
        ]
        advice = [
            "--config variants"
            if name == "variants"
            else f"--set policy.{name}={'null' if there is None else there}"
            for name, (there, _) in differ.items()
        ]
        raise ModelError(f"{place}: {', '.join(words)}; train with {' '.join(advice)}")


def with_own(
    state: Mapping[str, Tensor], policy: Policy, wanted: PolicyConfig
) -> tuple[dict[str, Tensor], list[str]]:
    """Complete weights for a policy with classes of one's own.

    Args:
        state: Of a policy that may have other classes.
        policy: Has the weights for what none of `state` fits.
        wanted: Its configuration.

    Returns:
        The weights, and the names of those that are the policy's.
    """
    own = "env.", *(f"{half}." for half in _HALVES if getattr(wanted, half))
    here = {name: each for name, each in policy.state_dict().items() if name.startswith(own)}
    given = {
        name: each
        for name, each in state.items()
        if not name.startswith(own) or (name in here and here[name].shape == each.shape)
    }
    new = [name for name in here if name not in given]
    return given | {name: here[name] for name in new}, new


def resumed_config(folder: Path, given: Mapping[str, str]) -> tuple[Config, str]:
    """Configuration and name of the run in a folder.

    Args:
        folder: Of the run.
        given: Settings of the call, as words by their keys.

    Raises:
        ModelError: `last.pt` is damaged, holds weights only, is of another version's run, or names
            other classes.
        OutputError: There is none.
    """
    place = folder / "last.pt"
    if not place.exists():
        raise OutputError(f"{folder}: no run to resume; it has no last.pt")
    content = load_checkpoint(place)
    if "training" not in content:
        raise ModelError(f"{place}: holds weights only; start a new run with --init")
    if lacking := sorted(_STATE - set(content["training"])):
        raise ModelError(
            f"{place}: its run was begun by another version of vrp (no {lacking[0]}) and cannot be "
            f"continued; start a new one with --init {place}"
        )
    config = config_from_tree(content["config"], str(place))
    own = {key: name for key, name in config.own.items() if key not in given}
    check_named(own, given.values(), str(place), resumes=True)
    return config, content["name"]
