"""`python -m benchmarks quality`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.charts import check_plot, draw
from vrpcore.cli.bench_tables import (
    Bks,
    Model,
    Seed,
    Sets,
    chosen_sets,
    markdown_table,
    milliseconds,
    percent,
    stdout_console,
    still_bar,
)
from vrpcore.cli.console import Messages, edge, raise_on_sigterm
from vrpcore.cli.flags import ROUND_HELP
from vrpcore.formats.options import Rounding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from benchmarks.contender import Contender
    from benchmarks.curves import Point, Reach, RivalComparison
    from benchmarks.quality_record import Entries, QualityRecord, SetRecord
    from vrpcore.bench.problem_set import ProblemSet

HELP = """Mean gap against CPU seconds per instance: this project and classical solvers.

One thread, one instance per call (except for the curve `vrp batched`). Every answer is
checked and its cost recomputed. HGS, PyVRP, VROOM and OR-Tools are included where installed
(pip install -e '.\\[bench]'). With -o, an interrupted run continues where it stopped.

A folder of .vrp or .txt files may hold instances with constraints; a bks.csv in it gives their
best known values, which hold under one --round. Who cannot express an instance is left out of
the set, and the table says so.

[bold]Examples[/]

  python -m benchmarks quality --quick --plot curves.png
  python -m benchmarks quality -o quality.json --plot curves.svg     hours; run again to continue
  python -m benchmarks quality kool100 --count 128 -o kool.json
  python -m benchmarks quality --bks index.csv --data X/*.vrp -o x.json
  python -m benchmarks quality uniform100 --method vrp --method HGS --budgets 0.05,0.1
  python -m benchmarks quality --data solomon --round dimacs --count 24 --budgets 0.1,0.5,2
  python -m benchmarks quality --data li_lim --fewest-vehicles --method vrp --method PyVRP
"""

_SAVE_EVERY_S = 10.0


@edge()
def quality(
    sets: Sets = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(help="A .npz, JSON or text file, or a folder of .vrp or .txt; repeatable."),
    ] = None,
    bks: Bks = None,
    count: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Instances of each set, default 32: the first, or spread evenly over the files "
            "of a folder with a bks.csv.",
        ),
    ] = None,
    rounding: Annotated[Rounding, typer.Option("--round", help=ROUND_HELP)] = "auto",
    fewest_vehicles: Annotated[
        bool,
        typer.Option(
            "--fewest-vehicles",
            help="Fewer vehicles come before cost; takes sets with constraints.",
        ),
    ] = False,
    budgets: Annotated[
        str | None, typer.Option(help="Seconds per instance; default 0.01,0.02,... to 2.")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="Measure only methods whose name starts with this.")
    ] = None,
    again: Annotated[
        list[str] | None, typer.Option(help="Measure methods whose name starts with this again.")
    ] = None,
    reference_seconds: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Seconds of a longer run that provides missing reference costs; default 5.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="JSON; earlier results in it are kept.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the curves: .png, .svg or .pdf (extra plot).")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="4 instances, 2 sizes, up to 0.1 s.")
    ] = False,
    model: Model = None,
    seed: Seed = 2718,
    device: Annotated[
        str, typer.Option(help="Device of the policy; other solvers use the CPU.")
    ] = "cpu",
) -> None:
    """Measures, prints tables and draws curves."""
    raise_on_sigterm()
    if plot is not None:
        check_plot(plot, "python -m benchmarks quality --plot")
    from benchmarks import quality as bench
    from benchmarks.quality_record import QualityRecord, read_record
    from vrpcore.bench.problem_set import SetReading
    from vrpcore.solve.solver import Solver

    record = QualityRecord() if output is None else read_record(output)
    words = [*(sets or ()), *map(str, data or ())]
    number = count or (bench.QUICK_COUNT if quick else bench.COUNT)
    words = words or list(bench.QUICK_SETS if quick else bench.SETS)
    if fewest_vehicles:
        _check_fewest(words, bks or ())
    reading = SetReading(rounding, fewest_vehicles)
    problems = chosen_sets(words, bks or (), lambda _name: number, seed, reading)
    usual = bench.QUICK_BUDGETS if quick else bench.BUDGETS
    every, notes = bench.all_contenders(
        Solver(model, device), _seconds(budgets) if budgets else usual, seed, fewest_vehicles
    )
    _tell(notes)
    contenders = _chosen(every, method or ())
    longer = bench.QUICK_REFERENCE_S if quick else bench.REFERENCE_S
    longer = longer if reference_seconds is None else reference_seconds
    entries = {found: bench.contenders_for(found, contenders, longer, seed) for found in problems}
    record.join(entries, again or ())
    for found in problems:
        left_out = bench.left_out(found, contenders)
        _tell(left_out)
        record.sets[found.name].notes = [*_conventions(found, rounding), *left_out]
    measure_with_bar(record, entries, output)
    measured = [record.sets[found.name] for found in problems]
    _print(measured, f"{record.environment['processor']}")
    if plot is not None:
        draw(measured, plot)


def _check_fewest(words: Sequence[str], bks: Sequence[Path]) -> None:
    """Refuses what does not go with `--fewest-vehicles`."""
    from vrpcore.bench.problem_set import is_generated

    drawn = [word for word in words if is_generated(word)]
    if drawn or bks:
        reason = f"{drawn[0]} is plain" if drawn else "--bks gives only costs"
        raise typer.BadParameter(
            f"{reason}; takes files with constraints, and best known values from a bks.csv "
            "next to them",
            param_hint="--fewest-vehicles",
        )


def _tell(notes: Sequence[str]) -> None:
    for note in notes:
        Messages().print(note)


def _conventions(problems: ProblemSet, rounding: str) -> list[str]:
    """Notes the convention that was chosen, and the one that the best known values hold under."""
    return [
        f"Read with --round {rounding}; its best known values: {convention}"
        for convention in problems.conventions
    ]


def _chosen(contenders: Sequence[Contender], beginnings: Sequence[str]) -> list[Contender]:
    """Keep the contenders whose method begins as requested; all without a request."""
    found = [c for c in contenders if not beginnings or c.method.startswith(tuple(beginnings))]
    if not found:
        known = ", ".join(dict.fromkeys(contender.method for contender in contenders))
        raise typer.BadParameter(
            f"no method's name starts with this; available: {known}", param_hint="--method"
        )
    return found


def measure_with_bar(record: QualityRecord, entries: Entries, output: Path | None) -> None:
    """Measures what is missing; saves the file every ten seconds and at the end.

    Args:
        record: One that has joined the entries.
        entries: What is solved, and by whom.
        output: Where the record is saved; None: nowhere.
    """
    from benchmarks.quality import measure, num_pending
    from vrpcore.formats.files import write_text

    saved = time.monotonic()
    try:
        with still_bar() as bar:
            task = bar.add_task("quality", total=num_pending(record, entries))
            for what in measure(record, entries):
                bar.update(task, advance=1, description=what, refresh=True)
                if output is not None and time.monotonic() - saved > _SAVE_EVERY_S:
                    write_text(output, record.to_json())
                    saved = time.monotonic()
    finally:
        if output is not None:
            write_text(output, record.to_json())


def _seconds(text: str) -> list[float]:
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or not all(0 < seconds <= 86_400 for seconds in found):
        raise typer.BadParameter(
            f"{text!r}: expected seconds such as 0.05,0.1", param_hint="--budgets"
        )
    return sorted(set(found))


def _print(sets: Sequence[SetRecord], processor: str) -> None:
    console = stdout_console()
    console.print(
        f"{processor}, one thread. Means. CPU ms is the solver's only;  "
        "total adds building its model and reading its routes in Python.",
        soft_wrap=True,
    )
    for kept in sets:
        console.print(f"\n## {kept.name}\n", style="bold", soft_wrap=True)
        console.print(f"Gap to {kept.references_from()}.", soft_wrap=True)
        console.print(points_table(kept.points()))
        for failure in [*kept.notes, *kept.failures()]:
            console.print(f"- {failure}", soft_wrap=True)
        reaches = kept.reaches()
        if reaches and reaches[0].solver_s:
            console.print("\nCPU ms of the fastest measured point that is at least as good:")
            console.print(_reach_table(reaches))
        if comparisons := kept.comparisons():
            console.print("\nDifference to the best rival at each time limit, paired by instance:")
            console.print(_comparison_table(comparisons))


def points_table(points: Sequence[Point]) -> Table:
    """One line per method and setting.

    Where fewer vehicles come before cost, `equal` counts the answers with as many as the best
    known, whose gaps these are, and `above` the vehicles of the others beyond it.
    """
    fewest = any(point.above is not None for point in points)
    names = ["method", "setting", "CPU ms", "total", "wall", "gap", "worst", "failed", "of"]
    names += ["equal", "above"] if fewest else []
    cells = [
        (
            point.method,
            point.setting,
            milliseconds(point.solver_s),
            milliseconds(point.cpu_s),
            milliseconds(point.wall_s),
            percent(point.gap),
            percent(point.worst),
            str(point.failed or ""),
            str(point.instances),
            *(map(str, (point.equal or 0, point.above or 0)) if fewest else ()),
        )
        for point in points
    ]
    return markdown_table(names, cells, words=2)


def _reach_table(reaches: Sequence[Reach]) -> Table:
    rivals = list(reaches[0].solver_s)
    cells = [
        (
            f"{reach.point.method}, {reach.point.setting}",
            percent(reach.point.gap),
            milliseconds(reach.point.solver_s),
            *(milliseconds(reach.solver_s[rival]) for rival in rivals),
        )
        for reach in reaches
    ]
    return markdown_table(("as good as", "gap", "its own", *rivals), cells)


def _comparison_table(comparisons: Sequence[RivalComparison]) -> Table:
    cells = [
        (
            found.setting,
            found.rival,
            f"{100 * found.difference:+.3f} %",
            f"{100 * found.error:.3f} %",
            str(found.instances),
        )
        for found in comparisons
    ]
    names = ("time limit", "best rival", "vrp timed - rival", "standard error", "instances")
    return markdown_table(names, cells, words=2)
