"""`python -m benchmarks lessons`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from vrpcore.cli.bench_tables import Json, markdown_table, stdout_console, tracked
from vrpcore.cli.console import edge
from vrpcore.cli.flags import Device, Threads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console
    from rich.table import Table

    from benchmarks.lesson import Measured, Row

HELP = """Measure the design decisions on this machine.

Where to compute costs, what to transfer, when to create tensors, and what padding, compiling,
TF32 and the fused optimizer gain. Variants are measured in turn; figures are medians.

[bold]Examples[/]

  python -m benchmarks lessons                        half a minute on one core
  python -m benchmarks lessons --quick --device cpu   a few seconds
  python -m benchmarks lessons --compile -o lessons.json
"""


@edge()
def lessons(
    output: Json = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer sizes, batches and repeats.")
    ] = False,
    compile_: Annotated[
        bool,
        typer.Option("--compile", help="Also measure torch.compile (half a minute on a CPU)."),
    ] = False,
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Measures and prints tables."""
    from benchmarks import lessons as bench
    from vrpcore.cli.solve_output import require_folder
    from vrpcore.formats.files import write_text
    from vrpcore.learn import device as machine

    if output is not None:
        require_folder(output)
    machine.set_threads(threads)
    chosen = machine.choose_device(device)
    scope = bench.lesson_scope(chosen, quick=quick, compile_=compile_)
    measured = list(tracked(bench.measured_lessons(scope), "lessons", len(bench.LESSONS)))
    console = stdout_console()
    console.print(f"Device: {scope.device_name}. Medians, microseconds.")
    for lesson in measured:
        _print(console, lesson)
    if output is not None:
        write_text(output, bench.lessons_to_json(measured, scope))


def _print(console: Console, lesson: Measured) -> None:
    console.print(f"\n## {lesson.name}: {lesson.title}\n", style="bold", soft_wrap=True)
    for name, meaning in lesson.variants.items():
        console.print(f"- {name}: {meaning}", soft_wrap=True)
    if lesson.skipped:
        console.print(f"\nskipped: {lesson.skipped}", soft_wrap=True)
        return
    console.print(_table(lesson.rows))
    for finding in lesson.findings:
        console.print(f"- {finding}", soft_wrap=True)


def _table(rows: Sequence[Row]) -> Table:
    from benchmarks.lesson import counts

    first = rows[0]
    moved = [f"{name} KiB" for name in first.get("bytes", ())]
    names = (*counts(first), *first["seconds"], *moved, "fastest")
    return markdown_table(names, [_cells(row, counts(row)) for row in rows], words=0)


def _cells(row: Row, setting: dict[str, int]) -> Iterator[str]:
    yield from map(str, setting.values())
    for name, seconds in row["seconds"].items():
        text = f"{seconds * 1e6:,.1f}" if seconds < 1e-3 else f"{seconds * 1e6:,.0f}"
        yield f"{text} *" if name == row["fastest"] else f"{text}  "
    yield from (f"{value / 1024:,.1f}" for value in row.get("bytes", {}).values())
    yield row["fastest"]
