"""`vrp bench readme`."""

from __future__ import annotations

import io
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vrpcore.cli.bench_tables import (
    TABLE_WIDTH,
    Model,
    markdown_table,
    milliseconds,
    percent,
    tracked,
)
from vrpcore.cli.console import edge, raise_on_sigterm

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from vrpcore.bench.throughput import Throughput
    from vrpcore.solve.solver import Solver

HELP = """Measure the README's gaps and times on this machine.

The usual test sets come with the package; CVRPLIB's are measured where a folder has them.

[bold]Examples[/]

  vrp bench readme --quick                        a minute
  vrp bench readme -o figures.md                  some minutes
  vrp bench readme --cvrplib ~/cvrplib
"""


@edge()
def readme(
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Also write the tables as Markdown.")
    ] = None,
    cvrplib: Annotated[
        Path | None,
        typer.Option(help="Folder with index.csv (name, bks) and the folders A, B, P, X."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="16 instances of each set.")] = False,
    model: Model = None,
) -> None:
    """Measures, writes and prints."""
    raise_on_sigterm()
    from vrpcore.bench import readme as bench
    from vrpcore.bench.throughput import measure_throughput
    from vrpcore.formats.files import write_text
    from vrpcore.solve.solver import Solver

    count, rounds = bench.QUICK if quick else bench.FULL
    solver = Solver(model, "cpu")
    field = {
        found: bench.readme_modes(found.instances[0].num_customers)
        for found in bench.field_sets(count)
    }
    lib = dict.fromkeys(bench.cvrplib_sets(cvrplib) if cvrplib else (), bench.solve_mode())
    measured = (
        measure_throughput(solver, problems, modes, rounds, None)
        for problems, modes in (field | lib).items()
    )
    rows = list(chain.from_iterable(tracked(measured, "solves", len(field | lib))))
    text = _text(solver, rows)
    typer.echo(text)
    if output is not None:
        write_text(output, text)


def _text(solver: Solver, rows: Sequence[Throughput]) -> str:
    """Markdown: what the README shows."""
    from vrpcore.bench.evaluation import model_text
    from vrpcore.bench.timing import machine_text

    field = [row for row in rows if row.name.startswith("kool")]
    other = [row for row in rows if row not in field]
    parts: list[RenderableType] = [
        f"{machine_text()}; model {model_text(solver.model)}. "
        "Mean gap and CPU time per instance; all instances of a set in one call.",
        _field_table(field),
    ]
    if other:
        parts += ["\nCVRPLIB, default settings; gap to the best known cost.", _set_table(other)]
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
