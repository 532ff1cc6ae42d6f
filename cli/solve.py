"""`vrp solve`."""

import contextlib
import gc
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from vrpcore.cli.console import edge, raise_on_sigterm, require_extra
from vrpcore.cli.flags import with_flags
from vrpcore.cli.solve_request import Engine, Output, SolveRequest, Source
from vrpcore.solve.options import SolveOptions

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

# Starting the interpreter, where the system does not say how long ago that was.
_START_S = 0.1
# Allocations between two looks for cycles. There are hardly any, but at the usual thresholds
# the looks take a quarter of the host's time at 20 customers.
_COLLECT_EVERY = (200_000, 20, 50)


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("solve", help=HELP)(solve)


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


@_as_program()
@edge()
@with_flags
def solve(
    files: Annotated[list[str], typer.Argument(help="Instance files, or - for stdin.")],
    output: Output,
    engine: Engine,
    options: SolveOptions,
    source: Source,
) -> None:
    """Solves instances."""
    request = SolveRequest(
        files=files,
        source=source,
        engine=engine,
        options=options,
        output=output,
        format=output.chosen_format(local=engine.is_local),
        started=_started(),
    )
    raise_on_sigterm()
    if engine.is_local:
        from vrpcore.cli.solve_run import solve_files

        raise SystemExit(solve_files(request))
    require_extra("ray", "--engine ray", "ray", "pyarrow")
    from vrpcore.cli.solve_ray import solve_on_cluster

    raise SystemExit(solve_on_cluster(request))


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
