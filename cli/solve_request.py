"""What the command line of `vrp solve` asks for."""

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from vrpcore.config.option import Option
from vrpcore.solve.options import SolveOptions

# By -o's ending; with .sol one instance has a file of this name, several have a folder.
FORMATS = {".jsonl": "jsonl", ".csv": "csv", ".geojson": "geojson", ".sol": "sol-by-count"}
_MAX_SHARDS = 1_000_000


def _shard(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,7})/([0-9]{1,7})", text)
    first, every = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= first <= every <= _MAX_SHARDS:
        raise ValueError(f"{text!r}: expected I/K with I from 1 to K, e.g. 1/4")
    return first, every


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What is read beside the instances, and which of them are solved."""

    warm_start: Annotated[
        str | None, Option("Earlier solutions, matched by position; no answer is worse.")
    ] = None
    bks: Annotated[
        str | None, Option("Best known costs: solutions or JSON {name: cost}; adds gaps.")
    ] = None
    shard: Annotated[
        tuple[int, int],
        Option(
            "I/K, I from 1: every K-th instance, starting at position I-1.",
            written="1/1",
            read=_shard,
        ),
    ] = (1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What solves, and where.

    Raises:
        BadParameter: There are no actors on this machine.
    """

    model: Annotated[
        str | None, Option("base, small (10 to 30 customers), or a path (.pt, TorchScript, ONNX).")
    ] = None
    device: Annotated[str, Option("auto, cpu, cuda or cuda:N.")] = "auto"
    engine: Annotated[
        Literal["local", "ray"],
        Option("This machine, or a Ray cluster (extra ray; RAY_ADDRESS names it)."),
    ] = "local"
    actors: Annotated[
        int | None,
        Option("With ray: solvers, each with --workers cores; default: all that fit.", low=1),
    ] = None

    def __post_init__(self) -> None:
        if self.actors is not None and self.is_local:
            raise typer.BadParameter("actors need --engine ray", param_hint="--actors")

    @property
    def is_local(self) -> bool:
        """True for this machine."""
        return self.engine == "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """Where answers and messages go."""

    file: Annotated[
        str | None,
        Option("Output file; default stdout. For sol a folder.", flags=("-o", "--output")),
    ] = None
    format: Annotated[
        Literal["json", "jsonl", "sol", "csv", "geojson", "parquet"] | None,
        Option("Default by -o's ending, else json (a table on a terminal); parquet with ray."),
    ] = None
    resume: Annotated[bool, Option("Continue after the lines of FILE.part.")] = False
    quiet: Annotated[bool, Option("Print errors only.", flags=("--quiet", "-q"))] = False

    @property
    def path(self) -> Path | None:
        """The output file or folder; None: standard output."""
        return None if self.file is None else Path(self.file)

    def chosen_format(self, *, local: bool) -> str:
        """The requested format, or the one that follows from the output.

        Raises:
            BadParameter: It does not go with the other options.
        """
        if not (self.format or self.file) and local and sys.stdout.isatty():
            chosen = "table"
        else:
            chosen = self.format or self._format_by_name()
        if chosen == "sol" and self.file is None:
            raise typer.BadParameter("sol needs -o FOLDER", param_hint="--format")
        if self.resume and local and (self.file is None or chosen != "jsonl"):
            raise typer.BadParameter(
                "needs -o FILE and JSON Lines, e.g. -o solutions.jsonl", param_hint="--resume"
            )
        if chosen == "parquet" and local:
            raise typer.BadParameter("parquet needs --engine ray", param_hint="--format")
        return chosen

    def _format_by_name(self) -> str:
        if self.file and (self.file.endswith(("/", os.sep)) or Path(self.file).is_dir()):
            return "sol"
        return FORMATS.get(Path(self.file or "").suffix, "json")


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveRequest:
    """What the command line asked for.

    Attributes:
        files: Paths, or `-`.
        source: What else is read.
        engine: What solves.
        options: How to solve.
        output: Where answers go.
        format: json, jsonl, csv, geojson, parquet, sol (a folder), sol-by-count (a file where
            there is one instance) or table (for a terminal).
        started: When the call began, by `time.perf_counter()`.
    """

    files: list[str]
    source: Source
    engine: Engine
    options: SolveOptions
    output: Output
    format: str
    started: float
