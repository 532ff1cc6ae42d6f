"""`vrp solve`."""

from __future__ import annotations

import contextlib
import gc
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, NoReturn

import typer

from vrpcore.cli.console import edge, raise_on_sigterm, require_extra

HELP = """Solve every instance in the files with the shipped model.

Files contain JSON, JSON Lines or CVRPLIB .vrp, gzipped or not; the format is detected from
the content. - reads stdin. Solutions go to stdout or to -o, in input order, each as soon as
it is ready. Messages and progress go to stderr. On a terminal you see a table; --format json,
or a pipe, gives the JSON document. With JSON Lines in and out, memory use is constant for any
number of instances.

[bold]Examples[/]

  vrp solve instances.json -o solutions.json
  vrp solve A-n32-k5.vrp B-n31-k5.vrp --format sol -o solutions/
  cat instances.jsonl | vrp solve - --format jsonl > solutions.jsonl
  vrp solve instances.json --augment 8 --improve none     the policy alone
  vrp solve many.jsonl --model small --improve none       10 to 30 customers, 1000 per second
  vrp solve instances.json --time-limit 60                the best answers within a minute
  vrp solve many.jsonl -o solutions.jsonl --resume        continues after an interruption
  vrp solve many.jsonl -o part-2.jsonl --shard 2/4        the second of four machines
  vrp solve many.jsonl -o answers --format jsonl --engine ray     on a Ray cluster, part by part
"""

# By -o's ending; with .sol one instance has a file of this name, several have a folder.
FORMATS = {".jsonl": "jsonl", ".csv": "csv", ".geojson": "geojson", ".sol": "sol-by-count"}
# Starting the interpreter, where the system does not say how long ago that was.
_START_S = 0.1
_MAX_SHARDS = 1_000_000
# Allocations between two looks for cycles. There are hardly any, but at the usual thresholds
# the looks take a quarter of the host's time at 20 customers.
_COLLECT_EVERY = (200_000, 20, 50)


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("solve", help=HELP)(solve)


