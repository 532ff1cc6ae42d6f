"""`vrp plot`."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from vrpcore.cli.console import edge, printable, refuse, require_extra, stderr_console
from vrpcore.cli.flags import Quiet
from vrpcore.errors import InstanceError, OutputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Console

    from vrpcore.cli.plot_style import Style
    from vrpcore.cli.plot_timeline import Row
    from vrpcore.instance.instance import Instance
    from vrpcore.instance.solution import Solution

HELP = """Draw routes on a map, and below it when each vehicle drives; one panel per instance.

Plain instances have one colour per vehicle and the depot as a square. With constraints, the map
shows all depots, a colour and a line style for each vehicle type, pickups and deliveries of
shipments as triangles up and down, and a cross for who is not served. Where an instance has
times, the timeline has a row for each vehicle: travel, waiting and service, and below them when
service may begin at each stop. Routes in a .sol state no times.

[bold]Examples[/]

  vrp plot instances.json solutions.json -o map.png
  vrp plot A-n32-k5.vrp A-n32-k5.sol -o map.svg
  vrp solve c101.txt -o c101.json
  vrp plot c101.txt c101.json -o c101.pdf                map and timeline
"""

ENDINGS = (".png", ".svg", ".pdf")
_MAX_PANELS = 16
_ONE = (10.0, 7.0, 12.0)  # inches: width and height of a map, most of a timeline
_SEVERAL = (6.5, 4.5, 5.0)


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
        console.print(f"drawing the first {_MAX_PANELS} of {len(pairs)} instances with routes")
    _draw(pairs[:_MAX_PANELS], output, console)


def _pairs(instances: str, solutions: str) -> list[tuple[Instance, Solution]]:
    from vrpcore.cli.pairs import read_pairs
    from vrpcore.instance.instance import InvalidInstance

    pairs = [
        (problem, answer)
        for problem, answer in read_pairs(instances, solutions, roads=True)
        if not isinstance(problem, InvalidInstance) and answer.has_routes
    ]
    if not pairs:
        raise InstanceError(f"{solutions}: contains no answer with routes to draw")
    return pairs


def _draw(pairs: list[tuple[Instance, Solution]], output: Path, console: Console) -> None:
    require_extra("plot", "vrp plot", "matplotlib")
    plain = all(problem.constraints is None for problem, _ in pairs)
    save(_maps(pairs) if plain else _panels(pairs, console), output)


def save(figure: Figure, output: Path) -> None:
    """Writes a picture.

    Raises:
        OutputError: The file cannot be written.
    """
    with warnings.catch_warnings():
        # Letters that no font here has are shown as boxes.
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        _write(figure, output)


def _write(figure: Figure, output: Path) -> None:
    try:
        figure.savefig(output, dpi=150)
    except OSError as error:
        raise OutputError(f"{output}: cannot be written: {error}") from None


def _maps(pairs: list[tuple[Instance, Solution]]) -> Figure:
    """Plain instances, all of one size."""
    from matplotlib.figure import Figure

    from vrpcore.cli.plot_map import draw_plain_map

    rows, columns = _grid(len(pairs))
    size = 7 if len(pairs) == 1 else 4
    figure = Figure(figsize=(size * columns, size * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False)
    for axis in axes.flat:
        axis.set_axis_off()
    for axis, (problem, answer) in zip(axes.flat, pairs, strict=False):
        draw_plain_map(axis, problem, answer)
    return figure


def _grid(count: int) -> tuple[int, int]:
    columns = math.ceil(math.sqrt(count))
    return math.ceil(count / columns), columns


class _Panel(NamedTuple):
    """What is drawn of an instance: a map, a timeline, or both; heights in inches, 0: none."""

    problem: Instance
    answer: Solution
    styles: list[Style]
    rows: list[Row]
    map_inches: float
    timeline_inches: float

    @property
    def inches(self) -> float:
        return self.map_inches + self.timeline_inches


def _panels(pairs: list[tuple[Instance, Solution]], console: Console) -> Figure:
    """Instances of which some have constraints: a map each, and a timeline where it has times."""
    from matplotlib.figure import Figure

    sizes = _ONE if len(pairs) == 1 else _SEVERAL
    panels = [_panel(problem, answer, sizes, console) for problem, answer in pairs]
    rows, columns = _grid(len(panels))
    heights = [
        max(panel.inches for panel in panels[row * columns : (row + 1) * columns])
        for row in range(rows)
    ]
    figure = Figure(figsize=(sizes[0] * columns, sum(heights)), layout="constrained")
    parts = figure.subfigures(rows, columns, squeeze=False, height_ratios=heights)
    for part, panel in zip(parts.flat, panels, strict=False):
        _draw_panel(part, panel)
    return figure


def _panel(
    problem: Instance, answer: Solution, sizes: tuple[float, float, float], console: Console
) -> _Panel:
    from vrpcore.cli.plot_style import route_styles
    from vrpcore.cli.plot_timeline import has_times, timeline_inches, timeline_rows

    _, high, most = sizes
    if problem.constraints is not None:
        answer = replace(answer, routes=tuple(r for r in answer.routes if r.customers))
    styles = route_styles(problem, answer)
    rows = timeline_rows(problem, answer, styles)
    name = printable(problem.name)
    if not rows and answer.routes and has_times(problem):
        console.print(f"{name}: its routes state no times, so there is no timeline; {_ADVICE}")
    if problem.coords is None and problem.constraints is not None:
        if not rows:
            raise InstanceError(f"{problem.name}: {_nothing(problem)}")
        console.print(f"{name}: it has no coordinates, so its timeline is drawn without a map")
        high = 0.0
    return _Panel(
        problem, answer, styles, rows, high, timeline_inches(len(rows), most) if rows else 0.0
    )


_ADVICE = "vrp solve -o FILE.json writes them"


def _nothing(problem: Instance) -> str:
    """Why there is nothing to draw of an instance without coordinates."""
    from vrpcore.cli.plot_timeline import has_times

    if has_times(problem):
        return f"it has no coordinates and its routes state no times; {_ADVICE}"
    return "it has neither coordinates nor times to draw; give x and y to depots and customers"


def _draw_panel(part: Any, panel: _Panel) -> None:
    from vrpcore.cli.plot_map import draw_map, draw_plain_map, heading
    from vrpcore.cli.plot_timeline import draw_timeline

    heights = [height for height in (panel.map_inches, panel.timeline_inches) if height]
    # Parts of their own, so that a legend beside the map takes no width from the timeline.
    halves = part.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    axes = [half.subplots() for half in halves]
    if panel.problem.constraints is None:
        draw_plain_map(axes[0], panel.problem, panel.answer)
        return
    if panel.map_inches:
        draw_map(axes[0], panel.problem, panel.answer, panel.styles)
    if panel.timeline_inches:
        draw_timeline(axes[-1], panel.problem, panel.rows, panel.timeline_inches)
    part.suptitle(heading(panel.problem, panel.answer), fontsize=9)
