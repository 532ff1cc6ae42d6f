"""The `vrp` program: one function a command, each in a file of its own."""

import sys

import typer

from vrpcore.cli.lazy import Entry, lazy_group

# The summaries stand at the beginning of each command's own help, too.
COMMANDS = {
    "solve": Entry(
        "vrpcore.cli.solve",
        "Solve every instance of the files with the model that ships in the package.",
    ),
    "serve": Entry("vrpcore.cli.serve", "Serve solves over HTTP, with a page to try them on."),
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
        "vrpcore.cli.generate", "Make random instances, with good routes if you like."
    ),
    "plot": Entry(
        "vrpcore.cli.plot",
        "Draw routes: a colour a vehicle, the depot as a square, one panel an instance.",
    ),
    "bench": Entry(
        "vrpcore.cli.bench",
        "Measure on this machine: what the design rests on, speed, quality beside rivals.",
    ),
    "doctor": Entry(
        "vrpcore.cli.doctor",
        "Show versions, devices, threads, shipped models, and what is missing for what.",
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
