"""`vrp export`."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vrpcore.cli.console import (
    Messages,
    edge,
    keep_inputs,
    printable,
    raise_on_sigterm,
    refuse,
)
from vrpcore.cli.flags import Own, Quiet
from vrpcore.errors import OutputError
from vrpcore.formats.files import names_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vrpcore.export.manifest import ModelSource, Stage
    from vrpcore.export.parity import Constructor

HELP = """Turn a policy into one self-contained file that solves whole instances.

Each file is compared with the policy before it is saved: at least 99 % of the tours must be
identical, and greedy ones may differ only where two logits tie within float32 rounding. `vrp
solve` opens ONNX and TorchScript, but no .pt2: opening one may run code that is in it. stderr shows
how long each stage takes.

[bold]Examples[/]

  vrp export --onnx                            the shipped model, to ./base.onnx
  vrp export runs/my-run/best.pt --onnx -o policy.onnx
  vrp export --onnx --pt2 -o models/           both, into a folder
  vrp export variants --pt2                    for PyTorch: torch.export.load, ./variants.pt2
"""
_ENDINGS = (".onnx", ".pt2", ".ts")


@edge()
def export(
    checkpoint: Annotated[
        str | None,
        typer.Argument(help="A checkpoint or a shipped name; default: the shipped model."),
    ] = None,
    onnx: Annotated[bool, typer.Option("--onnx", help="ONNX, opset 20.")] = False,
    pt2: Annotated[bool, typer.Option("--pt2", help="A program of torch.export.")] = False,
    torchscript: Annotated[
        bool, typer.Option("--torchscript", help="TorchScript, which PyTorch deprecates.")
    ] = False,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="A file; a folder for several formats.")
    ] = None,
    own: Own = None,
    quiet: Quiet = False,
) -> None:
    """Exports a checkpoint."""
    raise_on_sigterm()
    messages = Messages(quiet=quiet)
    chosen = {"onnx": onnx, "pt2": pt2, "ts": torchscript}
    forms = [form for form, wanted in chosen.items() if wanted]
    if not forms:
        refuse("choose an export format: --onnx, --pt2, --torchscript")
    from vrpcore.cli.solve_output import require_folder
    from vrpcore.export.manifest import read_source
    from vrpcore.solve.models import checkpoint_path

    origin = checkpoint_path(checkpoint)
    source = read_source(origin, own or ())
    targets = _targets(forms, output, _file_stem(source.metadata["name"]))
    for path in targets.values():
        keep_inputs(path, [origin])
        require_folder(path)
    for form, path in targets.items():
        parity = _export_one(form, source, path, _told(messages, path))
        size = f"{path.stat().st_size / 2**20:.1f} MiB"
        messages.print(f"{path}: {size}, {parity}")


def _targets(forms: list[str], output: str | None, name: str) -> dict[str, Path]:
    if len(forms) == 1 and not (output and names_folder(output)):
        ending = Path(output or "").suffix
        if ending in _ENDINGS and not f".{forms[0]}".endswith(ending):
            refuse(f"-o {output}: this format's files end in .{forms[0]}")
        return {forms[0]: Path(output or f"{name}.{forms[0]}")}
    folder = Path(output or "")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: no folder can be made there: {error}") from None
    return {form: folder / f"{name}.{form}" for form in forms}


def _file_stem(name: str) -> str:
    """A model's name as a file name: nothing that could leave the folder."""
    kept = "".join(char if char.isalnum() or char in "-_" else "-" for char in name)
    return kept[:80] or "policy"


def _told(messages: Messages, path: Path) -> Stage:
    """Shows on a terminal which stage is running, and writes how long each took."""

    @contextlib.contextmanager
    def stage(name: str) -> Iterator[None]:
        words, started = f"{path}: {name}", time.monotonic()
        with messages.console.status(printable(words)):
            yield
        messages.print(f"{words}, {time.monotonic() - started:.1f} s")

    return stage


def _export_one(form: str, source: ModelSource, path: Path, stage: Stage) -> str:
    from vrpcore.export.parity import open_to_solve, write_proved

    write: Callable[[ModelSource, Path, Stage], None]
    open_file: Callable[[Path], Constructor] = open_to_solve
    if form == "onnx":
        from vrpcore.export.onnx import export_onnx as write
    elif form == "pt2":
        from vrpcore.export.program import export_program as write
        from vrpcore.export.program import open_program as open_file
    else:
        from vrpcore.export.torchscript import export_torchscript as write
    parity = write_proved(write, source, path, open_file, stage)
    return (
        f"{parity.identical:.2%} of {parity.tours} tours identical, largest logit margin at a "
        f"difference {parity.largest_margin:.1e}"
    )
