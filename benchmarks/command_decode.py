"""`python -m benchmarks decode`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vrpcore.cli.bench_tables import markdown_table, stdout_console, tracked
from vrpcore.cli.console import edge, raise_on_sigterm
from vrpcore.cli.flags import Device

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from benchmarks.decoding import DecodingRun

HELP = """The bare policy and RL4CO's POMO: milliseconds per instance, measured in turn.

Greedy from all first customers, without and with the 8 symmetries, 6 layers of width 128. On a
CPU, both have one thread, and its CPU time counts; on CUDA, wall time counts. RL4CO (pip install
rl4co) may be installed in a separate environment.

[bold]Examples[/]

  python -m benchmarks decode --quick --rl4co ~/rl4co/bin/python
  python -m benchmarks decode --rl4co ~/rl4co/bin/python     a quarter of an hour
  python -m benchmarks decode --quick --variants --rl4co ~/rl4co/bin/python
  python -m benchmarks decode --device cuda --rl4co ~/rl4co/bin/python
"""
RL4CO = Annotated[
    Path | None, typer.Option(help="Python interpreter that has rl4co; default: this one.")
]


@edge()
def decode(
    rl4co: RL4CO = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="20 and 50 customers, batches of 32, one round.")
    ] = False,
    variants: Annotated[
        bool, typer.Option("--variants", help="The literature's variants, against RL4CO's MTVRP.")
    ] = False,
    device: Device = "cpu",
) -> None:
    """Measures and prints a table."""
    raise_on_sigterm()
    import torch

    from benchmarks import decoding
    from vrpcore.bench.timing import machine
    from vrpcore.errors import ConfigError
    from vrpcore.learn.device import choose_device

    chosen = choose_device(device)
    where = f"{machine()['processor']}, one thread. CPU ms"
    if chosen.type == "cuda":
        where = f"{torch.cuda.get_device_name(chosen)}. Milliseconds"

    python = decoding.rl4co_python(rl4co)
    if python is None:
        raise ConfigError("rl4co is not installed here; name its interpreter with --rl4co")
    sizes = decoding.QUICK_SIZES if quick else decoding.SIZES
    batches: Sequence[int] = decoding.BATCHES
    rounds = decoding.ROUNDS
    if chosen.type == "cuda":
        batches, rounds = decoding.CUDA_BATCHES, decoding.CUDA_ROUNDS
    if quick:
        batches, rounds = decoding.QUICK_BATCHES, decoding.QUICK_ROUNDS
    cases = [
        decoding.DecodingCase(n, b, a, variants)
        for n in sizes
        for a in decoding.AUGMENTS
        for b in batches
    ]
    name = str(chosen)
    measured = (decoding.measure_decoding(python, case, rounds, name) for case in cases)
    rows: list[decoding.DecodingRun] = []
    try:
        rows.extend(tracked(measured, "decode", len(cases)))
    finally:  # What was measured before an error or a signal is shown, too.
        if rows:
            console = stdout_console()
            console.print(f"{where} per instance, medians.")
            console.print(decoding_table(rows))


def decoding_table(rows: Sequence[DecodingRun]) -> Table:
    """One line per case."""
    names = ("N", "batch", "symmetries", "RL4CO", "here", "ratio")
    cells = [
        (
            str(row.num_customers),
            str(row.batch),
            str(row.augment),
            f"{row.rl4co_ms:.3g}",
            f"{row.own_ms:.3g}",
            f"{row.ratio:.1f}",
        )
        for row in rows
    ]
    return markdown_table(names, cells, words=0)
