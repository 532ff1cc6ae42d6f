"""`vrp bench`: a group of commands."""

import typer

from vrpcore.cli.lazy import lazy_group

HELP = """Measure on this machine: speed, and the gaps of the README.

[bold]Examples[/]

  vrp bench readme --quick                        the README's gaps and times
  vrp bench solve --quick

Comparisons, and measurements of the design, run from a checkout: python -m benchmarks --help.
"""
COMMANDS = {
    "solve": "Instances per second: all instances of a set in one call, as users solve them.",
    "readme": "Measure the README's gaps and times on this machine.",
}

bench = typer.Typer(
    cls=lazy_group("vrpcore.cli.bench_", COMMANDS),
    help=HELP,
    no_args_is_help=True,
    rich_markup_mode="rich",
)
