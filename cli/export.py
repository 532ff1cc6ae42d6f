"""`vrp export`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vrpcore.cli.console import edge, printable, refuse, stderr_console
from vrpcore.cli.flags import Quiet
from vrpcore.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from vrpcore.export.manifest import Source
    from vrpcore.export.parity import Parity

HELP = """Turn a policy into one self-contained file that solves whole instances.

Each file is compared with the policy before it is saved: at least 99 % of the tours must be
identical, and they may differ only where two logits tie within float32 rounding.

[bold]Examples[/]

  vrp export --onnx                            the shipped model, to ./base.onnx
  vrp export runs/my-run/best.pt --onnx -o policy.onnx
  vrp export --onnx --torchscript -o models/   both, into a folder
  vrp export --triton -o repository/           for NVIDIA's Triton server, ONNX inside
"""


@edge()
def export(
    checkpoint: Annotated[
        str | None,
        typer.Argument(help="A checkpoint or a shipped name; default: the shipped model."),
    ] = None,
    onnx: Annotated[bool, typer.Option("--onnx", help="ONNX, opset 20.")] = False,
    torchscript: Annotated[bool, typer.Option("--torchscript", help="TorchScript.")] = False,
    triton: Annotated[
        bool, typer.Option("--triton", help="A model repository for Triton, in the folder -o.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A file; a folder for several formats.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Exports a checkpoint."""
    console = stderr_console(quiet=quiet)
    forms = [form for form, wanted in (("onnx", onnx), ("ts", torchscript)) if wanted]
    if not forms and not triton:
        refuse("choose an export format: --onnx, --torchscript, --triton")
    if triton and (output is None or output.is_file()):
        refuse("--triton needs a folder: -o DIR")
    from vrpcore.export.manifest import read_source
    from vrpcore.solve.models import checkpoint_path

    source = read_source(checkpoint_path(checkpoint))
    name = _file_stem(source.metadata["name"])
    if triton and output is not None:
        from vrpcore.export.triton import export_triton

        with console.status(printable(f"exporting {output}")):
            parity = _in_words(export_triton(source, output, name))
        console.print(printable(f"{output / name}: {parity}"))
    for form, path in _targets(forms, output, name).items() if forms else ():
        with console.status(printable(f"exporting {path}")):
            parity = _export_one(form, source, path)
        size = f"{path.stat().st_size / 2**20:.1f} MiB"
        console.print(printable(f"{path}: {size}, {parity}"))


def _targets(forms: list[str], output: Path | None, name: str) -> dict[str, Path]:
    if len(forms) == 1 and (output is None or not output.is_dir()):
        return {forms[0]: output or Path(f"{name}.{forms[0]}")}
    folder = output or Path()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: several formats need a folder: {error}") from None
    return {form: folder / f"{name}.{form}" for form in forms}


def _file_stem(name: str) -> str:
    """A model's name as a file name: nothing that could leave the folder."""
    kept = "".join(char if char.isalnum() or char in "-_" else "-" for char in name)
    return kept[:80] or "policy"


def _export_one(form: str, source: Source, path: Path) -> str:
    from vrpcore.export.parity import write_proved

    write: Callable[[Source, Path], None]
    if form == "onnx":
        from vrpcore.export.onnx import export_onnx as write
    else:
        from vrpcore.export.torchscript import export_torchscript as write
    return _in_words(write_proved(write, source, path))


def _in_words(parity: Parity) -> str:
    return (
        f"{parity.identical:.2%} of {parity.tours} tours identical, largest logit margin at a "
        f"difference {parity.largest_margin:.1e}"
    )
