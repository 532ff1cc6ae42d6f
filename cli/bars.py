"""Progress bars on stderr."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class RateColumn(ProgressColumn):
    """Items finished per second."""

    def render(self, task: Task) -> Text:
        """Empty before the first item."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:.3g}/s" if speed else "")


def progress_bar(console: Console, *, counted: bool = True) -> Progress:
    """A bar that disappears when finished, and is only drawn on a terminal."""
    count = (MofNCompleteColumn(), RateColumn()) if counted else ()
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        *count,
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=console.quiet or not console.is_terminal,
    )
