"""The trainer: reads top to bottom."""

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from vrpcore import device as machine
from vrpcore.config import Config, config_from_tree, config_tree
from vrpcore.decode.rollout import Rollout
from vrpcore.decode.select import PRIME
from vrpcore.errors import ConfigError, ModelError, VrpError
from vrpcore.policy.checkpoint import load_checkpoint, save_checkpoint
from vrpcore.policy.policy import Policy, build_policy
from vrpcore.train.data import (
    StepBatches,
    split_labels,
    train_sizes,
    training_batches,
    validation_batches,
)
from vrpcore.train.imitate import imitate_step
from vrpcore.train.metrics import RunFolder
from vrpcore.train.reinforce import StepResult, reinforce_step
from vrpcore.train.schedule import learning_rate, run_progress
from vrpcore.train.validate import Validation, validate
from vrpcore.version import VERSION


class Progress(NamedTuple):
    """What a progress bar shows.

    Attributes:
        share: Of the run, 0 to 1.
        cost: Mean cost of the last logged steps.
        gap: Last validation gap, NaN before the first or without references.
        rate: Instances a second.
    """

    step: int
    share: float
    cost: float
    gap: float
    rate: float


class Outcome(NamedTuple):
    """How a run ended.

    Attributes:
        finished: False where it was asked to stop early.
        best: Best validation figure: the gap where known, else the cost.
    """

    finished: bool
    steps: int
    best: float
    folder: Path


