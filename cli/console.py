"""Messages on stderr; errors as one line and an exit code."""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import typer

from vrpcore.errors import (
    ConfigError,
    DeviceError,
    ExportError,
    InfeasibleError,
    InstanceError,
    MissingExtraError,
    MissingLibraryError,
    ModelError,
    OutputError,
    RoadsError,
    VrpError,
    visible,
)
from vrpcore.formats.files import is_same_file

if TYPE_CHECKING:
    from rich.console import Console

EXIT_INTERNAL = 1
EXIT_USAGE = 2
EXIT_INVALID = 4
EXIT_INFEASIBLE = 6
EXIT_INTERRUPTED = 130
EXIT_UNREAD = 141
EXIT_TERMINATED = 143

_EXIT_CODES: dict[type[VrpError], int] = {
    MissingExtraError: EXIT_USAGE,
    MissingLibraryError: EXIT_USAGE,
    ConfigError: 3,
    InstanceError: EXIT_INVALID,
    ModelError: 5,
    ExportError: 5,
    InfeasibleError: EXIT_INFEASIBLE,
    DeviceError: 7,
    OutputError: 8,
    RoadsError: 9,
}


class Terminated(BaseException):
    """SIGTERM arrived; as Ctrl-C, it is no error that anybody handles in passing."""


class Messages:
    """Messages on stderr; where that is no terminal without colour or bars, and without rich.

    Args:
        quiet: Nothing is shown.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet

    @cached_property
    def console(self) -> "Console":
        """The console that draws bars and tables."""
        from rich.console import Console

        return Console(stderr=True, quiet=self.quiet, highlight=False, emoji=False, soft_wrap=True)

    @cached_property
    def is_terminal(self) -> bool:
        """True where colours and bars are shown."""
        asked = os.environ.keys() & {"FORCE_COLOR", "TTY_COMPATIBLE"}
        return bool(asked or sys.stderr.isatty()) and self.console.is_terminal

    def print(self, *lines: str, style: str = "", head: str = "") -> None:
        """Prints lines, with their control characters shown.

        Args:
            *lines: Texts, which are no markup.
            style: Their colour.
            head: Printed before them, in red.
        """
        if self.quiet:
            return
        text = "\n".join(map(visible, lines))
        if self.is_terminal:
            from rich.text import Text

            self.console.print(Text.assemble((head, "bold red"), (text, style)))
        else:
            sys.stderr.write(f"{head}{text}\n")


def printable(text: str) -> str:
    """Untrusted text for what rich draws: control characters shown, markup escaped."""
    from rich.markup import escape

    return escape(visible(text))


def print_error(text: str, messages: Messages | None = None) -> None:
    """Prints an error on stderr, with `--quiet` too.

    Args:
        text: What is wrong, in one line or several; printed as it is.
        messages: Where a progress bar may be drawn.
    """
    shown = Messages() if messages is None or messages.quiet else messages
    shown.print(*text.split("\n"), head="error: ")


def refuse(text: str) -> NoReturn:
    """Ends the program because of its arguments."""
    print_error(text)
    raise SystemExit(EXIT_USAGE)


def bad_value(flag: str, text: str) -> typer.BadParameter:
    """The error of a flag's value, which typer shows with the usage of the command."""
    return typer.BadParameter(text, param_hint=flag)


def keep_inputs(path: Path | None, inputs: Iterable[str | Path]) -> None:
    """Refuses an output that would replace an input.

    Args:
        path: Of the output; None: standard output.
        inputs: Files, and words that name none.
    """
    if path is None or not path.is_file():
        return
    for file in inputs:
        if is_same_file(path, file):
            message = f"{file} is an input, which would be replaced; name another file"
            raise bad_value("--output", message)


def exit_code(error: VrpError) -> int:
    """The exit code of an error's family."""
    return next(
        (code for family, code in _EXIT_CODES.items() if isinstance(error, family)), EXIT_INTERNAL
    )


@contextlib.contextmanager
def edge() -> Iterator[None]:
    """Turns `VrpError` and interruptions into one line on stderr and an exit code."""
    messages = Messages()
    try:
        yield
    except VrpError as error:
        print_error(str(error))
        raise SystemExit(exit_code(error)) from None
    except KeyboardInterrupt:
        messages.print("interrupted")
        raise SystemExit(EXIT_INTERRUPTED) from None
    except Terminated:
        messages.print("terminated")
        raise SystemExit(EXIT_TERMINATED) from None
    except BrokenPipeError:
        messages.print("the reader of stdout left before the end")
        sys.stderr.close()  # Python would complain of it there, too
        raise SystemExit(EXIT_UNREAD) from None


def raise_on_sigterm() -> None:
    """Makes SIGTERM raise `Terminated`, so that `finally` blocks run."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        raise Terminated

    signal.signal(signal.SIGTERM, handle)


@contextlib.contextmanager
def stop_flag() -> Iterator[Callable[[], int]]:
    """Turns Ctrl-C and SIGTERM into an exit code that the caller polls; 0 if none came.

    A second signal ends the program at once.
    """
    code = 0

    def handle(number: int, _frame: FrameType | None) -> None:
        nonlocal code
        if code:
            raise KeyboardInterrupt
        code = EXIT_INTERRUPTED if number == signal.SIGINT else EXIT_TERMINATED

    previous = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: code
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Lets Ctrl-C and SIGTERM wait for the end of the block; a second one does not wait."""
    with stop_flag() as code:
        yield
    if code():
        raise KeyboardInterrupt if code() == EXIT_INTERRUPTED else Terminated
