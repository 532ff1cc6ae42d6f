"""`vrp train`."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vrpcore.cli.console import Messages, edge, refuse, stop_flag
from vrpcore.cli.flags import Device, Quiet, Threads, given
from vrpcore.errors import OutputError

if TYPE_CHECKING:
    from vrpcore.config.sections import Config
    from vrpcore.learn.train.progress import Outcome
    from vrpcore.learn.train.trainer import Trainer

HELP = """Train a policy.

[bold]Examples[/]

  vrp train                                       the packaged config, about ten minutes
  vrp train --config tiny --set train.steps=500
  vrp train --config imitate --data labels.npz    from labelled routes
  vrp train --init shipped --set train.learning_rate=1e-4
  vrp train --resume runs/20260101-120000-train   continues as if never interrupted
  vrp train --resume runs/mine --set train.steps=9000    extends a run
  vrp train --config finetune --show              prints all settings, trains nothing

[bold]Several GPUs or machines[/] train as one process with the batches of all:

  torchrun --nproc-per-node=4 -m vrpcore.cli train --out runs/big
"""


LINE_EVERY_S = 10.0  # on a log, where there is no bar
_OF_A_NEW_RUN = {"config", "init", "data", "out", "name", "seed"}


@edge()
def train(
    context: typer.Context,
    config: Annotated[
        str, typer.Option(help="A packaged config (see vrp doctor) or a YAML file.")
    ] = "train",
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="a.b=value overrides the config; repeatable.")
    ] = None,
    init: Annotated[
        str | None,
        typer.Option(help="Start from these weights: a checkpoint, a shipped name or 'shipped'."),
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Continue the run in this folder.")] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(
            help="Your own instances (.npz, JSON, JSON Lines; of variants .npz); repeatable."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Run folder; default runs/<time>-<config>.")
    ] = None,
    name: Annotated[str, typer.Option(help="The policy's name, kept in checkpoints.")] = "policy",
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**31 - 1, help="Same as --set train.seed=N.")
    ] = None,
    device: Device = "auto",
    threads: Threads = None,
    show: Annotated[
        bool, typer.Option("--show", help="Print the resolved settings as YAML and stop.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Trains from a config, or continues a run."""
    messages = Messages(quiet=quiet)
    if resume is not None and (others := sorted(given(context) & _OF_A_NEW_RUN)):
        names = " and ".join(f"--{each}" for each in others)
        refuse(f"--resume goes on with a run as it is; drop {names}, which a new one has")
    from vrpcore.config.reader import changed_config, config_yaml, load_config
    from vrpcore.learn import device as machine
    from vrpcore.learn.train.distributed import World, num_restarts
    from vrpcore.learn.train.trainer import Trainer
    from vrpcore.learn.train.weights import resumed_config

    overrides = list(set_ or [])
    if seed is not None:
        overrides.append(f"train.seed={seed}")
    if resume is not None:
        words = (each.partition("=") for each in overrides)
        saved, name = resumed_config(resume, {key: word.strip() for key, _, word in words})
        resolved = changed_config(saved, overrides)
    else:
        resolved = _with_data(load_config(config, overrides), data)
    if show:
        typer.echo(config_yaml(resolved), nl=False)
        return
    resolved = _found_anywhere(resolved)
    machine.set_threads(threads)
    world = World()
    chosen = machine.choose_device(world.own_device(device))
    world.join(chosen)
    messages.quiet = messages.quiet or not world.writes
    if world.size > 1 and out is None and resume is None:
        refuse("several processes need the same run folder; give --out RUN")
    if out is not None and num_restarts() and (out / "last.pt").exists():
        saved, name = resumed_config(out, resolved.own)
        if saved == resolved:  # else a run that another call began
            resume = out
    if resume is not None:
        trainer = Trainer(resolved, resume, chosen, name, world)
        trainer.resume()
    else:
        folder = out or Path("runs") / f"{time.strftime('%Y%m%d-%H%M%S')}-{Path(config).stem}"
        if (folder / "last.pt").exists():
            raise OutputError(
                f"{folder}: already contains a run; use --resume {folder}, or another --out"
            )
        trainer = Trainer(resolved, folder, chosen, name, world)
        if init is not None:
            _initialise(trainer, init)
    outcome, stopped = _run(trainer, messages)
    _report(messages, outcome, trainer)
    world.leave()
    raise SystemExit(stopped)


def _run(trainer: Trainer, messages: Messages) -> tuple[Outcome, int]:
    from vrpcore.cli.bars import progress_bar
    from vrpcore.learn.train.progress import RunProgress

    with stop_flag() as stop, progress_bar(messages.console, counted=False) as bar:
        task = bar.add_task("training", total=1.0)
        spoken = [time.monotonic()]

        def report(progress: RunProgress) -> None:
            text = progress.words()
            bar.update(task, completed=progress.share, description=text)
            if not messages.is_terminal and time.monotonic() - spoken[0] > LINE_EVERY_S:
                spoken[0] = time.monotonic()
                messages.print(f"{progress.share:.0%}  {text}")
            if progress.note:
                messages.print(progress.note)

        outcome = trainer.run(report, lambda: bool(stop()))
        return outcome, stop()


def _report(messages: Messages, outcome: Outcome, trainer: Trainer) -> None:
    best = f", {outcome.words()}" if outcome.words() else ""
    state = "finished" if outcome.finished else "interrupted and saved"
    folder = str(outcome.folder)
    messages.print(
        f"{state} after {outcome.steps} steps, {trainer.instances:,} instances, "
        f"{trainer.seconds:.0f} s{best}; run folder {folder}"
    )
    if not outcome.finished:
        messages.print(f"continue with: vrp train --resume {folder}")


def _with_data(config: Config, data: list[str] | None) -> Config:
    if not data:
        return config
    file = data[0] if len(data) == 1 else list(data)
    return dataclasses.replace(config, data=dataclasses.replace(config.data, file=file))


def _found_anywhere(config: Config) -> Config:
    """Makes the paths of data absolute, so that a run can be resumed in another folder."""
    file = config.data.file
    if file is None:
        return config
    paths = [str(Path(each).absolute()) for each in ([file] if isinstance(file, str) else file)]
    return _with_data(config, paths)


def _initialise(trainer: Trainer, init: str) -> None:
    from vrpcore.learn.policy.checkpoint import load_checkpoint
    from vrpcore.solve.models import checkpoint_path

    path = checkpoint_path(None if init == "shipped" else init)
    trainer.initialise(load_checkpoint(path), str(path))
