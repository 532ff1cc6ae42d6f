"""The trainer."""

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor
from torch.profiler import profile

from vrpcore.config.reader import config_from_tree, config_tree, config_yaml, policy_from_tree
from vrpcore.config.sections import Config
from vrpcore.errors import ConfigError, DeviceError, is_out_of_memory
from vrpcore.learn import device as machine
from vrpcore.learn.policy.checkpoint import load_checkpoint, save_checkpoint
from vrpcore.learn.policy.policy import Policy, build_policy, is_ours, widened
from vrpcore.learn.train import training_library
from vrpcore.learn.train.baseline import build_baseline
from vrpcore.learn.train.compare import build_comparison
from vrpcore.learn.train.data import (
    ALIGNED_NODES,
    CHALLENGE,
    StepBatches,
    TrainBatch,
    fingerprint,
    fixed_batches,
    split_labels,
    train_sizes,
    training_batches,
)
from vrpcore.learn.train.distributed import Shared, World
from vrpcore.learn.train.learner import build_learner, instance_streams
from vrpcore.learn.train.loss import StepResult, diverged, joined
from vrpcore.learn.train.optimizer import Optimizer
from vrpcore.learn.train.picture import routes_picture
from vrpcore.learn.train.profile import step_profile
from vrpcore.learn.train.progress import Outcome, RunProgress
from vrpcore.learn.train.run_folder import RunFolder
from vrpcore.learn.train.schedule import learning_rate, run_progress
from vrpcore.learn.train.validate import (
    all_known,
    better,
    check_environment,
    figures,
    gives_numbers,
    validation_figure,
)
from vrpcore.learn.train.weights import (
    COUNTERS,
    averaged_policy,
    check_policy,
    load_weights,
    with_own,
)
from vrpcore.version import VERSION

# What a resumed run forgets where it validates on other instances.
_OF_VALIDATIONS = ("best", "waited", "last_gap", "validated_step")
_OTHER_VALIDATION = "validates on other instances than before, so the best so far is forgotten"
MOST_SKIPPED = 10  # steps in a row


