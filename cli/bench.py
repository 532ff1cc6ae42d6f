"""`vrp bench`: a group of commands."""

import typer

from vrpcore.cli.lazy import Entry, lazy_group

HELP = """Measure on this machine: what the design rests on, speed, quality beside rivals.

[bold]Examples[/]

  vrp bench readme --quick                        the README's tables and plot, in minutes
  vrp bench lessons --quick
  vrp bench solve --quick
  vrp bench quality --quick --plot curves.png
  vrp bench decode --quick --rl4co ~/rl4co/bin/python
"""
COMMANDS = {
    "lessons": Entry(
        "vrpcore.cli.bench_lessons", "Measure on this machine what the design rests on."
    ),
    "solve": Entry(
        "vrpcore.cli.bench_solve",
        "Instances a second: all instances of a set in one call, as users solve them.",
    ),
    "quality": Entry(
        "vrpcore.cli.bench_quality",
        "Mean gap against CPU seconds of an instance: this project beside classical solvers.",
    ),
    "decode": Entry(
        "vrpcore.cli.bench_decode",
        "The policy alone beside RL4CO's POMO: CPU milliseconds of an instance, in turns.",
    ),
    "readme": Entry(
        "vrpcore.cli.bench_readme",
        "Measure again, on this machine, every table and plot of the README.",
    ),
}


def register(app: typer.Typer) -> None:
    """Adds the group."""
    group = typer.Typer(
        cls=lazy_group(COMMANDS), help=HELP, no_args_is_help=True, rich_markup_mode="rich"
    )
    app.add_typer(group, name="bench")
