"""`vrp bench solve`."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from vrpcore.cli.bench_tables import (
    Bks,
    Json,
    Model,
    Seed,
    Sets,
    chosen_sets,
    markdown_table,
    milliseconds,
    percent,
    stdout_console,
    tracked,
)
from vrpcore.cli.console import Messages, edge, raise_on_sigterm
from vrpcore.cli.flags import Device

if TYPE_CHECKING:
    from vrpcore.bench.throughput import Throughput

HELP = """Instances per second: all instances of a set in one call, as users solve them.

Measures the policy without a search (multi-start, and with 8 symmetries) and the default solve.
Modes are measured in turn; figures are medians.

[bold]Examples[/]

  vrp bench solve                          a few minutes
  vrp bench solve --quick                  a few seconds
  vrp bench solve uniform100 --count 1000 --threads 1 -o solve.json
  vrp bench solve kool20 kool100          the literature's test sets, with gaps
"""


@edge()
def solve(
    sets: Sets = None,
    bks: Bks = None,
    count: Annotated[
        int | None, typer.Option(min=1, help="Instances of each set; default by size.")
    ] = None,
    repeats: Annotated[int | None, typer.Option(min=1, help="Rounds; default 3.")] = None,
    output: Json = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few small instances, one round.")] = False,
    model: Model = None,
    seed: Seed = 2718,
    device: Device = "auto",
    threads: Annotated[
        int | None, typer.Option(min=1, max=1024, help="CPU threads; default: one per core.")
    ] = None,
) -> None:
    """Measures and prints a table."""
    raise_on_sigterm()
    from vrpcore.bench import throughput
    from vrpcore.bench.timing import machine
    from vrpcore.cli.solve_output import require_folder
    from vrpcore.formats.files import write_text
    from vrpcore.solve.solver import Solver

    if output is not None:
        require_folder(output)

    def usual(name: str) -> int:
        size = int(name.lstrip("abcdefghijklmnopqrstuvwxyz") or 100)
        return count or throughput.usual_count(size, quick=quick)

    sizes = throughput.QUICK_SIZES if quick else throughput.SIZES
    words = sets or [f"uniform{size}" for size in sizes]
    problems = chosen_sets(words, bks or (), usual, seed)
    rounds = repeats or (throughput.QUICK_REPEATS if quick else throughput.REPEATS)
    solver = Solver(model, device)
    modes, notes = throughput.modes_here()
    measured = (
        throughput.measure_throughput(solver, found, modes, rounds, threads) for found in problems
    )
    rows = list(chain.from_iterable(tracked(measured, "solve", len(problems))))
    for note in notes:
        Messages().print(note)
    _print(rows, f"{machine()['processor']}; {threads or 'all'} threads; {solver.model.name}")
    if output is not None:
        settings = {"threads": threads, "model": solver.model.name, "sha256": solver.model.sha256}
        write_text(output, throughput.throughput_to_json(rows, machine() | settings))


def _print(rows: list[Throughput], setting: str) -> None:
    console = stdout_console()
    console.print(f"{setting}. Medians; one call for all instances of a set.", soft_wrap=True)
    names = ("set", "mode", "instances", "instances/s", "CPU ms each", "mean cost", "gap")
    cells = [
        (
            row.name,
            row.mode,
            str(row.instances),
            f"{row.instances_per_second:,.1f}",
            milliseconds(row.cpu_ms / 1e3),
            f"{row.cost:.6g}",
            percent(row.gap),
        )
        for row in rows
    ]
    console.print(markdown_table(names, cells, words=2))
