"""`vrp solve`."""

import contextlib
import gc
import os
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import typer

from vrpcore.cli.console import bad_value, edge, keep_inputs, raise_on_sigterm
from vrpcore.cli.flags import ModelOptions, Own, with_flags
from vrpcore.cli.reading import ReadOptions
from vrpcore.config.option import Option
from vrpcore.errors import require_extra
from vrpcore.formats.files import linked, names_folder
from vrpcore.solve.solve_options import SolveOptions

HELP = """Solve every instance in the files.

Files contain JSON, JSON Lines, VROOM's JSON, stops of a spreadsheet (CSV, .xlsx, .ods), .vrp of
CVRPLIB or PyVRP, the text of Solomon, Li & Lim, Cordeau, mixed fleets or splits, or arrays
(.npz), gzipped or not; the format is detected from the content. VROOM's problems are answered in
VROOM's JSON. - reads stdin. Solutions go to stdout or to -o, in input order, each as soon as it is
ready.
Messages and progress go to stderr. On a terminal you see a table; --format json, or a pipe,
gives the JSON document. With JSON Lines in and out, memory use is constant for any number of
instances.

[bold]Examples[/]

  vrp solve instances.json -o solutions.json
  vrp solve stops.csv --fleet vans.csv -o routes.csv      vrp generate --template csv shows how
  vrp solve orders.xlsx --fleet fleet.xlsx -o plan.xlsx
  vrp solve stops.csv --depot 52.5,13.4 --capacity 40 --speed 30
  vrp solve A-n32-k5.vrp B-n31-k5.vrp --format sol -o solutions/
  cat instances.jsonl | vrp solve - --format jsonl > solutions.jsonl
  vrp solve instances.json --augment 8 --improve none     no search
  vrp solve many.jsonl --model small --improve none       10 to 30 customers, 1000 per second
  vrp solve instances.json --time-limit 60                the best answers within a minute
  vrp solve C101.txt --round dimacs                       time windows, a public instance
  vrp solve lc101.txt --fewest-vehicles                   the number of routes before their cost
  vrp solve today.json --warm-start plan.json --keep 20   move a stop only for a gain of 20
  vrp solve day.csv --warm-start plan.csv --freeze 9:40   go on in the middle of the day
  vrp solve problem.json > answer.json                    VROOM's JSON in and out
  vrp solve towns.json --matrix osrm=http://localhost:5000        roads; --matrix-time min
  vrp solve towns.json --matrix osm=berlin.osm.pbf                roads of a map, no service
  vrp solve many.jsonl -o solutions.jsonl --resume        continues after an interruption
  vrp solve many.jsonl -o part-2.jsonl --shard 2/4        the second of four machines
  vrp solve many.jsonl -o answers --format jsonl --engine ray     on a Ray cluster, part by part
"""

IN_KIND = "in-kind"  # the default: json, or VROOM's where the problems are VROOM's
WITH_WAYS = ("vroom", "geojson")  # formats that hold ways along roads
WITHOUT_WAYS = f"needs --format {' or '.join(WITH_WAYS)}; other formats hold no ways"
# By -o's ending; with .sol one instance has a file of this name, several have a folder.
_FORMATS = {
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".xlsx": "xlsx",
    ".geojson": "geojson",
    ".sol": "sol-by-count",
}
_MAX_SHARDS = 1_000_000
# Allocations between two garbage collections. There are hardly any cycles, but at the usual
# thresholds looking for them takes a quarter of the host's time at 20 customers.
_COLLECT_EVERY = (200_000, 20, 50)


def _shard(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,7})/([0-9]{1,7})", text)
    first, every = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= first <= every <= _MAX_SHARDS:
        raise ValueError(f"{text!r}: expected I/K with I from 1 to K, e.g. 1/4")
    return first, every


