"""The `vrp` program: one function a command, each in a file of its own."""

import sys

import typer

from vrpcore.cli import bench, check, doctor, export, generate, plot, serve, solve, train

app = typer.Typer(
    name="vrp",
    help="Solve, train and export for the capacitated vehicle routing problem.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (solve, serve, train, export, check, generate, plot, bench, doctor):
    module.register(app)


def run() -> None:
    """Entry point of the console script and of `python -m vrpcore.cli`."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    app()
