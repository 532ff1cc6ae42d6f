"""A run of `vrp solve --engine ray`: parts of the input on the machines of a cluster."""

import dataclasses
import json
import math
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from vrpcore.cli.bars import progress_bar
from vrpcore.cli.console import Messages, exit_code, print_error
from vrpcore.cli.solve import SolveRequest
from vrpcore.cli.solve_output import already_complete, part_of, require_folder
from vrpcore.cli.solve_run import effective_options, status_code
from vrpcore.cluster.chunks import Chunk, plan_chunks
from vrpcore.cluster.ray_engine import (
    MOST_ATTEMPTS,
    UNFINISHED,
    PartSummary,
    RayRequest,
    solve_chunks,
)
from vrpcore.errors import ConfigError, OutputError, VrpError
from vrpcore.formats.files import claimed, write_text
from vrpcore.instance.solution import Status, Summary

_RUN, _SUMMARY = "run.json", "summary.json"


def solve_on_cluster(request: SolveRequest) -> int:
    """Solves what was asked for and returns the exit code.

    Raises:
        VrpError: Something cannot be read, solved or written, or does not work on a cluster.
    """
    output = _folder(request)
    messages = Messages(quiet=request.output.quiet)
    finished = request.output.resume and (output / _SUMMARY).exists()
    if finished and already_complete(output, messages):
        return 0
    if output.exists() and (output.is_file() or any(output.iterdir())):
        raise OutputError(f"{output}: already exists; choose another folder")
    started = time.perf_counter()
    options = effective_options(request.options, messages)
    errors: list[VrpError] = []
    chunks = list(plan_chunks(request.files, errors.append))
    for error in errors:
        print_error(str(error), messages)
    if errors and not chunks:
        return min(map(exit_code, errors))
    part = part_of(output)
    cluster = RayRequest(
        folder=part,
        parts="parquet" if request.format == "parquet" else "jsonl",
        model=request.engine.model,
        device=request.engine.device,
        own=request.own,
        options=dataclasses.replace(
            options, workers=options.workers or 1, threads=options.threads or 1
        ),
        actors=request.engine.actors,
        labelled=len(request.files) > 1,
        rounding=request.source.rounding,
    )
    parts: list[PartSummary] = []
    with claimed(part, folder=True):
        _prepare(part, _identity(request, chunks), resume=request.output.resume)
        with progress_bar(messages.console) as bar:
            task = bar.add_task("solving", total=sum(chunk.count for chunk in chunks))
            for found in solve_chunks(chunks, cluster):
                parts.append(found)
                if found.faults:
                    more = f" (and {found.faults - 1} more of its part)" if found.faults > 1 else ""
                    print_error(f"{found.fault}{more}", messages)
                bar.update(task, advance=found.instances)
        if lost := [found.lost for found in parts if found.lost]:
            raise _given_up(lost, part)
        summary = _total(parts, time.perf_counter() - started, options.improve)
        _finish(part, output, dataclasses.asdict(summary) | {"parts": len(parts)})
    rows = {
        "solved": f"{summary.solved} of {summary.instances}",
        "cost": f"{summary.cost:.6g}",
        "parts": f"{len(parts)} in {output}",
        "time": f"{summary.seconds:.2f} s, {summary.instances_per_second:.3g} instances/s",
    }
    messages.print(*(f"{key:<6}  {text}" for key, text in rows.items()))
    own = status_code(summary, sum(found.faults for found in parts))
    return min(filter(None, [*map(exit_code, errors), own]), default=0)


def _given_up(lost: Sequence[str], part: Path) -> VrpError:
    """The error of a run that lacks parts."""
    more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
    return VrpError(
        f"{lost[0]}{more}: {MOST_ATTEMPTS} attempts have ended their workers, for want of memory "
        f"or by a bug; all other parts are in {part}; run again with --resume, and with fewer "
        "--actors, so that each has more memory"
    )


def _folder(request: SolveRequest) -> Path:
    """The folder of the parts."""
    unsupported = {
        "--time-limit": request.options.time_limit is not None,
        "--warm-start": request.source.warm_start is not None,
        "--bks": request.source.bks is not None,
        "--matrix": request.source.roads.matrix is not None,
        "--shard": request.source.shard != (1, 1),
        **dict.fromkeys(request.source.sheet.given, True),
    }
    if given := [name for name, is_given in unsupported.items() if is_given]:
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


def _identity(request: SolveRequest, chunks: list[Chunk]) -> str:
    """The facts that must not change before an interrupted run is continued."""
    content = {
        "chunks": [dataclasses.astuple(chunk)[1:] for chunk in chunks],
        "format": request.format,
        "model": request.engine.model,
        "options": dataclasses.asdict(request.options),
        "rounding": request.source.rounding,
    }
    return json.dumps(content, default=str) + "\n"


def _prepare(part: Path, identity: str, *, resume: bool) -> None:
    """Creates the folder, or checks that its contents belong to this run."""
    run = part / _RUN
    try:
        goes_on = resume and run.exists()
        if goes_on and run.read_text(encoding="utf-8") != identity:
            raise ConfigError(
                f"{part}: contains parts of other input or options; remove it, or run again "
                "without --resume"
            )
        part.mkdir(exist_ok=True)
        for old in part.glob(f"{UNFINISHED}*"):
            old.unlink()
        for old in () if goes_on else part.glob("part-*"):
            old.unlink()
    except OSError as error:
        raise OutputError(f"{part}: cannot be written: {error.strerror}") from error
    if not goes_on:
        write_text(run, identity)


def _total(parts: Sequence[Summary], seconds: float, improve: str) -> Summary:
    status: Counter[Status] = Counter()
    for found in parts:
        status["solved"] += found.solved
        status["invalid"] += found.invalid
        status["infeasible"] += found.infeasible
        status["partial"] += found.instances - found.solved - found.invalid - found.infeasible
    return Summary.of(status, math.fsum(found.cost for found in parts), seconds, improve)


def _finish(part: Path, output: Path, summary: dict[str, object]) -> None:
    """Writes the summary and gives the folder its name."""
    write_text(part / _SUMMARY, json.dumps(summary) + "\n")
    try:
        for left in part.glob(f"{UNFINISHED}*"):
            left.unlink()
        part.replace(output)
    except OSError as error:
        raise OutputError(f"{output}: cannot be written: {error.strerror}") from error
