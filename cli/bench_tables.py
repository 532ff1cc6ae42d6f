"""Parts shared by the commands of `vrp bench`: options, sets, progress bars, tables on stdout."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from rich.box import MARKDOWN
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from vrpcore.cli.bars import progress_bar
from vrpcore.cli.console import Messages

if TYPE_CHECKING:
    from vrpcore.bench.problem_set import ProblemSet, SetReading

T = TypeVar("T")

Sets = Annotated[
    list[str] | None,
    typer.Argument(
        help="uniformN, clusteredN, xstyleN, kool10 to 100, or files; default uniform20 to 200."
    ),
]
Bks = Annotated[
    list[Path] | None,
    typer.Option(help="Reference costs: JSON {name: cost}, solutions, .sol or .csv."),
]
Model = Annotated[str | None, typer.Option(help="Model name or path, as for vrp solve.")]
Seed = Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Random seed.")]
Json = Annotated[
    Path | None, typer.Option("-o", "--output", help="Also write the figures as JSON.")
]

TABLE_WIDTH = 160  # where there is no terminal to fill


def stdout_console() -> Console:
    """The console for tables on stdout; in a pipe their lines are not broken."""
    width = None if sys.stdout.isatty() else TABLE_WIDTH
    return Console(highlight=False, width=width)


def markdown_table(names: Sequence[str], rows: Iterable[Iterable[str]], words: int = 1) -> Table:
    """A table; its first `words` columns hold words, the others numbers."""
    table = Table(box=MARKDOWN)
    for index, name in enumerate(names):
        table.add_column(name, justify="left" if index < words else "right")
    for row in rows:
        table.add_row(*row)
    return table


def still_bar() -> Progress:
    """A progress bar that no thread redraws while something is being timed."""
    bar = progress_bar(Messages().console)
    bar.live.auto_refresh = False
    return bar


def tracked(results: Iterable[T], name: str, total: int) -> Iterator[T]:
    """Passes results on as they are measured, under a bar that is drawn between them."""
    with still_bar() as bar:
        yield from bar.track(results, total=total, description=name)


def percent(gap: float | None) -> str:
    """A gap as readable text."""
    return "-" if gap is None else f"{round(100 * gap, 3) + 0.0:.3f} %"  # never -0.000


def milliseconds(seconds: float | None) -> str:
    """Seconds as milliseconds, three digits or more."""
    if seconds is None:
        return "-"
    value = 1e3 * seconds
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def chosen_sets(
    words: Sequence[str],
    bks: Sequence[Path],
    count: Callable[[str], int],
    seed: int,
    reading: SetReading | None = None,
) -> list[ProblemSet]:
    """The sets that arguments name: `uniform100` is drawn, everything else is a file.

    Args:
        words: Names of sets and files.
        bks: Files of reference costs.
        count: Gives the number of instances of a set, from its name; "" for all files.
        seed: Of the drawn sets.
        reading: How files are read; None: as they are.
    """
    from vrpcore.bench import problem_set as bench
    from vrpcore.bench.bks import read_reference_files

    names = [word for word in words if bench.is_generated(word) or _is_no_file(word)]
    files = [Path(word) for word in words if word not in names]
    drawn = [bench.generated_set(name, count(name), seed) for name in names]
    known = read_reference_files(bks)
    return drawn + bench.read_sets(files, known, count(""), reading or bench.AS_THEY_ARE)


def _is_no_file(word: str) -> bool:
    """Return whether a word was meant as the name of a set: no such file, and no ending."""
    return word.isalnum() and not Path(word).exists()
