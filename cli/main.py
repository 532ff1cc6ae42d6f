"""The `vrp` program: one function per command, each in its own file."""

import sys

import typer

from vrpcore.cli.lazy import Entry, lazy_group

# The summaries stand at the beginning of each command's own help, too.
COMMANDS = {
    "solve": Entry(
        "vrpcore.cli.solve",
        "Solve every instance in the files with the shipped model.",
    ),
    "serve": Entry("vrpcore.cli.serve", "Serve the solver over HTTP, with a web page to try it."),
    "train": Entry("vrpcore.cli.train", "Train a policy."),
    "export": Entry(
        "vrpcore.cli.export",
        "Turn a policy into one self-contained file that solves whole instances.",
    ),
    "check": Entry(
        "vrpcore.cli.check",
        "Recompute every cost and check every route, independently of the solver.",
    ),
    "generate": Entry(
        "vrpcore.cli.generate", "Generate random instances, with good routes on request."
    ),
    "plot": Entry(
        "vrpcore.cli.plot",
        "Draw routes: one colour per vehicle, the depot as a square, one panel per instance.",
    ),
    "bench": Entry(
        "vrpcore.cli.bench",
        "Measure on this machine: design decisions, speed, quality next to other solvers.",
    ),
    "doctor": Entry(
        "vrpcore.cli.doctor",
        "Show versions, devices, threads, shipped models, and what is missing for which feature.",
    ),
}

app = typer.Typer(
    name="vrp",
    cls=lazy_group(COMMANDS),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def vrp() -> None:
    """Solve, train and export for the capacitated vehicle routing problem."""


def run() -> None:
    """Entry point of the console script and of `python -m vrpcore.cli`."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    app()