def solve(
    files: Annotated[list[str], typer.Argument(help="Instance files, or - for stdin.")],
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="Output file; default stdout. For sol a folder."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="base, small (10 to 30 customers), or a path (.pt, TorchScript, ONNX)."),
    ] = None,
    decode: Annotated[
        Literal["greedy", "multistart", "sample"], typer.Option(help="How the policy constructs.")
    ] = "multistart",
    starts: Annotated[
        int | None,
        typer.Option(min=1, max=10_000, help="First customers to try; default by size."),
    ] = None,
    samples: Annotated[
        int, typer.Option(min=1, max=10_000, help="Samples with --decode sample.")
    ] = 32,
    augment: Annotated[int, typer.Option(min=1, max=8, help="Symmetric copies to solve.")] = 1,
    improve: Annotated[
        Literal["none", "fast", "deep"], typer.Option(help="Amount of search.")
    ] = "fast",
    time_limit: Annotated[
        float | None,
        typer.Option(min=0.0, help="Seconds for the whole call, shared among all instances."),
    ] = None,
    time_per_instance: Annotated[
        float | None, typer.Option(min=0.0, help="Seconds of search for each instance.")
    ] = None,
    warm_start: Annotated[
        str | None,
        typer.Option(help="Earlier solutions, matched by position; no answer is worse."),
    ] = None,
    bks: Annotated[
        str | None,
        typer.Option(help="Best known costs: solutions or JSON {name: cost}; adds gaps."),
    ] = None,
    format_: Annotated[
        Literal["json", "jsonl", "sol", "csv", "geojson", "parquet"] | None,
        typer.Option(
            "--format",
            help="Default by -o's ending, else json (a table on a terminal); parquet with ray.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue after the lines of FILE.part.")
    ] = False,
    shard: Annotated[
        str, typer.Option(help="I/K, I from 1: every K-th instance, starting at position I-1.")
    ] = "1/1",
    engine: Annotated[
        Literal["local", "ray"],
        typer.Option(help="This machine, or a Ray cluster (extra ray; RAY_ADDRESS names it)."),
    ] = "local",
    actors: Annotated[
        int | None,
        typer.Option(
            min=1, help="With ray: solvers, each with --workers cores; default: all that fit."
        ),
    ] = None,
    batch: Annotated[str, typer.Option(help="Instances per batch: auto or N.")] = "auto",
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Search threads; default: one per core.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Random seed.")] = 1234,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")] = "auto",
    threads: Annotated[
        int | None,
        typer.Option(min=1, max=1024, help="Construction threads; default: one per core."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Solves instances."""
    started = _started()
    chosen = _format(format_, output, resume=resume and engine == "local")
    if format_ is None and output is None and engine == "local" and sys.stdout.isatty():
        chosen = "table"
    if chosen == "parquet" and engine == "local":
        raise typer.BadParameter("parquet needs --engine ray", param_hint="--format")
    if actors is not None and engine == "local":
        raise typer.BadParameter("actors need --engine ray", param_hint="--actors")
    first, every = _shard(shard)
    with _as_program(), edge():
        raise_on_sigterm()
        from vrpcore.cli.solve_run import SolveRequest, solve_files
        from vrpcore.solve.options import SolveOptions

        request = SolveRequest(
            files=files,
            output=None if output is None else Path(output),
            format=chosen,
            shard=(first, every),
            resume=resume,
            model=model,
            device=device,
            options=SolveOptions(
                decode=decode,
                starts=starts,
                samples=samples,
                augment=augment,
                improve=improve,
                time_limit_s=time_limit,
                time_per_instance_s=time_per_instance,
                seed=seed,
                batch=_batch(batch),
                workers=workers,
                threads=threads,
            ),
            warm_start=warm_start,
            bks=bks,
            quiet=quiet,
            started=started,
        )
        if engine == "local":
            raise SystemExit(solve_files(request))
        require_extra("ray", "--engine ray", "ray", "pyarrow")
        from vrpcore.cli.solve_ray import solve_on_cluster

        raise SystemExit(solve_on_cluster(request, actors))


def _format(name: str | None, output: str | None, *, resume: bool) -> str:
    """The requested format, or the one that follows from the output's name."""
    folder = output is not None and (output.endswith(("/", os.sep)) or Path(output).is_dir())
    by_name = FORMATS.get(Path(output).suffix, "json") if output else "json"
    chosen = name or ("sol" if folder else by_name)
    if chosen == "sol" and output is None:
        raise typer.BadParameter("sol needs -o FOLDER", param_hint="--format")
    if resume and (output is None or chosen != "jsonl"):
        raise typer.BadParameter(
            "needs -o FILE and JSON Lines, e.g. -o solutions.jsonl", param_hint="--resume"
        )
    return chosen


def _batch(text: str) -> int | None:
    if text == "auto":
        return None
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    raise typer.BadParameter(f"{text!r}: expected auto or a number", param_hint="--batch")


def _shard(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,7})/([0-9]{1,7})", text)
    first, every = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= first <= every <= _MAX_SHARDS:
        raise typer.BadParameter(
            f"{text!r}: expected I/K with I from 1 to K, e.g. 1/4", param_hint="--shard"
        )
    return first, every


def _started() -> float:
    """When this call began, by `time.perf_counter()`: at the start of the program."""
    now = time.perf_counter()
    if not _is_program():
        return now
    try:
        # Field 22 of proc_pid_stat(5): clock ticks from the machine's start to this process's.
        fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        ticks = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        return now - (time.clock_gettime(time.CLOCK_BOOTTIME) - ticks)
    except (OSError, AttributeError, ValueError, IndexError):
        return now - _START_S


def _is_program() -> bool:
    """True where this process is `vrp`, not one that calls the command from within."""
    from vrpcore.cli.main import run

    return getattr(sys.modules["__main__"], "run", None) is run


@contextlib.contextmanager
def _as_program() -> Iterator[None]:
    """If this process is `vrp`: collects garbage less often, and exits without cleaning up.

    By then everything is written. A regular exit would join the searches of an interrupted
    run, which continue to their time limit, and takes a tenth of a second to shut down the
    interpreter, as long as a small solve.
    """
    if not _is_program():
        yield
        return
    gc.set_threshold(*_COLLECT_EVERY)
    try:
        yield
    except SystemExit as ended:
        _leave(ended.code if isinstance(ended.code, int) else 1)


def _leave(code: int) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
