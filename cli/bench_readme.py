"""`vrp bench readme`."""

from __future__ import annotations

import io
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vrpcore.cli.bench_decode import RL4CO, decoding_table
from vrpcore.cli.bench_plot import check_plot, draw
from vrpcore.cli.bench_quality import measure_with_bar, points_table
from vrpcore.cli.bench_tables import (
    TABLE_WIDTH,
    Model,
    markdown_table,
    milliseconds,
    percent,
    tracked,
)
from vrpcore.cli.console import edge, raise_on_sigterm, stderr_console
from vrpcore.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from vrpcore.api import Solver
    from vrpcore.bench.decoding import Decoding
    from vrpcore.bench.quality_record import SetRecord
    from vrpcore.bench.readme import ReadmeScope
    from vrpcore.bench.throughput import Throughput

HELP = """Measure every table and plot of the README on this machine.

The field's test sets come with the package. HGS, PyVRP, VROOM and OR-Tools are included where
installed (pip install 'vrp\\[bench]'), RL4CO if this interpreter or the one given has it. For
the curves, an interrupted run continues where it stopped.

[bold]Examples[/]

  vrp bench readme --quick                        a few minutes
  vrp bench readme -o figures                     half an hour
  vrp bench readme --cvrplib ~/cvrplib --rl4co ~/rl4co/bin/python
"""

_SEED = 2718
_DECODE_BATCH = 32


@edge()
def readme(
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for the tables, the plot and all runs.")
    ] = Path("bench-readme"),
    cvrplib: Annotated[
        Path | None,
        typer.Option(help="Folder with index.csv (name, bks) and the folders A, B, P, X."),
    ] = None,
    rl4co: RL4CO = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few instances, up to 0.1 s.")] = False,
    model: Model = None,
) -> None:
    """Measures, writes and prints."""
    raise_on_sigterm()
    picture = output / "gap-against-time.svg"
    check_plot(picture, "vrp bench readme")
    from vrpcore.api import Solver
    from vrpcore.bench import readme as bench
    from vrpcore.bench.decoding import rl4co_python
    from vrpcore.bench.throughput import measure_throughput
    from vrpcore.formats.files import write_text

    scope = bench.QUICK if quick else bench.FULL
    python = rl4co_python(rl4co)
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{output}: cannot be created: {error.strerror}") from None
    solver = Solver(model, "cpu")
    field = {
        found: bench.readme_modes(found.instances[0].num_customers)
        for found in bench.field_sets(scope.count)
    }
    lib = dict.fromkeys(bench.cvrplib_sets(cvrplib) if cvrplib else (), bench.solve_mode())
    measured = (
        measure_throughput(solver, problems, modes, scope.rounds, None)
        for problems, modes in (field | lib).items()
    )
    rows = list(chain.from_iterable(tracked(measured, "solves", len(field | lib))))
    curves = _curves(solver, scope, output / "quality.json")
    draw([curves], picture)
    decoded = [] if python is None else _decoded(python)
    text = _text(solver, rows, curves, decoded)
    write_text(output / "figures.md", text)
    typer.echo(text)
    stderr_console().print(f"{output}: figures.md, {picture.name}, quality.json", markup=False)


def _curves(solver: Solver, scope: ReadmeScope, file: Path) -> SetRecord:
    from vrpcore.bench.problem_set import generated_set
    from vrpcore.bench.quality import all_contenders, contenders_for
    from vrpcore.bench.quality_record import read_record
    from vrpcore.bench.readme import CURVE_SET

    contenders, notes = all_contenders(solver, scope.budgets, _SEED)
    for note in notes:
        stderr_console().print(note, markup=False)
    problems = generated_set(CURVE_SET, scope.curve_count, _SEED)
    entries = {problems: contenders_for(problems, contenders, 0.0, _SEED)}
    record = read_record(file)
    record.join(entries)
    measure_with_bar(record, entries, file)
    return record.sets[problems.name]


def _decoded(python: Path) -> list[Decoding]:
    from vrpcore.bench import decoding

    cases = [
        decoding.Case(size, _DECODE_BATCH, copies) for size in decoding.SIZES for copies in (1, 8)
    ]
    measured = (decoding.measure_decoding(python, case, 1, "cpu") for case in cases)
    return list(tracked(measured, "beside RL4CO", len(cases)))


def _text(
    solver: Solver, rows: Sequence[Throughput], curves: SetRecord, decoded: Sequence[Decoding]
) -> str:
    """Markdown: what the README shows."""
    from vrpcore.bench.readme import CURVE_SET
    from vrpcore.bench.timing import machine

    here, info = machine(), solver.model
    field = [row for row in rows if row.name.startswith("kool")]
    other = [row for row in rows if row not in field]
    parts: list[RenderableType] = [
        f"{here['processor']}, {here['cores']} cores; model {info.name} {info.sha256[:12]}. "
        "Mean gap and CPU time per instance; all instances of a set in one call.",
        _field_table(field),
    ]
    if other:
        parts += ["\nCVRPLIB, default settings; gap to the best known cost.", _set_table(other)]
    parts += [
        f"\nGap against CPU time of one thread, one instance per call, {len(curves.names)} "
        f"instances of {CURVE_SET}.",
        points_table(curves.points()),
    ]
    if decoded:
        parts += [
            "\nThe policy alone and RL4CO, one thread, CPU ms per instance.",
            decoding_table(decoded),
        ]
    return _rendered(parts)


def _field_table(rows: Sequence[Throughput]) -> Table:
    """One line per mode, one column per set, as in the README."""
    sets = list(dict.fromkeys(row.name for row in rows))
    modes = list(dict.fromkeys(row.mode for row in rows))
    cell = {
        (row.mode, row.name): f"{percent(row.gap)} · {milliseconds(row.cpu_ms / 1e3)} ms"
        for row in rows
    }
    names = ("", *(f"N={name.removeprefix('kool')}" for name in sets))
    return markdown_table(names, [(mode, *(cell[mode, name] for name in sets)) for mode in modes])


def _set_table(rows: Sequence[Throughput]) -> Table:
    cells = [
        (row.name, str(row.instances), percent(row.gap), milliseconds(row.cpu_ms / 1e3))
        for row in rows
    ]
    return markdown_table(("set", "instances", "gap", "CPU ms"), cells)


def _rendered(parts: Iterable[RenderableType]) -> str:
    from rich.console import Console

    text = io.StringIO()
    console = Console(file=text, width=TABLE_WIDTH, highlight=False, markup=False)
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, str))
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())