class Trainer:
    """Trains one policy in one run folder.

    Args:
        config: The resolved configuration.
        folder: The run folder.
        device: Where.
        name: The policy's name, kept in checkpoints.
        world: The processes that learn as one; None: only this one.

    Raises:
        ConfigError: Settings that this device cannot serve.
        VrpError: From reading data.
    """

    def __init__(
        self,
        config: Config,
        folder: Path,
        device: torch.device,
        name: str = "policy",
        world: World | None = None,
    ) -> None:
        self.config, self.device, self.name = config, device, name
        self.world = world or World()
        train = config.train
        machine.set_seed(train.seed)
        machine.keep_freed_memory()
        self.precision = machine.set_precision(device, train.precision)
        self.compile = machine.choose_compile(device, train.compile)
        if train.objective == "imitate" and (not config.data.file or config.data.mix < 1):
            raise ConfigError(
                "train.objective: imitate learns from instances with routes; give --data FILE "
                "and leave data.mix at 1.0"
            )
        labels, holdouts = split_labels(config)
        self.sizes = train_sizes(config, labels)
        multiple = 1 if device.type == "cpu" else ALIGNED_NODES
        self.batches = StepBatches(config, labels, self.world.rank, multiple)
        self.validation = fixed_batches(config, holdouts)
        learnt = labels if config.data.mix > 0 else []
        challenged = train.baseline == "rollout"
        self.challenges = fixed_batches(config, learnt, CHALLENGE) if challenged else {}
        environment = config.problem.environment
        self.policy = build_policy(config.policy, train.seed, environment).to(device)
        self.learner = build_learner(
            self.policy, config, self.compile[0], self.precision, self.world
        )
        self.policy.encoder.recompute = train.recompute
        self.optimizer = Optimizer(self.policy, train.weight_decay)
        self.baseline = build_baseline(train.baseline, self.policy, self.world)
        self.average = averaged_policy(self.policy, train.ema_decay)
        self.step, self.seconds, self.instances, self.rate = 0, 0.0, 0, 0.0
        self.best, self.waited = math.inf, 0
        self.last_gap = math.nan
        self.validated_step = -1
        self.skipped, self.skipped_in_a_row = 0, 0
        self.kept = next(iter(self.candidates()))
        self.window: list[StepResult] = []  # of the steps since the last line of metrics
        # Steps whose gradient's norm nobody has asked the device for; it would be waited for.
        self.unsettled: list[tuple[int, StepResult, Tensor]] = []
        missing = device.type == "cpu" and not training_library.is_built()
        self._note = training_library.ADVICE if missing else ""
        if not is_ours(self.policy):
            self._note = f"{' and '.join(config.own.values())}: PyTorch's path, as for all own code"
        if environment is not None:
            check_environment(self.policy, self._sample())
        self.folder = RunFolder(folder, self.world.writes)

    def initialise(self, content: dict[str, Any], place: str) -> None:
        """Takes the weights of a checkpoint; optimizer and schedule start anew."""
        found = policy_from_tree(content["config"]["policy"], place)
        check_policy(found, self.config.policy, place, starts=True)
        weights = content["policy"]
        if self.policy.knows_variants:
            weights = widened(weights, self.policy)
        weights, new = with_own(weights, self.policy, self.config.policy)
        if new:
            more = f" and {len(new) - 2} more" * (len(new) > 2)
            self._remark(f"{', '.join(new[:2])}{more} begin anew: {place} has no such weights")
        load_weights(self.policy, weights, place)
        self.average = averaged_policy(self.policy, self.config.train.ema_decay)
        self.baseline = build_baseline(self.config.train.baseline, self.policy, self.world)

    def resume(self) -> None:
        """Takes everything from the folder's `last.pt` that still fits; drops later metrics."""
        self.folder.claim()
        place = self.folder.path / "last.pt"
        content = load_checkpoint(place)
        state, before = content["training"], config_from_tree(content["config"], str(place))
        check_policy(before.policy, self.config.policy, str(place))
        load_weights(self.policy, state["model"], str(place))
        self.average = averaged_policy(self.policy, self.config.train.ema_decay)
        self._note = state["note"] or self._note
        forgotten: tuple[str, ...] = ()
        if state["validation"] != fingerprint(self.validation):
            forgotten = _OF_VALIDATIONS
            self._remark(_OTHER_VALIDATION)
        for name in COUNTERS:
            if name not in forgotten:
                setattr(self, name, state[name])
        self.window = [StepResult(*each) for each in state["window"]]
        if self.average is not None and "average" in state:
            self.average.load_state_dict(state["average"])
        elif self.kept not in self.candidates() or "average" not in state:
            self.kept = next(iter(self.candidates()))
        self.optimizer.load_state_dict(state["optimizer"])
        self.baseline = build_baseline(self.config.train.baseline, self.policy, self.world)
        if before.train.baseline == self.config.train.baseline:
            self.baseline.load(state["baseline"])
        torch.set_rng_state(state["random"])
        self.folder.cut_after(self.step)

    def run(self, report: Callable[[RunProgress], None], stop: Callable[[], bool]) -> Outcome:
        """Trains to the end, or until `stop` answers True; saves in either case.

        Args:
            report: Called every `log_every` steps.
            stop: Asked in every step; the run ends behind that step.
        """
        self.folder.claim()
        self.folder.write_text("config.yaml", config_yaml(self.config))
        environment = machine.describe_environment(
            self.device, self.compile, self.precision, VERSION
        )
        self.folder.write_text("environment.json", json.dumps(environment, indent=2))
        self.folder.track(self.config.train.trackers, config_tree(self.config))
        self.world.equalise(self.policy)
        profiled = self.config.train.profile and self.world.writes
        profiler = step_profile(self.folder.path, self.device) if profiled else None
        try:
            with profiler or nullcontext():
                if self.step == 0:
                    self.save("last.pt")  # so that a run can be resumed from its first second
                stopped = self._loop(report, stop, profiler)
                if not stopped and self.config.train.validate_every:
                    self._validate()
                # Not after an error: weights that gave no finite loss must not replace good ones.
                self.save("last.pt")
                self.folder.draw()
        finally:
            self.folder.close()
        is_gap = all_known(self.validation)
        return Outcome(not stopped, self.step, self.best, is_gap, self.folder.path)

    def _loop(
        self,
        report: Callable[[RunProgress], None],
        stop: Callable[[], bool],
        profiler: profile | None,
    ) -> bool:
        train = self.config.train
        remaining = range(self.step, train.steps)
        batches = training_batches(
            self.batches, remaining, train.accumulate, self.config.data, self.device
        )
        started = time.perf_counter() - self.seconds
        logged, instances_logged = time.perf_counter(), self.instances
        patience = math.inf if train.patience is None else train.patience
        while run_progress(train, self.step, self.seconds) < 1.0 and self.waited < patience:
            result, count = self._learn(batches)
            own = Shared(stop(), time.perf_counter() - started, *result[:2], count)
            agreed = self.world.share(self.policy, own)
            norm = self._update(agreed)
            taken = result._replace(loss=agreed.loss, cost=agreed.cost)
            self.unsettled.append((self.step, taken, norm))
            self.step += 1
            known = self.device.type == "cpu" or not math.isfinite(agreed.loss)
            if known or len(self.unsettled) == MOST_SKIPPED:
                self._settle()
            self.instances += agreed.instances
            self.seconds = agreed.seconds
            if profiler is not None:
                profiler.step()
            if self.step % train.log_every == 0:
                now = time.perf_counter()
                rate = (self.instances - instances_logged) / (now - logged)
                report(self._log(rate))
                logged, instances_logged = now, self.instances
            if train.validate_every and self.step % train.validate_every == 0:
                self._validate()
            if self.step % train.save_every == 0:
                self.save("last.pt")
            if train.keep_every and self.step % train.keep_every == 0:
                self.save(f"step-{self.step:07d}.pt")
            if agreed.stop:
                return True
        return False

    def _learn(self, batches: Iterator[TrainBatch]) -> tuple[StepResult, int]:
        """Gathers the gradient of a step; starts it over in smaller pieces without memory."""
        parts, pieces = [next(batches) for _ in range(self.config.train.accumulate)], 0
        while True:
            self.policy.train()
            self.optimizer.zero_grad()
            results = self._attempt(parts)
            if not isinstance(results, str):
                break
            # By now the failed attempt's own memory is free. Several processes must take a step
            # in as many pieces, and one cannot know.
            pieces = self.learner.shrink() if self.world.size == 1 else 0
            if pieces > len(parts[0].coords) or not pieces:
                raise DeviceError(
                    "out of memory; use a smaller train.batch_size, fewer train.starts or "
                    f"train.recompute=true ({results})"
                )
        if pieces:
            self._remark(f"out of memory: batches are now processed in {pieces} pieces")
        if len(parts) > 1:
            for parameter in self.policy.parameters():
                if parameter.grad is not None:
                    parameter.grad.div_(len(parts))
        return joined(results), sum(len(part.coords) for part in parts)

    def _attempt(self, parts: list[TrainBatch]) -> list[StepResult] | str:
        """Compute the batches of a step; where memory runs out, return PyTorch's message."""
        try:
            return [self._gather(part, number) for number, part in enumerate(parts)]
        except RuntimeError as error:
            if not is_out_of_memory(error):
                raise
            return str(error).splitlines()[0]

    def _gather(self, batch: TrainBatch, number: int) -> StepResult:
        train = self.config.train
        if train.objective == "imitate":
            return self.learner.imitate(batch)
        index = self.step * train.accumulate + number
        streams = instance_streams(train.seed, index, self.world.rank, len(batch.coords))
        comparison = build_comparison(self.config, self.baseline.expected(batch))
        result = self.learner.reinforce(batch, streams, comparison)
        self.baseline.observe(result.cost)
        return result

    def _update(self, agreed: Shared) -> Tensor:
        """Moves all weights; where the loss or its gradient is not finite, none moves.

        Returns:
            The norm of the gradient before it is clipped, on its device.
        """
        train = self.config.train
        self.rate = learning_rate(train, self.step, self.seconds)
        with machine.threads_for(0):
            norm = torch.nn.utils.clip_grad_norm_(self.policy.parameters(), train.clip_norm)
            if math.isfinite(agreed.loss):
                self.optimizer.step(self.rate, norm)
                if self.average is not None:
                    self.average.update_parameters(self.policy)
        return norm

    def _settle(self) -> None:
        """Asks the device for the norms of the last steps, and counts those that moved nothing.

        Raises:
            VrpError: These are `MOST_SKIPPED` in a row.
        """
        unsettled, self.unsettled = self.unsettled, []
        norms = torch.stack([norm for *_, norm in unsettled]).tolist() if unsettled else []
        for (step, result, _), norm in zip(unsettled, norms, strict=True):
            if math.isfinite(result.loss + norm):
                self.skipped_in_a_row = 0
                self.window.append(result._replace(norm=norm))
            else:
                self._skip(step, f"the loss is {result.loss}, the norm of its gradient {norm}")

    def _skip(self, step: int, reason: str) -> None:
        self.skipped += 1
        self.skipped_in_a_row += 1
        self._remark(f"step {step} skipped: {reason}")
        if self.skipped_in_a_row == MOST_SKIPPED:
            raise diverged(f"step {step}: {reason}, after {MOST_SKIPPED - 1} skipped steps")

    def _remark(self, text: str) -> None:
        """Adds to what the next line of metrics says in words."""
        self._note += f"{'; ' * bool(self._note)}{text}"

    def _log(self, rate: float) -> RunProgress:
        """Writes the means of the steps since the last line that were not skipped."""
        self._settle()
        window, self.window = self.window, []
        mean = joined(window) if window else None
        line: dict[str, Any] = {
            "step": self.step,
            "instances": self.instances,
            "seconds": round(self.seconds, 3),
            "instances_per_second": round(rate, 2),
            "learning_rate": self.rate,
            "peak_memory_mb": machine.peak_memory_mb(self.device),
            "skipped_steps": self.skipped,
        }
        if mean is not None:
            line |= {"cost": mean.cost, "loss": mean.loss, "gradient_norm": mean.norm}
        if self.device.type == "cuda":
            line["bytes_to_host"] = sum(result.bytes_to_host for result in window)
            line["bytes_to_device"] = sum(result.bytes_to_device for result in window)
            line |= machine.utilisation(self.device)
        if self._note:
            line["note"] = self._note
        self.folder.add(line)
        share = run_progress(self.config.train, self.step, self.seconds)
        note, self._note = self._note, ""
        cost = math.nan if mean is None else mean.cost
        return RunProgress(self.step, share, cost, self.last_gap, rate, note)

    def _validate(self) -> None:
        if self.validated_step == self.step:
            return
        self.validated_step = self.step
        self.kept, line = better(
            {
                kind: figures(each, self.validation, self.world)
                for kind, each in self.candidates().items()
            }
        )
        policy = self.shipped_policy()
        self.baseline.challenge(self.policy, self.challenges)
        self.last_gap = line.get("validation_gap", math.nan)
        self.folder.add({"step": self.step, "seconds": round(self.seconds, 3), **line})
        if not self.config.policy.variants:
            name, batch = next(iter(self.validation.items()))
            self.folder.add_picture(
                f"routes/{name}", lambda: routes_picture(policy, batch), self.step
            )
        figure = validation_figure(line)
        self.waited += 1
        if figure < self.best:
            self.best, self.waited = figure, 0
            self.save("best.pt")

    def _sample(self) -> TrainBatch:
        """Two instances on which policies are tried."""
        return next(iter(self.validation.values())).take(slice(0, 2))

    def save(self, file: str) -> None:
        """Writes a checkpoint of this moment into the run folder.

        Raises:
            VrpError: The weights give numbers that are not finite; the file stays as it was.
        """
        self._settle()
        sample = self._sample()
        sound = all(gives_numbers(policy, sample) for policy in self.candidates().values())
        if self.world.total([float(not sound)])[0]:  # in all processes alike
            raise diverged(f"step {self.step}: the policy's numbers are not finite")
        if not self.world.writes:
            return
        training: dict[str, Any] = {
            "model": self.policy.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "baseline": self.baseline.state(),
            **{name: getattr(self, name) for name in COUNTERS},
            "window": [tuple(result) for result in self.window],
            "note": self._note,
            "validation": fingerprint(self.validation),
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

    def candidates(self) -> dict[str, Policy]:
        """The policies of which the better one is kept: averaged, where there is one, and raw."""
        if self.average is None:
            return {"raw": self.policy}
        return {"averaged": cast(Policy, self.average.module), "raw": self.policy}

    def shipped_policy(self) -> Policy:
        """The policy that is kept: the better one at the last validation."""
        return self.candidates().get(self.kept, self.policy)
