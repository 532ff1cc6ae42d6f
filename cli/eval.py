"""`vrp eval`."""

import sys
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from vrpcore.cli.bench_tables import (
    Bks,
    Json,
    Seed,
    chosen_sets,
    markdown_table,
    milliseconds,
    stdout_console,
    tracked,
)
from vrpcore.cli.console import Messages, edge, raise_on_sigterm
from vrpcore.cli.flags import Device, Own, with_flags
from vrpcore.solve.solve_options import Decoding

if TYPE_CHECKING:
    from vrpcore.bench.evaluation import Evaluation, Mean

HELP = """Measure what a policy constructs without search: mean cost, and gap to known costs.

Known costs come with the literature's sets and .npz files, from a bks.csv next to .vrp files, from
--bks, or from the routes that JSON instances bring, which the policy never sees. What follows ± is
the standard error of the mean over the instances.

[bold]Examples[/]

  vrp eval runs/mine                                       the literature's test sets
  vrp eval runs/mine labels.npz X/*.vrp --augment 8
  vrp eval runs/mine uniform200 --against base             paired with another model
  vrp eval base kool100 --decode sample --samples 400 --temperature 0.3
"""
_DRAWN = 128  # instances of a set that is no file
_SETS = ("kool20", "kool50", "kool100")


@edge()
@with_flags
def eval(
    model: Annotated[
        str,
        typer.Argument(
            help="A checkpoint, the folder of a run, an exported model, or a shipped name."
        ),
    ],
    sets: Annotated[
        list[str] | None,
        typer.Argument(
            help="uniformN, clusteredN, xstyleN, kool10 to 100, or files; default kool20 to 100."
        ),
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="A second model; differences are paired with MODEL.")
    ] = None,
    *,
    decoding: Decoding,
    bks: Bks = None,
    count: Annotated[
        int | None,
        typer.Option(
            min=1, help=f"Instances of each set, at most; default {_DRAWN}, of files all."
        ),
    ] = None,
    output: Json = None,
    seed: Seed = 2718,
    device: Device = "auto",
    own: Own = None,
) -> None:
    """Constructs and prints a table."""
    raise_on_sigterm()
    from vrpcore.bench.evaluation import evaluate, evaluations_to_json
    from vrpcore.bench.timing import machine
    from vrpcore.cli.solve_output import require_folder
    from vrpcore.formats.files import write_text
    from vrpcore.solve.solver import Solver

    if output is not None:
        require_folder(output)
    problems = chosen_sets(
        sets or _SETS, bks or (), lambda name: count or (_DRAWN if name else sys.maxsize), seed
    )
    solvers = [Solver(name, device, own=own or ()) for name in (model, against) if name is not None]
    measured = (evaluate(solvers, found, decoding, seed) for found in problems)
    rows = list(chain.from_iterable(tracked(measured, "eval", len(problems))))
    _print(rows, paired=against is not None)
    if output is not None:
        write_text(output, evaluations_to_json(rows, decoding, seed, machine()))


def _print(rows: "list[Evaluation]", *, paired: bool) -> None:
    names = ["set", "model", "instances", "unsolved", "mean cost", "known", "gap"]
    names += ["difference"] * paired
    cells = [
        (
            row.name,
            row.model,
            str(row.instances),
            str(row.unsolved),
            "-" if row.unsolved == row.instances else f"{row.cost:.6g}",
            str(row.known),
            _share(row.gap),
            *[_share(row.difference)] * paired,
            milliseconds(row.cpu_s / row.instances),
        )
        for row in rows
    ]
    stdout_console().print(markdown_table([*names, "CPU ms each"], cells, words=2))
    for row in rows:
        if row.unsolved:
            found = f"{row.unsolved} of {row.instances} instances are unsolved by {row.model}"
            reason = "the policy does not cover them, or none of its tours serves all in the limits"
            Messages().print(f"{row.name}: {found}: {reason}")


def _share(mean: "Mean | None") -> str:
    if mean is None:
        return "-"
    error = "" if mean.error != mean.error else f" ± {100 * mean.error:.3f}"
    return f"{round(100 * mean.value, 3) + 0.0:.3f}{error} %"
