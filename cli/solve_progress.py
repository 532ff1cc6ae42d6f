"""Progress of `vrp solve`: bars on a terminal, else a line from time to time."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from vrpcore.cli.console import Messages, printable
from vrpcore.cli.solve_input import Feed
from vrpcore.solve.stage import Improvement, Stage

if TYPE_CHECKING:
    from vrpcore.roads.road_matrices import Report

EVERY_S = 10.0  # from one line to the next where stderr is no terminal

Advance = Callable[[Stage], None]


@contextlib.contextmanager
def watched(
    messages: Messages, feed: Feed, *, improving: bool
) -> Iterator[tuple[Advance, Report | None]]:
    """Callbacks for each stage, and for requests for an instance's roads.

    Args:
        messages: Where progress is shown; nowhere if it is quiet.
        feed: The instances.
        improving: A search follows construction.
    """
    if messages.quiet:
        yield lambda _stage: None, None
    elif messages.is_terminal:
        with _bars(messages, feed, improving=improving) as callbacks:
            yield callbacks
    else:
        with _lines(messages, feed) as advance:
            yield advance, None


def found_in_words(found: Improvement) -> str:
    """The cost of a plan that was found, for a terminal; empty where it has none."""
    if found.cost is None:
        return ""
    gap = "" if found.gap is None else f" (gap {found.gap:.2%})"
    return f"{found.name}: {found.cost:.6g}{gap}"


@contextlib.contextmanager
def _bars(
    messages: Messages, feed: Feed, *, improving: bool
) -> Iterator[tuple[Advance, Report | None]]:
    """Bars of constructed and finished instances, and of roads."""
    from vrpcore.cli.bars import progress_bar

    with progress_bar(messages.console) as bar:
        last = "improving" if improving else "checking"
        tasks = {
            "construct": bar.add_task("constructing", total=None),
            "finish": bar.add_task(last, total=None),
        }

        def advance(stage: Stage) -> None:
            if stage.name in tasks:
                bar.update(tasks[stage.name], advance=stage.done)
            if stage.improvement is not None and (words := found_in_words(stage.improvement)):
                bar.update(tasks["finish"], description=f"{last} {printable(words)}")
            if feed.complete:
                for task in tasks.values():
                    bar.update(task, total=feed.taken)

        roads = bar.add_task("asking for roads", total=None, visible=False)

        def asked(done: int, total: int) -> None:
            bar.update(roads, completed=done, total=total, visible=done < total)

        yield advance, asked


@contextlib.contextmanager
def _lines(messages: Messages, feed: Feed) -> Iterator[Advance]:
    """A line every `EVERY_S` seconds: the time, what is finished, the last plan found."""
    started, done, last, over = time.monotonic(), 0, "", threading.Event()

    def advance(stage: Stage) -> None:
        nonlocal done, last
        done += stage.done if stage.name == "finish" else 0
        if stage.improvement is not None:
            last = found_in_words(stage.improvement) or last

    def write() -> None:
        while not over.wait(EVERY_S):
            total = f" of {feed.taken}" if feed.complete else ""
            words = f"{time.monotonic() - started:.0f} s: {done}{total} instances finished"
            messages.print(f"{words}; {last}" if last else words)

    writing = threading.Thread(target=write, name="progress", daemon=True)
    writing.start()
    try:
        yield advance
    finally:
        over.set()
        writing.join()
