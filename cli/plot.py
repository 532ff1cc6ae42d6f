"""`vrp plot`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vrpcore.cli.console import EXIT_USAGE, edge, stderr_console

if TYPE_CHECKING:
    from vrpcore.instance.instance import Instance
    from vrpcore.instance.solution import Solution

HELP = """Draw routes: one colour per vehicle, the depot as a square, one panel per instance.

[bold]Examples[/]

  vrp plot instances.json solutions.json -o map.png
  vrp plot A-n32-k5.vrp A-n32-k5.sol -o map.svg
"""

_MAX_PANELS = 16


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("plot", help=HELP)(plot)


def plot(
    instances: Annotated[str, typer.Argument(help="Instances, as for vrp solve.")],
    solutions: Annotated[str, typer.Argument(help="Solutions: JSON, JSON Lines or .sol.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="A .png, .svg or .pdf file.")],
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Draws solutions."""
    with edge():
        console = stderr_console(quiet=quiet)
        if output.suffix not in (".png", ".svg", ".pdf"):
            console.print(f"error: -o {output}: expected .png, .svg or .pdf")
            raise SystemExit(EXIT_USAGE)
        pairs = _pairs(instances, solutions)
        if len(pairs) > _MAX_PANELS:
            console.print(f"drawing the first {_MAX_PANELS} of {len(pairs)} solved instances")
        _draw(pairs[:_MAX_PANELS], output)


def _pairs(instances: str, solutions: str) -> list[tuple[Instance, Solution]]:
    from vrpcore.cli.pairs import read_pairs
    from vrpcore.errors import InstanceError
    from vrpcore.instance.instance import InvalidInstance

    pairs = [
        (problem, answer)
        for problem, answer in read_pairs(instances, solutions)
        if not isinstance(problem, InvalidInstance) and answer.status == "solved"
    ]
    if not pairs:
        raise InstanceError(f"{solutions}: contains no solved instance to draw")
    return pairs


def _draw(pairs: list[tuple[Instance, Solution]], output: Path) -> None:
    import math

    from vrpcore.errors import MissingExtraError, OutputError

    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtraError("plot", "vrp plot") from None
    mpl.use("Agg")
    from matplotlib import pyplot

    columns = math.ceil(math.sqrt(len(pairs)))
    rows = math.ceil(len(pairs) / columns)
    size = 7 if len(pairs) == 1 else 4
    figure, axes = pyplot.subplots(
        rows, columns, squeeze=False, figsize=(size * columns, size * rows), layout="constrained"
    )
    for axis in axes.flat:
        axis.set_axis_off()
    for axis, (problem, answer) in zip(axes.flat, pairs, strict=False):
        _panel(axis, problem, answer)
    try:
        figure.savefig(output, dpi=150)
    except OSError as error:
        raise OutputError(f"{output}: cannot be written: {error}") from None
    finally:
        pyplot.close(figure)


def _panel(axis: Any, problem: Instance, answer: Solution) -> None:
    from matplotlib import colormaps

    from vrpcore.arrays.projection import project
    from vrpcore.cli.console import printable
    from vrpcore.errors import InstanceError

    coords = project(problem) if problem.coords is None else problem.coords
    number = {str(identity): index for index, identity in enumerate(problem.ids, start=1)}
    for index, route in enumerate(answer.routes):
        try:
            nodes = [0, *(number[str(customer)] for customer in route.customers), 0]
        except KeyError as error:
            raise InstanceError(f"{answer.name}: unknown customer {error}") from None
        colour = colormaps["tab20"]((2 * index + index // 10) % 20)  # strong ones first
        axis.plot(*coords[nodes].T, "-o", color=colour, linewidth=1.3, markersize=3.5)
    axis.plot(*coords[0], "s", color="black", markersize=8, zorder=5)
    cost = "" if answer.cost is None else f"  cost {answer.cost:.6g}"
    name = printable(problem.name).replace("\\[", "[").replace("$", r"\$")
    axis.set_title(f"{name[:60]}{cost}\n{len(answer.routes)} routes", fontsize=9)
    axis.set_aspect("equal", adjustable="datalim")
    axis.set_axis_off()
