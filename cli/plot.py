"""`vrp plot`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vrpcore.cli.console import edge, refuse, require_extra, stderr_console, visible
from vrpcore.cli.flags import Quiet
from vrpcore.errors import InstanceError, OutputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from vrpcore.instance.instance import Instance
    from vrpcore.instance.solution import Solution

HELP = """Draw routes: one colour per vehicle, the depot as a square, one panel per instance.

[bold]Examples[/]

  vrp plot instances.json solutions.json -o map.png
  vrp plot A-n32-k5.vrp A-n32-k5.sol -o map.svg
"""

ENDINGS = (".png", ".svg", ".pdf")
_MAX_PANELS = 16


@edge()
def plot(
    instances: Annotated[str, typer.Argument(help="Instances, as for vrp solve.")],
    solutions: Annotated[str, typer.Argument(help="Solutions: JSON, JSON Lines or .sol.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="A .png, .svg or .pdf file.")],
    quiet: Quiet = False,
) -> None:
    """Draws solutions."""
    console = stderr_console(quiet=quiet)
    if output.suffix not in ENDINGS:
        refuse(f"-o {output}: expected .png, .svg or .pdf")
    pairs = _pairs(instances, solutions)
    if len(pairs) > _MAX_PANELS:
        console.print(f"drawing the first {_MAX_PANELS} of {len(pairs)} solved instances")
    _draw(pairs[:_MAX_PANELS], output)


def _pairs(instances: str, solutions: str) -> list[tuple[Instance, Solution]]:
    from vrpcore.cli.pairs import read_pairs
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
    require_extra("plot", "vrp plot", "matplotlib")
    from matplotlib.figure import Figure

    columns = math.ceil(math.sqrt(len(pairs)))
    rows = math.ceil(len(pairs) / columns)
    size = 7 if len(pairs) == 1 else 4
    figure = Figure(figsize=(size * columns, size * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False)
    for axis in axes.flat:
        axis.set_axis_off()
    for axis, (problem, answer) in zip(axes.flat, pairs, strict=False):
        _panel(axis, problem, answer)
    save(figure, output)


def save(figure: Figure, output: Path) -> None:
    """Writes a picture.

    Raises:
        OutputError: The file cannot be written.
    """
    try:
        figure.savefig(output, dpi=150)
    except OSError as error:
        raise OutputError(f"{output}: cannot be written: {error}") from None


def _panel(axis: Any, problem: Instance, answer: Solution) -> None:
    from matplotlib import colormaps

    from vrpcore.arrays.projection import project

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
    name = visible(problem.name).replace("$", r"\$")
    axis.set_title(f"{name[:60]}{cost}\n{len(answer.routes)} routes", fontsize=9)
    axis.set_aspect("equal", adjustable="datalim")
    axis.set_axis_off()
