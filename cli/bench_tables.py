"""What the commands of `vrp bench` share: tables on stdout, sets from the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.box import MARKDOWN
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from vrpcore.cli.bars import progress_bar
from vrpcore.cli.console import stderr_console

if TYPE_CHECKING:
    from vrpcore.bench.problem_set import ProblemSet

_PIPE_WIDTH = 160


def stdout_console() -> Console:
    """The console for tables on stdout; in a pipe their lines are not broken."""
    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    return Console(highlight=False, width=width, markup=False)


def markdown_table(names: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> Table:
    """A table; its first `words` columns hold words, the others numbers."""
    table = Table(box=MARKDOWN)
    for index, name in enumerate(names):
        table.add_column(name, justify="left" if index < words else "right")
    for row in rows:
        table.add_row(*row)
    return table


def still_bar() -> Progress:
    """A progress bar that no thread redraws while something is being timed."""
    bar = progress_bar(stderr_console())
    bar.live.auto_refresh = False
    return bar


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
) -> list[ProblemSet]:
    """The sets that arguments name: `uniform100` is drawn, everything else is a file.

    Args:
        words: Names of sets and files.
        bks: Files of reference costs.
        count: Gives the number of instances of a set, from its name.
        seed: Random seed of generated sets.
    """
    from vrpcore.bench.problem_set import (
        generated_set,
        is_generated,
        read_reference_files,
        read_sets,
    )

    drawn = [generated_set(word, count(word), seed) for word in words if is_generated(word)]
    files = [Path(word) for word in words if not is_generated(word)]
    return drawn + read_sets(files, read_reference_files(bks), count(""))
