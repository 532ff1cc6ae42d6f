"""`vrp bench lessons`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vrpcore.cli.bars import progress_bar
from vrpcore.cli.bench_tables import stdout_console
from vrpcore.cli.console import edge, stderr_console

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from vrpcore.bench.lesson import Lesson, Row

HELP = """Measure the design decisions on this machine.

Where to compute costs, what to transfer, when to create tensors, and what padding, compiling,
TF32 and the fused optimizer gain. Variants are measured in turn; figures are medians.

[bold]Examples[/]

  vrp bench lessons                        half a minute on one core
  vrp bench lessons --quick --device cpu   a few seconds
  vrp bench lessons --compile -o lessons.json
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("lessons", help=HELP)(lessons)


def lessons(
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Also write the figures as JSON.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer sizes, batches and repeats.")
    ] = False,
    compile_: Annotated[
        bool,
        typer.Option("--compile", help="Also measure torch.compile (half a minute on a CPU)."),
    ] = False,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")] = "auto",
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads; default: all.")] = None,
) -> None:
    """Measures and prints tables."""
    with edge():
        from vrpcore import device as machine
        from vrpcore.bench.lessons import (
            LESSONS,
            lesson_scope,
            lessons_to_json,
            measured_lessons,
        )
        from vrpcore.formats.files import write_text

        machine.set_threads(threads)
        chosen = machine.choose_device(device)
        scope = lesson_scope(chosen, quick=quick, compile_=compile_)
        measured = []
        with progress_bar(stderr_console()) as bar:
            task = bar.add_task("lessons", total=len(LESSONS))
            for lesson in measured_lessons(scope):
                measured.append(lesson)
                bar.update(task, advance=1)
        console = stdout_console()
        console.print(f"Device: {scope.device_name}. Medians, microseconds.")
        for lesson in measured:
            _print(console, lesson)
        if output is not None:
            write_text(output, lessons_to_json(measured, scope))


def _print(console: Console, lesson: Lesson) -> None:
    console.print(f"\n## {lesson.name}: {lesson.title}\n", style="bold", soft_wrap=True)
    for name, meaning in lesson.variants.items():
        console.print(f"- {name}: {meaning}", soft_wrap=True)
    console.print(_table(lesson))
    for finding in lesson.findings:
        console.print(f"- {finding}", soft_wrap=True)


def _table(lesson: Lesson) -> Table:
    from rich.box import MARKDOWN
    from rich.table import Table

    table = Table(box=MARKDOWN)
    if not lesson.rows:
        for name in lesson.variants:
            table.add_column(name)
        table.add_row(*(lesson.skipped for _ in lesson.variants))
        return table
    first = lesson.rows[0]
    for name in (*first.setting, *first.seconds):
        table.add_column(name.replace("num_customers", "N").replace("_", " "), justify="right")
    for name in first.num_bytes:
        table.add_column(f"{name} KiB", justify="right")
    table.add_column("fastest")
    for row in lesson.rows:
        table.add_row(*_cells(row))
    return table


def _cells(row: Row) -> list[str]:
    cells = [str(value) for value in row.setting.values()]
    for name, seconds in row.seconds.items():
        text = f"{seconds * 1e6:,.1f}" if seconds < 1e-3 else f"{seconds * 1e6:,.0f}"
        cells.append(f"{text} *" if name == row.fastest else f"{text}  ")
    cells += [f"{value / 1024:,.1f}" for value in row.num_bytes.values()]
    return [*cells, row.fastest]
