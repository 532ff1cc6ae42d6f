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
    TimeRemainingColumn,
)
from rich.text import Text


class RateColumn(ProgressColumn):
    """How many of the counted things are done a second."""

    def render(self, task: Task) -> Text:
        """Empty before the first."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:.3g}/s" if speed else "")


def progress_bar(console: Console, *, counted: bool = True) -> Progress:
    """A bar that disappears when done, and is not drawn where there is no terminal."""
    count = (MofNCompleteColumn(), RateColumn()) if counted else ()
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        *count,
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=console.quiet or not console.is_terminal,
    )
