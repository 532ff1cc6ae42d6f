"""`python -m benchmarks`: comparisons, design decisions and their tables, from a checkout."""

import typer

from vrpcore.cli.lazy import lazy_group

HELP = """Compare this project with other solvers, and measure its design decisions.

The packages of other solvers: pip install -e ".[bench]"

[bold]Examples[/]

  python -m benchmarks quality --quick --plot curves.png
  python -m benchmarks decode --quick --rl4co ~/rl4co/bin/python
  python -m benchmarks lessons --quick
  python -m benchmarks records
  python -m benchmarks keys
"""
COMMANDS = {
    "quality": "Mean gap against CPU seconds per instance: this project and classical solvers.",
    "decode": "The bare policy and RL4CO's POMO: milliseconds per instance, measured in turn.",
    "lessons": "Measure the design decisions on this machine.",
    "records": "Render the tables of docs/ from the records in docs/results/records.",
    "keys": "Render the tables of keys in docs/interface from their declarations.",
}

app = typer.Typer(
    cls=lazy_group("benchmarks.command_", COMMANDS),
    help=HELP,
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@app.callback()
def benchmarks() -> None:
    """Does nothing itself: typer wants a callback or a command."""


if __name__ == "__main__":
    app(prog_name="python -m benchmarks")
