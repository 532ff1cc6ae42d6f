"""`vrp bench`: a group of commands."""

import typer

from vrpcore.cli.lazy import lazy_group

HELP = """Measure on this machine: design decisions, speed, quality next to other solvers.

[bold]Examples[/]

  vrp bench readme --quick                        the README's tables and plot, in minutes
  vrp bench lessons --quick
  vrp bench solve --quick
  vrp bench quality --quick --plot curves.png
  vrp bench decode --quick --rl4co ~/rl4co/bin/python
"""
COMMANDS = {
    "lessons": "Measure the design decisions on this machine.",
    "solve": "Instances per second: all instances of a set in one call, as users solve them.",
    "quality": "Mean gap against CPU seconds per instance: this project and classical solvers.",
    "decode": "The policy alone and RL4CO's POMO: milliseconds per instance, measured in turn.",
    "readme": "Measure every table and plot of the README on this machine.",
}

bench = typer.Typer(
    cls=lazy_group("vrpcore.cli.bench_", COMMANDS),
    help=HELP,
    no_args_is_help=True,
    rich_markup_mode="rich",
)