@dataclass(frozen=True, slots=True, kw_only=True)
class InputOptions(ReadOptions):
    """Options of the input: instances, other files, and a selection."""

    warm_start: Annotated[
        str | None,
        Option("Earlier solutions, by name or by position; no answer is worse than these."),
    ] = None
    bks: Annotated[
        str | None,
        Option("Best known costs: JSON {name: cost}, .csv, or solutions; adds gaps."),
    ] = None
    shard: Annotated[
        tuple[int, int],
        Option(
            "I/K, I from 1: every K-th instance, starting at position I-1.",
            written="1/1",
            read=_shard,
        ),
    ] = (1, 1)

    @property
    def others(self) -> list[str]:
        """The other inputs that may be files: vehicles, reference costs, matrices."""
        matrix = (self.roads.matrix or "").partition("=")[2]
        return [each for each in (self.sheet.fleet, self.bks, matrix) if isinstance(each, str)]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions(ModelOptions):
    """Options of the solver and its device.

    Raises:
        BadParameter: `actors` without Ray.
    """

    engine: Annotated[
        Literal["local", "ray"],
        Option("Solve on this machine, or on a Ray cluster (extra ray; RAY_ADDRESS names it)."),
    ] = "local"
    actors: Annotated[
        int | None,
        Option("With ray: solvers, each with --workers cores; default: all that fit.", low=1),
    ] = None

    def __post_init__(self) -> None:
        if self.actors is not None and self.is_local:
            raise bad_value("--actors", "actors need --engine ray")

    @property
    def is_local(self) -> bool:
        """True for this machine."""
        return self.engine == "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions:
    """Options of answers and messages."""

    file: Annotated[
        str | None,
        Option("Output file; default stdout. For sol a folder.", flags=("-o", "--output")),
    ] = None
    format: Annotated[
        Literal["json", "jsonl", "sol", "csv", "xlsx", "geojson", "vroom", "parquet"] | None,
        Option(
            "Default by -o's ending, else json (a table on a terminal); vroom instead of json if "
            "all are VROOM's problems; parquet with ray."
        ),
    ] = None
    geometry: Annotated[
        bool, Option("With --matrix: ways along roads, in VROOM's answers and GeoJSON.")
    ] = False
    resume: Annotated[bool, Option("Continue after the finished answers of FILE.part.")] = False
    quiet: Annotated[bool, Option("Print errors only.", flags=("--quiet", "-q"))] = False

    @property
    def path(self) -> Path | None:
        """The output file or folder, where a link leads; None: standard output."""
        return None if self.file is None else linked(self.file)

    def chosen_format(self, *, local: bool) -> str:
        """The requested format, or the one that follows from the output.

        Raises:
            BadParameter: It does not go with the other options.
        """
        if not (self.format or self.file) and local and sys.stdout.isatty():
            chosen = "table"
        else:
            chosen = self.format or self._format_by_name(IN_KIND if local else "json")
        if chosen == "sol" and self.file is None:
            raise bad_value("--format", "sol needs -o FOLDER")
        if chosen == "xlsx" and (self.file is None or not local):
            needed = "-o FILE" if local else "--engine local"
            raise bad_value("--format", f"xlsx needs {needed}")
        if self.resume and local and (self.file is None or chosen != "jsonl"):
            raise bad_value("--resume", "needs -o FILE and JSON Lines, e.g. -o solutions.jsonl")
        if chosen == "parquet" and local:
            raise bad_value("--format", "parquet needs --engine ray")
        if chosen == "vroom" and not local:
            raise bad_value("--format", "vroom needs --engine local")
        return chosen

    def _format_by_name(self, otherwise: str) -> str:
        if self.file and names_folder(self.file):
            return "sol"
        ending = Path(self.file or "").suffix
        if ending in ("", ".json"):
            return otherwise
        if ending not in _FORMATS:
            raise bad_value(
                "--output",
                f"{ending} names no format; expected .json, {', '.join(_FORMATS)} or a folder; or "
                "say which with --format",
            )
        return _FORMATS[ending]


class SolveRequest(NamedTuple):
    """The request of a command line.

    Attributes:
        files: Paths, or `-`.
        source: How they are read, and what else is.
        engine: What solves.
        options: How to solve.
        output: Where answers go.
        format: json, jsonl, csv, xlsx, geojson, vroom, parquet, sol (a folder), sol-by-count (a
            file where there is one instance), in-kind, or table (for a terminal).
        started: When the call began, by `time.perf_counter()`.
        own: Classes of the user's own code that a checkpoint may name.
    """

    files: list[str]
    source: InputOptions
    engine: EngineOptions
    options: SolveOptions
    output: OutputOptions
    format: str
    started: float
    own: tuple[str, ...]


@contextlib.contextmanager
def _as_program() -> Iterator[None]:
    """If this process is `vrp`: collect garbage less often, and exit without cleaning up.

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
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(ended.code if isinstance(ended.code, int) else 1)


@_as_program()
@edge()
@with_flags
def solve(
    files: Annotated[list[str], typer.Argument(help="Instance files, or - for stdin.")],
    output: OutputOptions,
    engine: EngineOptions,
    options: SolveOptions,
    source: InputOptions,
    own: Own = None,
) -> None:
    """Solves instances."""
    if output.file == "-":
        raise bad_value("--output", "-: without -o, answers go to stdout")
    if output.geometry and source.roads.matrix is None:
        raise bad_value("--geometry", "needs roads, e.g. --matrix osrm=http://localhost:5000")
    chosen = output.chosen_format(local=engine.is_local)
    keep_inputs(output.path, [*files, *source.others])
    if output.geometry and chosen not in (IN_KIND, *WITH_WAYS):
        raise bad_value("--geometry", WITHOUT_WAYS)
    request = SolveRequest(
        files=files,
        source=source,
        engine=engine,
        options=options,
        output=output,
        format=chosen,
        started=_started(),
        own=tuple(own or ()),
    )
    raise_on_sigterm()
    if engine.is_local:
        from vrpcore.cli.solve_run import solve_files

        raise SystemExit(solve_files(request))
    require_extra("ray", "--engine ray", "ray", "pyarrow")
    from vrpcore.cli.solve_ray import solve_on_cluster

    raise SystemExit(solve_on_cluster(request))


def _started() -> float:
    """The start of this call, by `time.perf_counter()`: that of the program."""
    from vrpcore.cli.main import STARTED

    return STARTED if _is_program() else time.perf_counter()


def _is_program() -> bool:
    """True where this process is `vrp`, not one that calls the command from within."""
    from vrpcore.cli.main import run

    return getattr(sys.modules["__main__"], "run", None) is run
