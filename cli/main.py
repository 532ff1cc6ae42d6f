"""The `vrp` program: one function per command, each in its own file."""

import gc
import time

# When this program began, by `time.perf_counter()`: Python has taken some processor time by now.
# What its process did before does not count: a shell that runs its last command in its own process
# may have waited, or computed, for minutes.
STARTED = time.perf_counter() - min(time.process_time(), 1.0)

gc.disable()  # while modules are loaded: they make no garbage, and looking for it takes 10 ms

import os
import sys
from typing import Annotated, NoReturn

import typer

from vrpcore.cli.lazy import lazy_group
from vrpcore.version import VERSION

gc.freeze()  # nor will they
gc.enable()

# The summaries also begin each command's own help.
COMMANDS = {
    "solve": "Solve every instance in the files.",
    "serve": "Serve the solver over HTTP, with a web page to try it.",
    "train": "Train a policy.",
    "eval": "Measure what a policy constructs without search: mean cost, and gap to known costs.",
    "export": "Turn a policy into one self-contained file that solves whole instances.",
    "check": "Recompute every cost and check every route, independently of the solver.",
    "generate": (
        "Generate random instances, with good routes on request, or example spreadsheets."
    ),
    "columns": "Write down what columns of spreadsheets mean, to be corrected and used every day.",
    "plot": "Draw routes on a map, and below it when each vehicle drives; one panel per instance.",
    "bench": "Measure on this machine: speed, and the gaps of the README.",
    "doctor": (
        "Show versions, devices, threads, shipped models, and what is missing for which feature."
    ),
}

app = typer.Typer(
    name="vrp",
    cls=lazy_group("vrpcore.cli.", COMMANDS),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"vrp {VERSION}")
        raise typer.Exit


@app.callback()
def vrp(
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Solve vehicle routing problems; train, export and serve policies for them."""


def _open_closed() -> None:
    """Opens what is closed of stdin, stdout and stderr, so that no other file gets its number.

    Reading the first or writing the second is an error of the system, as without this.
    """
    for name, way, mode in (
        ("stdin", os.O_WRONLY, "r"),
        ("stdout", os.O_RDONLY, "w"),
        ("stderr", os.O_WRONLY, "w"),
    ):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, way), mode, encoding="utf-8"))


def _end_without_stdout(error: OSError) -> NoReturn:
    """Ends with a line instead of a traceback where stdout takes no more; else raises the error."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at the exit
        typer.echo(f"error: stdout: cannot be written: {error.strerror}", err=True)
        raise SystemExit(8) from None  # as of `OutputError`
    raise error


def run() -> None:
    """Entry point of the console script and of `python -m vrpcore.cli`."""
    _open_closed()
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except OSError as error:
        _end_without_stdout(error)
