"""A run of `vrp solve --engine ray`: parts of the input on the machines of a cluster."""

import dataclasses
import json
import time
from pathlib import Path

from rich.table import Table

from vrpcore.cli.bars import progress_bar
from vrpcore.cli.console import (
    EXIT_INFEASIBLE,
    EXIT_INVALID,
    printable,
    stderr_console,
)
from vrpcore.cli.solve_output import part_of, require_folder
from vrpcore.cli.solve_request import SolveRequest
from vrpcore.cli.solve_run import told_options
from vrpcore.cluster.chunks import Chunk, plan_chunks
from vrpcore.cluster.ray_engine import UNFINISHED, PartSummary, RayRequest, solve_chunks, total
from vrpcore.errors import ConfigError, OutputError
from vrpcore.formats.files import write_text

_RUN, _SUMMARY = "run.json", "summary.json"


def solve_on_cluster(request: SolveRequest) -> int:
    """Solves what was asked for and returns the exit code.

    Raises:
        VrpError: Something cannot be read, solved or written, or does not work on a cluster.
    """
    output = _folder(request)
    console = stderr_console(quiet=request.output.quiet)
    if request.output.resume and (output / _SUMMARY).exists() and not part_of(output).exists():
        console.print(f"{printable(str(output))}: already complete, nothing to resume")
        return 0
    _require_free(output)
    begun = time.perf_counter()
    options = told_options(request.options, console)
    chunks = list(plan_chunks(request.files))
    part = part_of(output)
    _prepare(part, _identity(request, chunks), resume=request.output.resume)
    cluster = RayRequest(
        folder=part,
        parts="parquet" if request.format == "parquet" else "jsonl",
        model=request.engine.model,
        device=request.engine.device,
        options=dataclasses.replace(
            options, workers=options.workers or 1, threads=options.threads or 1
        ),
        actors=request.engine.actors,
        labelled=len(request.files) > 1,
    )
    done: list[PartSummary] = []
    with progress_bar(console) as bar:
        task = bar.add_task("solving", total=sum(chunk.count for chunk in chunks))
        for found in solve_chunks(chunks, cluster):
            done.append(found)
            bar.update(task, advance=found.instances)
    all_of_them, seconds = total(done), time.perf_counter() - begun
    summary = dataclasses.asdict(all_of_them) | {
        "seconds": round(seconds, 3),
        "improve": options.improve,
    }
    summary["parts"] = summary.pop("number")
    write_text(part / _SUMMARY, json.dumps(summary) + "\n")
    try:
        for left in part.glob(f"{UNFINISHED}*"):
            left.unlink()
        part.replace(output)
    except OSError as error:
        raise OutputError(f"{output}: cannot be written: {error.strerror}") from error
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_row("solved", f"{all_of_them.solved} of {all_of_them.instances}")
    table.add_row("cost", f"{all_of_them.cost:.6g}")
    table.add_row("parts", f"{len(done)} in {printable(str(output))}")
    table.add_row("time", f"{seconds:.2f} s, {all_of_them.instances / seconds:.3g} instances/s")
    console.print(table)
    return _exit_code(all_of_them)


def _folder(request: SolveRequest) -> Path:
    """Where the parts go."""
    unfit = {
        "--time-limit": request.options.time_limit_s is not None,
        "--warm-start": request.source.warm_start is not None,
        "--bks": request.source.bks is not None,
        "--shard": request.source.shard != (1, 1),
    }
    if given := [name for name, is_given in unfit.items() if is_given]:
        raise ConfigError(f"{given[0]}: cannot be used with --engine ray")
    if "-" in request.files:
        raise ConfigError(
            "-: --engine ray cannot read stdin; give files that all machines can open"
        )
    path = request.output.path
    if path is None or request.format not in ("jsonl", "parquet"):
        raise ConfigError(
            "--engine ray writes parts of JSON Lines or Parquet: it needs -o FOLDER and "
            "--format jsonl or --format parquet"
        )
    require_folder(path)
    return path


def _require_free(output: Path) -> None:
    if output.exists() and (output.is_file() or any(output.iterdir())):
        raise OutputError(f"{output}: already exists; choose another folder")


def _identity(request: SolveRequest, chunks: list[Chunk]) -> str:
    """What must be equal for an interrupted run to continue."""
    content = {
        "chunks": [dataclasses.astuple(chunk)[1:] for chunk in chunks],
        "format": request.format,
        "model": request.engine.model,
        "options": dataclasses.asdict(request.options),
    }
    return json.dumps(content, default=str) + "\n"


def _prepare(part: Path, identity: str, *, resume: bool) -> None:
    """Creates the folder, or checks that its contents belong to this run."""
    run = part / _RUN
    try:
        if resume and run.exists():
            if run.read_text(encoding="utf-8") != identity:
                raise ConfigError(
                    f"{part}: contains parts of other input or options; remove it, or run again "
                    "without --resume"
                )
            return
        part.mkdir(exist_ok=True)
        for old in part.glob("part-*"):
            old.unlink()
    except OSError as error:
        raise OutputError(f"{part}: cannot be written: {error.strerror}") from error
    write_text(run, identity)


def _exit_code(found: PartSummary) -> int:
    if found.invalid:
        return EXIT_INVALID
    return EXIT_INFEASIBLE if found.solved < found.instances else 0