class Trainer:
    """Trains one policy in one run folder.

    Args:
        config: The resolved configuration.
        folder: The run folder.
        device: Where.
        name: The policy's name, kept in checkpoints.

    Raises:
        ConfigError: Settings that this device cannot serve.
        VrpError: From reading data.
    """

    def __init__(
        self, config: Config, folder: Path, device: torch.device, name: str = "policy"
    ) -> None:
        self.config, self.device, self.name = config, device, name
        train = config.train
        machine.set_seed(train.seed)
        self.precision = machine.set_precision(device, train.precision)
        self.compile = machine.choose_compile(device, train.compile)
        labels, holdouts = split_labels(config.data, train.objective == "imitate")
        if train.objective == "imitate" and (not labels or config.data.mix < 1):
            raise ConfigError(
                "train.objective: imitate learns from instances with routes; give --data FILE "
                "and leave data.mix at 1.0"
            )
        self.sizes = train_sizes(config, labels)
        self.batches = StepBatches(config, labels)
        self.validation = validation_batches(config, holdouts)
        self.policy = build_policy(config.policy, train.seed).to(device)
        self.optimizer = torch.optim.AdamW(
            self.policy.parameters(),
            lr=train.learning_rate,
            weight_decay=train.weight_decay,
            fused=True,
        )
        self.average = _average(self.policy, train.ema_decay)
        self.step, self.seconds, self.instances = 0, 0.0, 0
        self.best = math.inf
        self.last_gap = math.nan
        self._validated_step = -1
        self.folder = RunFolder(folder)

    def initialise(self, content: dict[str, Any], place: str) -> None:
        """Takes the weights of a checkpoint; optimizer and schedule start anew."""
        _load_weights(self.policy, content["policy"], place)
        self.average = _average(self.policy, self.config.train.ema_decay)

    def resume(self) -> None:
        """Takes everything from the folder's `last.pt` and drops later metrics."""
        place = str(self.folder.path / "last.pt")
        content = load_checkpoint(self.folder.path / "last.pt")
        if "training" not in content:
            raise ModelError(f"{place}: holds weights only; start a new run with --init")
        state = content["training"]
        _load_weights(self.policy, state["model"], place)
        if self.average is not None:
            self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.seconds = state["step"], state["seconds"]
        self.instances, self.best = state["instances"], state["best"]
        torch.set_rng_state(state["random"])
        self.folder.cut_after(self.step)

    def run(self, report: Callable[[Progress], None], stop: Callable[[], bool]) -> Outcome:
        """Trains to the end, or until `stop` answers True; saves in either case.

        Args:
            report: Called every `log_every` steps.
            stop: Asked after every step.
        """
        self.folder.write_config(config_tree(self.config))
        environment = machine.describe_environment(
            self.device, self.compile, self.precision, VERSION
        )
        self.folder.write_text("environment.json", json.dumps(environment.as_dict(), indent=2))
        self.folder.open_board()
        rollout = Rollout(self.policy)
        if self.compile[0]:
            self.policy.encoder.compile(dynamic=True)
            self.policy.decoder.compile(dynamic=True)
        try:
            stopped = self._loop(rollout, report, stop)
            if not stopped and self.config.train.validate_every:
                self._validate()
            # Not after an error: weights that gave no finite loss must not replace good ones.
            self.save("last.pt")
        finally:
            self.folder.close()
        return Outcome(not stopped, self.step, self.best, self.folder.path)

    def _loop(
        self, rollout: Rollout, report: Callable[[Progress], None], stop: Callable[[], bool]
    ) -> bool:
        train = self.config.train
        remaining = range(self.step, train.steps)
        batches = training_batches(self.batches, remaining, self.config.data, self.device)
        window: list[StepResult] = []
        started = time.perf_counter() - self.seconds
        logged, instances_logged = time.perf_counter(), self.instances
        for batch in batches:
            if run_progress(train, self.step, self.seconds) >= 1.0:
                break
            window.append(self._learn(rollout, batch))
            self.step += 1
            self.instances += len(batch.coords)
            self.seconds = time.perf_counter() - started
            if self.step % train.log_every == 0:
                now = time.perf_counter()
                rate = (self.instances - instances_logged) / (now - logged)
                report(self._log(window, rate))
                window, logged, instances_logged = [], now, self.instances
            if train.validate_every and self.step % train.validate_every == 0:
                self._validate()
                self.save("last.pt")
            if stop():
                return True
        return False

    def _learn(self, rollout: Rollout, batch: Any) -> StepResult:
        train = self.config.train
        inputs = batch.to_device(self.device)
        self.policy.train()
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(train, self.step, self.seconds)
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bf16"):
            if train.objective == "imitate":
                result = imitate_step(self.policy, batch, inputs)
            else:
                rows = torch.arange(len(batch.coords), device=self.device)
                seed = (rows + (train.seed * 1_000_003 + self.step) * 8191) % PRIME
                result = reinforce_step(rollout, batch, inputs, seed)
        if not math.isfinite(result.loss):
            raise VrpError(
                f"step {self.step}: the loss is {result.loss}; the last good checkpoint is kept. "
                "Lower train.learning_rate, or use train.precision=fp32"
            )
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), train.clip_norm)
        self.optimizer.step()
        if self.average is not None:
            self.average.update_parameters(self.policy)
        return result

    def _log(self, window: list[StepResult], rate: float) -> Progress:
        cost = sum(result.cost for result in window) / len(window)
        self.folder.add(
            {
                "step": self.step,
                "instances": self.instances,
                "seconds": round(self.seconds, 3),
                "instances_per_second": round(rate, 2),
                "cost": cost,
                "loss": sum(result.loss for result in window) / len(window),
                "learning_rate": self.optimizer.param_groups[0]["lr"],
                "peak_memory_mb": machine.peak_memory_mb(self.device),
            }
        )
        share = run_progress(self.config.train, self.step, self.seconds)
        return Progress(self.step, share, cost, self.last_gap, rate)

    def _validate(self) -> None:
        if self._validated_step == self.step:
            return
        self._validated_step = self.step
        policy = self.shipped_policy()
        policy.eval()
        results = {
            name: validate(Rollout(policy), batch) for name, batch in self.validation.items()
        }
        line: dict[str, Any] = {"step": self.step, "seconds": round(self.seconds, 3)}
        line["validation_cost"] = _mean(results, "cost")
        line["validation_single_cost"] = _mean(results, "single_cost")
        self.last_gap = _mean(results, "gap")
        known = not math.isnan(self.last_gap)
        if known:
            line["validation_gap"] = self.last_gap
        for name, result in results.items():
            line[f"validation_{'gap' if known else 'cost'}/{name}"] = (
                result.gap if known else result.cost
            )
        self.folder.add(line)
        figure = self.last_gap if known else line["validation_cost"]
        if figure < self.best:
            self.best = figure
            self.save("best.pt")

    def save(self, file: str) -> None:
        """Writes a checkpoint of this moment into the run folder."""
        training: dict[str, Any] = {
            "model": self.policy.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "seconds": self.seconds,
            "instances": self.instances,
            "best": self.best,
            "random": torch.get_rng_state(),
        }
        if self.average is not None:
            training["average"] = self.average.state_dict()
        save_checkpoint(
            self.folder.path / file,
            {
                "name": self.name,
                "version": VERSION,
                "config": config_tree(self.config),
                "train_sizes": list(self.sizes),
                "policy": self.shipped_policy().state_dict(),
                "training": training,
            },
        )

    def shipped_policy(self) -> Policy:
        """The policy that is validated and kept: the averaged one where there is one."""
        if self.average is None:
            return self.policy
        return cast(Policy, self.average.module)


def resumed_config(folder: Path) -> tuple[Config, str]:
    """Configuration and name of the run in a folder."""
    content = load_checkpoint(folder / "last.pt")
    place = str(folder / "last.pt")
    return config_from_tree(content["config"], place), content["name"]


def _average(policy: Policy, decay: float) -> AveragedModel | None:
    if decay == 0:
        return None
    blend = get_ema_multi_avg_fn(decay)  # type: ignore[no-untyped-call]
    return AveragedModel(policy, multi_avg_fn=blend)


def _load_weights(policy: Policy, state: dict[str, Any], place: str) -> None:
    try:
        policy.load_state_dict(state)
    except RuntimeError as error:
        raise ModelError(
            f"{place}: its weights do not fit this policy section: {str(error).splitlines()[-1]}"
        ) from None


def _mean(results: dict[str, Validation], name: str) -> float:
    return float(np.mean([getattr(result, name) for result in results.values()]))
