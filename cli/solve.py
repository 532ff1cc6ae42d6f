"""`vrp solve`."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from vrpcore.cli.console import (
    EXIT_INFEASIBLE,
    EXIT_INVALID,
    Terminated,
    edge,
    exit_code,
    printable,
    progress_bar,
    raise_on_sigterm,
    stderr_console,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from vrpcore.api import Instance, InvalidInstance, Solution, Solver
    from vrpcore.solve.options import SolveOptions
    from vrpcore.solve.pipeline import Stage

HELP = """Solve every instance of the files with the model that ships in the package.

Files hold JSON, JSON Lines or CVRPLIB .vrp, gzipped or not, told by content; - is stdin.
Solutions go to stdout or to -o, words and progress to stderr.

[bold]Examples[/]

  vrp solve instances.json -o solutions.json
  vrp solve A-n32-k5.vrp B-n31-k5.vrp
  cat instances.jsonl | vrp solve - --format jsonl > solutions.jsonl
  vrp solve instances.json --augment 8 --improve none     the policy alone
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("solve", help=HELP)(solve)


def solve(
    files: Annotated[list[str], typer.Argument(help="Instance files, or - for stdin.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Where to; default stdout.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="A shipped name or a path (.pt, TorchScript, ONNX).")
    ] = None,
    decode: Annotated[
        Literal["greedy", "multistart", "sample"], typer.Option(help="How to construct.")
    ] = "multistart",
    starts: Annotated[
        int | None,
        typer.Option(min=1, max=10_000, help="First customers to start from; default by size."),
    ] = None,
    samples: Annotated[
        int, typer.Option(min=1, max=10_000, help="Constructions with --decode sample.")
    ] = 32,
    augment: Annotated[int, typer.Option(min=1, max=8, help="Symmetric copies.")] = 1,
    improve: Annotated[Literal["none", "fast"], typer.Option(help="Host search.")] = "fast",
    time_limit: Annotated[
        float | None,
        typer.Option(min=0.0, help="Seconds for the whole call; search ends with them."),
    ] = None,
    format_: Annotated[
        Literal["json", "jsonl"] | None,
        typer.Option("--format", help="Default by -o's ending, else json."),
    ] = None,
    batch: Annotated[str, typer.Option(help="Instances in a device batch: auto or N.")] = "auto",
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Threads that search; default one a core.")
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2**31 - 1, help="Source of all randomness.")
    ] = 1234,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")] = "auto",
    threads: Annotated[
        int | None,
        typer.Option(min=1, max=1024, help="Threads that construct; default one a core."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Errors only.")] = False,
) -> None:
    """Solves instances."""
    with edge():
        raise_on_sigterm()
        console = stderr_console(quiet=quiet)
        chosen_format = _format(format_, output)
        from vrpcore.api import Solver, usable_options
        from vrpcore.instance.jsonio import read_sources
        from vrpcore.solve.options import SolveOptions

        options = SolveOptions(
            decode=decode,
            starts=starts,
            samples=samples,
            augment=augment,
            improve=improve,
            time_limit_s=time_limit,
            seed=seed,
            batch=_batch(batch),
            workers=workers,
            threads=threads,
        )
        usable = usable_options(options)
        if usable.improve != options.improve:
            console.print(
                "improve: none, because the extra 'improve' is not installed "
                "(pip install 'vrp\\[improve]')"
            )
        started = time.perf_counter()
        read = read_sources(*files)
        for error in read.errors:
            console.print(f"[bold red]error:[/] {printable(str(error))}")
        if read.errors and not read.items:
            raise SystemExit(min(exit_code(error) for error in read.errors))
        solver = Solver(model, device)
        if time_limit is not None:
            spent = time.perf_counter() - started
            usable = dataclasses.replace(usable, time_limit_s=max(0.0, time_limit - spent))
        finished: dict[int, Solution] = {}
        try:
            _solve(solver, read.items, usable, (console, finished))
        except (KeyboardInterrupt, Terminated):
            part = output and output.with_name(f"{output.name}.part")
            run = (usable.improve, time.perf_counter() - started)
            _write(solver, finished, run, (part, chosen_format))
            console.print(
                f"{len(finished)} of {len(read.items)} were finished and are kept"
                + (f" in {part}" if part else "")
            )
            raise
        seconds = time.perf_counter() - started
        solutions = _write(solver, finished, (usable.improve, seconds), (output, chosen_format))
        _report(console, solver, solutions, seconds)
        codes = {exit_code(error) for error in read.errors} | {_exit_code(solutions)} - {0}
    raise SystemExit(min(codes, default=0))


def _solve(
    solver: Solver,
    instances: Sequence[Instance | InvalidInstance],
    options: SolveOptions,
    watchers: tuple[Console, dict[int, Solution]],
) -> None:
    """Solves, and puts each answer into the watching dictionary as soon as it is there."""
    console, finished = watchers
    with progress_bar(console) as bar:
        last = "checking" if options.improve == "none" else "improving"
        tasks = {
            "construct": bar.add_task("constructing", total=len(instances)),
            "finish": bar.add_task(last, total=len(instances)),
        }

        def report(stage: Stage) -> None:
            finished.update(stage.answers)
            bar.advance(tasks[stage.name], stage.done)

        solver.solve(instances, report=report, **dataclasses.asdict(options))


def _write(
    solver: Solver,
    finished: dict[int, Solution],
    run: tuple[str, float],
    target: tuple[Path | None, str],
) -> list[Solution]:
    """Writes what is finished, in order, and returns it."""
    from vrpcore.instance.files import write_text
    from vrpcore.instance.solution import summarise
    from vrpcore.instance.solutionio import solution_to_line, solutions_to_json

    (improve, seconds), (output, chosen_format) = run, target
    solutions = [finished[row] for row in sorted(finished)]
    info = solver.model
    if chosen_format == "jsonl":
        text = "".join(f"{solution_to_line(solution)}\n" for solution in solutions)
    else:
        identity = {
            "name": info.name,
            "sha256": info.sha256,
            "backend": info.backend,
            "device": info.device,
        }
        text = solutions_to_json(solutions, identity, summarise(solutions, seconds, improve))
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_text(output, text)
    return solutions


def _report(console: Console, solver: Solver, solutions: list[Solution], seconds: float) -> None:
    from rich.table import Table

    for solution in solutions:
        if solution.status != "solved":
            text = printable(f"{solution.name}: {solution.status}: {solution.error}")
            console.print(f"[yellow]{text}[/]")
    solved = [solution for solution in solutions if solution.status == "solved"]
    table = Table(box=None, show_header=False, pad_edge=False)
    info = solver.model
    table.add_row("model", printable(f"{info.name} ({info.backend}, {info.device})"))
    table.add_row("solved", f"{len(solved)} of {len(solutions)}")
    table.add_row("cost", f"{sum(solution.cost or 0 for solution in solved):.6g}")
    table.add_row("routes", str(sum(len(solution.routes) for solution in solved)))
    rate = len(solutions) / seconds if seconds > 0 else 0.0
    table.add_row("time", f"{seconds:.2f} s, {rate:.3g} instances/s")
    console.print(table)


def _exit_code(solutions: list[Solution]) -> int:
    """0, 4 or 6; the lower of the last two wins."""
    statuses = {solution.status for solution in solutions}
    if "invalid" in statuses:
        return EXIT_INVALID
    return EXIT_INFEASIBLE if statuses & {"infeasible", "not_found"} else 0


def _format(name: str | None, output: Path | None) -> str:
    if name is None:
        return "jsonl" if output and output.suffix == ".jsonl" else "json"
    return name


def _batch(text: str) -> int | None:
    if text == "auto":
        return None
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    raise typer.BadParameter(f"{text!r}: expected auto or a number", param_hint="--batch")
